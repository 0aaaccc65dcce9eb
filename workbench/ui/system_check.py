"""Dialog that says what this computer offers and lacks, and what the program does about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from workbench import operations
from workbench.language import mark, tr, translate
from workbench.ui.controls import bring_up, button, dialog_foot, label
from workbench.ui.dialog import Dialog
from workbench.ui.messages import announce, error_words

if TYPE_CHECKING:
    from workbench.model.integrity_report import CheckResult
    from workbench.ui.bridge import Bridge

_HINT = mark(
    "What this computer offers, what is missing, and how the program works without it. You can work in any case."
)
_NAME_WIDTH = 130


class SystemCheckDialog(Dialog):
    """Dialog with a sentence for each finding; those about something that is missing come first."""

    def __init__(self, bridge: Bridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.setWindowTitle(tr("This computer"))
        self.resize(680, 520)
        self._status = label("", "muted", wrap=True)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setAccessibleName(tr("This computer"))
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(10)
        layout.addWidget(label(tr(_HINT), "muted", wrap=True))
        layout.addWidget(self._status)
        layout.addWidget(self._scroll, 1)
        layout.addLayout(dialog_foot(button(tr("Close"), "primary", self.close)))
        self.sentences: list[str] = []

    def begin(self) -> None:
        """Look at the computer and show what was found."""
        self._show_status(tr("Looking…"))
        bring_up(self)
        self._bridge.submit(operations.look_around(), done=self._on_found, failed=self._on_failed)

    def _on_found(self, found: Sequence[CheckResult]) -> None:
        shown = sorted(found, key=lambda one: one.ok is True)
        self.sentences = [translate(one.result) for one in shown]
        content = QWidget()
        grid = QGridLayout(content)
        grid.setContentsMargins(8, 6, 8, 6)
        grid.setVerticalSpacing(8)
        grid.setColumnMinimumWidth(0, _NAME_WIDTH)
        grid.setColumnStretch(1, 1)
        for row, (one, sentence) in enumerate(zip(shown, self.sentences, strict=True)):
            text = label(sentence, "muted" if one.ok else "", wrap=True)
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(label(translate(one.check), "caption"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text, row, 1)
        grid.setRowStretch(len(shown), 1)
        self._scroll.setWidget(content)
        self._show_status("")

    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._show_status(error_words(error))

    def _show_status(self, text: str) -> None:
        self._status.setText(text)
        self._status.setVisible(bool(text))
        announce(self, text)
