"""What is remembered of conversations: shown, changed, removed, switched on and off; a window of its own.

presenter.py  What is remembered in the open library, and whether more is
table.py      One memory a row: its text, changed in place, what it is about, its times, and the answer that it is
              from
dialog.py     What is remembered of conversations: a switch with what it does, and a table in which everything can be
              changed
"""
