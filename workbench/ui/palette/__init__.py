"""Command palette: finds commands, documents, sessions, agents and settings by name.

command_palette.py  Widget of the command palette: search field, list of entries, item model and delegate
presenter.py        Presenter of the command palette, and its entries; works without a window
palette_sources.py  Entries of the palette, collected from the window's menus, actions, documents and sessions
name_matching.py    Fuzzy matching of typed letters against names, and the search of many names on the worker thread
"""
