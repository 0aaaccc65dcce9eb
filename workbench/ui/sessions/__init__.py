"""The sessions pane: conversations kept in the library -> rows; find, rename, pin, archive, remove with undo, export.

model.py       The item model of the sessions pane: frozen SessionInfo rows, the pinned first; those that hold what is
               sought
presenter.py   The decisions of the sessions pane; works without a window
finding.py     Words -> the sessions in which they were said: titles at once, everything said after a pause in typing
drafts.py      What is typed in a session and not asked: kept when another is opened, put back on coming to it again
delegate.py    How a session's row is painted: its title with its signs, and a muted second line
find_field.py  The line in which one looks for a session; from it Down leads into the list, Enter to what is found,
               Esc back
pane.py        The sessions pane: the list with its menu, what finds one; widgets only, decisions are the presenter's
"""
