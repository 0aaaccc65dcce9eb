"""The sessions pane: conversations kept in the library -> rows; find, rename, pin, archive, remove with undo, export.

model.py         The item model of the sessions pane: frozen SessionInfo rows, the pinned first; those that hold what
                 is sought
presenter.py     Presenter of the sessions pane, and the search for sessions by title and content
drafts.py        What is typed in a session and not asked: kept when another is opened, put back on coming to it again
session_list.py  Widgets of the list of sessions that are created with the first session: row delegate and search
                 field
pane.py          The sessions pane: the list with its menu, what finds one; widgets only, decisions are the
                 presenter's
"""
