"""Sessions pane: conversations kept in the library as rows; find, rename, pin, archive, remove with undo, export.

model.py         Item model of the sessions pane: frozen SessionInfo rows, the pinned first, filtered by the search
                 words
presenter.py     Presenter of the sessions pane, and the search for sessions by title and content
pane.py          Sessions pane: the list of sessions with its delegate, menu and search field; widgets only, the
                 presenter decides
"""
