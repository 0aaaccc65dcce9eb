"""What a kill would leave outside the library: noted there before it is made, deleted by the next start.

A half-written export lies beside the user's own files, and pictures of pages lie in the system's folder for what is
temporary: nobody would ever look for them there.
"""

import contextlib
import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

from workbench.files.changes import delete_file, delete_folder
from workbench.files.modes import make_folder, new_file
from workbench.indexing.atomic_files import fsync_file, fsync_new_name

_MARK = "workbench-"
_NAME = re.compile(r"\.?workbench-([0-9a-f]{12})(\.part)?")
"""What is deleted has such a name, whatever a note says: a library may come from somebody else."""


class Unfinished:
    """Lends places for what is on the way, each until it is done with."""

    def __init__(self, notes: Path) -> None:
        """Keep notes in a folder that nobody else uses; it is made when it is needed."""
        self._notes = notes

    @contextlib.contextmanager
    def beside(self, target: Path) -> Iterator[Path]:
        """Lend an empty file in the folder of another; what is there at the end is deleted.

        Raises:
            OSError: It cannot be made.
        """
        token = secrets.token_hex(6)
        path = target.parent / f".{_MARK}{token}.part"
        with self._noted(token, path):
            new_file(path)
            yield path

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """Lend a folder for what is temporary; it goes with everything in it. Blocking.

        Raises:
            OSError: It cannot be made.
        """
        token = secrets.token_hex(6)
        path = Path(tempfile.gettempdir(), _MARK + token)
        with self._noted(token, path):
            path.mkdir(mode=0o700)
            yield path

    def drop(self) -> None:
        """Delete what a kill left; only for the one program that has the library."""
        for note in self._notes.iterdir() if self._notes.is_dir() else ():
            with contextlib.suppress(OSError):
                path = Path(os.fsdecode(note.read_bytes()))
                found = _NAME.fullmatch(path.name)
                if found is not None and found.group(1) == note.name and path.is_absolute():
                    _delete(path)
                delete_file(note, within=self._notes)

    @contextlib.contextmanager
    def _noted(self, token: str, path: Path) -> Iterator[None]:
        note = self._notes / token
        # Without room for the note the work goes on: only a kill would leave something.
        with contextlib.suppress(OSError):
            made = make_folder(self._notes, inherit=True)
            new_file(note, inherit=True)
            note.write_bytes(os.fsencode(path.absolute()))
            # A power cut would leave the file, too, and nobody would know.
            fsync_file(note)
            fsync_new_name(note, made)
        try:
            yield
        finally:
            _delete(path)
            with contextlib.suppress(OSError):
                delete_file(note, within=self._notes)


def _delete(path: Path) -> None:
    """Delete what has such a name, wherever the user had it made; never what a link of that name leads to."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            delete_folder(path, within=path.parent)
        else:
            delete_file(path, within=path.parent, missing_ok=True)
