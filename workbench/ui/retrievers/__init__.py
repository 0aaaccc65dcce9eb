"""Custom retrievers, plug-in files and workspaces: their state, permission to run, and problems.

presenter.py          Presenter of retrievers, plug-in files and workspaces: their state, and actions on them
retrievers_dialog.py  Dialog of custom retrievers, plug-in files and agent workspaces: lists, their texts, and review
                      of plug-in code
"""
