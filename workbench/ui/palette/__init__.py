"""The command palette: one field in which every command, document, session, agent and setting is found by its name.

palette.py    The palette over the window: a field, and below it what was found; the keyboard never leaves the field
presenter.py  The decisions of the palette: what is typed -> rows; works without a window
sources.py    The window -> everything that can be found in it by name
finding.py    Names looked through on a thread of the worker, so that 100,000 of them keep nobody from typing
matching.py   A few letters against a name: beginnings, parts and initials of its words, or at least its letters in
              order
rows.py       The item model of the palette, and how a row is painted: icon, name, where it is found, key
entry.py      One thing that can be found in the palette
"""
