"""Under an answer: how many of its sentences are borne out by their sources, and, unfolded, which are not and why."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.language import said, tr
from workbench.model.claim import Claim, Verdict, doubtful, summary
from workbench.ui.controls import button, empty, label, restyle
from workbench.ui.theme import Theme

_TONES = {Verdict.UNSUPPORTED: "danger", Verdict.WEAK: "warn"}
_ICON = 14


class ClaimList(QWidget):
    """One line that unfolds; hidden where an answer was not checked."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._claims: tuple[Claim, ...] = ()
        self._summary = button("", "ghost", self._on_pressed)
        self._summary.setIconSize(QSize(_ICON, _ICON))
        self._summary.setCheckable(True)
        self._summary.setProperty("flush", True)
        self._doubtful = QWidget()
        self._lines = QVBoxLayout(self._doubtful)
        self._lines.setContentsMargins(_ICON + 6, 0, 0, 4)
        self._lines.setSpacing(4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._summary, alignment=Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self._doubtful)
        theme.changed.connect(self._on_theme_changed)
        self._show()

    @property
    def is_unfolded(self) -> bool:
        """Whether the doubtful sentences are shown."""
        return self._summary.isChecked()

    def show_claims(self, claims: Sequence[Claim]) -> None:
        """Show how the claims of an answer fared."""
        if tuple(claims) != self._claims:
            self._claims = tuple(claims)
            self._summary.setChecked(False)
            self._show()

    def _show(self) -> None:
        doubted = doubtful(self._claims)
        told = said(summary(self._claims))
        self._summary.setText(told)
        self._summary.setAccessibleName(tr("Checked against the sources: {summary}", summary=told))
        tip = tr("Show which sentences are not borne out by their sources")
        self._summary.setToolTip(tip if doubted else "")
        self._summary.setEnabled(bool(doubted))
        empty(self._lines)
        for claim in doubted:
            line = label(said(claim.sentence), "muted", wrap=True, tone=_TONES.get(claim.verdict, ""))
            line.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            self._lines.addWidget(line)
        self._doubtful.setVisible(self.is_unfolded)
        self.setVisible(bool(told))
        self._dress()

    def _dress(self) -> None:
        worst = {claim.verdict for claim in self._claims}
        icon = "alert" if Verdict.UNSUPPORTED in worst or Verdict.WEAK in worst else "check-circle"
        self._summary.setIcon(self._theme.icon(icon, size=_ICON))
        restyle(self._summary)

    @Slot()
    def _on_pressed(self) -> None:
        self._doubtful.setVisible(self.is_unfolded)

    @Slot()
    def _on_theme_changed(self) -> None:
        self._dress()
