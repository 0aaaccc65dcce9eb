"""Custom retrievers, plug-in files and workspaces: what is there, whether it may run, what is wrong with it.

presenter.py          What the library says of retrievers, plug-in files and workspaces, and what is done to them
retrievers_dialog.py  Dialog of custom retrievers, plug-in files and agent workspaces: lists, their texts, and review
                      of plug-in code
"""
