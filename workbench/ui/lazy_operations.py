"""The operations package, imported when it is first used: the first paint does not need these 0.3 s of imports.

The worker imports it while it opens the library (app_controller.opening), so that the main thread finds it loaded.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench import operations as operations
else:

    class _Later:
        """Proxy that imports the package on first access."""

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module("workbench.operations"), name)

    operations = _Later()
