"""Preview card of a citation: position on screen, picture of the page or rows of a sheet, and quote."""

from __future__ import annotations

import html
import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench import operations
from workbench.chunking.table_heads import PIPE
from workbench.language import mark, tr, translate
from workbench.model.document import PageKind
from workbench.model.hit import Citation, Hit
from workbench.model.visible import visible_name
from workbench.retrieval.markdown_stripping import plain_line
from workbench.ui.bridge import Bridge
from workbench.ui.chat.run_wording import shortened
from workbench.ui.controls import label, write_markup
from workbench.ui.messages import announce
from workbench.ui.theme import Theme, Tokens

if TYPE_CHECKING:
    from workbench.operations import Library


_AWAY = 6
_EDGE = 4


def card_position(target: QRect, size: QSize, screen: QRect) -> tuple[QPoint, bool]:
    """Return the top left corner of a card, and whether it fits: above, below, right or left of the target.

    If it fits nowhere, it is placed above or below, on the side with more space, and may extend past the screen edge.
    """
    left = _within(target.left(), size.width(), screen.left() + _EDGE, screen.right() - _EDGE)
    top = _within(
        target.center().y() - size.height() // 2, size.height(), screen.top() + _EDGE, screen.bottom() - _EDGE
    )
    above = QPoint(left, target.top() - _AWAY - size.height())
    below = QPoint(left, target.bottom() + _AWAY)
    for point in (
        above,
        below,
        QPoint(target.right() + _AWAY, top),
        QPoint(target.left() - _AWAY - size.width(), top),
    ):
        if screen.contains(QRect(point, size)):
            return point, True
    is_low = target.top() - screen.top() > screen.bottom() - target.bottom()
    return (above if is_low else below), False


def _within(start: int, length: int, low: int, high: int) -> int:
    return max(low, min(start, high - length))


_RULE = re.compile(r":?-+:?")
_ROWS = 5
"""Rows below the head of the table."""
_COLUMNS = 6
_LONGEST = 24
"""Maximum number of characters of a cell."""


