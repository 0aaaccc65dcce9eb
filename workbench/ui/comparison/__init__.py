"""Two answers that stand in one another's place, side by side: a window of its own.

opening.py          the answers of a session that can be compared -> the window, opened from a card
dialog.py           both of them, each to be chosen from all, and what differs gone through
compared_answer.py  an answer with what only it says marked; marks.py: where that stands, and how it is drawn
facts.py            two runs -> what is compared of them beside their words; knows no Qt
parts.py            figures, sources and steps, row by row
"""
