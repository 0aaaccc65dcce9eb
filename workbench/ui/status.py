"""The strip at the foot of the window: how far the index is, who answers, and what leaves the machine."""

from urllib.parse import urlsplit

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStatusBar, QWidget

from workbench.model.profile import ModelProfile
from workbench.ui.controls import IconLabel, button, label
from workbench.ui.settings.presets import is_local
from workbench.ui.theme import Theme


def privacy_line(profile: ModelProfile) -> tuple[str, str, str]:
    """Return what leaves the machine: a sentence, an icon and the name of a colour."""
    if profile.is_offline:
        return "Offline: nothing leaves this machine", "shield", "ok"
    if is_local(profile.base_url):
        return "Local model: nothing leaves this machine", "shield", "ok"
    host = urlsplit(profile.base_url).hostname or profile.base_url
    return f"Questions and found passages go to {host}", "globe", "warn"


class StatusStrip(QStatusBar):
    """Says the three things a user wants to be sure of.

    Signals:
        models_asked: The name of the answering profile was pressed.
    """

    models_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self._index = label("Opening the library…")
        self._index.setContentsMargins(12, 0, 0, 0)
        self._profile = button("", "ghost", self.models_asked)
        self._profile.setToolTip("Who answers; press to choose a model")
        self._profile.setAccessibleName("Who answers")
        self._icon = IconLabel(theme, "shield", colour="ok", size=14)
        self._privacy = label("")
        right = QWidget()
        row = QHBoxLayout(right)
        row.setContentsMargins(0, 2, 14, 2)
        row.setSpacing(6)
        row.addWidget(self._profile)
        row.addSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self._privacy)
        self.addWidget(self._index, 1)
        self.addPermanentWidget(right)
        # Nothing is said of who answers before the library's settings are known: it might be a model far away.
        for part in (self._profile, self._icon, self._privacy):
            part.setVisible(False)

    @property
    def text(self) -> str:
        """What it says, from left to right."""
        return f"{self._index.text()} | {self._profile.text()} | {self._privacy.text()}"

    def show_index(self, text: str) -> None:
        """Show how far the index is."""
        self._index.setText(text)

    def show_profile(self, profile: ModelProfile) -> None:
        """Show who answers and what that means for privacy."""
        for part in (self._profile, self._icon, self._privacy):
            part.setVisible(True)
        name = "quoting, no model" if profile.is_offline else f"{profile.name} · {profile.model}"
        self._profile.setText(f"Answers: {name}")
        self._profile.setAccessibleName(f"Who answers: {name}")
        text, icon, colour = privacy_line(profile)
        self._privacy.setText(text)
        self._icon.show_icon(icon, colour)
