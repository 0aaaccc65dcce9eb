"""Inspector: passages of a run, a citation or a document, each shown on its page, with why it was found.

passage_rows.py          Hits, citations and chunks as rows of one data class, and their scores as labels and bars;
                         without Qt
passage_list.py          List of passages: item model, delegate, copying and dragging with the source, marking as right
                         or wrong
page_presenter.py        Presenter of the page view: page sizes and marks of a passage, and loading of page pictures by
                         priority
page_view.py             Scrolling and zooming view of the pages of a document, and the bar with page number and zoom
                         above it
page_canvas.py           Painting of the visible pages: vertical layout of all pages, and a bounded cache of their
                         pictures
text_view.py             Text of a document with the passage marked, for formats without pages and for reading plain
                         text
details_view.py          All details of a passage: its place, its properties, its text and its neighbours
document_find.py         Search in the document of the shown passage: its whole text is searched, and matches are shown
                         on its pages
document_loader.py       Loaders of what belongs to a passage: text and chunks of its document, neighbouring passages,
                         the whole section
page_outlines.py         Outlines of all passages on the visible pages: layer over the pages, its menu entry, and
                         selection by a click
chunk_edit_presenter.py  Presenter of chunk edits
chunk_editor.py          Editor for the text of a passage: rewrite or split it, with its tokens counted while the user
                         types
passage_editing.py       Editing controls of the shown passage: buttons, menu, keys, tags dialog, and the editor in
                         place of the tabs
edits_dialog.py          Dialog with all edits of the passages of a document, each with its undo, and the button that
                         opens it
citation_uses.py         Answers that cite the passages of a document: requested once per document, looked up per
                         passage
passage_view.py          View of one passage: its place as a title, a notice, and tabs with its page, text, details and
                         explanation
evidence_view.py         Passages of an answer or a document above, the chosen passage below, and updates of the list
                         after an edit
pane.py                  Inspector pane: an empty state until there is something to inspect, then the evidence
"""
