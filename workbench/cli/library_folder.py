"""The library and the user when none is named, and which commands make one where there is none."""

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
    import platformdirs  # 15 ms, and not needed where the folder is named

    return Path(platformdirs.user_data_dir("knowledge-workbench", appauthor=False)) / "library"


def default_user() -> str:
    """Return whom $WORKBENCH_USER names; else the one who gives no name."""
    return os.environ.get("WORKBENCH_USER", "")


_BRING = frozenset({"add", "add-query", "note", "link", "import-session"})
"""Commands that bring something into a library."""

_SET_UP = {
    "kb": ("add",),
    "profiles": ("add",),
    "agents": ("put", "import"),
    "mcp-servers": ("add",),
    "memory": ("add",),
    "network": ("close", "open", "auto"),
    "embedder": ("change",),
    "store": ("move",),
}
"""Commands that set something up in a library, with the actions that do; the others only show what is there."""


@dataclass(frozen=True, slots=True)
class FolderStanding:
    """What stood when a command began: what goes meanwhile must not be made anew, empty, as if nothing had happened.

    Attributes:
        folder: There was the library's folder.
        library: There was a library in it.
    """

    folder: bool = False
    library: bool = False


def standing(folder: Path) -> FolderStanding:
    """Look what is there now."""
    from workbench.store.database import is_library  # not on the way to the window

    return FolderStanding(os.path.isdir(folder), is_library(folder))


def makes_library(options: "Namespace") -> bool:
    """Return whether a command that was typed makes a library where there is none."""
    if options.command == "settings":
        return options.value is not None
    if options.command == "note":
        return not options.edit
    return options.command in _BRING or getattr(options, "action", None) in _SET_UP.get(options.command, ())
