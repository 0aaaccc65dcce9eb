"""Filter line above the question that restricts the search, with completion and validation while typing."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QStringListModel, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from workbench.errors import RetrievalError, WorkbenchError
from workbench.language import mark, tr, translate
from workbench.model.filter import EVERYTHING, ChunkFilter, FilterExtent, custom_keys
from workbench.retrieval.filters.text_syntax import Completion, completion, filter_of_text
from workbench.ui.controls import IconButton, label, restyle
from workbench.ui.messages import error_words
from workbench.ui.theme import Theme

# Long enough that an unfinished word is not reported as an error.
_PAUSE = 400
_EXAMPLE = mark("Filter, for example format:pdf year>=2020 tag:tax -draft")
_HELP = mark(
    "Words match the name, title or folder. Use key:value for format, tag, author, folder, created, page "
    "and your own metadata, with = != > >= < <=, ranges (year:2020..2023), OR, - for not, and brackets."
)


class FilterLine(QLineEdit):
    """Line edit that offers keys and values at the cursor.

    Signals:
        left: Enter or Esc was pressed: the question field gets the focus.
        entered: The line got the keyboard focus.
    """

    left = Signal()
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.values: Mapping[str, Sequence[str]] = {}
        self._offered = Completion(0)
        self._model = QStringListModel(self)
        self._completer = QCompleter(self._model, self)
        self._completer.setWidget(self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.activated.connect(self._on_chosen)
        popup = self._completer.popup()
        assert popup is not None
        restyle(popup, variant="offers")
        self.textEdited.connect(self.offer)
        self.setPlaceholderText(tr(_EXAMPLE))
        self.setToolTip(tr(_HELP))
        self.setAccessibleName(tr("Search only documents that match this filter"))
        self.setAccessibleDescription(tr(_HELP))
        self.setProperty("variant", "quiet")

    @Slot()
    def offer(self) -> None:
        """Offer the completions at the cursor."""
        self._offered = completion(self.text(), self.cursorPosition(), self.values)
        typed = self.text()[self._offered.start : self.cursorPosition()]
        options = [option for option in self._offered.options if option != typed]
        self._model.setStringList(options)
        if options:
            self._completer.complete()
        else:
            popup = self._completer.popup()
            if popup is not None:
                popup.hide()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.entered.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_end = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
        if is_end and self._is_offering:
            # The completer passes these keys to the line first, and handles those that the line ignores.
            event.ignore()
        elif is_end:
            self.left.emit()
        elif event.key() == Qt.Key.Key_Down and not self._is_offering:
            self.offer()
        else:
            super().keyPressEvent(event)

    @property
    def _is_offering(self) -> bool:
        popup = self._completer.popup()
        return popup is not None and popup.isVisible()

    @Slot(str)
    def _on_chosen(self, option: str) -> None:
        text, cursor = self._offered.applied(self.text(), self.cursorPosition(), option)
        self.setText(text)
        self.setCursorPosition(cursor)
        self.textEdited.emit(text)


class FilterBar(QWidget):
    """Filter line, a button that removes the filter, and a message: what the filter lets through, or its error.

    Signals:
        changed: Another ChunkFilter is in force; never emitted for an invalid one.
        left: The question field is to get the focus.
        closed: The filter was removed.
        values_wanted: The line got the focus, and the values of the documents may have changed.
    """

    changed = Signal(object)
    left = Signal()
    closed = Signal()
    values_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.filter: ChunkFilter = EVERYTHING
        self.problem = ""
        self._line = FilterLine()
        self._icon = self._line.addAction(theme.icon("filter"), QLineEdit.ActionPosition.LeadingPosition)
        self._icon.setText(tr("Filter"))
        self._message = label("", "caption", wrap=True)
        self._message.setVisible(False)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self.check)
        self._line.textEdited.connect(self._on_edited)
        self._line.left.connect(self._on_left)
        self._line.entered.connect(self.values_wanted)
        self.setFocusProxy(self._line)
        self._theme = theme
        theme.changed.connect(self._on_theme_changed)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self._line, 1)
        row.addWidget(IconButton(theme, "close", tr("Remove the filter"), self.close_filter))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(row)
        layout.addWidget(self._message)

    @property
    def text(self) -> str:
        """Text of the line."""
        return self._line.text()

    def set_text(self, text: str) -> None:
        """Set the text of the filter, and validate it."""
        self._line.setText(text)
        self.check()

    def focus(self) -> None:
        """Give the keyboard focus to the line."""
        self._line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_values(self, values: Mapping[str, Sequence[str]]) -> None:
        """Set the values to offer, by key."""
        self._line.values = values
        if self.problem:  # it may name a key that is known only now
            self.check()

    def show_extent(self, extent: FilterExtent) -> None:
        """Show how much the filter lets through."""
        if not self.problem and self.filter.where:
            self._show_message(translate(extent.sentence), is_problem=not extent.documents)

    def show_error(self, error: BaseException) -> None:
        """Show why the filter cannot be used, for example that a knowledge base does not exist."""
        if isinstance(error, WorkbenchError):
            self._show_message(error_words(error), is_problem=True)

    @Slot()
    def check(self) -> bool:
        """Apply the filter and return True, or show its error and return False."""
        self._pause.stop()
        try:
            chosen = filter_of_text(self._line.text(), custom=custom_keys(self._line.values))
        except RetrievalError as error:
            self.problem = error_words(error)
            self._show_message(self.problem, is_problem=True)
            return False
        had_problem, self.problem = self.problem, ""
        if chosen != self.filter or had_problem:
            self.filter = chosen
            self._show_message("")
            self.changed.emit(chosen)
        return True

    @Slot()
    def close_filter(self) -> None:
        """Remove the filter."""
        self.set_text("")
        self.closed.emit()

    @Slot()
    def _on_edited(self) -> None:
        self._pause.start()

    @Slot()
    def _on_left(self) -> None:
        if self.check():
            if not self.text.strip():
                self.closed.emit()
            self.left.emit()

    @Slot()
    def _on_theme_changed(self) -> None:
        self._icon.setIcon(self._theme.icon("filter"))

    def _show_message(self, sentence: str, *, is_problem: bool = False) -> None:
        self._message.setText(sentence)
        self._message.setVisible(bool(sentence))
        restyle(self._message, tone="danger" if is_problem else "")
