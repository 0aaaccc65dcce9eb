"""The check of documents: what was found in a document and lost -> rows with a remedy, and how long its chunks are.

presenter.py              The decisions of the document check, and the job that reads pages again by OCR or the layout
                          model
length_histogram.py       The lengths of a document's chunks as a histogram, with the line up to which the embedding
                          model sees
document_check_dialog.py  The dialog of the document check
"""
