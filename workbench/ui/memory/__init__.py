"""What is remembered of conversations: shown, changed, removed, switched on and off; a window of its own.

presenter.py      What is remembered in the open library, and whether more is
memory_dialog.py  Dialog of conversation memories: switch, and a table in which each memory can be edited or removed
"""
