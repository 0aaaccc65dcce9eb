"""Selection of search results before they are passed to the model.

Card, list of results, and its place in an answer.
"""

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from workbench.language import mark, tr, translate, trn
from workbench.model.approval import CurationAsked, PassageChoice
from workbench.model.hit import Hit, NumberedHit
from workbench.retrieval.markdown_stripping import plain_snippet
from workbench.ui.chat.composer import QuestionField
from workbench.ui.chat.run_progress import provisional
from workbench.ui.chat.transcript import Transcript
from workbench.ui.controls import IconButton, IconLabel, button, frame, label, restyle
from workbench.ui.messages import announce
from workbench.ui.theme import Theme

Around = Mapping[int, tuple[Hit | None, Hit | None]]
"""By chunk id: the passages before and after the chunk."""

_BELOW_FLOOR = mark(
    "No passage reaches the minimum relevance that you set, so none is selected. Select the passages that "
    "fit the question."
)
_UNSURE = mark("These passages may not answer the question.")


class CurationCard(QWidget):
    """Card on which the user selects the results of one search that are passed to the model.

    Signals:
        chosen: The CurationAsked, and the PassageChoice that was made.
        around_wanted: A Hit whose neighbours are requested; show_around receives them.
        opened: The Hit that is to be shown in its document.
    """

    chosen = Signal(object, object)
    around_wanted = Signal(object)
    opened = Signal(object)

    def __init__(self, theme: Theme, asked: CurationAsked, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked = asked
        self._wanted: set[int] = set()
        title = trn(
            "Choose what the answer to “{query}” may use: {n} passage",
            "Choose what the answer to “{query}” may use: {n} passages",
            len(asked.hits),
            query=asked.query,
        )
        self._title = label(title, "title", wrap=True)
        self._doubt = label(tr(_UNSURE if asked.is_relevant else _BELOW_FLOOR), "muted", wrap=True)
        self._doubt.setVisible(not (asked.is_relevant and asked.is_sure))
        self._list = CurationList(theme)
        self._list.chosen_changed.connect(self._show)
        self._list.currentRowChanged.connect(self._show)
        self._list.opened.connect(self.opened)
        self._up = IconButton(theme, "chevron-up", tr("Move up (Alt+Up)"), self._list.move_up)
        self._down = IconButton(theme, "chevron-down", tr("Move down (Alt+Down)"), self._list.move_down)
        self._pin = button(tr("Pin"), "ghost", self._on_pin)
        self._pin.setCheckable(True)
        self._pin.setToolTip(tr("Also use this passage for the next questions in this session"))
        self._widen = button(tr("Add surrounding text"), "ghost", self._on_widen)
        self._show_it = button(tr("Show in document"), "ghost", self._on_show)
        self._count = label("", "caption", wrap=True)
        self._use_chosen = button(tr("Answer with selected"), "primary", self._on_go)
        self._use_all = button(tr("Answer with all"), "secondary", self._on_all)
        self._lay_out(theme)
        enter = QShortcut(QKeySequence("Ctrl+Return"), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        enter.activated.connect(self._on_go)
        self.setAccessibleName(self._title.text())
        self._list.fill(asked.hits, asked.pinned, ticked=asked.is_relevant)

    @property
    def asked(self) -> CurationAsked:
        """The pending request."""
        return self._asked

    def show_around(self, around: Around) -> None:
        """Add the neighbours that were requested."""
        for hit in self._list.hits:
            if hit.chunk.id in self._wanted and hit.chunk.id in around:
                self._wanted.discard(hit.chunk.id)
                self._list.put_around(hit, *around[hit.chunk.id])

    def announce(self) -> None:
        """Let a screen reader announce that the run waits for the user."""
        announce(self, f"{self._title.text()} {tr('Select passages above the answer.')}")

    def focus(self) -> None:
        """Give the keyboard focus to the list."""
        self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self, theme: Theme) -> None:
        box = frame("well")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconLabel(theme, "filter"), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        tools = QHBoxLayout()
        tools.setSpacing(2)
        for one in (self._up, self._down, self._pin, self._widen, self._show_it):
            tools.addWidget(one)
        tools.addStretch(1)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self._use_chosen)
        foot.addWidget(self._use_all)
        foot.addWidget(self._count, 1)
        inside = QVBoxLayout(box)
        inside.setContentsMargins(12, 10, 12, 10)
        inside.setSpacing(6)
        inside.addLayout(head)
        inside.addWidget(self._doubt)
        inside.addWidget(self._list)
        inside.addLayout(tools)
        inside.addLayout(foot)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(box)

    @Slot()
    def _show(self) -> None:
        chosen, current = self._list.chosen, self._list.current
        tokens = sum(hit.chunk.tokens for hit in chosen)
        room = self._asked.room
        self._count.setText(_count_text(len(chosen), self._list.count(), tokens, room))
        restyle(self._count, tone="warn" if room is not None and tokens > room else "")
        self._pin.setChecked(self._list.is_current_pinned)
        self._up.setEnabled(self._list.currentRow() > 0)
        self._down.setEnabled(0 <= self._list.currentRow() < self._list.count() - 1)
        self._widen.setEnabled(current is not None and not current.is_outside)
        self._show_it.setEnabled(current is not None)

    @Slot()
    def _on_pin(self) -> None:
        self._list.pin_current(self._pin.isChecked())

    @Slot()
    def _on_widen(self) -> None:
        hit = self._list.current
        if hit is not None:
            self._wanted.add(hit.chunk.id)
            self.around_wanted.emit(hit)

    @Slot()
    def _on_show(self) -> None:
        if self._list.current is not None:
            self.opened.emit(self._list.current)

    @Slot()
    def _on_go(self) -> None:
        self._submit(PassageChoice(self._list.chosen, self._list.pinned))

    @Slot()
    def _on_all(self) -> None:
        self._submit(PassageChoice(self._asked.hits, self._list.pinned))

    def _submit(self, choice: PassageChoice) -> None:
        """Submit the choice and disable the card, which can be used only once."""
        self.setEnabled(False)
        self.chosen.emit(self._asked, choice)


