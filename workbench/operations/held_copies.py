"""Copies of files that imports rely on before a document says so: a sweep that meets them leaves them."""

import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from workbench.files.changes import delete_folder


class HeldCopies:
    """Counts who needs which copy; safe on any thread."""

    def __init__(self, library_folder: Path) -> None:
        """Take the folder in which all copies are."""
        self._library_folder = library_folder
        self._lock = threading.Lock()
        self._holders: Counter[str] = Counter()
        self._sweeps = 0
        self._let_go: list[str] = []

    def hold(self, sha256: str) -> None:
        """Keep the copy of these bytes, be it there or not yet, until it is let go as often as it was held."""
        with self._lock:
            self._holders[sha256] += 1

    def let_go(self, hashes: Iterable[str]) -> None:
        """Need these copies no longer: their documents are there, or never will be."""
        with self._lock:
            if self._sweeps:
                # A sweep may have asked for the documents before this one was there.
                self._let_go.extend(hashes)
            else:
                self._holders.subtract(hashes)

    def begin_sweep(self) -> None:
        """Keep what is held from now on until the sweep ends; to be called before the documents are asked for."""
        with self._lock:
            self._sweeps += 1

    def end_sweep(self) -> None:
        """End what begin_sweep began."""
        with self._lock:
            self._sweeps -= 1
            if not self._sweeps:
                self._holders.subtract(self._let_go)
                self._let_go.clear()
                self._holders += Counter()  # forgets those at nothing

    def delete(self, folder: Path) -> None:
        """Delete a copy, a folder named by its hash, unless somebody needs it."""
        with self._lock:
            if self._holders[folder.name] <= 0:
                delete_folder(folder, within=self._library_folder)
