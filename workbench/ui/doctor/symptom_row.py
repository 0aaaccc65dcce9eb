"""One symptom as a row: how grave it is, what it is, what it means, and its remedy."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.language import mark, said, tr
from workbench.model.diagnosis import Gravity, Remedy, Symptom
from workbench.model.document import PageKind
from workbench.ui.controls import IconLabel, button, label
from workbench.ui.library.wording import pages
from workbench.ui.theme import Theme

_ICONS = {
    Gravity.NOTE: ("info", "text_muted"),
    Gravity.WARNING: ("alert", "warn"),
    Gravity.PROBLEM: ("error", "danger"),
}
_REMEDIES = {
    Remedy.UNLOCK: mark("Enter password…"),
    Remedy.READ_AGAIN: mark("Read again"),
    Remedy.EMBED: mark("Embed now"),
}

PAGE_REMEDIES = (Remedy.OCR, Remedy.TABLES)
"""Those that read pages one by one."""


class SymptomRow(QWidget):
    """A row of the check.

    Signals:
        cure_asked: The Symptom whose remedy was pressed.
        stop_asked: The remedy that is under way is to be stopped.
    """

    cure_asked = Signal(object)
    stop_asked = Signal()

    def __init__(self, symptom: Symptom, kind: PageKind, theme: Theme, *, is_under_way: bool = False) -> None:
        super().__init__()
        self._symptom = symptom
        icon, colour = _ICONS[symptom.gravity]
        title, detail = said(symptom.title), said(symptom.detail)
        grave = _gravity_words(symptom.gravity)
        self.setAccessibleName(tr("{gravity}: {title}. {detail}", gravity=grave, title=title, detail=detail).strip())
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(title, wrap=True))
        if symptom.detail:
            words.addWidget(label(detail, "muted", wrap=True))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 9, 12, 9)
        row.setSpacing(12)
        row.addWidget(IconLabel(theme, icon, colour=colour, size=18), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.remedy: QPushButton | None = None
        if symptom.remedy is not None:
            self.remedy = button(remedy_words(symptom, kind), "secondary", self._on_pressed)
            row.addWidget(self.remedy, 0, Qt.AlignmentFlag.AlignVCenter)
        self._is_under_way = is_under_way
        if is_under_way:
            self._show_under_way()

    @Slot()
    def _on_pressed(self) -> None:
        is_stop = self._is_under_way
        self._is_under_way = True
        self._show_under_way(stopping=is_stop)
        if is_stop:
            self.stop_asked.emit()
        else:
            self.cure_asked.emit(self._symptom)

    def _show_under_way(self, *, stopping: bool = False) -> None:
        """Only the reading of pages takes long enough to be stopped."""
        if self.remedy is None:
            return
        can_stop = self._symptom.remedy in PAGE_REMEDIES and not stopping
        self.remedy.setEnabled(can_stop)
        going = tr("Stopping…") if stopping else tr("Under way…")
        self.remedy.setText(tr("Stop") if can_stop else going)


def _gravity_words(gravity: Gravity) -> str:
    match gravity:
        case Gravity.PROBLEM:
            return tr("Problem")
        case Gravity.WARNING:
            return tr("Warning")
    return tr("Note", "what was found, and is not grave")


def remedy_words(symptom: Symptom, kind: PageKind) -> str:
    """Return what stands on the button of a remedy."""
    if symptom.remedy is Remedy.OCR:
        return tr("OCR {pages}", pages=pages(len(symptom.pages), kind)) if symptom.pages else tr("OCR")
    if symptom.remedy is Remedy.TABLES:
        return tr("Find tables on {pages}", pages=pages(len(symptom.pages), kind))
    return tr(_REMEDIES[symptom.remedy]) if symptom.remedy else ""