def _count_text(chosen: int, total: int, tokens: int, room: int | None) -> str:
    """Return the number and size of the chosen passages, compared with the limit of the model."""
    if not chosen:
        return tr("Nothing selected: the answer will say that nothing was found.")
    passages = trn("{chosen:,} of {n:,} passage", "{chosen:,} of {n:,} passages", total, chosen=chosen)
    if room is None:
        return tr("{passages}, about {tokens:,} tokens.", passages=passages, tokens=tokens)
    if tokens <= room:
        fits = mark("{passages}, about {tokens:,} of about {room:,} tokens available in the context window.")
        return tr(fits, passages=passages, tokens=tokens, room=room)
    cut = mark(
        "{passages}, about {tokens:,} tokens; about {room:,} fit in the context window, so sentences will be left out."
    )
    return tr(cut, passages=passages, tokens=tokens, room=room)


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
    """List of passages: Space ticks one, Alt+Up, Alt+Down and the mouse move it, Enter opens it.

    Signals:
        chosen_changed: The ticked or pinned passages or their order changed.
        opened: The Hit that is to be shown in its document.
    """

    chosen_changed = Signal()
    opened = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName(tr("Passages found: Space selects, Alt+Up and Alt+Down move"))
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
        """Show these hits; pinned ones are always ticked."""
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
        """All hits, from top to bottom."""
        return tuple(self.item(row).data(_HIT) for row in range(self.count()))

    @property
    def chosen(self) -> tuple[Hit, ...]:
        """The ticked hits, from top to bottom."""
        items = [self.item(row) for row in range(self.count())]
        return tuple(item.data(_HIT) for item in items if item.checkState() is Qt.CheckState.Checked)

    @property
    def pinned(self) -> tuple[int, ...]:
        """Ids of the chunks that are pinned and ticked."""
        items = [self.item(row) for row in range(self.count())]
        kept = [item for item in items if item.data(_PINNED) and item.checkState() is Qt.CheckState.Checked]
        return tuple(item.data(_HIT).chunk.id for item in kept)

    @property
    def current(self) -> Hit | None:
        """The hit of the current row."""
        hit = item.data(_HIT) if (item := self.currentItem()) is not None else None
        return hit if isinstance(hit, Hit) else None

    @property
    def is_current_pinned(self) -> bool:
        """True if the current hit is pinned."""
        item = self.currentItem()
        return item is not None and bool(item.data(_PINNED))

    def put_around(self, hit: Hit, before: Hit | None, after: Hit | None) -> None:
        """Tick the passages before and after a hit; insert those that are not in the list yet."""
        for other, step in ((after, 1), (before, 0)):
            row = self._row_of(hit)
            if row is None or other is None:
                continue
            existing = self._row_of(other)
            if existing is None:
                self._insert(row + step, other, ticked=True)
            else:
                self.item(existing).setCheckState(Qt.CheckState.Checked)
        self._fit()
        self.chosen_changed.emit()

    def pin_current(self, pinned: bool) -> None:
        """Pin the current passage for the next questions, too, or unpin it."""
        item = self.currentItem()
        if item is not None:
            item.setData(_PINNED, pinned)
            item.setText(_row_text(item.data(_HIT), pinned=pinned))
            if pinned:
                item.setCheckState(Qt.CheckState.Checked)

    @Slot()
    def move_up(self) -> None:
        """Move the current passage up by one row."""
        self._move(-1)

    @Slot()
    def move_down(self) -> None:
        """Move the current passage down by one row."""
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
        """Set the height to that of the rows, up to six."""
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
    parts = (hit.document_name, translate(hit.place), tokens, tr("pinned") if pinned else "")
    return f"{' · '.join(part for part in parts if part)}\n{plain_snippet(hit.chunk.text, hit.chunk.headings)}"


