"""The inspector: a run, a citation or a document -> its passages, each on its page, with why it was found.

scores.py            Scores -> words and bars: never a percentage across kinds of score that cannot be compared
passages.py          Hits, citations and chunks as rows of one kind: what the list, the page, the text and the details
                     show
passage_model.py     Passages as a Qt item model: a list of frozen rows
passage_delegate.py  A passage drawn as an item: number, place, heading, the beginning of its text, bars for hits,
                     badges
passage_copy.py      A passage with its source, copied or dragged into another program
marking.py           The passages of the list marked right or wrong for the question that they were found for
page_presenter.py    Which passage is looked at -> the sizes of its document's pages, its marks, and the pictures that
                     are in sight
page_loader.py       Which pages are wanted -> their pictures, one after another, the most wanted first
page_view.py         The pages of a document: fitted to the width or zoomed, scrolled through, the mark in sight
page_bar.py          The bar above the pages: which of how many, back and forth, nearer and farther
page_canvas.py       All pages below one another, of which those in sight are painted: their pictures, or their paper
                     until these come
page_stack.py        Pages below one another: where each stands and which are in sight; knows no Qt and draws nothing
page_pictures.py     The pictures of the pages that were looked at last, within a bound of memory
text_view.py         A document's text with the passage marked, for formats without pages and for those who like to
                     read plainly
section_button.py    “Whole section”: a button that fetches where the section around a passage begins and ends
details_view.py      Every figure of a passage: where it stands, what it is, why it was found
neighbours.py        The passages before and after the one that is shown, and any other of its document that is
                     pointed at
find.py              Finding words in the document whose passage is shown: in its whole text, on its pages where it
                     has any
document_source.py   A document's text and chunks, fetched from the library; keeps one text, ignores what comes too
                     late
page_outlines.py     Where every passage stands on the pages in sight: drawn over their pictures, chosen by a click
outlines_layer.py    Over the pages: the outlines of all their passages, the button that shows them, and the click
                     that chooses one
evidence_changes.py  The passages of the list, changed: what is said of it, the list made anew, and which answers
                     cited them
chunk_editing.py     What is done to the passage that is shown: each change with its way back, and the edits of its
                     document
chunk_tools.py       The buttons, the menu and the keys by which the passage that is shown is changed
chunk_editor.py      The text of a passage, to be written anew or split, with its tokens counted while one types
chunk_tags.py        The tags of a passage, typed with commas between
passage_changes.py   The passage that is shown, changed: its buttons, its editor in the place of its tabs, and what is
                     said of it
edits_dialog.py      The edits of a document's passages: when each was made, what it changed, and its way back
edits_button.py      “3 edits”: how much of a document was changed by hand; opens the list of it
differences.py       Which texts are wanted side by side -> how one became the other, compared on the worker
citation_uses.py     Which answers cited the passages of a document: asked once a document, told of each passage
passage_view.py      One passage: its place as a title, what is to be said about it; its page, text, details and
                     explanation as tabs
evidence_view.py     The passages of an answer or of a document above, the chosen one below
pane.py              The inspector pane: nothing to inspect yet, or the evidence
"""
