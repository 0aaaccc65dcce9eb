"""The sessions pane: conversations kept in the library -> rows, newest first; rename, remove with undo, export.

model.py      item model over frozen SessionInfo rows
presenter.py  list, open, rename, remove, export; no widget in it
delegate.py   how a row is painted
pane.py       the widgets
"""
