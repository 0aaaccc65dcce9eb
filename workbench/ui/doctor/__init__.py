"""Document check: problems and losses of a document as rows with remedies, and its chunk lengths.

presenter.py              Presenter of the document check, and the job that reads pages again by OCR or the layout
                          model
length_histogram.py       Histogram of a document's chunk lengths, with a line at the embedding model's input limit
document_check_dialog.py  Dialog of the document check
"""
