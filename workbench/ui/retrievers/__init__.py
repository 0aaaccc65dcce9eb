"""Custom retrievers, plug-in files and workspaces: what is there, whether it may run, what is wrong with it.

wording.py    Retrievers, plug-in files and workspaces in words: a title and what is to be said of it
presenter.py  What the library says of retrievers, plug-in files and workspaces, and what is done to them
review.py     The code of a plug-in file, to be read before it may run
listing.py    Rows of two lines, with buttons below that act on the chosen one
dialog.py     Custom retrievers, the plug-in files of the library, and workspaces of agents, as three tabs
"""
