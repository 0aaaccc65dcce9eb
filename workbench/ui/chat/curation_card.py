"""What a search found, before the answerer is handed it: a person ticks, orders, pins and widens, and lets it go on."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.language import mark, tr, trn
from workbench.model.approval import Choice, CurationAsked
from workbench.model.hit import Hit
from workbench.ui.chat.curation_list import CurationList
from workbench.ui.controls import IconButton, IconLabel, button, frame, label, restyle
from workbench.ui.messages import announce
from workbench.ui.theme import Theme

Around = Mapping[int, tuple[Hit | None, Hit | None]]
"""By a chunk's id: the passages before and after it."""

_BELOW_FLOOR = mark("None of it reaches the floor that you set, so nothing is ticked: tick what is about the question.")
_UNSURE = mark("The search is not sure that any of it answers the question.")


class CurationCard(QWidget):
    """Asks what one search hands over.

    Signals:
        chosen: The CurationAsked, and the Choice that was made.
        around_wanted: A Hit whose neighbours are asked for; show_around is told them.
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
            "{n} passage for “{query}”: which may the answer use?",
            "{n} passages for “{query}”: which may the answer use?",
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
        self._pin.setToolTip(tr("Keep this passage for the next questions of this session, too"))
        self._widen = button(tr("Add what stands around it"), "ghost", self._on_widen)
        self._show_it = button(tr("Show in document"), "ghost", self._on_show)
        self._count = label("", "caption", wrap=True)
        self._go = button(tr("Answer with these"), "primary", self._on_go)
        self._all = button(tr("Answer with all of it"), "secondary", self._on_all)
        self._lay_out(theme)
        enter = QShortcut(QKeySequence("Ctrl+Return"), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        enter.activated.connect(self._on_go)
        self.setAccessibleName(self._title.text())
        self._list.fill(asked.hits, asked.pinned, ticked=asked.is_relevant)

    @property
    def asked(self) -> CurationAsked:
        """What waits."""
        return self._asked

    def show_around(self, around: Around) -> None:
        """Take in the neighbours that were asked for."""
        for hit in self._list.hits:
            if hit.chunk.id in self._wanted and hit.chunk.id in around:
                self._wanted.discard(hit.chunk.id)
                self._list.put_around(hit, *around[hit.chunk.id])

    def announce(self) -> None:
        """Have a screen reader say that somebody waits."""
        announce(self, f"{self._title.text()} {tr('Choose them above the answer.')}")

    def focus(self) -> None:
        """Put the keyboard on the list."""
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
        foot.addWidget(self._go)
        foot.addWidget(self._all)
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
        self._count.setText(_counted(len(chosen), self._list.count(), tokens, room))
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
        self._say(Choice(self._list.chosen, self._list.pinned))

    @Slot()
    def _on_all(self) -> None:
        self._say(Choice(self._asked.hits, self._list.pinned))

    def _say(self, choice: Choice) -> None:
        """Say it once: the run goes on, and this card with it."""
        self.setEnabled(False)
        self.chosen.emit(self._asked, choice)


def _counted(chosen: int, total: int, tokens: int, room: int | None) -> str:
    """Return how much is chosen, beside how much the model has room for."""
    if not chosen:
        return tr("Nothing chosen: the answerer is told that nothing was found.")
    passages = trn("{chosen:,} of {n:,} passage", "{chosen:,} of {n:,} passages", total, chosen=chosen)
    if room is None:
        return tr("{passages}, about {tokens:,} tokens.", passages=passages, tokens=tokens)
    if tokens <= room:
        fits = mark("{passages}, about {tokens:,} tokens of about {room:,} that the model has room for.")
        return tr(fits, passages=passages, tokens=tokens, room=room)
    cut = mark(
        "{passages}, about {tokens:,} tokens; the model has room for about {room:,}, so sentences will be left out."
    )
    return tr(cut, passages=passages, tokens=tokens, room=room)
