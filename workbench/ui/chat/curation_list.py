"""What a search found as a list to choose from: ticked, ordered, pinned, widened."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from workbench.language import said, tr, trn
from workbench.model.hit import Hit
from workbench.ui.theme import Theme

_HIT = Qt.ItemDataRole.UserRole + 1
_PINNED = Qt.ItemDataRole.UserRole + 2
_MOST_ROWS = 6
_CHECKABLE = (
    Qt.ItemFlag.ItemIsEnabled
    | Qt.ItemFlag.ItemIsSelectable
    | Qt.ItemFlag.ItemIsUserCheckable
    | Qt.ItemFlag.ItemIsDragEnabled
)


class CurationList(QListWidget):
    """Space ticks, Alt+Up and Alt+Down move, the mouse drags; Enter opens.

    Signals:
        chosen_changed: Other passages are ticked, or pinned, or they stand in another order.
        opened: The Hit that is to be shown in its document.
    """

    chosen_changed = Signal()
    opened = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName(tr("Passages found: Space ticks one, Alt with the arrows moves it"))
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setAlternatingRowColors(False)
        within = Qt.ShortcutContext.WidgetShortcut
        QShortcut(QKeySequence("Alt+Up"), self, self.move_up, context=within)
        QShortcut(QKeySequence("Alt+Down"), self, self.move_down, context=within)
        self.itemChanged.connect(self._on_changed)
        self.itemActivated.connect(self._on_activated)
        self.model().rowsMoved.connect(self.chosen_changed)
        theme.changed.connect(self._on_theme_changed)

    def fill(self, hits: Sequence[Hit], pinned: Iterable[int], *, ticked: bool) -> None:
        """Show these; those that are pinned are always ticked."""
        kept = set(pinned)
        self.blockSignals(True)
        self.clear()
        for hit in hits:
            self._insert(self.count(), hit, ticked=ticked or hit.chunk.id in kept, pinned=hit.chunk.id in kept)
        self.blockSignals(False)
        self.setCurrentRow(0)
        self._fit()
        self.chosen_changed.emit()

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All of them, from top to bottom."""
        return tuple(self.item(row).data(_HIT) for row in range(self.count()))

    @property
    def chosen(self) -> tuple[Hit, ...]:
        """What is ticked, from top to bottom."""
        items = [self.item(row) for row in range(self.count())]
        return tuple(item.data(_HIT) for item in items if item.checkState() is Qt.CheckState.Checked)

    @property
    def pinned(self) -> tuple[int, ...]:
        """Ids of the chunks that are pinned and ticked."""
        items = [self.item(row) for row in range(self.count())]
        both = [item for item in items if item.data(_PINNED) and item.checkState() is Qt.CheckState.Checked]
        return tuple(item.data(_HIT).chunk.id for item in both)

    @property
    def current(self) -> Hit | None:
        """The passage under the keyboard."""
        hit = item.data(_HIT) if (item := self.currentItem()) is not None else None
        return hit if isinstance(hit, Hit) else None

    @property
    def is_current_pinned(self) -> bool:
        """Whether that one is pinned."""
        item = self.currentItem()
        return item is not None and bool(item.data(_PINNED))

    def put_around(self, hit: Hit, before: Hit | None, after: Hit | None) -> None:
        """Tick the passages before and after one; those that are not there yet are put in their places."""
        for other, step in ((after, 1), (before, 0)):
            row = self._row_of(hit)
            if row is None or other is None:
                continue
            there = self._row_of(other)
            if there is None:
                self._insert(row + step, other, ticked=True)
            else:
                self.item(there).setCheckState(Qt.CheckState.Checked)
        self._fit()
        self.chosen_changed.emit()

    def pin_current(self, pinned: bool) -> None:
        """Keep the current passage for the next questions too, or no longer."""
        item = self.currentItem()
        if item is not None:
            item.setData(_PINNED, pinned)
            item.setText(_row_text(item.data(_HIT), pinned=pinned))
            if pinned:
                item.setCheckState(Qt.CheckState.Checked)

    @Slot()
    def move_up(self) -> None:
        """Put the current passage before the one above it."""
        self._move(-1)

    @Slot()
    def move_down(self) -> None:
        """Put the current passage behind the one below it."""
        self._move(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _move(self, step: int) -> None:
        row = self.currentRow()
        if 0 <= row + step < self.count() and row >= 0:
            item = self.takeItem(row)
            self.insertItem(row + step, item)
            self.setCurrentItem(item)
            self.chosen_changed.emit()

    def _insert(self, row: int, hit: Hit, *, ticked: bool, pinned: bool = False) -> None:
        item = QListWidgetItem(_row_text(hit, pinned=pinned))
        item.setFont(self._theme.font(text=hit.chunk.text[:200]))
        item.setFlags(_CHECKABLE)
        item.setData(_HIT, hit)
        item.setData(_PINNED, pinned)
        item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        item.setToolTip(hit.chunk.text[:1500])
        item.setData(Qt.ItemDataRole.AccessibleTextRole, item.text())
        self.insertItem(row, item)

    def _row_of(self, hit: Hit) -> int | None:
        rows = range(self.count())
        return next((row for row in rows if self.item(row).data(_HIT).chunk.id == hit.chunk.id), None)

    def _fit(self) -> None:
        """Be as high as the rows, up to six."""
        height = self.sizeHintForRow(0) if self.count() else 0
        self.setFixedHeight(min(_MOST_ROWS, max(1, self.count())) * height + 2 * self.frameWidth() + 2)

    @Slot(QListWidgetItem)
    def _on_changed(self, _item: QListWidgetItem) -> None:
        self.chosen_changed.emit()

    @Slot(QListWidgetItem)
    def _on_activated(self, item: QListWidgetItem) -> None:
        self.opened.emit(item.data(_HIT))

    @Slot()
    def _on_theme_changed(self) -> None:
        self.viewport().update()


def _row_text(hit: Hit, *, pinned: bool) -> str:
    tokens = trn("{n:,} token", "{n:,} tokens", hit.chunk.tokens)
    parts = (hit.document_name, said(hit.place), tokens, tr("pinned") if pinned else "")
    return f"{' · '.join(part for part in parts if part)}\n{' '.join(hit.chunk.text[:300].split())}"
