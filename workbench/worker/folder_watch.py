"""Tells when something changes in folders, as far as the system tells it; a thread of watchdog listens."""

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver

logger = logging.getLogger(__name__)

Changed = Callable[[str], None]
"""Told the folder in which something changed; called on the listening thread."""


class FolderWatch:
    """Watches folders with all below them. What it cannot watch is to be looked at now and then."""

    def __init__(self, changed: Changed) -> None:
        self._changed = changed
        self._observer: BaseObserver | None = None

    def start(self, folders: Iterable[str]) -> dict[str, str]:
        """Watch folders; returns those that the system does not watch, each with the reason."""
        # 40 ms to import: only libraries with linked folders need it.
        from watchdog.observers import Observer

        self._observer = observer = Observer()
        observer.start()
        refused: dict[str, str] = {}
        for folder in folders:
            try:
                self._schedule(observer, folder)
            except OSError as error:
                # ENOSPC: more folders than the system watches at once. EMFILE: too many programs watch already.
                refused[folder] = (error.strerror or str(error)).rstrip(".")
                logger.info("%s is not watched: %s", folder, error)
        return refused

    def stop(self) -> None:
        """Watch no longer; returns when the threads have ended."""
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            observer.join()

    def _schedule(self, observer: "BaseObserver", folder: str) -> None:
        from watchdog import events

        # Without those of opening and closing: reading a file would be a change.
        told = [
            events.FileCreatedEvent,
            events.FileModifiedEvent,
            events.FileDeletedEvent,
            events.FileMovedEvent,
            events.DirCreatedEvent,
            events.DirDeletedEvent,
            events.DirMovedEvent,
        ]
        observer.schedule(_handler(folder, self._changed), folder, recursive=True, event_filter=told)


def _handler(folder: str, changed: Changed) -> "FileSystemEventHandler":
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: "FileSystemEvent") -> None:
            if not Path(str(event.src_path)).name.startswith("."):
                changed(folder)

    return Handler()
