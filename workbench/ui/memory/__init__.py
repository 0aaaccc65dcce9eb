"""What is remembered of conversations: shown, changed, removed, switched on and off; a window of its own.

presenter.py  asks the library, changes, removes and brings back
table.py      one memory a row; its text is changed in place
dialog.py     the switch, the table, the buttons
"""
