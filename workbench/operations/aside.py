"""What a repair sets aside: files, and rows of the database as JSON lines, in a folder of their own."""

import json
from pathlib import Path
from typing import Any

from workbench.files.changes import move_file
from workbench.files.modes import new_file
from workbench.store.backups import new_quarantine_folder

ROWS = "rows.jsonl"


class Aside:
    """Made when the first thing is set aside."""

    def __init__(self, folder: Path) -> None:
        """Take the library folder."""
        self._folder = folder
        self._path: Path | None = None

    @property
    def name(self) -> str:
        """Where it is; empty where nothing was set aside."""
        return str(self._path) if self._path is not None else ""

    def use(self, path: Path) -> None:
        """Use a folder that is there already."""
        self._path = self._path or path

    def hand_out(self, table: str, row: dict[str, Any]) -> None:
        """Keep a row that is about to be deleted.

        Raises:
            LibraryError: It cannot be kept.
        """
        line = json.dumps({"table": table, "row": {name: _plain(value) for name, value in row.items()}})
        rows = self._made() / ROWS
        new_file(rows, inherit=True)
        with rows.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def take_file(self, file: Path) -> Path:
        """Move a file into it and return where it is now.

        Raises:
            OSError: It cannot be moved.
        """
        target = self._made() / f"{file.parent.name[:12]}-{file.name}"
        move_file(file, target, within=self._folder)
        return target

    def _made(self) -> Path:
        if self._path is None:
            self._path = new_quarantine_folder(self._folder)
        return self._path


def _plain(value: Any) -> Any:
    return {"hex": value.hex()} if isinstance(value, bytes) else value
