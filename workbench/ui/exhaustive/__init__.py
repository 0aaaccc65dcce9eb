"""A question asked of every passage of many documents: a dock of its own, below the chat.

dock.py       the dock, its content made when it is first shown
presenter.py  the decisions: begun, stopped, continued, listed; preparing.py: estimated, before any of it
pane.py       the readings there are, and one of two pages
form.py       what is asked, of what, by whom; estimate_card.py: what that would take
result.py     one reading: meter, conclusion, table, and what can be done with it
table.py      the table, model.py its rows; wording.py: the words for all of it
"""
