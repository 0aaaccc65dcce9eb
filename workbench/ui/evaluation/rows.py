"""Rows for golden questions, outcomes and evaluations, and their item model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.language import tr
from workbench.ui.evaluation.comparison_charts import DifferenceKind

ROW_ROLE = Qt.ItemDataRole.UserRole + 1
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """Row of a list.

    Attributes:
        title: Text of the first line, usually a question.
        second: Text of the second, smaller line.
        figure: Text at the right.
        change: Sets the colour and the arrow of the figure; None for neither.
        warning: Problem that precedes the second line, which then has the colour of a warning.
        subject: Object that the row represents.
    """

    title: str
    second: str = ""
    figure: str = ""
    change: DifferenceKind | None = None
    warning: str = ""
    subject: object = None

    @property
    def spoken(self) -> str:
        """Description of the row for screen readers."""
        figures = [tr("not found") if one == "–" else one for one in self.figure.split(" → ")]
        figure = figures[0] if len(figures) == 1 else tr("{before} to {after}", before=figures[0], after=figures[1])
        change = tr(self.change.value) if self.change is not None else ""
        return ". ".join(part for part in (self.title, self.second, self.warning, figure, change) if part)


class RowModel(QAbstractListModel):
    """Item model of rows that are replaced as a whole."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[EvaluationRow, ...] = ()

    @property
    def rows(self) -> tuple[EvaluationRow, ...]:
        """Rows of the list."""
        return self._rows

    def show(self, rows: Sequence[EvaluationRow]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title, tooltip or accessible text of a row, or the row itself for ROW_ROLE."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join(part for part in (row.title, row.second, row.warning) if part)
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken
            case _ if role == ROW_ROLE:
                return row
        return None
