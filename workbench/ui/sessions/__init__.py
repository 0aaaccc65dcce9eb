"""The sessions pane: conversations kept in the library -> rows; find, rename, pin, archive, remove with undo, export.

model.py       item model over frozen SessionInfo rows
presenter.py   list, open, rename, pin, archive, remove; no widget in it
finding.py     words -> the sessions that say them
drafts.py      what is typed in a session and not asked, kept with it
delegate.py    how a row is painted
find_field.py  the line in which one looks for a session
pane.py        the widgets
"""
