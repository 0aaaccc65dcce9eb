"""Monitoring of linked folders while the library is open, by system notifications (watchdog) or periodic scans."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.model.knowledge_base import FolderState, LinkedFolder
from workbench.operations.folders.folder_linking import check_linked_folders
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext, Operation, finish_despite_cancel

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver

logger = logging.getLogger(__name__)

QUIET_SECONDS = 0.3
"""Delay between the last change and a scan, so that a program that writes ten files causes one scan."""

LONGEST_WAIT = 3.0
"""Maximum delay before a scan of a folder that is written to without a pause."""

LOOK_SECONDS = 30.0
"""Interval between scans of folders that the system does not watch, or that were not reachable."""

SAFETY_SECONDS = 600.0
"""Interval between scans of all folders: the system may not report changes by other machines on a network drive."""

AGAIN_SECONDS = 2.0
"""Delay before the next scan of folders in which files were still being written."""

_Changed = Callable[[str], None]
"""Callback that receives the folder in which something changed; called on watchdog's thread."""


def watch_linked_folders(library: Library) -> Operation[None]:
    """Check the linked folders now and after each change in them, until cancelled.

    It follows the folders that are linked when it starts: start it again after link_folder or unlink_folder. Emits the
    events of check_linked_folders.
    """

    async def operation(context: JobContext) -> None:
        folders = await library.on_store(library.linked.list)
        if folders:
            await _FolderWatcher(library, folders, context).run()

    return operation


class _FolderWatcher:
    """Monitor of the linked folders of one library."""

    def __init__(self, library: Library, folders: Sequence[LinkedFolder], context: JobContext) -> None:
        self._library = library
        self._context = context
        self._by_path: dict[str, list[int]] = {}
        for folder in folders:
            self._by_path.setdefault(folder.path, []).append(folder.id)
        self._loop = asyncio.get_running_loop()
        self._changed: set[str] = set()
        self._wake = asyncio.Event()
        self._last_event = 0.0
        self._all_seen = 0.0
        self._polled: set[str] = set()
        self._watch: FolderWatch | None = None

    async def run(self) -> None:
        """Monitor the folders until cancelled."""
        try:
            await self._watch_all()
            due = set(self._by_path)
            while True:
                due = await self._check(due)
                due |= await self._wait(AGAIN_SECONDS if due else None)
        finally:
            await finish_despite_cancel(self._library.on_store(self._stop))

    async def _watch_all(self) -> None:
        await self._library.on_store(self._stop)
        self._watch = FolderWatch(self._on_change)
        refused = await self._library.on_store(self._watch.start, list(self._by_path))
        self._polled = set(refused)
        self._library.unwatched = frozenset(path for path in refused if os.path.isdir(path))

    def _stop(self) -> None:
        if self._watch is not None:
            self._watch.stop()

    async def _check(self, paths: set[str]) -> set[str]:
        """Check folders and return those in which files are still being written."""
        if paths >= self._by_path.keys():
            self._all_seen = self._loop.time()
        numbers = [number for path in paths for number in self._by_path[path]]
        checks = await check_linked_folders(self._library, numbers)(self._context)
        unreachable = {one.folder.path for one in checks if one.folder.state is FolderState.NOT_REACHABLE}
        back = {one.folder.path for one in checks} & self._polled - unreachable
        self._polled |= unreachable
        if back and not unreachable:
            # After a drive was connected again, the old watch does not report its changes.
            await self._watch_all()
        return {one.folder.path for one in checks if one.unsteady}

    async def _wait(self, seconds: float | None) -> set[str]:
        """Return the folders to check next: those with a change, or after a timeout those that need periodic scans."""
        limit = seconds or (LOOK_SECONDS if self._polled else SAFETY_SECONDS)
        try:
            await asyncio.wait_for(self._wake.wait(), limit)
        except TimeoutError:
            if seconds:
                return set()
            # A drive that is not connected must not prevent the periodic scan of all folders.
            is_due = not self._polled or self._loop.time() >= self._all_seen + SAFETY_SECONDS
            return set(self._by_path) if is_due else set(self._polled)
        await self._wait_until_quiet()
        self._wake.clear()
        changed, self._changed = self._changed, set()
        return changed

    async def _wait_until_quiet(self) -> None:
        end = self._loop.time() + LONGEST_WAIT
        while (now := self._loop.time()) < min(end, self._last_event + QUIET_SECONDS):
            await asyncio.sleep(min(end, self._last_event + QUIET_SECONDS) - now)

    def _on_change(self, folder: str) -> None:
        """Handle a notification; called on the thread that listens for them."""
        self._loop.call_soon_threadsafe(self._add_change, folder)

    def _add_change(self, folder: str) -> None:
        self._changed.add(folder)
        self._last_event = self._loop.time()
        self._wake.set()


class FolderWatch:
    """Recursive watch of folders. The caller must poll the folders that cannot be watched."""

    def __init__(self, changed: _Changed) -> None:
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


def _handler(folder: str, changed: _Changed) -> "FileSystemEventHandler":
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: "FileSystemEvent") -> None:
            if not Path(str(event.src_path)).name.startswith("."):
                changed(folder)

    return Handler()
