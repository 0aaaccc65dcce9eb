"""The check of the library: whether it is sound, its repair, its backups; beside the window, and in the place of it.

presenter.py    what is asked of the library, and what it answers; no widget in it
out_of_use.py   the library closed, repaired or put back from a backup, and opened again
rows.py         what was found and what was done, as rows; words for parts and backups
dialog.py       the window “Library check”, put together
backup_list.py  its list of backups
caring.py       what the window makes of all this: offers, notices, reports
"""
