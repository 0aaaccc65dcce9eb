"""What is remembered of a conversation, and what of it comes back to a model's mind.

extraction.py  question and answer -> what a model finds worth remembering, read leniently
secrets.py     tells what must never be remembered: keys, passwords, numbers of cards
recall.py      a question -> the memories most similar to it
section.py     these in the prompt
"""
