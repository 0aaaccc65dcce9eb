"""A question asked of every passage of many documents: a dock of its own, below the chat.

dock.py           The dock of exhaustive reading: below the chat, its content made when it is first shown
presenter.py      The decisions of exhaustive reading: begun, stopped, gone on with, listed; works without a window
preparing.py      What has to be known before a reading begins: who can read, what a filter lets through, what it
                  would take
pane.py           The pane of exhaustive reading: the readings there are at the top, below it a new one's form, or one
                  of them
form.py           What is to be asked of every passage: the question, the filter, who reads; then the estimate
estimate_card.py  What a reading would take, before it begins: the user confirms it here, or not
result.py         One reading: how far it is, what is concluded, the table, and what can be done with it
table.py          The table of a reading: documents with their verdicts, and their quotes, which open the passage at
                  one click
model.py          The table of a reading: a row a document, its quotes below it
wording.py        The words for readings of every passage; knows no widgets
"""
