"""The library pane: documents of the library -> rows on the screen; drops and clicks -> operations.

model.py                Qt item model of the library pane, with the documents it holds and their counts by state
filter_query.py         What is typed into the filter box: words, and conditions like tag:law, format:pdf,
                        status:failed
filter_expressions.py   What the filter box can say besides words and key:value: the whole syntax of filters, over the
                        rows of the list
row_layout.py           Layout of documents as rows: filtered, sorted, grouped by folder, computed in short slices on
                        the main thread
document_columns.py     Columns and sort order of the table of documents, and the menu that shows or hides columns
list_view.py            The documents as a list or as a table, with the keys of a tree: Right and Left unfold and fold
                        a folder
document_wording.py     A document's state in words
row_actions.py          Actions on the selected documents, their keyboard shortcuts, and their context menu
list_options.py         The controls above the list: order, list or tree, columns, and the choice of a knowledge base
catalogue_presenter.py  The decisions about knowledge bases, fields and tags: each change is one operation, and its
                        way back is another
catalogue_dialogs.py    Dialogs about knowledge bases, fields and tags of the selected documents, and the code that
                        opens them
metadata_dialogs.py     Dialogs and editor for the details and custom metadata of documents
other_sources.py        Sources that are no files
add_dialogs.py          Dialogs that add documents: links and topics, notes, database queries, and the filters of the
                        file dialog
add_query.py            The dialog for a database query
import_queue.py         The decisions about what waits to be read: look first at a big drop, pause, cancel, what goes
                        first, passwords
import_dialogs.py       Dialogs of an import: the review of a big drop, and the question for passwords
linked_folders.py       The dialog of the linked folders, and the decisions about linked folders and the bin
bin_dialog.py           The dialog of the bin: what was removed, to be brought back or deleted for good
file_kinds.py           The kinds of files that the file dialog offers: all documents, one line for each family, and
                        everything
presenter.py            The decisions of the library pane, and changes of documents applied to the item model in
                        batches
imports.py              Running imports: start, progress of one and of all together, and cancel
document_delegate.py    Delegates that paint the rows of the document list and the cells of the document table
drop_overlay.py         Dropping files on the window: the overlay that says what would happen where, and the paths of
                        a drop
drop_targets.py         Where in the window a drop means more than "add": a row of a folder, and the field of the
                        question
pane.py                 The library pane: filter field, list of documents, the view of an empty library
"""
