"""Arguments from a model -> a text for the model and events for the user.

reasoning.py  think and analyze: steps that are shown and kept out of the answer
search.py     search_knowledge_base: passages of the documents under numbers to cite
toolbox.py    the tools of one run
"""
