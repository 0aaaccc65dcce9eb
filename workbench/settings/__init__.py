"""Settings: one declaration for each, with key, type, default, bounds, title, help, and need for re-indexing.

declarations.py  Declarations of all settings: documents, search, answers, network, window
preferences.py   Personal settings: a file in the user's configuration folder, which holds for every library of this
                 user
values.py        Current values of all settings, and lookup of declarations
"""

from workbench.settings.values import DECLARATIONS, Settings, declaration

__all__ = ["DECLARATIONS", "Settings", "declaration"]
