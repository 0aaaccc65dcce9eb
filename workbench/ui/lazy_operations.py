"""The operations, imported when the first one is named: 0.3 s of imports that the first paint need not wait for.

The worker imports them while it opens the library (shell.opening), so that the main thread finds them there.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench import operations as operations
else:

    class _Later:
        """Stands for the package until it is needed."""

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module("workbench.operations"), name)

    operations = _Later()
