"""Question field and its buttons; Enter sends, Shift+Enter breaks the line, Up recalls, Esc stops."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from workbench.language import tr
from workbench.ui.chat.question_options import QuestionOptions
from workbench.ui.controls import label, restyle, set_icon
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.ui.chat.filter_bar import FilterBar
    from workbench.ui.chat.plan_option import PlanOption

_MOST_LINES = 8
_POPUP_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape)
# Lines of more than about 95 characters are hard to read.
COLUMN = 820
# Width of a scroll bar in the style sheet.
SCROLL_BAR = 10


class QuestionField(QPlainTextEdit):
    """Text field that grows with its content.

    Signals:
        submitted: Enter was pressed.
        recalled: Up was pressed in an empty field, or in one that contains the last question.
        stopped: Esc was pressed.
    """

    submitted = Signal()
    recalled = Signal()
    stopped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("variant", "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Your question"))
        self.document().setDocumentMargin(2)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.recallable = ""
        self.offers: QAbstractItemView | None = None
        self._hint = ""
        self._fit()

    def put(self, text: str) -> None:
        """Replace the text and move the cursor to its end."""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def show_hint(self, text: str) -> None:
        """Set the placeholder, elided to one line: a longer one would wrap, with only its first line visible."""
        self._hint = text
        # viewport() would add 17 ms before the first paint: PySide creates its return type, with 30 enumerations.
        room = self.width() - 2 * round(self.document().documentMargin())
        self.setPlaceholderText(QFontMetrics(self.font()).elidedText(text, Qt.TextElideMode.ElideRight, room))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_hint(self._hint)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # While an input method composes, Enter chooses its candidate and must not send.
        is_composing = bool(self.textCursor().block().layout().preeditAreaText())
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if self.offers is not None and self.offers.isVisible() and event.key() in _POPUP_KEYS:
            # The completion popup passes these keys to the field first, and handles those that the field ignores.
            event.ignore()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain and not is_composing:
            self.submitted.emit()
        elif event.key() == Qt.Key.Key_Escape and not is_composing:
            self.stopped.emit()
        elif event.key() == Qt.Key.Key_Up and plain and self.toPlainText() in ("", self.recallable):
            self.recalled.emit()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    @Slot()
    def _fit(self) -> None:
        """Set the height to that of the text, up to 8 lines; a plain text document reports its size in lines."""
        lines = min(_MOST_LINES, max(1, round(self.document().documentLayout().documentSize().height())))
        self.setFixedHeight(lines * QFontMetrics(self.font()).lineSpacing() + 8)


class Composer(QFrame):
    """Question field, buttons, and a line that names the answerer.

    Attributes:
        options: Button with the menu of options for the next question.

    Signals:
        submitted: The question, stripped and never empty.
        stopped: The running answer is to be stopped.
        filter_opened: The FilterBar above the field, when it was created or is shown again.
        curation_toggled: Whether the user selects from the search results before they are used for an answer.
    """

    submitted = Signal(str)
    stopped = Signal()
    filter_opened = Signal(object)
    curation_toggled = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._running = False
        self._enabled = True
        self._local = True
        self._field = QuestionField()
        self._field.submitted.connect(self._on_submitted)
        self._field.recalled.connect(self._on_recalled)
        self._field.stopped.connect(self._on_stopped)
        self._field.textChanged.connect(self._show_button)
        self._field.installEventFilter(self)
        self._button = QPushButton()
        self._button.clicked.connect(self._on_clicked)
        self._filter: FilterBar | None = None
        self.options = QuestionOptions(theme)
        self.options.filter.triggered.connect(self.toggle_filter)
        self.options.curation.toggled.connect(self.curation_toggled)
        self._box = QFrame()
        self._box.setObjectName("composer")
        row = QHBoxLayout(self._box)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self._field, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.options, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignBottom)
        self._hint_icon = label()
        self._hint = label("", "caption", wrap=True)
        hint = self._foot = QHBoxLayout()
        hint.setContentsMargins(6, 0, 6, 0)
        hint.setSpacing(6)
        hint.addWidget(self._hint_icon, 0, Qt.AlignmentFlag.AlignTop)
        hint.addWidget(self._hint, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 0, 24, 12)
        layout.setSpacing(6)
        layout.addWidget(self._box)
        layout.insertWidget(0, self.options.chips)
        layout.addLayout(hint)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.set_placeholder(tr("Ask about your documents"))

    @property
    def text(self) -> str:
        """Text of the field."""
        return self._field.toPlainText()

    @property
    def field(self) -> QuestionField:
        """The question field."""
        return self._field

    @cached_property
    def plan(self) -> PlanOption:
        """Option that selects whether the next question is answered by a plan; created on first access."""
        from workbench.ui.chat.plan_option import PlanOption  # not needed offline or for the first paint

        option = PlanOption(self)
        self.options.add(option)
        return option

    @property
    def is_curated(self) -> bool:
        """True if the user selects from the search results before they are used for an answer."""
        return self.options.curation.isChecked()

    def set_text(self, text: str) -> None:
        """Set the text of the field and move the cursor to its end."""
        self._field.put(text)

    def set_placeholder(self, text: str, more: str = "") -> None:
        """Set the placeholder of the field, and a tooltip with more help."""
        self._field.show_hint(text)
        self._field.setToolTip(more)
        self._field.setAccessibleDescription(more)
        if self._field.isVisible():
            # Qt repaints a placeholder only when it appears or disappears, not when its text changes.
            self._field.viewport().update()

    def expect_documents(self, any_documents: bool) -> None:
        """Offer the options for the question if there are documents to search."""
        self.options.setVisible(any_documents)

    def set_running(self, running: bool) -> None:
        """Show the button as Stop while an answer is under way, as Send otherwise."""
        self._running = running
        self._show_button()

    def set_hint(self, text: str, *, local: bool) -> None:
        """Set the line that names the answerer; local is True if nothing leaves the machine."""
        self._local = local
        self._hint.setText(text)
        for part in (self._hint, self._hint_icon):
            part.setVisible(bool(text))
        self._show_hint_icon()

    def hold(self, control: QWidget) -> None:
        """Add a small widget next to the line that names the answerer."""
        self._foot.setAlignment(self._hint, Qt.AlignmentFlag.AlignTop)
        self._foot.addWidget(control, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)

    def set_recallable(self, question: str) -> None:
        """Set the question that Up restores."""
        self._field.recallable = question

    def focus_field(self) -> None:
        """Give the keyboard focus to the field."""
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def toggle_filter(self) -> None:
        """Open the filter bar, or close it and remove the filter."""
        if self._filter is not None and self._filter.isVisibleTo(self):
            self._filter.close_filter()
            return
        bar = self._filter or self._make_filter()
        bar.show()
        self.options.filter.setChecked(True)
        self.filter_opened.emit(bar)
        bar.focus()

    @Slot()
    def focus_filter(self) -> None:
        """Give the keyboard focus to the filter bar, and open it if necessary."""
        if self._filter is not None and self._filter.isVisibleTo(self):
            self._filter.focus()
        else:
            self.toggle_filter()

    def _make_filter(self) -> FilterBar:
        # Imported here to keep it out of the time to the first paint: few questions have a filter.
        from workbench.ui.chat.filter_bar import FilterBar

        self._filter = FilterBar(self._theme, self)
        self._filter.left.connect(self.focus_field)
        self._filter.closed.connect(self._on_filter_closed)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(0, self._filter)
        return self._filter

    @Slot()
    def _on_filter_closed(self) -> None:
        assert self._filter is not None
        was_inside = self._filter.isAncestorOf(QApplication.focusWidget() or self)
        self._filter.hide()
        self.options.filter.setChecked(False)
        if was_inside:
            self.focus_field()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent):
            self._show_focus(event.gotFocus())
        return False

    @Slot()
    def _on_submitted(self) -> None:
        question = self.text.strip()
        if self._filter is not None and not self._filter.check():
            # With an invalid filter the question would search documents that the user wanted to exclude.
            self._filter.focus()
        elif question and not self._running:
            self._field.clear()
            self.submitted.emit(question)

    @Slot()
    def _on_recalled(self) -> None:
        if self._field.recallable:
            self.set_text(self._field.recallable)

    @Slot()
    def _on_stopped(self) -> None:
        if self._running:
            self.stopped.emit()

    @Slot()
    def _on_clicked(self) -> None:
        if self._running:
            self.stopped.emit()
        else:
            self._on_submitted()

    @Slot()
    def _show_button(self) -> None:
        tokens = self._theme.tokens()
        self._button.setText(tr("Stop") if self._running else tr("Send"))
        restyle(self._button, variant="" if self._running else "primary")
        ready = self._running or bool(self.text.strip())
        self._button.setEnabled(ready)
        colour = tokens.danger if self._running else tokens.accent_text if ready else tokens.text_disabled
        set_icon(self._button, self._theme, "stop" if self._running else "send", colour)
        self._button.setAccessibleName(tr("Stop the answer") if self._running else tr("Send the question"))
        self._button.setToolTip(tr("Stop (Esc)") if self._running else tr("Send (Enter)"))

    @Slot()
    def _on_theme_changed(self) -> None:
        self._show_focus(self._field.hasFocus())
        self._show_button()
        self._show_hint_icon()

    def _show_focus(self, focused: bool) -> None:
        tokens = self._theme.tokens()
        edge = tokens.accent if focused else tokens.border_strong
        self._box.setStyleSheet(
            f"#composer {{ background: {tokens.surface}; border: 1px solid {edge}; border-radius: 12px; }}"
        )

    def _show_hint_icon(self) -> None:
        tokens = self._theme.tokens()
        icon, colour = ("shield", tokens.ok) if self._local else ("globe", tokens.warn)
        self._hint_icon.setPixmap(self._theme.pixmap(icon, colour, 14))
