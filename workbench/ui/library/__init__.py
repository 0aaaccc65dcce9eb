"""The library pane: documents of the library -> rows on the screen; drops and clicks -> operations.

model.py              The item model of the library pane: frozen Document rows, filtered as one types, sorted, folded
                      by folder
query.py              What is typed into the filter box: words, and conditions like tag:law, format:pdf, status:failed
query_tree.py         What the filter box can say besides words and key:value: the whole syntax of filters, over the
                      rows of the list
arrangement.py        In which order the documents stand, plain or as a tree of their folders; laying.py makes rows of
                      it
laying.py             Documents -> the rows that are shown of them: filtered, ordered, laid out as a tree; in steps,
                      for there are many
slices.py             Long work on the main thread in short slices, between which the window answers
stock.py              All documents by id with what is known of each, and those that are to go but are still shown
counts.py             How many documents of which kind there are: kept as they come and go, for asking 100,000 takes
                      70 ms
changes.py            What happens to documents -> the rows, several changes at a time
columns.py            The columns of the table of documents: what each says of a document; which are shown, how wide,
                      in which order
column_menu.py        The menu of the columns: each is ticked that is shown
list_view.py          The documents as a list or as a table, with the keys of a tree: Right and Left unfold and fold a
                      folder
wording.py            A document's state in words
row_actions.py        What can be done with the documents that are selected: the actions and their keys
row_menu.py           The menu of the documents that are selected, and their files dragged into another program
options.py            The button beside the filter: order of the documents, list or tree, and the knowledge bases
base_box.py           The choice of a knowledge base: what is listed, added to and asked
catalogue.py          The decisions about knowledge bases, fields and tags: each change is one operation, and its way
                      back is another
catalogue_dialogs.py  The dialogs about knowledge bases, fields and tags, opened over the library pane
details.py            What is known of a document: the fields that can be written, and the facts that cannot
tags.py               The tags of one or many documents: those in use to be ticked, new ones to be typed
metadata_box.py       Metadata of one's own, of documents or of a linked folder: a line a key, to be written, changed
                      and taken away
move.py               Where documents are to go: another knowledge base, or a new one; moved or copied
other_sources.py      What does not come as a file: links, database queries, notes. The decisions, and the dialogs
                      they are asked with
links.py              Links in what a person types, pastes or drops
add_link.py           The dialog for links and topics: one or many lines, said at once what would become of each
add_query.py          The dialog for a database query
add_note.py           The dialog in which a note is written, or written anew
queue.py              The decisions about what waits to be read: look first at a big drop, pause, cancel, what goes
                      first, passwords
queue_dialogs.py      The two questions that an import may ask: is this big drop meant, and what is the password
review_sheet.py       What a big drop holds, shown before it is added
passwords.py          One question for all documents that need a password
linked_presenter.py   The decisions about linked folders and the bin; works without a window
linked_folders.py     The dialog of the linked folders: which there are, how they stand, link and unlink
bin.py                The dialog of the bin: what was removed, to be brought back or deleted for good
times.py              Times that are left
file_kinds.py         The kinds of files that the file dialog offers: all documents, one line for each family, and
                      everything
presenter.py          The decisions of the library pane; works without a window
imports.py            The imports under way: started, summed, cancelled
running.py            One import under way, and the sum of several
delegate.py           How a row of the library is painted: icon, name, a muted second line, a thin bar while it is
                      embedded
table_delegate.py     How a cell of the table of documents is painted: the name with icon and marks, the rest as a
                      line of text
empty.py              What an empty library shows: a big drop target and two ways to begin; the samples are offered
                      beside it
progress.py           The strip at the foot of the library while an import runs: how far, how long, Pause and Cancel
drop.py               Dropping files on the window: the overlay that says what would happen where, and the paths of a
                      drop
drop_places.py        Where in the window a drop means more than "add": a row of a folder, and the field of the
                      question
pane.py               The library pane: filter box, knowledge base, list, progress; widgets only, decisions are the
                      presenter's
"""
