"""Presenter of the sessions pane, and the search for sessions by title and content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench import operations
from workbench.language import tr, trn
from workbench.ui.bridge import Bridge
from workbench.ui.sessions.model import UNTITLED, SessionModel, title_of

if TYPE_CHECKING:
    from workbench.model.session import Session, SessionInfo, SessionMatch
    from workbench.worker.job import JobContext, Operation


# Maximum number of characters of a title in a message.
_TITLE = 40


class SessionsPresenter(QObject):
    """Presenter that lists, finds, opens, renames, pins, archives and removes sessions.

    Signals:
        opened: A Session to show, or None for a new one.
        begun: The user began a new session, and is to write its first question.
        run_wanted: Id of a run of the open session to scroll to.
        listed: Number of sessions; emitted when the list was loaded or when other sessions are shown.
        notified: A message for a toast, and whether the action can be undone.
        failed: An error and its details, for the banner.
    """

    opened = Signal(object)
    begun = Signal()
    run_wanted = Signal(int)
    listed = Signal(int)
    notified = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.model = SessionModel(self)
        self.finder = SessionSearch(bridge, self.model, self)
        self.current: int | None = None
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._undo: Callable[[], None] | None = None
        self._session_to_open: int | None = None
        self._run: int | None = None
        self._listing = 0
        self.model.rename_asked.connect(self.rename)
        self.finder.changed.connect(self._emit_listed)
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
        """Reload the list."""
        self._listing += 1
        if self._library is not None:
            done = partial(self._on_listed, self._listing)
            self._bridge.submit(operations.list_sessions(self._library), done=done, failed=self._on_failed)

    @Slot()
    def new(self) -> None:
        """Start a new session for the user; it is stored from its first question on."""
        self._show_none()
        self.begun.emit()

    def _show_none(self) -> None:
        self.current = None
        self.opened.emit(None)
        self._emit_listed()

    @Slot(int)
    def open(self, number: int, run: int | None = None) -> None:
        """Open a session unless it is open already; run is the answer to scroll to."""
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
        """Open a session once the list is loaded, if the session still exists."""
        self._session_to_open = number
        self.refresh()

    @Slot(int, str)
    def rename(self, number: int, title: str) -> None:
        """Rename a session."""
        if self._library is not None:
            self._submit([operations.rename_session(self._library, number, title)])

    def pin(self, *numbers: int, pinned: bool = True) -> None:
        """Pin sessions to the top of the list, or unpin them."""
        if self._library is not None:
            self._submit([operations.pin_session(self._library, number, pinned=pinned) for number in numbers])

    def archive(self, *numbers: int, archived: bool = True) -> None:
        """Archive sessions or take them out of the archive, and offer to undo that."""
        if self._library is None or not numbers:
            return
        self._set_archived(numbers, archived)
        self._undo = partial(self._set_archived, numbers, not archived)
        named = self._describe_sessions(numbers)
        done = tr("Archived {named}", named=named) if archived else tr("Unarchived {named}", named=named)
        self.notified.emit(done, True)

    def show_archived(self, shown: bool) -> None:
        """Show or hide the archived sessions."""
        self.model.show_archived(shown)
        self._emit_listed()

    def remove(self, *numbers: int) -> None:
        """Remove sessions and offer to undo that."""
        if self._library is None or not numbers:
            return
        self._undo = partial(self._restore, numbers)
        if self.current in numbers:
            self._show_none()
        self._submit([operations.remove_session(self._library, number) for number in numbers])
        self.notified.emit(tr("Removed {named}", named=self._describe_sessions(numbers)), True)

    @Slot()
    def undo(self) -> None:
        """Undo the last removal or archiving."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()

    @Slot(object)
    def follow(self, number: int) -> None:
        """Record that the chat shows this session now, and reload the list."""
        self.current = number
        self.refresh()

    def _set_archived(self, numbers: Sequence[int], archived: bool) -> None:
        if self._library is not None:
            self._submit([operations.archive_session(self._library, number, archived=archived) for number in numbers])

    def _restore(self, numbers: Sequence[int]) -> None:
        if self._library is not None:
            self._submit([operations.restore_session(self._library, number) for number in numbers])

    def _submit(self, steps: Sequence[Operation[None]]) -> None:
        """Run operations on sessions one after the other, then reload the list once."""

        async def operation(context: JobContext) -> None:
            for step in steps:
                await step(context)

        self._bridge.submit(operation, done=self._on_changed, failed=self._on_failed)

    def _describe_sessions(self, numbers: Sequence[int]) -> str:
        """Return the title of a single session, or the number of several."""
        if len(numbers) > 1:
            return trn("{n} session", "{n} sessions", len(numbers))
        info = self.model.get(numbers[0])
        title = title_of(info) if info is not None else tr(UNTITLED)
        return f"“{title if len(title) <= _TITLE else title[:_TITLE].rstrip() + '…'}”"

    def _on_listed(self, listing: int, sessions: list[SessionInfo]) -> None:
        # The store works with two threads: an earlier list can come later.
        if listing != self._listing:
            return
        self.model.replace_all(sessions)
        self._emit_listed()
        number, self._session_to_open = self._session_to_open, None
        if number is not None and any(session.id == number for session in sessions):
            self.open(number)

    def _on_opened(self, session: Session) -> None:
        # Another session may have been requested meanwhile; only the last request counts.
        if session.info.id == self.current:
            self.opened.emit(session)
            self._emit_listed()
            if self._run is not None:
                self.run_wanted.emit(self._run)

    @Slot()
    def _emit_listed(self) -> None:
        self.listed.emit(len(self.model.sessions()))

    def _on_changed(self, _value: object) -> None:
        self.refresh()

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)


# Milliseconds after the last key press before the content is searched: the store takes 40 ms for 5,000 answers.
_PAUSE = 150


class SessionSearch(QObject):
    """Search that filters the session model; only the reply to the last words counts.

    Signals:
        changed: Other sessions are shown, or the content search ended.
        failed: An error and its details.
    """

    changed = Signal()
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, model: SessionModel, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._model = model
        self._library: operations.Library | None = None
        self._words = self._answered_words = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self._search_content)

    @property
    def words(self) -> str:
        """The search words."""
        return self._words

    @property
    def is_looking(self) -> bool:
        """True while the content search is pending, so that more sessions may be found."""
        return self._words != self._answered_words

    def set_library(self, library: operations.Library | None) -> None:
        """Search another library from now on, and clear the search words."""
        self._library = library
        self.find("")

    @Slot(str)
    def find(self, words: str) -> None:
        """Search for words; without words every session is shown again."""
        words = " ".join(words.split())
        if words == self._words:
            return
        self._words = words
        if words:
            self._pause.start()
        else:
            self._pause.stop()
            self._answered_words = ""
        self._model.find(words)
        self.changed.emit()

    @Slot()
    def _search_content(self) -> None:
        if self._library is not None:
            self._bridge.submit(
                operations.find_sessions(self._library, self._words),
                done=partial(self._on_found, self._words),
                failed=self._on_failed,
            )

    def _on_found(self, words: str, matches: list[SessionMatch]) -> None:
        if words == self._words:
            self._answered_words = words
            self._model.show_matches(matches)
            self.changed.emit()

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._answered_words = self._words
        self.failed.emit(error, details)
        self.changed.emit()
