"""The check of documents: what was found in a document and lost -> rows with a remedy, and how long its chunks are.

presenter.py    what is checked, and how a remedy is applied; no widget in it
patients.py     the documents with a problem, as a list
reading.py      a document on its way through OCR
symptom_row.py  one symptom with its remedy
histogram.py    the lengths of the chunks, drawn
dialog.py       the window, put together
"""
