"""Settings: one declaration for each, with key, type, default, bounds, title, help, and need for re-indexing.

declarations.py  Declarations of all settings: documents, search, answers, network, window
values.py        Current values of all settings, and lookup of declarations
"""

from workbench.settings.values import DECLARATIONS, Settings, declaration

__all__ = ["DECLARATIONS", "Settings", "declaration"]
