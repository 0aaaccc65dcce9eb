"""The strip at the foot of the window: how far the index is, who answers, and what leaves the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QStatusBar, QWidget

from workbench.language import tr
from workbench.ui.controls import ElidedLabel, button, caption_of
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.ui.answerer import Answerer


class StatusStrip(QStatusBar):
    """Says the three things a user wants to be sure of.

    Signals:
        models_asked: The name of the answering profile was pressed.
        network_asked: What leaves the machine was pressed.
    """

    models_asked = Signal()
    network_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self._index = ElidedLabel()
        self._index.set_whole_text(tr("Opening the library…"))
        self._index.setContentsMargins(12, 0, 0, 0)
        self._profile = button("", "ghost", self.models_asked)
        self._profile.setToolTip(tr("Who answers; press to choose a model"))
        self._profile.setAccessibleName(tr("Who answers"))
        self._theme = theme
        self._icon = ("shield", "ok")
        self._privacy = button("", "ghost", self.network_asked)
        self._privacy.setIconSize(QSize(14, 14))
        self._privacy.setAccessibleName(tr("What leaves this machine"))
        right = QWidget()
        row = QHBoxLayout(right)
        row.setContentsMargins(0, 2, 8, 2)
        row.setSpacing(6)
        row.addWidget(self._profile)
        row.addWidget(self._privacy)
        self.addWidget(self._index, 1)
        self.addPermanentWidget(right)
        # Of itself it would keep the height that it had before text was made larger.
        theme.changed.connect(self._fit, Qt.ConnectionType.QueuedConnection)
        self._right = right
        # Nothing is said of who answers before the library's settings are known: it might be a model far away.
        for part in (self._profile, self._privacy):
            part.setVisible(False)
        theme.changed.connect(self._paint_icon)

    @property
    def text(self) -> str:
        """What it says, from left to right."""
        return f"{self._index.accessibleName()} | {self._profile.text()} | {self._privacy.text()}"

    @Slot()
    def _fit(self) -> None:
        self.setMinimumHeight(self._right.sizeHint().height() + 4)

    def show_index(self, text: str) -> None:
        """Show how far the index is."""
        self._index.set_whole_text(text)

    def show_answerer(self, answerer: Answerer) -> None:
        """Show who answers and what that means for privacy."""
        for part in (self._profile, self._privacy):
            part.setVisible(True)
        profile = answerer.profile
        name = tr("quoting, no model") if profile.is_offline else f"{profile.name} · {profile.model}"
        self._profile.setText(caption_of(tr("Answers: {name}", name=name)))
        self._profile.setAccessibleName(tr("Who answers: {name}", name=name))
        text, icon, colour = answerer.privacy_line()
        self._privacy.setText(text)
        self._privacy.setAccessibleName(text)
        lines = (answerer.why_so, tr("Press to see what went over the network"))
        self._privacy.setToolTip("\n".join(filter(None, lines)))
        self._privacy.setAccessibleDescription(answerer.why_so)
        self._icon = (icon, colour)
        self._paint_icon()

    @Slot()
    def _paint_icon(self) -> None:
        icon, colour = self._icon
        self._privacy.setIcon(self._theme.icon(icon, getattr(self._theme.tokens(), colour), 14))
