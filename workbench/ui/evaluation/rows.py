"""Golden questions, outcomes and evaluations as rows of one kind, and the item model of them."""

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
    """One line of a list.

    Attributes:
        title: What it is, mostly a question.
        second: Written small below it.
        figure: Written at the right.
        change: Colour and arrow of the figure; None for neither.
        warning: Something is the matter: written small below it in the colour of a warning.
        subject: What the row stands for.
    """

    title: str
    second: str = ""
    figure: str = ""
    change: DifferenceKind | None = None
    warning: str = ""
    subject: object = None

    @property
    def spoken(self) -> str:
        """All of it in words."""
        figures = [tr("not found") if one == "–" else one for one in self.figure.split(" → ")]
        figure = figures[0] if len(figures) == 1 else tr("{before} to {after}", before=figures[0], after=figures[1])
        change = tr(self.change.value) if self.change is not None else ""
        return ". ".join(part for part in (self.title, self.second, self.warning, figure, change) if part)


class RowModel(QAbstractListModel):
    """A list of rows, replaced as a whole."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[EvaluationRow, ...] = ()

    @property
    def rows(self) -> tuple[EvaluationRow, ...]:
        """What is listed."""
        return self._rows

    def show(self, rows: Sequence[EvaluationRow]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row as text, as speech, or as the Row itself (ROW_ROLE)."""
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
