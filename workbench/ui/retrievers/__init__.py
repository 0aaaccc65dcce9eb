"""Custom retrievers, plug-in files and workspaces: what is there, whether it may run, what is wrong with it.

wording.py    how each stands, in words; knows no Qt
presenter.py  asks the library, allows and forbids, imports
review.py     the code of a plug-in file, to be read before it may run
listing.py    rows of two lines with buttons below
dialog.py     these as three tabs
"""