def sheet_rows_around(text: str, quote: str) -> list[tuple[tuple[str, ...], bool]]:
    """Return the first row of a table and the rows around the quoted ones, each with whether it is quoted.

    Args:
        text: A passage with a table as Markdown.
        quote: The cited text; a row is quoted if it is a line of it.
    """
    quoted = {line.strip() for line in quote.splitlines() if line.strip().startswith("|")}
    rows = [(_cells(line), line.strip() in quoted) for line in text.splitlines() if line.strip().startswith("|")]
    rows = [(cells, is_quoted) for cells, is_quoted in rows if not all(map(_RULE.fullmatch, cells))]
    if len(rows) <= _ROWS + 1:
        return rows
    at = next((place for place, (_cells_of, is_quoted) in enumerate(rows) if is_quoted), 1)
    first = min(max(1, at - _ROWS // 2), len(rows) - _ROWS)
    return [rows[0], *rows[first : first + _ROWS]]


def table_of(text: str, quote: str, tokens: Tokens) -> str:
    """Return these rows as rich text with the quoted ones highlighted; empty for a passage without a table."""
    rows = sheet_rows_around(text, quote)
    if len(rows) < 2:
        return ""
    lines = []
    for place, (cells, is_quoted) in enumerate(rows):
        colour = f' bgcolor="{tokens.mark_solid}"' if is_quoted else ""
        name = "th" if place == 0 else "td"
        shown = "".join(f'<{name} align="left">{html.escape(_shorten(cell))}</{name}>' for cell in cells[:_COLUMNS])
        lines.append(f"<tr{colour}>{shown}</tr>")
    return f'<table cellspacing="0" cellpadding="4" width="100%">{"".join(lines)}</table>'


def _cells(line: str) -> tuple[str, ...]:
    cells = PIPE.split(line.strip().strip("|"))
    return tuple(" ".join(cell.replace("\\|", "|").split()) for cell in cells)


def _shorten(cell: str) -> str:
    return cell if len(cell) <= _LONGEST else f"{cell[:_LONGEST]}…"


SIZE = (432, 150)
_CACHED = 12
"""Number of cached pictures; at a device pixel ratio of two each takes 1 MB."""


@dataclass(frozen=True, slots=True)
class PreviewPlace:
    """A span of characters on a page.

    Attributes:
        document: The document's id.
        page: 1-based page number.
        start: Offset of the first character.
        end: Offset behind the last one.
        ratio: Device pixel ratio of the picture.
        others: Spans of the other parts of the same passage that the answer uses; they are marked, too.
    """

    document: int
    page: int
    start: int
    end: int
    ratio: float
    others: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, citation: Citation, ratio: float, others: Iterable[Citation] = ()) -> PreviewPlace | None:
        """Return the place of a citation; None if it is not on a page that can be drawn."""
        document, page = citation.document, citation.page
        if document is None or page is None or citation.page_kind is not PageKind.PAGE:
            return None
        spans = sorted({(one.start, one.end) for one in others} - {(citation.start, citation.end)})
        return cls(document, page, citation.start, citation.end, ratio, tuple(spans))


class PagePictureLoader(QObject):
    """Has the pictures of places drawn by the worker, and caches them.

    A drawing is never cancelled: that would kill the process that draws, and a new process has to be started.

    Signals:
        come: A PreviewPlace and its picture (QPixmap), or None if it is not available.
    """

    come = Signal(object, object)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._cache: OrderedDict[PreviewPlace, QPixmap] = OrderedDict()
        self._wanted: PreviewPlace | None = None
        self._is_drawing = False

    def set_library(self, library: Library | None) -> None:
        """Switch to another library and drop the pictures of the old one."""
        self._library = library
        self.forget()

    def forget(self) -> None:
        """Drop all pictures."""
        self._cache.clear()
        self._wanted = None
        self._is_drawing = False

    def at_hand(self, place: PreviewPlace) -> QPixmap | None:
        """Return a picture from the cache, or None."""
        if place in self._cache:
            self._cache.move_to_end(place)
        return self._cache.get(place)

    def want(self, place: PreviewPlace) -> None:
        """Request a picture; it replaces an earlier request that was not started yet."""
        self._wanted = place
        if not self._is_drawing:
            self._draw()

    def _draw(self) -> None:
        place, self._wanted = self._wanted, None
        if place is None or self._library is None:
            return
        self._is_drawing = True
        drawing = operations.place_picture(
            self._library,
            place.document,
            place.page,
            passage=(place.start, place.end),
            size=SIZE,
            others=place.others,
            ratio=place.ratio,
        )
        self._bridge.submit(
            drawing, done=partial(self._on_drawn, place), failed=partial(self._on_failed, place), cancelled=self._end
        )

    def _on_drawn(self, place: PreviewPlace, png: bytes) -> None:
        picture = QPixmap()
        picture.loadFromData(png)
        picture.setDevicePixelRatio(place.ratio)
        self._cache[place] = picture
        while len(self._cache) > _CACHED:
            self._cache.popitem(last=False)
        self.come.emit(place, picture)
        self._end()

    def _on_failed(self, place: PreviewPlace, _error: BaseException, _details: str) -> None:
        # The preview shows the quote anyway, and the inspector reports why the page cannot be shown.
        self.come.emit(place, None)
        self._end()

    def _end(self) -> None:
        self._is_drawing = False
        self._draw()


_MARGIN = 14
_WIDTH = SIZE[0] + 2 * _MARGIN
# With a picture of the passage a shorter quote is enough.
_QUOTE = 420
_QUOTE_BELOW_PICTURE = 240
# Long enough that the card does not open when the pointer only passes by.
_DELAY = 220
_CLOSING = (Qt.Key.Key_Escape, Qt.Key.Key_Space)
_ON_ITS = {
    PageKind.PAGE: mark("Click to open the page."),
    PageKind.SLIDE: mark("Click to open the slide."),
    PageKind.SHEET: mark("Click to open the sheet."),
    PageKind.CHAPTER: mark("Click to open the chapter."),
    PageKind.MESSAGE: mark("Click to open the message."),
    PageKind.CELL: mark("Click to open the cell."),
    PageKind.RECORD: mark("Click to open the record."),
    PageKind.PART: mark("Click to open the part."),
}


class CitationPreview(QWidget):
    """Card with document, page, heading, picture and quote; any key or moving the pointer away hides it.

    Args:
        theme: Theme of the window.
        parent: Widget above which it is shown.
        pictures: Source of the pictures; without it no picture is shown.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None, pictures: PagePictureLoader | None = None) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint)
        self._theme = theme
        self._pictures = pictures
        self._place: PreviewPlace | None = None
        self._quote_text = ""
        self._target = QRect()
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        # The pointer keeps acting on the widgets below, wherever the card is placed.
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
        self._hint = label()
        for caption in (self._where, self._hint):
            caption.setProperty("role", "caption")
        for words in (self._name, self._where, self._quote, self._hint):
            words.setWordWrap(True)
        header = QHBoxLayout()
        header.setSpacing(8)
        header.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        header.addWidget(self._name, 1)
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, 12, _MARGIN, 12)
        layout.setSpacing(6)
        layout.addLayout(header)
        for part in (self._where, self._picture, self._table, self._quote, self._hint):
            layout.addWidget(part)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY)
        self._timer.timeout.connect(self._on_timeout)
        if pictures is not None:
            pictures.come.connect(self._on_picture)

    def offer(
        self,
        citation: Citation,
        hit: Hit | None,
        place: QRect,
        *,
        others: Iterable[Citation] = (),
        at_once: bool = False,
    ) -> None:
        """Show the card of a citation next to a place on the screen, after a delay or at once.

        Args:
            citation: The citation.
            hit: The hit that it was made from, if it is known.
            place: Rectangle of the citation's number on the screen.
            others: The citations of the same passage, which are marked in the picture, too.
            at_once: Whether to show the card without a delay, and announce it.
        """
        tokens = self._theme.tokens()
        self._icon.setPixmap(self._theme.pixmap("document", tokens.accent, 16))
        self._name.setText(visible_name(citation.document_name))
        place_text = translate(citation.place)
        where = [place_text[:1].upper() + place_text[1:]] if place_text else []
        self._where.setText(" · ".join([*where, " › ".join(citation.headings)] if citation.headings else where))
        self._where.setVisible(bool(self._where.text()))
        self._quote.setFont(self._theme.font(text=citation.quote))
        self._quote_text = plain_line(citation.quote)
        text = hit.chunk.text if hit is not None else citation.quote
        write_markup(
            self._table, table_of(text, citation.quote, tokens) if citation.page_kind is PageKind.SHEET else ""
        )
        self._table.setFont(self._theme.font(tokens.caption, text=self._table.text()))
        # The rows replace the quote on the card; screen readers are given the quote.
        self._table.setVisible(bool(self._table.text()))
        self._quote.setVisible(not self._table.text())
        self._picture.setStyleSheet(f"background: {tokens.surface_sunken}; border: 1px solid {tokens.border};")
        on_page = tr(_ON_ITS[citation.page_kind]) if citation.page is not None else tr("Click to open it.")
        self._hint.setText(on_page)
        ratio = self.devicePixelRatioF()
        self._place = PreviewPlace.of(citation, ratio, others) if self._pictures is not None else None
        self._target = place
        if at_once:
            self._timer.stop()
            self._on_timeout()
            announce(self, self.words)
        else:
            self._timer.start()

    @property
    def words(self) -> str:
        """Text of the card."""
        return "\n".join(part.text() for part in (self._name, self._where, self._quote, self._hint) if part.text())

    def dismiss(self) -> None:
        """Hide the card, or prevent it from appearing."""
        self._timer.stop()
        application = QGuiApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
        self.hide()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Hide the card on any key, wheel or mouse press, so that it does not get in the way of the next action."""
        if event.type() in (QEvent.Type.Wheel, QEvent.Type.MouseButtonPress, QEvent.Type.WindowDeactivate):
            self.dismiss()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            self.dismiss()
            return event.key() in _CLOSING
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        # Without round corners: these need a translucent window, whose corners are black without a compositor.
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
    def _on_picture(self, place: PreviewPlace, picture: QPixmap | None) -> None:
        if place == self._place and self.isVisible():
            self._lay_out(picture, awaited=False)

    def _lay_out(self, picture: QPixmap | None, *, awaited: bool) -> None:
        """Show the content, with space for a picture that is being drawn; leave the picture out if space is short."""
        screen = QGuiApplication.screenAt(self._target.center()) or self.screen()
        for with_picture in (picture is not None or awaited, False):
            self._picture.setVisible(with_picture)
            self._picture.setFixedHeight(
                SIZE[1] if picture is None else round(picture.deviceIndependentSize().height())
            )
            self._picture.setPixmap(picture if picture is not None else QPixmap())
            length = _QUOTE_BELOW_PICTURE if with_picture else _QUOTE
            self._quote.setText(f"“{shortened(self._quote_text, length)}”")
            self._layout.activate()
            height = self._layout.heightForWidth(_WIDTH)
            self.resize(_WIDTH, height if height > 0 else self.sizeHint().height())
            point, fits = card_position(self._target, self.size(), screen.availableGeometry())
            self.move(point)
            if fits:
                break
