"""Presenter of the sessions pane, and the search for sessions by title and content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench.language import tr, trn
from workbench.ui.bridge import Bridge
from workbench.ui.lazy_operations import operations
from workbench.ui.sessions.model import UNTITLED, SessionModel, title_of

if TYPE_CHECKING:
    from workbench.model.session import Session, SessionInfo, SessionMatch
    from workbench.worker.job import JobContext, Operation


# Characters of a title in a message.
_TITLE = 40


class SessionsPresenter(QObject):
    """Lists, finds, opens, renames, pins, archives and removes sessions.

    Signals:
        opened: A Session to show, or None for a new one.
        run_wanted: The id of a run of the session that is open, to be brought into sight.
        listed: The sessions are there, or others of them are shown; how many there are.
        said: A sentence for a toast, and whether it can be undone.
        failed: An error and its details, for the banner.
    """

    opened = Signal(object)
    run_wanted = Signal(int)
    listed = Signal(int)
    said = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.model = SessionModel(self)
        self.finder = SessionSearch(bridge, self.model, self)
        self.current: int | None = None
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._undo: Callable[[], None] | None = None
        self._wanted: int | None = None
        self._run: int | None = None
        self.model.rename_asked.connect(self.rename)
        self.finder.changed.connect(self._tell)
        self.finder.failed.connect(self.failed)

    def set_library(self, library: operations.Library | None) -> None:
        """Show another library's sessions."""
        self._library = library
        self.current = self._undo = None
        self.model.replace_all(())
        self.finder.set_library(library)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Read the list anew."""
        if self._library is not None:
            self._bridge.submit(operations.list_sessions(self._library), done=self._on_listed, failed=self._on_failed)

    @Slot()
    def new(self) -> None:
        """Begin a new session; it is kept from its first question on."""
        self.current = None
        self.opened.emit(None)
        self._tell()

    @Slot(int)
    def open(self, number: int, run: int | None = None) -> None:
        """Open a session unless it is open; run is the answer that is to be brought into sight there."""
        if self._library is None:
            return
        self._run = run
        if number != self.current:
            self.current = number
            self._bridge.submit(
                operations.open_session(self._library, number), done=self._on_opened, failed=self._on_failed
            )
        elif run is not None:
            self.run_wanted.emit(run)

    def restore(self, number: int) -> None:
        """Open a session as soon as the list is there, if it is still kept."""
        self._wanted = number
        self.refresh()

    @Slot(int, str)
    def rename(self, number: int, title: str) -> None:
        """Give a session another title."""
        if self._library is not None:
            self._submit([operations.rename_session(self._library, number, title)])

    def pin(self, *numbers: int, pinned: bool = True) -> None:
        """Keep sessions at the top of the list, or no longer."""
        if self._library is not None:
            self._submit([operations.pin_session(self._library, number, pinned=pinned) for number in numbers])

    def archive(self, *numbers: int, archived: bool = True) -> None:
        """Put sessions away, or take them out again, and offer to undo that."""
        if self._library is None or not numbers:
            return
        self._put_away(numbers, archived)
        self._undo = partial(self._put_away, numbers, not archived)
        named = self._named(numbers)
        done = tr("Archived {named}", named=named) if archived else tr("Took {named} out of the archive", named=named)
        self.said.emit(done, True)

    def show_archived(self, shown: bool) -> None:
        """List the archived sessions, too, or no longer."""
        self.model.show_archived(shown)
        self._tell()

    def remove(self, *numbers: int) -> None:
        """Remove sessions and offer to bring them back."""
        if self._library is None or not numbers:
            return
        self._undo = partial(self._restore, numbers)
        if self.current in numbers:
            self.new()
        self._submit([operations.remove_session(self._library, number) for number in numbers])
        self.said.emit(tr("Removed {named}", named=self._named(numbers)), True)

    @Slot()
    def undo(self) -> None:
        """Undo what was done last: bring back what was removed, or what was archived."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()

    @Slot(object)
    def follow(self, number: int) -> None:
        """Take note that the chat is in this session now, and list it."""
        self.current = number
        self.refresh()

    def _put_away(self, numbers: Sequence[int], archived: bool) -> None:
        if self._library is not None:
            self._submit([operations.archive_session(self._library, number, archived=archived) for number in numbers])

    def _restore(self, numbers: Sequence[int]) -> None:
        if self._library is not None:
            self._submit([operations.restore_session(self._library, number) for number in numbers])

    def _submit(self, steps: Sequence[Operation[None]]) -> None:
        """Change sessions, one after the other, and list them once."""

        async def operation(context: JobContext) -> None:
            for step in steps:
                await step(context)

        self._bridge.submit(operation, done=self._on_changed, failed=self._on_failed)

    def _named(self, numbers: Sequence[int]) -> str:
        """Return the title of the one session, or how many they are."""
        if len(numbers) > 1:
            return trn("{n} session", "{n} sessions", len(numbers))
        info = self.model.get(numbers[0])
        title = title_of(info) if info is not None else tr(UNTITLED)
        return f"“{title if len(title) <= _TITLE else title[:_TITLE].rstrip() + '…'}”"

    def _on_listed(self, sessions: list[SessionInfo]) -> None:
        self.model.replace_all(sessions)
        self._tell()
        wanted, self._wanted = self._wanted, None
        if wanted is not None and any(session.id == wanted for session in sessions):
            self.open(wanted)

    def _on_opened(self, session: Session) -> None:
        # A second click may have come meanwhile; only the last one counts.
        if session.info.id == self.current:
            self.opened.emit(session)
            self._tell()
            if self._run is not None:
                self.run_wanted.emit(self._run)

    @Slot()
    def _tell(self) -> None:
        self.listed.emit(len(self.model.sessions()))

    def _on_changed(self, _value: object) -> None:
        self.refresh()

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)


# So long after the last letter what was said is read: 5,000 answers take the store 40 ms.
_PAUSE = 150


class SessionSearch(QObject):
    """Narrows the model to what is sought; only the reply to the last words counts.

    Signals:
        changed: Other sessions are shown, or it is known now that there are no more.
        failed: An error and its details.
    """

    changed = Signal()
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, model: SessionModel, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._model = model
        self._library: operations.Library | None = None
        self._words = self._answered = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self._look)

    @property
    def words(self) -> str:
        """What is sought."""
        return self._words

    @property
    def is_looking(self) -> bool:
        """Whether what was said is still to be read, so that more may be found."""
        return self._words != self._answered

    def set_library(self, library: operations.Library | None) -> None:
        """Look in another library from now on, at first for nothing."""
        self._library = library
        self.find("")

    @Slot(str)
    def find(self, words: str) -> None:
        """Look for words; for none every session is shown again."""
        words = " ".join(words.split())
        if words == self._words:
            return
        self._words = words
        if words:
            self._pause.start()
        else:
            self._pause.stop()
            self._answered = ""
        self._model.find(words)
        self.changed.emit()

    @Slot()
    def _look(self) -> None:
        if self._library is not None:
            self._bridge.submit(
                operations.find_sessions(self._library, self._words),
                done=partial(self._on_found, self._words),
                failed=self._on_failed,
            )

    def _on_found(self, words: str, matches: list[SessionMatch]) -> None:
        if words == self._words:
            self._answered = words
            self._model.show_matches(matches)
            self.changed.emit()

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._answered = self._words
        self.failed.emit(error, details)
        self.changed.emit()
