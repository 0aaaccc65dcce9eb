"""“Whole section”: a button that fetches where the section around a passage begins and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.errors import WorkbenchError
from workbench.language import mark, said, tr
from workbench.model.chunk import Stretch
from workbench.ui.bridge import Bridge
from workbench.ui.inspector.passages import Passage
from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.operations import Library

TITLE = mark("Whole section")
ELSEWHERE = mark("The section of this passage cannot be shown.")


class _Request:
    """One job under way; its own object, so that a late reply is known by what it was asked for."""

    def __init__(self, button: SectionButton, passage: Passage) -> None:
        self._button = button
        self._passage = passage

    def done(self, stretch: Stretch) -> None:
        """Pass the section on."""
        self._button.receive(self._passage, stretch)

    def failed(self, error: BaseException, _details: str) -> None:
        """Pass the error on."""
        self._button.receive_failure(self._passage, error)


class SectionButton(QPushButton):
    """Stands beside a passage's title.

    Signals:
        found: The Stretch of the passage that is shown.
        failed: A sentence: there is none, or no longer.
    """

    found = Signal(object)
    failed = Signal(str)

    def __init__(self, bridge: Bridge, parent: QWidget | None = None) -> None:
        super().__init__(tr(TITLE), parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._passage: Passage | None = None
        self._start = 0
        self.setProperty("variant", "ghost")
        self.setAccessibleName(tr("Show the whole section of this passage"))
        self.setToolTip(tr("Show the whole section in which this passage stands"))
        self.setAutoDefault(True)
        self.setEnabled(False)
        self.clicked.connect(self._on_clicked)

    def set_library(self, library: Library | None) -> None:
        """Take another library."""
        self._library = library
        self.mean(None)

    def mean(self, passage: Passage | None, start: int = 0) -> None:
        """Stand for another passage, and where it begins in the text as it is now; or for none."""
        self._passage = passage
        self._start = start
        self.setEnabled(passage is not None and self._library is not None)

    def receive(self, passage: Passage, stretch: Stretch) -> None:
        """Take a section; of a passage that is shown no more it is ignored."""
        if passage is self._passage:
            self.setEnabled(True)
            self.found.emit(stretch)

    def receive_failure(self, passage: Passage, error: BaseException) -> None:
        """Take the news that there is none."""
        if passage is self._passage:
            self.setEnabled(True)
            self.failed.emit(said(error.message) if isinstance(error, WorkbenchError) else tr(ELSEWHERE))

    @Slot()
    def _on_clicked(self) -> None:
        if self._passage is None or self._library is None:
            return
        self.setEnabled(False)
        request = _Request(self, self._passage)
        at = operations.section_at(self._library, self._passage.document, self._start)
        self._bridge.submit(at, done=request.done, failed=request.failed)
