"""What is remembered of a conversation, and what of it comes back to a model's mind.

conversation_memory.py  Memories of conversations: extraction by a model, detection of secrets, and the section of the
                        prompt
memory_recall.py        A question -> the memories most similar to it: by meaning where the embedder knows the script,
                        else by words
"""
