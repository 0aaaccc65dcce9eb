"""The documents that have something, the gravest first: an item model, so that a thousand cost nothing."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.language import said, tr
from workbench.model.diagnosis import Gravity, Patient
from workbench.ui.theme import Theme

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
PATIENT_ROLE = Qt.ItemDataRole.UserRole + 1
_ICONS = {
    Gravity.NOTE: ("info", "text_muted"),
    Gravity.WARNING: ("alert", "warn"),
    Gravity.PROBLEM: ("error", "danger"),
}


class PatientModel(QAbstractListModel):
    """A row a document: its name, and in the tool tip what it has."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._patients: list[Patient] = []

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._patients)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self._patients):
            return None
        patient = self._patients[index.row()]
        worst = patient.symptoms[0]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return patient.document.name
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join(said(symptom.title) for symptom in patient.symptoms)
            case Qt.ItemDataRole.AccessibleTextRole:
                return tr("{name}: {finding}", name=patient.document.name, finding=said(worst.title))
            case Qt.ItemDataRole.DecorationRole:
                icon, colour = _ICONS[worst.gravity]
                return self._theme.icon(icon, getattr(self._theme.tokens(), colour))
            case _ if role == PATIENT_ROLE:
                return patient
        return None

    def show_patients(self, patients: list[Patient]) -> None:
        """Show these."""
        self.beginResetModel()
        self._patients = patients
        self.endResetModel()

    def row_of(self, document: int | None) -> int:
        """Return the row of a document, -1 where it is not listed."""
        rows = (row for row, patient in enumerate(self._patients) if patient.document.id == document)
        return next(rows, -1)
