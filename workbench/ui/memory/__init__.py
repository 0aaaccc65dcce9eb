"""Memories of conversations: window to view, edit and remove them, and to switch the feature on and off.

presenter.py      Presenter of the memories of the open library and of the switch of the feature
memory_dialog.py  Dialog of conversation memories: switch, and a table in which each memory can be edited or removed
"""
