"""The command palette: one field in which every command, document, session, agent and setting is found by its name.

command_palette.py  The command palette: search field, list of entries, item model and delegate
presenter.py        The decisions of the command palette, and the entries that it finds; works without a window
palette_sources.py  The window -> everything that can be found in it by name
name_matching.py    Fuzzy matching of typed letters against names, and the search of many names on the worker thread
"""
