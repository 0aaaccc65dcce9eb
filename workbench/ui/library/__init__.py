"""Library pane: documents of the library as rows on the screen; drops and clicks start operations.

model.py                   Qt item model of the library pane, with its documents and their counts by state
filter_query.py            Parser for the text in the filter box: words, and conditions like tag:law, format:pdf,
                           status:failed
filter_expressions.py      Full filter syntax of the filter box, beyond words and key:value, evaluated over the rows of
                           the list
row_layout.py              Layout of documents as rows: filtered, sorted, grouped by folder, computed in short slices on
                           the main thread
document_columns.py        Columns and sort order of the table of documents, and the menu that shows or hides columns
list_view.py               View of the documents as a list or a table, with the keys of a tree: Right and Left expand
                           and collapse a folder
document_wording.py        Display texts for documents: their state, size, format and import results
row_actions.py             Actions on the selected documents, their keyboard shortcuts, and their context menu
list_options.py            Controls above the list: order, list or tree, columns, and the choice of a knowledge base
catalogue_presenter.py     Presenter of knowledge bases, fields and tags: each change is one operation, and its undo is
                           another
catalogue_dialogs.py       Dialogs about knowledge bases, fields and tags of the selected documents, and the code that
                           opens them
metadata_dialogs.py        Dialogs and editor for the details and custom metadata of documents
other_sources.py           Sources other than files: links, database queries and notes, with the dialog for a query
add_dialogs.py             Dialogs that add documents: links and topics, and notes
import_queue_presenter.py  Presenter of the import queue: review of a big drop, pause, cancel, priority, and passwords
import_dialogs.py          Dialogs of an import: the review of a big drop, and the question for passwords
linked_folders_dialog.py   Dialog of the linked folders, and the presenter of linked folders and the bin
shared_presenter.py        Presenter of the shared libraries: their state, changes, and the reading of added documents
shared_libraries_dialog.py Dialog of the shared libraries: connect, set up, leave, knowledge bases and members
bin_dialog.py              Dialog of the bin: removed documents, which can be restored or deleted for good
presenter.py               Presenter of the library pane, which applies changes of documents to the item model in
                           batches
imports.py                 Running imports: start, progress of each and of all together, and cancellation
document_delegate.py       Delegates that paint the rows of the document list and the cells of the document table
drop_overlay.py            Dropping files on the window: the overlay that shows what a drop would do, the paths of a
                           drop, and targets with a meaning other than "add": folder rows and the question field
pane.py                    Library pane: filter field, list of documents, empty view, and the progress strip of an
                           import
"""
