"""Sources of an answer grouped by document, whose numbers can be rated right or wrong for the question."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QAction, QEnterEvent, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.model.hit import Citation
from workbench.ui.actions import command, pane_action
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.chat.run_wording import CitedSource, citation_location, sources
from workbench.ui.chat.transcript import Transcript
from workbench.ui.controls import ElidedLabel, IconLabel, label
from workbench.ui.evaluation.passage_marks import WORDS, Marks, PassageSpot, Scope
from workbench.ui.external_programs import DragOut, citation_mime
from workbench.ui.theme import Theme

# Maximum number of chips in the row of a document's name; more get their own rows.
_MAX_INLINE = 4
_ICON = 14


class SourceChip(QPushButton):
    """A citation number as a button: reached with Tab, pressed with Enter; Space shows its preview.

    Signals:
        activated: Its Citation.
        hovered: Its Citation and position on the screen, or None twice when the pointer left.
        peeked: Its Citation, its position on the screen, and True, when Space was pressed.
    """

    activated = Signal(object)
    hovered = Signal(object, object)
    peeked = Signal(object, object, bool)

    def __init__(self, citation: Citation, parent: QWidget | None = None) -> None:
        super().__init__(str(citation.marker), parent)
        self._citation = citation
        self.setProperty("variant", "chip")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Source {n}: {place}", n=citation.marker, place=citation_location(citation)))
        self.setAutoDefault(True)
        self.clicked.connect(self._on_clicked)
        DragOut(self, self.data_at)

    def offer_menu(self, holder: QWidget) -> None:
        """Add the actions of the citation to the context menu of the widget that contains it, or of the chip itself."""
        within = Qt.ShortcutContext.WidgetWithChildrenShortcut
        pane_action(holder, "source.open", self._on_clicked, context=within)
        pane_action(holder, "source.copy", self._on_copy, context=within)
        holder.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def data_at(self, _place: QPoint) -> QMimeData | None:
        """Return the drag data: the quote with its source; None for an invalid number."""
        return citation_mime(self._citation) if self._citation.valid else None

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.hovered.emit(self._citation, self._screen_rect())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit(None, None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self.peeked.emit(self._citation, self._screen_rect(), True)
        else:
            super().keyPressEvent(event)

    def _screen_rect(self) -> QRect:
        return QRect(self.mapToGlobal(QPoint(0, 0)), self.size())

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setMimeData(citation_mime(self._citation))

    @Slot()
    def _on_clicked(self) -> None:
        self.activated.emit(self._citation)


class SourceList(QFrame):
    """The cited documents; hidden if there are none.

    Signals:
        citation_activated: The Citation whose number was pressed.
        citation_hovered: As SourceChip.hovered.
        citation_peeked: As SourceChip.peeked.
        citation_marked: The Citation, and its new rating for the question: True (right), False (wrong) or None.
    """

    citation_activated = Signal(object)
    citation_hovered = Signal(object, object)
    citation_peeked = Signal(object, object, bool)
    citation_marked = Signal(object, object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._citations: tuple[Citation, ...] = ()
        self._rows: list[QWidget] = []
        self._ratings: list[SourceRating] = []
        self._mark_of: Callable[[Citation], bool | None] | None = None
        self._icons: list[QLabel] = []
        self._pending: list[CitedSource] = []
        self.setProperty("role", "well")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(12, 8, 12, 10)
        self._layout.setSpacing(6)
        title = label(tr("Sources"), "section")
        self._layout.addWidget(title)
        self.hide()
        theme.changed.connect(self._on_theme_changed)

    @property
    def is_whole(self) -> bool:
        """True if all documents are shown."""
        return not self._pending

    def show_citations(self, citations: tuple[Citation, ...], *, gradually: bool = False) -> None:
        """Show the cited documents; with gradually, only the first one, and each call of go_on shows another."""
        if citations == self._citations:
            return
        self._citations = citations
        self._rebuild(gradually=gradually)

    def go_on(self) -> None:
        """Show one more document."""
        row = self._row(self._pending.pop(0))
        self._rows.append(row)
        self._layout.addWidget(row)
        if not self.isHidden():
            row.show()

    def offer_marks(self, mark_of: Callable[[Citation], bool | None]) -> None:
        """Let each number be rated; mark_of returns the current rating of a citation."""
        self._mark_of = mark_of
        self._rebuild()

    def refresh_marks(self) -> None:
        """Show the current ratings."""
        if self._mark_of is not None:
            for source in self._ratings:
                source.show_mark(self._mark_of(source.citation))

    @Slot()
    def _on_theme_changed(self) -> None:
        for icon in self._icons:
            icon.setPixmap(self._theme.pixmap("document", size=16))

    def _rebuild(self, *, gradually: bool = False) -> None:
        for row in self._rows:
            self._layout.removeWidget(row)
            row.deleteLater()
        self._rows.clear()
        self._icons.clear()
        self._ratings.clear()
        self._pending = sources(self._citations)
        self.setVisible(bool(self._pending))
        while self._pending:
            self.go_on()
            if gradually:
                break

    def _row(self, source: CitedSource) -> QWidget:
        row = QWidget()
        icon = label()
        icon.setPixmap(self._theme.pixmap("document", size=16))
        self._icons.append(icon)
        name = ElidedLabel()
        name.set_whole_text(source.document_name)
        row.setToolTip(source.path)
        pages = label(source.pages, "caption")
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(icon)
        line.addWidget(name, 1)
        line.addWidget(pages)
        layout = QVBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addLayout(line)
        if len(source.citations) > _MAX_INLINE:
            chips = QWidget()
            chips.setContentsMargins(24, 0, 0, 0)
            flow = FlowLayout(chips, spacing=4)
            for citation in source.citations:
                flow.addWidget(self._chip(citation))
            layout.addWidget(chips)
        else:
            for citation in source.citations:
                line.addWidget(self._chip(citation))
        return row

    def _chip(self, citation: Citation) -> QWidget:
        chip = SourceChip(citation)
        chip.activated.connect(self.citation_activated)
        chip.hovered.connect(self.citation_hovered)
        chip.peeked.connect(self.citation_peeked)
        if self._mark_of is None or citation.is_outside:
            chip.offer_menu(chip)
            return chip  # golden questions are about documents of the library
        source = SourceRating(self._theme, chip, citation)
        chip.offer_menu(source)
        source.marked.connect(self.citation_marked)
        source.show_mark(self._mark_of(citation))
        self._ratings.append(source)
        return source


class SourceRating(QWidget):
    """A citation chip whose source can be rated by its menu and the keys “+” and “-”, and its rating if it has one.

    Signals:
        marked: The Citation, and True for right, False for wrong, None to remove the rating.
    """

    marked = Signal(object, object)

    def __init__(self, theme: Theme, chip: QPushButton, citation: Citation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.citation = citation
        self._mark: bool | None = None
        self._icon = IconLabel(theme, "check", size=_ICON)
        self._word = label("", "caption")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 2, 0)
        row.setSpacing(2)
        row.addWidget(chip)
        row.addWidget(self._icon)
        row.addWidget(self._word)
        for part in (self._icon, self._word):
            part.hide()
        self._actions: dict[bool, QAction] = {}
        within = Qt.ShortcutContext.WidgetWithChildrenShortcut
        for right, word in ((True, "right"), (False, "wrong")):
            action = self._actions[right] = pane_action(self, f"source.{word}", self._on_action, context=within)
            action.setData(right)
            action.setCheckable(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    @property
    def mark(self) -> bool | None:
        """The rating that is shown."""
        return self._mark

    def show_mark(self, right: bool | None) -> None:
        """Show a rating."""
        self._mark = right
        for part in (self._icon, self._word):
            part.setVisible(right is not None)
        self._word.setText(tr("Right", "a passage") if right else tr("Wrong", "a passage"))
        self._icon.show_icon("check" if right else "close", "ok" if right else "danger")
        words = "" if right is None else tr(WORDS[right])
        self._icon.setToolTip(words)
        self._icon.setAccessibleName(words)
        for value, action in self._actions.items():
            action.setChecked(right is value)

    @Slot()
    def _on_action(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            right = bool(action.data())
            wanted = None if self._mark is right else right
            self.show_mark(wanted)
            self.marked.emit(self.citation, wanted)


class SourceRatings(QObject):
    """Connects the ratings of the library with the sources of one answer."""

    def __init__(
        self, marks: Marks, transcript: Transcript, sources: SourceList, answer: AnswerView, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._marks = marks
        self._transcript = transcript
        self._sources = sources
        self._answer = answer
        self._menu_of: Citation | None = None
        sources.offer_marks(self.mark_of)
        sources.citation_marked.connect(self.mark)
        answer.mark_menu = self.menu
        marks.changed.connect(self._on_changed)

    def mark_of(self, citation: Citation) -> bool | None:
        """Return whether a source is right for the question; None if it was not rated."""
        hit = self._transcript.hit_of(citation)
        if hit is None or hit.is_outside:
            return None
        return self._marks.of(self._scope(), PassageSpot.of_hit(hit))

    @Slot(object, object)
    def mark(self, citation: Citation, right: bool | None) -> None:
        """Rate a source, or remove its rating."""
        hit = self._transcript.hit_of(citation)
        if hit is not None and not hit.is_outside:
            self._marks.mark(self._scope(), hit, right)

    def menu(self, citation: Citation) -> QMenu:
        """Return the context menu of a citation chip in the text."""
        menu = QMenu(self._answer)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._menu_of = citation
        menu.addAction(command("source.open").title, self._on_open)
        menu.addAction(command("source.copy").title, self._on_copy)
        menu.addSeparator()
        marked = self.mark_of(citation)
        for right, words in WORDS.items():
            action = menu.addAction(tr(words), self._on_action)
            action.setCheckable(True)
            action.setChecked(marked is right)
            action.setEnabled(not citation.is_outside)
            action.setData(right)
        return menu

    def _scope(self) -> Scope:
        transcript = self._transcript
        return Scope(transcript.question.strip(), transcript.knowledge_base, transcript.filter)

    @Slot(object)
    def _on_changed(self, scope: Scope) -> None:
        if scope == self._scope():
            self._sources.refresh_marks()

    @Slot()
    def _on_open(self) -> None:
        if self._menu_of is not None:
            self._answer.citation_activated.emit(self._menu_of)

    @Slot()
    def _on_copy(self) -> None:
        if self._menu_of is not None:
            QGuiApplication.clipboard().setMimeData(citation_mime(self._menu_of))

    @Slot()
    def _on_action(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and self._menu_of is not None:
            right = bool(action.data())
            self.mark(self._menu_of, None if self.mark_of(self._menu_of) is right else right)
