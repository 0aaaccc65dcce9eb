"""Exporting sessions, and taking them in again.

wording.py        What each part of an export is, and what leaves the machine with it, in words
presenter.py      The decisions of an export; works without a window
format_card.py    A format as a card: its picture, its name, what it is good for; one of them is chosen
part_rows.py      What will be in the file: what always is, and what can be left out, with about how much it takes
session_rows.py   Which sessions are exported: a list with a tick at each that is
places.py         Where an export goes: a person is asked for a file, a folder or an archive
dialog.py         The window of an export: which sessions, as what, with what in it; and how far it is
exporting.py      What leads to an export or to an import, connected: commands, the list of sessions, a drop, a cited
                  document
taking_in.py      A bundle, or a JSON export, chosen or dropped -> a session of this library
kept_original.py  The button that adds a document whose file came with an imported session; there while there is such
                  a file
"""
