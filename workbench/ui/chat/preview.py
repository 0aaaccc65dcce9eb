"""A citation under the pointer or the keyboard -> a card beside it: its place on the page, its quote, its scores."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.language import mark, said, tr
from workbench.model.document import PageKind
from workbench.model.hit import Citation, Hit, Scores
from workbench.model.visible import visible_name
from workbench.ui.chat.card_place import beside
from workbench.ui.chat.place_pictures import SIZE, Place, PlacePictures
from workbench.ui.chat.plain_words import plain_words
from workbench.ui.chat.sheet_rows import table_of
from workbench.ui.chat.wording import shortened
from workbench.ui.controls import label, write_markup
from workbench.ui.inspector.scores import match_in_words, relevance_in_words
from workbench.ui.messages import announce
from workbench.ui.theme import Theme

_MARGIN = 14
_WIDTH = SIZE[0] + 2 * _MARGIN
# The picture shows the passage: the quote beside it need not be whole.
_QUOTE = 420
_QUOTE_BELOW_PICTURE = 240
# Long enough that a pointer on its way elsewhere opens nothing.
_DELAY = 220
_CLOSING = (Qt.Key.Key_Escape, Qt.Key.Key_Space)
_ON_ITS = {
    PageKind.PAGE: mark("Click to see it on its page."),
    PageKind.SLIDE: mark("Click to see it on its slide."),
    PageKind.SHEET: mark("Click to see it on its sheet."),
    PageKind.CHAPTER: mark("Click to see it on its chapter."),
    PageKind.MESSAGE: mark("Click to see it on its message."),
    PageKind.CELL: mark("Click to see it on its cell."),
    PageKind.RECORD: mark("Click to see it on its record."),
    PageKind.PART: mark("Click to see it on its part."),
}


class CitationPreview(QWidget):
    """Document, page, heading, picture, quote and how good a match; gone with the pointer, or with any key.

    Args:
        theme: The window's.
        parent: The widget above which it is shown.
        pictures: Where the picture of the place comes from; none is shown without.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None, pictures: PlacePictures | None = None) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint)
        self._theme = theme
        self._pictures = pictures
        self._place: Place | None = None
        self._quoted = ""
        self._beside = QRect()
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        # Wherever it comes to stand, the pointer goes on meaning what is below.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedWidth(_WIDTH)
        self._icon = label()
        self._name = label()
        self._name.setProperty("role", "title")
        self._where = label()
        self._picture = label()
        self._picture.setAccessibleName(tr("The passage on its page"))
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._table = label()
        self._quote = label()
        self._score = label()
        for caption in (self._where, self._score):
            caption.setProperty("role", "caption")
        for words in (self._name, self._where, self._quote, self._score):
            words.setWordWrap(True)
        header = QHBoxLayout()
        header.setSpacing(8)
        header.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        header.addWidget(self._name, 1)
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, 12, _MARGIN, 12)
        layout.setSpacing(6)
        layout.addLayout(header)
        for part in (self._where, self._picture, self._table, self._quote, self._score):
            layout.addWidget(part)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY)
        self._timer.timeout.connect(self._on_timeout)
        if pictures is not None:
            pictures.come.connect(self._on_picture)

    def offer(self, citation: Citation, hit: Hit | None, place: QRect, *, at_once: bool = False) -> None:
        """Show a citation's card beside a place on the screen, after a moment or at once."""
        tokens = self._theme.tokens()
        self._icon.setPixmap(self._theme.pixmap("document", tokens.accent, 16))
        self._name.setText(visible_name(citation.document_name))
        place_said = said(citation.place)
        where = [place_said[:1].upper() + place_said[1:]] if place_said else []
        self._where.setText(" · ".join([*where, " › ".join(citation.headings)] if citation.headings else where))
        self._where.setVisible(bool(self._where.text()))
        self._quote.setFont(self._theme.font(text=citation.quote))
        self._quoted = plain_words(citation.quote)
        text = hit.chunk.text if hit is not None else citation.quote
        write_markup(
            self._table, table_of(text, citation.quote, tokens) if citation.page_kind is PageKind.SHEET else ""
        )
        self._table.setFont(self._theme.font(tokens.caption, text=self._table.text()))
        # The rows say it better; what is read aloud is the quote.
        self._table.setVisible(bool(self._table.text()))
        self._quote.setVisible(not self._table.text())
        self._picture.setStyleSheet(f"background: {tokens.surface_sunken}; border: 1px solid {tokens.border};")
        on_page = tr(_ON_ITS[citation.page_kind]) if citation.page is not None else tr("Click to see it.")
        is_found = hit is not None and not hit.is_outside
        score = [found_in_words(hit.scores, hit.rank)] if hit is not None and is_found else []
        self._score.setText("\n".join([*score, on_page]))
        self._place = Place.of(citation, self.devicePixelRatioF()) if self._pictures is not None else None
        self._beside = place
        if at_once:
            self._timer.stop()
            self._on_timeout()
            announce(self, self.words)
        else:
            self._timer.start()

    @property
    def words(self) -> str:
        """What stands on it."""
        return "\n".join(part.text() for part in (self._name, self._where, self._quote, self._score) if part.text())

    def dismiss(self) -> None:
        """Hide the card, or keep it from appearing."""
        self._timer.stop()
        application = QGuiApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
        self.hide()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Put the card away with any key, wheel or press; it stays clear of what a person does next."""
        if event.type() in (QEvent.Type.Wheel, QEvent.Type.MouseButtonPress, QEvent.Type.WindowDeactivate):
            self.dismiss()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            self.dismiss()
            return event.key() in _CLOSING
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        # Square: round corners need a translucent window, and those are black where no compositor runs.
        painter = QPainter(self)
        painter.setPen(QPen(QColor(tokens.border_strong), 1))
        painter.fillRect(self.rect(), QColor(tokens.surface_raised))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    @Slot()
    def _on_timeout(self) -> None:
        picture = None
        if self._place is not None and self._pictures is not None:
            picture = self._pictures.at_hand(self._place)
            if picture is None:
                self._pictures.want(self._place)
        self._lay_out(picture, awaited=self._place is not None)
        self.show()
        application = QGuiApplication.instance()
        if application is not None:
            application.installEventFilter(self)

    @Slot(object, object)
    def _on_picture(self, place: Place, picture: QPixmap | None) -> None:
        if place == self._place and self.isVisible():
            self._lay_out(picture, awaited=False)

    def _lay_out(self, picture: QPixmap | None, *, awaited: bool) -> None:
        """Show what there is, its place kept free for a picture that is on its way; without it where room is short."""
        screen = QGuiApplication.screenAt(self._beside.center()) or self.screen()
        for with_picture in (picture is not None or awaited, False):
            self._picture.setVisible(with_picture)
            self._picture.setFixedHeight(
                SIZE[1] if picture is None else round(picture.deviceIndependentSize().height())
            )
            self._picture.setPixmap(picture if picture is not None else QPixmap())
            length = _QUOTE_BELOW_PICTURE if with_picture else _QUOTE
            self._quote.setText(f"“{shortened(self._quoted, length)}”")
            self._layout.activate()
            height = self._layout.heightForWidth(_WIDTH)
            self.resize(_WIDTH, height if height > 0 else self.sizeHint().height())
            point, fits = beside(self._beside, self.size(), screen.availableGeometry())
            self.move(point)
            if fits:
                break


def found_in_words(scores: Scores, rank: int) -> str:
    """Return how good a match a hit is and what found it."""
    if not scores.is_searched:
        return tr("{told}.", told=match_in_words(scores))
    told = tr("{match}: rank {rank}", match=relevance_in_words(scores.relevance), rank=rank)
    meaning, words = scores.dense_rank, scores.keyword_rank
    if meaning is not None and words is not None:
        both = tr("found by meaning ({meaning}) and by words ({words})", meaning=meaning, words=words)
        told = tr("{told}, {found}", told=told, found=both)
    elif meaning is not None:
        told = tr("{told}, {found}", told=told, found=tr("found by meaning ({place})", place=meaning))
    elif words is not None:
        told = tr("{told}, {found}", told=told, found=tr("found by words ({place})", place=words))
    if scores.rerank_rank is not None:
        told = tr("{told}, put at {rank} by the reranker", told=told, rank=scores.rerank_rank)
    return tr("{told}.", told=told)
