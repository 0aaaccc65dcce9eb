"""A question asked of every passage of many documents: a dock of its own, below the chat.

exhaustive_dock.py  The dock of exhaustive reading: below the chat, its content made when it is first shown
presenter.py        Presenter of exhaustive reading: start, stop, resume and list, and the estimate of a reading
                    before it starts
pane.py             The pane of exhaustive reading: the readings there are at the top, below it a new one's form, or
                    one of them
reading_form.py     Form of a new exhaustive reading: question, filter, profile, and the card on which its estimate is
                    confirmed
reading_result.py   One exhaustive reading: progress, conclusion, actions, and the table of documents with verdicts
                    and quotes
reading_wording.py  The words for readings of every passage; knows no widgets
"""
