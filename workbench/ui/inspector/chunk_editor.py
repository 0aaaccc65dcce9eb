"""Editor for the text of a passage: rewrite or split it, with its tokens counted while the user types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from workbench import operations
from workbench.language import mark, tr, trn
from workbench.model.chunk import Chunk, TextSize
from workbench.ui.bridge import Bridge
from workbench.ui.controls import button, label, restyle
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import Library

# Milliseconds after the last key press: a token count takes 1 ms, and is not needed for each letter.
_PAUSE = 150
SAVE_FIRST = mark("Save or cancel your changes first: only the saved text can be split.")
SPLIT_HERE = mark("Split this passage at the cursor (Ctrl+Shift+Enter)")
TOO_LONG = mark("The embedding model reads a long passage in pieces. Shorter passages are found better by meaning.")


class _CountRequest:
    """Request for one token count; it holds the text so that a late reply can be recognised."""

    def __init__(self, editor: ChunkEditor, text: str) -> None:
        self._editor = editor
        self._text = text

    def done(self, size: TextSize) -> None:
        """Pass the count on."""
        self._editor.receive(self._text, size)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Show no count."""


class _Field(QPlainTextEdit):
    """Text field of the editor; Ctrl+Enter saves, Esc cancels.

    Signals:
        saved: Ctrl+Enter was pressed.
        cancelled: Esc was pressed.
        cut_here: Ctrl+Shift+Enter was pressed.
    """

    saved = Signal()
    cancelled = Signal()
    cut_here = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if is_enter and control:
            shifted = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self.cut_here if shifted else self.saved).emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)


class ChunkEditor(QFrame):
    """Editor of one passage; unsaved text is kept as a draft and shown when the passage is edited again.

    Signals:
        saved: The text to save.
        split_asked: Offset of the first character of the second part.
        closed: Editing ended.
    """

    saved = Signal(str)
    split_asked = Signal(int)
    closed = Signal()

    def __init__(self, bridge: Bridge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._theme = theme
        self._library: Library | None = None
        self._chunk: Chunk | None = None
        self._drafts: dict[int, str] = {}
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self._count)
        self._field = _Field()
        self._field.setAccessibleName(tr("Text of the passage"))
        self._field.setTabChangesFocus(True)
        self._field.textChanged.connect(self._on_typed)
        self._field.cursorPositionChanged.connect(self._show_state)
        self._field.saved.connect(self._on_save)
        self._field.cancelled.connect(self.cancel)
        self._field.cut_here.connect(self._on_split)
        self._size = label(role="caption")
        self._hint = label("", "caption", wrap=True)
        self._split = button(tr("Split here"), "ghost", self._on_split)
        self._cancel = button(tr("Cancel"), "secondary", self.cancel)
        self._cancel.setToolTip(tr("Discard the changes (Esc)"))
        self._save = button(tr("Save"), "primary", self._on_save)
        self._save.setToolTip(tr("Save this text and use it in searches (Ctrl+Enter)"))
        self._arrange()

    @property
    def text(self) -> str:
        """The text in the field."""
        # toPlainText() replaces non-breaking spaces with plain ones: every such passage would count as edited.
        return self._field.document().toRawText().replace("\u2029", "\n")

    @property
    def size_words(self) -> str:
        """The token count that is shown."""
        return self._size.text()

    @property
    def is_open(self) -> bool:
        """True while a passage is being edited."""
        return self._chunk is not None

    @property
    def has_draft(self) -> bool:
        """True if the text in the field differs from the passage."""
        return self._chunk is not None and self.text != self._chunk.text

    def set_library(self, library: Library | None) -> None:
        """Set the library; drafts belong to the previous one and are dropped."""
        self._library = library
        self._drafts.clear()
        self._chunk = None

    def open(self, chunk: Chunk) -> None:
        """Edit a chunk, starting with its draft if there is one."""
        self._chunk = None  # setPlainText does not count as typing
        text = self._drafts.get(chunk.id, chunk.text)
        self._field.setFont(self._theme.font(text=text[:2000]))
        self._field.setPlainText(text)
        self._chunk = chunk
        self._field.moveCursor(QTextCursor.MoveOperation.Start)
        self._size.setText(trn("{n:,} token", "{n:,} tokens", chunk.tokens))
        self._field.setFocus()
        self._show_state()
        self._count()

    def leave(self) -> bool:
        """Stop editing and keep the draft; return whether there was one."""
        has_draft = self.has_draft
        if self._chunk is not None:
            self._chunk = None
            self.closed.emit()
        return has_draft

    @Slot()
    def cancel(self) -> None:
        """Stop editing and drop the draft."""
        if self._chunk is not None:
            self._drafts.pop(self._chunk.id, None)
        self.leave()

    def is_saved(self) -> None:
        """Stop editing, because the requested change was made."""
        self.cancel()

    def wait(self, *, is_busy: bool) -> None:
        """Disable saving and typing while a change is in progress; enable them again afterwards."""
        self._save.setEnabled(not is_busy and self.has_draft)
        self._field.setReadOnly(is_busy)
        if not is_busy:
            self._show_state()

    def receive(self, text: str, size: TextSize) -> None:
        """Show a token count; ignored if the text has changed since."""
        if text != self.text or not size.most:
            return
        is_long = size.tokens > size.most
        self._size.setText(tr("{n} of {most} tokens", n=size.tokens, most=size.most))
        restyle(self._size, tone="warn" if is_long else "")
        self._hint.setText(tr(TOO_LONG) if is_long else "")
        self._hint.setVisible(is_long)

    def _arrange(self) -> None:
        foot = QHBoxLayout()
        foot.setSpacing(6)
        foot.addWidget(self._size)
        foot.addStretch(1)
        for widget in (self._split, self._cancel, self._save):
            foot.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 16, 12)
        layout.setSpacing(6)
        layout.addWidget(self._field, 1)
        layout.addWidget(self._hint)
        layout.addLayout(foot)
        self._hint.hide()

    def _cursor_offset(self) -> int:
        """Return the cursor position in characters; Qt counts UTF-16 units."""
        units = self.text.encode("utf-16-le", "surrogatepass")[: 2 * self._field.textCursor().position()]
        return len(units.decode("utf-16-le", "surrogatepass"))

    @Slot()
    def _on_typed(self) -> None:
        if self._chunk is None:
            return
        if self.has_draft:
            self._drafts[self._chunk.id] = self.text
        else:
            self._drafts.pop(self._chunk.id, None)
        self._show_state()
        self._pause.start()

    @Slot()
    def _count(self) -> None:
        if self._library is not None and self._chunk is not None:
            request = _CountRequest(self, self.text)
            counting = operations.text_size(self._library, self.text)
            self._bridge.submit(counting, done=request.done, failed=request.failed)

    @Slot()
    def _show_state(self) -> None:
        has_draft = self.has_draft
        self._save.setEnabled(has_draft and bool(self.text.strip()))
        offset = self._cursor_offset()
        inside = bool(self.text[:offset].strip() and self.text[offset:].strip())
        self._split.setEnabled(inside and not has_draft)
        self._split.setToolTip(tr(SAVE_FIRST) if has_draft else tr(SPLIT_HERE))

    @Slot()
    def _on_save(self) -> None:
        if self._save.isEnabled():
            self.saved.emit(self.text)

    @Slot()
    def _on_split(self) -> None:
        if self._split.isEnabled():
            self.split_asked.emit(self._cursor_offset())
