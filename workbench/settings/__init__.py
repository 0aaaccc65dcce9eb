"""Each setting declared once: key, type, default, bounds, title, help, and whether a change needs a re-index.

declarations.py  Every setting declared once: documents, search, answers, network, window
values.py        The values in force, and every declaration
"""

from workbench.settings.values import DECLARATIONS, Settings, declaration

__all__ = ["DECLARATIONS", "Settings", "declaration"]
