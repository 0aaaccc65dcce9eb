"""Words -> the sessions in which they were said: titles at once, everything said after a pause in typing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench.ui.bridge import Bridge
from workbench.ui.lazy_operations import operations
from workbench.ui.sessions.model import SessionModel

if TYPE_CHECKING:
    from workbench.model.session import SessionMatch

# So long after the last letter what was said is read: 5,000 answers take the store 40 ms.
_PAUSE = 150


class SessionFinder(QObject):
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
