"""The check of the library: whether it is sound, its repair, its backups; beside the window, and in the place of it.

presenter.py    What is asked of the library about itself; works without a window
out_of_use.py   The library taken out of use, repaired or put back from a backup, and opened again
rows.py         What was found in a library and what was done, as rows; and the words for its parts
dialog.py       The window “Library check”: what was found in the library, its repair, its backups
backup_list.py  The backups of the library: listed, made, deleted, put in use again after a question
caring.py       What the window makes of the state of its library: a quiet notice, an offer where it cannot be opened,
                a report
"""
