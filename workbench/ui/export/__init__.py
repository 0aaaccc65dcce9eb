"""Exporting sessions, and taking them in again.

wording.py      what each part is, and what leaves the machine, in words
presenter.py    which sessions, which format, which parts -> files; no widget in it
format_card.py  a format with its picture and what it is good for
part_rows.py    what is in the file, each part to be left out, with its size
session_rows.py which sessions
places.py       where to: one file, a folder, one archive
dialog.py       all of it together
exporting.py    what leads here: commands, the list of sessions, a drop
taking_in.py    a bundle, chosen or dropped -> a session; kept_original.py: a document that came with one, to be added
"""
