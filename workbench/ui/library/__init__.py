"""The library pane: documents of the library -> rows on the screen; drops and clicks -> operations.

model.py      item model over frozen Document rows: filtered (query.py, query_tree.py), ordered, folded by folder
              (arrangement.py)
list_view.py  the list, with the keys of a tree
wording.py    a document's state in words: second line, tool tip, counts, time left
row_actions.py what can be done with what is selected: actions and keys
row_menu.py     their menu, and their files dragged into other programs
options.py    the button for order, folders and knowledge bases; base_box.py the choice of one
catalogue.py  the decisions about knowledge bases, fields and tags; catalogue_dialogs.py opens
              details.py, tags.py and move.py
other_sources.py the decisions about what is no file: links (links.py), queries, notes; asked for by
              add_link.py, add_query.py and add_note.py
queue.py      the decisions about what waits to be read; queue_dialogs.py opens review_sheet.py and passwords.py
linked_presenter.py the decisions about linked folders and the bin; shown by linked_folders.py and bin.py
times.py      times in words
file_kinds.py what the file dialog offers
presenter.py  what to do and when: add, cancel, remove and undo, re-index; no widget in it
imports.py    the imports under way; running.py one of them, and the sum of several
delegate.py   how a row is painted
empty.py      what an empty library shows: a drop target and three buttons
progress.py   the strip with bar, time left and Cancel
drop.py       the overlay "Drop to add to your library" over the whole window
pane.py       the widgets, put together
"""
