"""Each setting declared once: key, type, default, bounds, title, help, and whether a change needs a re-index.

documents.py  Settings: what becomes of documents: cut, embedded, read, fetched, removed
search.py     Settings: how passages are found
answers.py    Settings: who answers, with what, and within which limits
network.py    Settings: what may leave this machine, and what tools may reach over the network
window.py     Settings: how the window looks
values.py     The values in force, and every declaration
"""

from workbench.settings.values import DECLARATIONS, Settings, declaration

__all__ = ["DECLARATIONS", "Settings", "declaration"]
