"""Notification of changes in folders, with watchdog."""

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver

logger = logging.getLogger(__name__)

Changed = Callable[[str], None]
"""Callback that receives the folder in which something changed; called on watchdog's thread."""


class FolderWatch:
    """Recursive watch of folders. The caller must poll the folders that cannot be watched."""

    def __init__(self, changed: Changed) -> None:
        self._changed = changed
        self._observer: BaseObserver | None = None

    def start(self, folders: Iterable[str]) -> dict[str, str]:
        """Start watching; return the folders that the system cannot watch, each with the reason."""
        # Imported here, because it takes 40 ms and only libraries with linked folders need it.
        from watchdog.observers import Observer

        self._observer = observer = Observer()
        observer.start()
        refused: dict[str, str] = {}
        for folder in folders:
            try:
                self._schedule(observer, folder)
            except OSError as error:
                # ENOSPC: the system's limit of watched folders is reached. EMFILE: too many programs watch already.
                refused[folder] = (error.strerror or str(error)).rstrip(".")
                logger.info("%s is not watched: %s", folder, error)
        return refused

    def stop(self) -> None:
        """Stop watching; returns when the threads have ended."""
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            observer.join()

    def _schedule(self, observer: "BaseObserver", folder: str) -> None:
        from watchdog import events

        # Without the events for opening and closing, because then reading a file would count as a change.
        event_types = [
            events.FileCreatedEvent,
            events.FileModifiedEvent,
            events.FileDeletedEvent,
            events.FileMovedEvent,
            events.DirCreatedEvent,
            events.DirDeletedEvent,
            events.DirMovedEvent,
        ]
        observer.schedule(_handler(folder, self._changed), folder, recursive=True, event_filter=event_types)


def _handler(folder: str, changed: Changed) -> "FileSystemEventHandler":
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: "FileSystemEvent") -> None:
            if not Path(str(event.src_path)).name.startswith("."):
                changed(folder)

    return Handler()
