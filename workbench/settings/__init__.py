"""Settings: one declaration for each, with key, type, default, bounds, title, help, and need for re-indexing.

declarations.py  Settings: the declaration of each, in order of documents, search, answers, network and window, with the
                 current values
preferences.py   Personal settings: a file in the user's configuration folder, which holds for every library of this
                 user
"""

from workbench.settings.declarations import DECLARATIONS, Settings, declaration

__all__ = ["DECLARATIONS", "Settings", "declaration"]
