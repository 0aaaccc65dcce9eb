"""Exhaustive reading: a question asked of every passage of many documents, in a separate dock below the chat.

presenter.py        Presenter of exhaustive reading: start, stop, resume and list, the estimate of a reading before it
                    starts, and the wording
pane.py             Pane of exhaustive reading: the list of readings, above the form of a new one, with the card on
                    which its estimate is confirmed, or one of them
reading_result.py   View of an exhaustive reading: progress, conclusion, actions, and the table of documents with
                    verdicts and quotes
"""
