"""What is remembered of a conversation, and what of it comes back to a model's mind.

extraction.py  A question and its answer -> what is worth remembering: what a model is asked, and what it says read
               leniently
secrets.py     Tells texts that look as if a key, a password or the number of a card stood in them
recall.py      A question -> the memories most similar to it: by meaning where the embedder knows the script, else by
               words
section.py     Memories in the prompt: marked as notes, behind this conversation and the documents in what they count
"""
