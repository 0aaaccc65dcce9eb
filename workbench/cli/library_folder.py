"""Default library and user, and the commands that create a missing library."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace


def default_library() -> Path:
    """Return the folder that $WORKBENCH_LIBRARY names, else the one in the user's data folder."""
    named = os.environ.get("WORKBENCH_LIBRARY")
    if named:
        return Path(named)
    import platformdirs  # takes 15 ms, and is not needed if the folder is given

    return Path(platformdirs.user_data_dir("knowledge-workbench", appauthor=False)) / "library"


def default_user() -> str:
    """Return the user in $WORKBENCH_USER, or the empty name of the unnamed user."""
    return os.environ.get("WORKBENCH_USER", "")


_BRING = frozenset({"add", "add-query", "note", "link", "import-session"})
"""Commands that add something to a library."""

_SET_UP = {
    "kb": ("add",),
    "profiles": ("add",),
    "agents": ("put", "import"),
    "mcp-servers": ("add",),
    "memory": ("add",),
    "network": ("close", "open", "auto"),
    "embedder": ("change",),
    "store": ("move",),
    "shared": ("create", "connect"),
}
"""Commands that configure a library, with the actions that do so; their other actions only show the configuration."""


@dataclass(frozen=True, slots=True)
class FolderStanding:
    """Existence of the folder and the library when a command started.

    A library that disappears while the command runs must not be replaced by a new, empty one.

    Attributes:
        folder: The library's folder existed.
        library: It contained a library.
    """

    folder: bool = False
    library: bool = False


def standing(folder: Path) -> FolderStanding:
    """Return whether the folder and a library in it exist now."""
    from workbench.store.database import is_library  # here, because the window starts without it

    return FolderStanding(os.path.isdir(folder), is_library(folder))


def makes_library(options: "Namespace") -> bool:
    """Return whether the command creates a library if there is none."""
    if options.command == "settings":
        return options.value is not None
    if options.command == "note":
        return not options.edit
    return options.command in _BRING or getattr(options, "action", None) in _SET_UP.get(options.command, ())
