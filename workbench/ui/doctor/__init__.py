"""The check of documents: what was found in a document and lost -> rows with a remedy, and how long its chunks are.

presenter.py    The decisions of the check: what is looked at, and what a remedy does; works without a window
patients.py     The documents that have something, the gravest first: an item model, so that a thousand cost nothing
reading.py      A document's pages on their way through OCR or the layout model: a long job that can be stopped
                between two pages
symptom_row.py  One symptom as a row: how grave it is, what it is, what it means, and its remedy
histogram.py    The lengths of a document's chunks as a histogram, with the line up to which the embedding model sees
dialog.py       The window “Document check”: the documents that have something at the left, what one has at the right
"""
