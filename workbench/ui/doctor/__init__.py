"""Document check: problems and losses of a document as rows with remedies, and its chunk lengths.

presenter.py              Presenter of the document check, and the job that reads pages again by OCR or the layout
                          model
document_check_dialog.py  Dialog of the document check
"""
