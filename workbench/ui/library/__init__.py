"""The library pane: documents of the library -> rows on the screen; drops and clicks -> operations.

model.py      item model over frozen Document rows: filtered (query.py, query_tree.py), ordered (arrangement.py),
              laid out as a tree (laying.py), of many in slices (slices.py)
stock.py      the documents that a model has; counts.py says how many
changes.py    what happens to documents, brought into the model several changes at a time
columns.py    the columns of the table, and which are shown; column_menu.py ticks them
list_view.py  the list or the table, with the keys of a tree
wording.py    a document's state in words: second line, tool tip, counts, time left
row_actions.py what can be done with what is selected: actions and keys
row_menu.py     their menu, and their files dragged into other programs
options.py    the button for order, folders and knowledge bases; base_box.py the choice of one
catalogue.py  the decisions about knowledge bases, fields and tags; catalogue_dialogs.py opens
              details.py, tags.py, metadata_box.py and move.py
other_sources.py the decisions about what is no file: links (links.py), queries, notes; asked for by
              add_link.py, add_query.py and add_note.py
queue.py      the decisions about what waits to be read; queue_dialogs.py opens review_sheet.py and passwords.py
linked_presenter.py the decisions about linked folders and the bin; shown by linked_folders.py and bin.py
times.py      days that are left
file_kinds.py what the file dialog offers
presenter.py  what to do and when: add, cancel, remove and undo, re-index; no widget in it
imports.py    the imports under way; running.py one of them, and the sum of several
delegate.py   how a row of the list is painted; table_delegate.py a cell of the table
empty.py      what an empty library shows: a drop target and three buttons
progress.py   the strip with bar, time left and Cancel
drop.py       the overlay "Drop to add to your library" over the whole window; drop_places.py the rows of folders and
              the field of the question, where a drop means more
pane.py       the widgets, put together
"""
