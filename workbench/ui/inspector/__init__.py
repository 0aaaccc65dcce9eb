"""The inspector: a run, a citation or a document -> its passages, each on its page, with why it was found.

scores.py         scores -> words and bars; knows no Qt
passages.py       hits, citations and chunks -> rows that say the same things of all three; knows no Qt
passage_model.py  rows -> item model
passage_delegate.py  an item drawn: number, place, text, bars, badges
passage_copy.py   a passage with its source, copied or dragged into another program
marking.py        passages marked right or wrong for their question
page_presenter.py which passage is looked at -> its document's pages, its marks, the pictures of what is in sight
page_loader.py    which pages are wanted -> their pictures, one after another
page_view.py      the pages: zoom, the mark in sight; page_bar.py: above them
page_canvas.py    those in sight painted; page_stack.py: where each stands; page_pictures.py: the pictures of the last
                  ones, within a bound
text_view.py      the document's text with the passage marked
section_button.py  which passage is shown -> its whole section
details_view.py   every figure of a passage, and what stands before and after it (neighbours.py)
find.py           words found in the document, on its pages and in its text
document_source.py  which document is wanted -> its text and chunks
page_outlines.py  every passage of the pages in sight; outlines_layer.py: drawn over them
evidence_changes.py  the list after a change, and how often its passages were cited
chunk_editing.py  what is done to the passage shown (chunk_tools.py: by which buttons and keys; chunk_editor.py: its
                  text written; chunk_tags.py: its tags; passage_changes.py: these together)
edits_dialog.py   the edits of a document with their way back; edits_button.py: what opens it
differences.py    how a text became another, compared on the worker
citation_uses.py  which answers cited a passage
passage_view.py   one passage: page, text, details and ui/why as tabs; never marked where it no longer stands
evidence_view.py  list above, the chosen passage below
pane.py           the evidence, or that there is none yet
"""
