"""Memory of the conversation, and the recall of entries for a question.

conversation_memory.py  Memories of conversations: extraction by a model, detection of secrets, and the section of the
                        prompt
memory_recall.py        Recall of the memories most similar to a question, by embeddings and by words
"""
