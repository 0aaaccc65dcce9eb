"""Presenter of the shared libraries: their state, their changes, and the reading of documents that were added here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from workbench import operations
from workbench.errors import WorkbenchError
from workbench.language import tr, trn
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.model.shared_library import SharedLibraryChanged, SharedLibraryState, SharedMember
from workbench.ui.bridge import Bridge

if TYPE_CHECKING:
    from workbench.ui.library.presenter import LibraryPresenter
    from workbench.worker.job import JobHandle

_QUIET_MS = 300
"""Time without changes after which the documents are listed again: a worker publishes several in a second."""
_LONGEST_MS = 2000
"""Time after the first change at which they are listed although changes go on: a worker may import for hours."""


class SharedPresenter(QObject):
    """Presenter of the shared libraries that the open library is connected to.

    Signals:
        states_changed: A list of SharedLibraryState.
        members_changed: Full name of a knowledge base, and a list of its SharedMember.
        member_put: Full name of a knowledge base, and name of a member whose access was changed.
        members_failed: Full name of a knowledge base, and the error of a request for its members, with its details.
        base_added: Full name of a knowledge base that was created.
        connected: Name of a shared library that was connected to.
        notified: A message for a toast.
        failed: The error of any other request, with its details.
    """

    states_changed = Signal(list)
    members_changed = Signal(str, list)
    member_put = Signal(str, str)
    members_failed = Signal(str, object, str)
    base_added = Signal(str)
    connected = Signal(str)
    notified = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, documents: LibraryPresenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.states: list[SharedLibraryState] = []
        self._bridge = bridge
        self._documents = documents
        self._library: operations.Library | None = None
        self._watching: JobHandle[None] | None = None
        self._reading: dict[str, JobHandle[int]] = {}
        self._unreachable: set[str] = set()
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_QUIET_MS)
        self._quiet.timeout.connect(self._list_again)
        self._since_change = QElapsedTimer()
        bridge.domain_event.connect(self._on_domain_event)

    def set_library(self, library: operations.Library | None) -> None:
        """Follow the shared libraries of another library."""
        self._stop()
        self._library, self.states = library, []
        self._unreachable.clear()
        self.states_changed.emit(self.states)
        if library is not None:
            self._watch()

    def refresh(self) -> None:
        """Load the state of all shared libraries."""
        self._submit("list_shared_libraries", done=self._on_states)

    def connect_library(self, name: str, url: str, key: str) -> None:
        """Connect to a shared library."""
        self._submit("connect_shared_library", name, url, key, done=self._on_connected)

    def create(self, name: str, url: str, key: str) -> None:
        """Set up a shared library in an empty database, and connect to it."""
        self._submit("create_shared_library", url, key, done=partial(self._on_created, name, url, key))

    def disconnect_library(self, name: str) -> None:
        """Remove the connection to a shared library."""
        self._submit("disconnect_shared_library", name, done=partial(self._on_disconnected, name))

    def put_key(self, name: str, key: str) -> None:
        """Store the password for a shared library."""
        self._submit("put_shared_key", name, key, done=self._on_changed)

    def add_base(self, knowledge_base: str) -> None:
        """Create a knowledge base in a shared library."""
        self._submit("add_shared_base", knowledge_base, done=partial(self._on_base_added, knowledge_base))

    def load_members(self, knowledge_base: str) -> None:
        """Load the members of a knowledge base."""
        done = partial(self._on_members, knowledge_base)
        failed = partial(self._on_members_failed, knowledge_base)
        self._submit("list_shared_members", knowledge_base, done=done, failed=failed)

    def put_member(self, knowledge_base: str, name: str, access: str) -> None:
        """Change the access of a member; “none” removes the member."""
        done = partial(self._on_member_put, knowledge_base, name)
        failed = partial(self._on_members_failed, knowledge_base)
        self._submit("put_shared_member", knowledge_base, name, access, done=done, failed=failed)

    def read_waiting(self, name: str) -> None:
        """Read the documents that wait in a shared library, unless this program does so already."""
        if self._library is None or name in self._reading:
            return
        self._reading[name] = self._bridge.submit(
            operations.read_shared_documents(self._library, name),
            done=partial(self._on_read, name),
            failed=partial(self._on_reading_failed, name),
            cancelled=partial(self._on_reading_cancelled, name),
        )
        self.refresh()

    @Slot(list)
    def on_import_ended(self, results: Sequence[FileFinished]) -> None:
        """Read the documents that were just added to shared libraries."""
        numbers = [one.document for one in results if one.outcome is FileOutcome.SHARED and one.document is not None]
        bases = {one.knowledge_base for one in self._documents.model.documents() if one.id in set(numbers)}
        for name in {base.partition("/")[0] for base in bases}:
            self.read_waiting(name)

    def _submit(self, verb: str, *args: Any, done: Any, failed: Any = None) -> None:
        if self._library is not None:
            operation = getattr(operations, verb)(self._library, *args)
            self._bridge.submit(operation, done=done, failed=failed or self._on_failed)

    def _watch(self) -> None:
        """Follow the present connections; if they change, this is started again."""
        if self._watching is not None:
            self._watching.cancel()
        if self._library is not None:
            watching = operations.watch_shared_libraries(self._library)
            self._watching = self._bridge.submit(watching, failed=self._on_failed)

    def _stop(self) -> None:
        for job in (self._watching, *self._reading.values()):
            if job is not None:
                job.cancel()
        self._watching = None
        self._reading = {}

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if not isinstance(event, SharedLibraryChanged):
            return
        if not event.is_reachable and event.name not in self._unreachable:
            self._unreachable.add(event.name)
            self.notified.emit(
                tr("The shared library “{name}” cannot be reached. The rest is searched.", name=event.name)
            )
        elif event.is_reachable and event.name in self._unreachable:
            self._unreachable.discard(event.name)
            self.notified.emit(tr("The shared library “{name}” can be reached again.", name=event.name))
        if event.is_reachable:
            self._list_soon()

    def _list_soon(self) -> None:
        """List the documents again after a quiet time, but not later than _LONGEST_MS after the first change."""
        if not self._quiet.isActive():
            self._since_change.start()
        if self._since_change.elapsed() + _QUIET_MS <= _LONGEST_MS:
            self._quiet.start()

    @Slot()
    def _list_again(self) -> None:
        if self._library is None:
            return
        if self._documents.is_listing_shared:  # one after the other, however long a list takes
            self._list_soon()
            return
        self._documents.list_shared()
        if self.states:
            self.refresh()

    def _on_states(self, states: list[SharedLibraryState]) -> None:
        self.states = states
        self.states_changed.emit(states)

    def _on_connected(self, state: SharedLibraryState) -> None:
        self.notified.emit(tr("Connected to the shared library “{name}”", name=state.name))
        self.connected.emit(state.name)
        self._on_changed()
        self._watch()

    def _on_created(self, name: str, url: str, key: str, _done: None) -> None:
        self.connect_library(name, url, key)

    def _on_disconnected(self, name: str, _done: None) -> None:
        self.notified.emit(tr("Disconnected from the shared library “{name}”", name=name))
        self._on_changed()
        self._watch()

    def _on_changed(self, _value: object = None) -> None:
        self.refresh()
        self._list_soon()

    def _on_base_added(self, knowledge_base: str, _done: None) -> None:
        self.base_added.emit(knowledge_base)
        self._on_changed()

    def _on_members(self, knowledge_base: str, members: list[SharedMember]) -> None:
        self.members_changed.emit(knowledge_base, members)

    def _on_member_put(self, knowledge_base: str, name: str, _done: None) -> None:
        self.member_put.emit(knowledge_base, name)
        self.load_members(knowledge_base)

    def _on_members_failed(self, knowledge_base: str, error: BaseException, details: str) -> None:
        self.members_failed.emit(knowledge_base, error, _details_of(error, details))

    def _on_read(self, name: str, number: int) -> None:
        self._reading.pop(name, None)
        if number:
            self.notified.emit(
                trn(
                    "{n:,} document was read into “{name}”",
                    "{n:,} documents were read into “{name}”",
                    number,
                    name=name,
                )
            )
        self._on_changed()

    def _on_reading_cancelled(self, name: str) -> None:
        self._reading.pop(name, None)

    def _on_reading_failed(self, name: str, error: BaseException, details: str) -> None:
        self._reading.pop(name, None)
        self._on_failed(error, details)

    def _on_failed(self, error: BaseException, details: str) -> None:
        # What was entered stays in the dialog, which shows the error of a user's request itself.
        self.failed.emit(error, _details_of(error, details))


def _details_of(error: BaseException, details: str) -> str:
    """Return the details of an error that are to be shown: only those of a bug."""
    return "" if isinstance(error, WorkbenchError) else details
