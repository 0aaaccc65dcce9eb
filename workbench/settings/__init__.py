"""Each setting declared once: key, type, default, bounds, title, help, and whether a change needs a re-index.

documents.py   what becomes of documents: cut, embedded, read, fetched, removed
search.py      how passages are found
answers.py     who answers, with what, and within which limits
network.py     what may leave this machine, and what tools may reach
window.py      how the window looks
values.py      the values in force, and every declaration
"""

from workbench.settings.values import DECLARATIONS, Settings, declaration

__all__ = ["DECLARATIONS", "Settings", "declaration"]
