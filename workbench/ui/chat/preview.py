"""A citation under the pointer -> its quote in a small card beside it."""

from PySide6.QtCore import QPoint, QRect, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from workbench.model.hit import Citation, Hit
from workbench.ui.chat.wording import shortened
from workbench.ui.inspector.scores import relevance_in_words
from workbench.ui.theme import Theme

_WIDTH = 380
_QUOTE = 420
# Long enough that a pointer on its way elsewhere opens nothing.
_DELAY = 220


class CitationPreview(QWidget):
    """Document, page, heading, quote and how good a match; shown after a moment, gone when the pointer leaves."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint)
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setFixedWidth(_WIDTH)
        self._icon = QLabel()
        self._name = QLabel()
        self._name.setProperty("role", "title")
        self._place = QLabel()
        self._place.setProperty("role", "caption")
        self._quote = QLabel()
        self._score = QLabel()
        self._score.setProperty("role", "caption")
        for label in (self._name, self._place, self._quote, self._score):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        header = QHBoxLayout()
        header.setSpacing(8)
        header.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        header.addWidget(self._name, 1)
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.setSpacing(6)
        layout.addLayout(header)
        for label in (self._place, self._quote, self._score):
            layout.addWidget(label)
        self._target = QRect()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY)
        self._timer.timeout.connect(self._on_timeout)

    def offer(self, citation: Citation, hit: Hit | None, place: QRect) -> None:
        """Show a citation's card beside a place on the screen, after a moment."""
        tokens = self._theme.tokens()
        self._icon.setPixmap(self._theme.pixmap("document", tokens.accent, 16))
        self._name.setText(citation.document_name)
        where = [citation.place[:1].upper() + citation.place[1:]] if citation.place else []
        self._place.setText(" · ".join([*where, " › ".join(citation.headings)] if citation.headings else where))
        self._place.setVisible(bool(self._place.text()))
        self._quote.setFont(self._theme.font(text=citation.quote))
        self._quote.setText(f"“{shortened(citation.quote, _QUOTE)}”")
        is_found = hit is not None and not hit.is_outside
        score = [relevance_in_words(hit.scores.relevance), f"rank {hit.rank}"] if hit is not None and is_found else []
        on_page = f"click to see it on its {citation.page_kind}" if citation.page is not None else "click to see it"
        self._score.setText(" · ".join([*score, on_page]))
        self._target = place
        self._timer.start()

    def dismiss(self) -> None:
        """Hide the card, or keep it from appearing."""
        self._timer.stop()
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        # Square: round corners need a translucent window, and those are black where no compositor runs.
        painter = QPainter(self)
        painter.setPen(QPen(QColor(tokens.border_strong), 1))
        painter.fillRect(self.rect(), QColor(tokens.surface_raised))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    @Slot()
    def _on_timeout(self) -> None:
        self._layout.activate()
        height = self._layout.heightForWidth(_WIDTH)
        self.resize(_WIDTH, height if height > 0 else self.sizeHint().height())
        self.move(self._position())
        self.show()

    def _position(self) -> QPoint:
        """Return where the card goes: above the chip, below it where there is no room, always on the screen."""
        screen = self.screen().availableGeometry()
        x = min(max(self._target.left(), screen.left() + 4), screen.right() - self.width() - 4)
        y = self._target.top() - self.height() - 6
        return QPoint(x, y if y >= screen.top() else self._target.bottom() + 8)
