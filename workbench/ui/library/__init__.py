"""The library pane: documents of the library -> rows on the screen; drops and clicks -> operations.

model.py      item model over frozen Document rows, filtered as one types
wording.py    a document's state in words: second line, tool tip, counts, time left
presenter.py  what to do and when: add, cancel, remove and undo, re-index; no widget in it
running.py    one import under way, and the sum of several
delegate.py   how a row is painted
empty.py      what an empty library shows: a drop target and three buttons
progress.py   the strip with bar, time left and Cancel
drop.py       the overlay "Drop to add to your library" over the whole window
pane.py       the widgets, put together
"""
