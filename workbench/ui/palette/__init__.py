"""The command palette: one field in which every command, document, session, agent and setting is found by its name.

palette.py    the field and the list over the window; keyboard only, the mouse too
presenter.py  what is typed -> rows; what was used last comes first
sources.py    the window -> everything that can be found in it
finding.py    names of 100,000 documents looked through on a thread of the worker
matching.py   a few letters against a name: beginnings, parts, initials, letters in order
rows.py       the item model, and how a row is painted
entry.py      one thing that can be found
"""
