"""Passages as a Qt item model: a list of frozen rows."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.language import tr
from workbench.ui.inspector.passages import Passage

PASSAGE_ROLE = Qt.ItemDataRole.UserRole + 1
MARK_ROLE = Qt.ItemDataRole.UserRole + 2
_Index = QModelIndex | QPersistentModelIndex


class PassageModel(QAbstractListModel):
    """A list of passages, replaced as a whole.

    Attributes:
        mark_of: Tells whether a passage is marked as right or wrong; None where nobody marks.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._passages: tuple[Passage, ...] = ()
        self.mark_of: Callable[[Passage], bool | None] | None = None

    def show(self, passages: Sequence[Passage]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self._passages = tuple(passages)
        self.endResetModel()

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The rows."""
        return self._passages

    def passage(self, index: _Index) -> Passage | None:
        """Return the passage of an index, None for an invalid one."""
        return self._passages[index.row()] if index.isValid() else None

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._passages)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row as text, as speech, as the Passage itself (PASSAGE_ROLE), or its mark (MARK_ROLE)."""
        passage = self.passage(index)
        if passage is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return f"{passage.number}  {passage.place}"
            case Qt.ItemDataRole.ToolTipRole:
                return " › ".join(passage.headings) or passage.place
            case Qt.ItemDataRole.AccessibleTextRole:
                return _spoken(passage, self._mark(passage))
            case _ if role == MARK_ROLE:
                return self._mark(passage)
            case _ if role == PASSAGE_ROLE:
                return passage
        return None

    def _mark(self, passage: Passage) -> bool | None:
        return self.mark_of(passage) if self.mark_of is not None else None


def _spoken(passage: Passage, mark: bool | None) -> str:
    parts = [
        tr("Passage {n}, cited in the answer", n=passage.number)
        if passage.cited
        else tr("Passage {n}", n=passage.number),
        "" if mark is None else tr("marked as right") if mark else tr("marked as wrong"),
        passage.place,
        passage.relevance,
        *passage.badges,
        passage.text[:200],
    ]
    return ". ".join(part for part in parts if part)
