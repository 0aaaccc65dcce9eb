"""The inspector: a run, a citation or a document -> its passages, each on its page, with why it was found.

passage_rows.py          Hits, citations and chunks as rows of one kind, and their scores as words and bars; without
                         Qt
passage_list.py          The list of passages: item model, delegate, copying and dragging with the source, marking
                         right or wrong
page_presenter.py        Presenter of the page view: page sizes and marks of a passage, and loading of page pictures
                         by priority
page_view.py             Scrolling and zooming view of the pages of a document, and the bar with page number and zoom
                         above it
page_canvas.py           Painting of the pages in sight: layout of all pages below one another, and a bounded cache of
                         their pictures
text_view.py             A document's text with the passage marked, for formats without pages and for those who like
                         to read plainly
details_view.py          Every figure of a passage: where it stands, what it is, why it was found
document_find.py         Finding words in the document whose passage is shown: in its whole text, on its pages where
                         it has any
document_loader.py       Loading of what belongs to a passage: text and chunks of its document, neighbouring passages,
                         the whole section
page_outlines.py         Outlines of all passages on the pages in sight: layer over the pages, its button, and
                         selection by a click
chunk_edit_presenter.py  Presenter of chunk edits
chunk_editor.py          The text of a passage, to be written anew or split, with its tokens counted while one types
passage_editing.py       Editing controls of the passage shown: buttons, menu, keys, tags dialog, and the editor in
                         place of the tabs
edits_dialog.py          Dialog with all edits of the passages of a document, each with its undo, and the button that
                         opens it
citation_uses.py         Which answers cited the passages of a document: asked once a document, told of each passage
passage_view.py          One passage: its place as a title, what is to be said about it; its page, text, details and
                         explanation as tabs
evidence_view.py         The passages of an answer or document above, the chosen one below, and updates of the list
                         after an edit
pane.py                  The inspector pane: nothing to inspect yet, or the evidence
"""