class CurationContainer(QWidget):
    """Place of a CurationCard in the card of an answer; hidden while no search waits.

    Signals:
        chosen: The CurationAsked of a search that waited, and the PassageChoice of the user.
        around_wanted: A Hit whose neighbours the transcript is to provide.
        citation_activated: A Citation of a passage that is to be shown in its document.
    """

    chosen = Signal(object, object)
    around_wanted = Signal(object)
    citation_activated = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._card: CurationCard | None = None
        self._inside = QVBoxLayout(self)
        self._inside.setContentsMargins(0, 0, 0, 0)
        self.hide()

    def show_transcript(self, transcript: Transcript) -> None:
        """Show the card of a search that waits; remove it when the search no longer waits."""
        asked = transcript.curation
        if self._card is not None and self._card.asked is not asked:
            self._card.hide()
            self._card.deleteLater()
            self._card = None
        self.setVisible(asked is not None)
        if asked is not None and self._card is None:
            self._card = CurationCard(self._theme, asked)
            self._card.chosen.connect(self.chosen)
            self._card.around_wanted.connect(self.around_wanted)
            self._card.opened.connect(self._on_opened)
            self._inside.addWidget(self._card)
            self._card.announce()
            if self._awaits_answer():
                self._card.focus()
        if self._card is not None:
            self._card.show_around(transcript.around)

    def _awaits_answer(self) -> bool:
        """Return whether the keyboard focus is still in the empty question field, as after a question was asked."""
        focused = self.window().focusWidget()
        return isinstance(focused, QuestionField) and not focused.toPlainText()

    @Slot(object)
    def _on_opened(self, hit: Hit) -> None:
        self.citation_activated.emit(provisional(hit.rank, NumberedHit(hit.rank, hit), 0, 0))
