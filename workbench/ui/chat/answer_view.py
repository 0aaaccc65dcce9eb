"""Rich text view of one answer: Markdown, citation chips that can be pressed, and underlined unsupported sentences."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QCursor,
    QFontInfo,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QTextEdit, QToolTip, QWidget

from workbench.agent.markers import blank_markers
from workbench.export.answer_pieces import AnswerPieces
from workbench.export.rendering import DARK_CODE, LIGHT_CODE
from workbench.language import tr, translate
from workbench.model.claim import Claim, Verdict
from workbench.model.hit import Citation
from workbench.ui.chat.answer_document import (
    COPY,
    LINK,
    MOST,
    AnswerDocument,
    chip_html,
    chip_image,
    chip_link,
    citations_shown,
    get_citation_at,
    part_end,
    selected_text,
)
from workbench.ui.external_programs import DragOut, InertBrowser, citation_mime, offer_link, real_address
from workbench.ui.theme import Theme, Tokens


class AnswerView(InertBrowser):
    """Shows an answer and updates it while it streams, at a cost that does not grow with it; never loads resources.

    Args:
        theme: Theme of the window.
        parent: Parent widget.
        width: Expected width, so that the text is laid out only once.

    Attributes:
        mark_menu: Returns the menu of a citation chip; None for the usual menu.

    Signals:
        citation_activated: The Citation whose chip was pressed.
        citation_hovered: The Citation under the pointer and the position of its chip on the screen (QRect), or None.
        citation_peeked: After Space was pressed: the Citation with the keyboard focus, the position of its chip, and
            True.
    """

    citation_activated = Signal(object)
    citation_hovered = Signal(object, object)
    citation_peeked = Signal(object, object, bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, width: int | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._markdown = ""
        self._citations: tuple[Citation, ...] = ()
        self._claims: tuple[Claim, ...] = ()
        self._marked: list[MarkedClaim] = []
        # Number of characters shown; minimum height of the view until all are shown; selection to restore then.
        self._until = 0
        self._minimum_height = 0
        self._selected = (0, 0)
        self.mark_menu: Callable[[Citation], QMenu] | None = None
        self.setAccessibleName(tr("Answer"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._shown = AnswerDocument(self.document())
        if width is not None:
            self.document().setTextWidth(width)
        self.document().documentLayout().documentSizeChanged.connect(self._fit_height)
        self.anchorClicked.connect(self._on_anchor_clicked)
        DragOut(self.viewport(), self.data_at)
        self.highlighted.connect(self._on_highlighted)
        theme.changed.connect(self._on_theme_changed)
        self._dress()

    @property
    def is_whole(self) -> bool:
        """True if the whole answer is shown."""
        return self._until == len(self._markdown)

    def show_answer(self, markdown: str, citations: tuple[Citation, ...]) -> None:
        """Show the current text of an answer; a selection of the reader is kept.

        If a long text was added, only its beginning is shown; go_on shows more of it.
        """
        if markdown == self._markdown and citations == self._citations:
            return
        same = self._markdown[: self._until]
        # Searching the whole text for ideographs would take longer than drawing the new part.
        added = markdown.removeprefix(self._markdown)
        self._fit_font(added, grown=len(added) < len(markdown))
        self._markdown = markdown
        self._citations = citations
        self._until = len(same) if markdown.startswith(same) else 0
        self.go_on()

    def go_on(self) -> None:
        """Show more of the answer, for a few milliseconds."""
        self._until = part_end(self._markdown, self._until)
        self._render()

    def show_claims(self, claims: tuple[Claim, ...]) -> None:
        """Underline the claims of the answer that its sources do not support."""
        if claims != self._claims:
            self._claims = claims
            if self.is_whole:
                self._mark_claims()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and (claim := self._claim_at(event.pos())) is not None:
            QToolTip.showText(event.globalPos(), translate(claim.reason), self)
            return True
        return super().viewportEvent(event)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        if QUrl(name).scheme() == COPY:
            return self._theme.pixmap("copy", size=14, ratio=self.devicePixelRatioF())
        image = chip_image(self._theme, QUrl(name), self.devicePixelRatioF())
        return image if image is not None else super().loadResource(kind, name)

    def data_at(self, place: QPoint) -> QMimeData | None:
        """Return the drag data at a position: the quote of the citation chip with its source."""
        citation = get_citation_at(QUrl(self.anchorAt(place)), self._citations)
        return citation_mime(citation) if citation is not None and citation.valid else None

    def wheelEvent(self, event: QWheelEvent) -> None:
        # Only the timeline scrolls, not an answer inside it.
        event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not self.anchorAt(event.position().toPoint()):
            self.citation_hovered.emit(None, None)

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self.citation_hovered.emit(None, None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        # With the menu key the menu is that of the chip with the keyboard focus, wherever the pointer is.
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        address = self.textCursor().charFormat().anchorHref() if by_key else self.anchorAt(event.pos())
        citation = get_citation_at(QUrl(address), self._citations)
        if citation is None or self.mark_menu is None:
            super().contextMenuEvent(event)
        else:
            self.mark_menu(citation).popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Keys that would scroll a page are left to the timeline.
        scrolling = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Escape)
        if event.key() in scrolling and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            event.ignore()
            return
        cursor = self.textCursor()
        citation = get_citation_at(QUrl(cursor.charFormat().anchorHref()), self._citations)
        if event.key() == Qt.Key.Key_Space and citation is not None:
            start = QTextCursor(cursor)
            start.setPosition(cursor.selectionStart())
            place = self.cursorRect(start).united(self.cursorRect(cursor))
            self.citation_peeked.emit(citation, QRect(self.viewport().mapToGlobal(place.topLeft()), place.size()), True)
            return
        super().keyPressEvent(event)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return the selected text, with "[3]" for the picture of a chip."""
        data = QMimeData()
        data.setText(selected_text(self.textCursor()))
        return data

    def _render(self) -> None:
        shown = citations_shown(self._citations, self._markdown, self._until)
        pieces = self._pieces.read(self._markdown[: self._until], shown)
        cursor = self.textCursor()
        if cursor.hasSelection():
            self._selected = (cursor.anchor(), cursor.position())
        self._shown.show(pieces)
        if self.is_whole:
            cursor = self.textCursor()
            if self._selected not in ((0, 0), (cursor.anchor(), cursor.position())):
                self._select(*self._selected)
            self._selected = (0, 0)
            self._minimum_height = 0
            self._fit_height()
            self._mark_claims()

    def _fit_font(self, text: str, *, grown: bool) -> None:
        font = self._theme.font(text="" if text.isascii() else text)
        # Setting the font causes a new layout of the whole text, so it is kept unless ideographs were added.
        if not grown or font != self._theme.font():
            self.document().setDefaultFont(font)

    def _mark_claims(self) -> None:
        if not self._claims and not self._marked:
            return
        shown = self.document().toPlainText() if self._claims else ""
        self._marked = places(shown, self._markdown, self._claims)
        self.setExtraSelections(selections(self.document(), self._marked, self._theme.tokens()))

    def _claim_at(self, place: QPoint) -> Claim | None:
        """Return the doubtful claim under the pointer; None on a chip, which has its own preview."""
        if not self._marked or self.anchorAt(place):
            return None
        position = self.cursorForPosition(place).position()
        claims = (one.claim for one in self._marked if one.start <= position < one.end)
        return next((claim for claim in claims if claim.reason), None)

    def _select(self, anchor: int, position: int) -> None:
        last = self.document().characterCount() - 1
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(anchor, last))
        cursor.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def _dress(self) -> None:
        tokens = self._theme.tokens()
        chip: Callable[[Citation, str], str] = partial(chip_html, tokens)
        self._pieces = AnswerPieces(link=chip_link, chip=chip, code_style=DARK_CODE if tokens.dark else LIGHT_CODE)
        # A style sheet accepts one font family, so it gets the one that is installed.
        self._shown.dress(tokens, QFontInfo(self._theme.monospace()).family())
        self._fit_font(self._markdown, grown=False)

    @Slot()
    def _fit_height(self) -> None:
        height = self.document().size().height()
        self.setFixedHeight(max(self._minimum_height, 0 if self.document().isEmpty() else math.ceil(height) + 2))

    @Slot()
    def _on_theme_changed(self) -> None:
        """Clear the text, which go_on renders again; keep the height of the view until then."""
        cursor = self.textCursor()
        if cursor.hasSelection():
            self._selected = (cursor.anchor(), cursor.position())
        self._minimum_height = self.height() if self._markdown else 0
        self._until = 0
        self._dress()
        if len(self._markdown) <= MOST and not self.visibleRegion().isEmpty():
            self.go_on()

    @Slot(QUrl)
    def _on_anchor_clicked(self, address: QUrl) -> None:
        citation = get_citation_at(address, self._citations)
        if citation is not None:
            self.citation_activated.emit(citation)
        elif address.scheme() == COPY:
            QGuiApplication.clipboard().setText(self._shown.code(int(address.path())))
            QToolTip.showText(QCursor.pos(), tr("Copied"), self)
        elif address.scheme() != LINK:
            offer_link(address, self)

    @Slot(QUrl)
    def _on_highlighted(self, address: QUrl) -> None:
        pointer = self.viewport().mapFromGlobal(self.cursor().pos())
        # Tab also reaches a chip and emits this signal; its card is only shown with Space.
        is_pointed_at = self.anchorAt(pointer) == address.toString()
        citation = get_citation_at(address, self._citations) if is_pointed_at else None
        place = self._chip_place() if citation is not None else None
        self.citation_hovered.emit(citation, place)
        web = citation is None and address.isValid() and not address.isEmpty()
        tip = tr("Copy this code") if address.scheme() == COPY else real_address(address)
        self.setToolTip(tip if web else "")

    def _chip_place(self) -> QRect:
        """Return the position on the screen of the chip under the pointer."""
        pointer = self.viewport().mapFromGlobal(self.cursor().pos())
        line = self.cursorRect(self.cursorForPosition(pointer))
        return QRect(self.viewport().mapToGlobal(QPoint(pointer.x() - 8, line.top())), line.size())


@dataclass(frozen=True, slots=True)
class MarkedClaim:
    """A claim and its span in the document, counted in UTF-16 code units as Qt does."""

    start: int
    end: int
    claim: Claim


def places(shown: str, answer: str, claims: Sequence[Claim]) -> list[MarkedClaim]:
    """Return the spans of the claims in the displayed text, in order; a claim whose text is not found is left out.

    Only letters and digits are compared, since marks, chips and table cells occur between them.

    Args:
        shown: Plain text of the document.
        answer: The answer as Markdown.
        claims: Claims with offsets into the Markdown.
    """
    letters, positions = _letters(shown)
    bare = blank_markers(answer)
    found, from_here = [], 0
    for claim in claims:
        # A valid marker is a picture in the document; an invalid one is text.
        for text in (bare, answer):
            wanted, _ = _letters(text[claim.start : claim.end])
            place = letters.find(wanted, from_here) if wanted else -1
            if place >= 0:
                from_here = place + len(wanted)
                found.append(MarkedClaim(positions[place], positions[from_here - 1] + 1, claim))
                break
    return found


def _letters(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits of a text and the position of each, counted in UTF-16 code units as Qt does."""
    letters, positions, position = [], [], 0
    for character in text:
        if character.isalnum():
            letters.append(character)
            positions.append(position)
        position += 2 if character > "\uffff" else 1
    return "".join(letters), positions


def selections(
    document: QTextDocument, marked: Sequence[MarkedClaim], tokens: Tokens
) -> list[QTextEdit.ExtraSelection]:
    """Return the formats of the doubtful claims: a dotted underline if weak, a wavy one if unsupported."""
    result = []
    for one in marked:
        if line := _line(one.claim.verdict, tokens):
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(document)
            last = document.characterCount() - 1
            cursor.setPosition(min(one.start, last))
            cursor.setPosition(min(one.end, last), QTextCursor.MoveMode.KeepAnchor)
            selection.cursor = cursor
            selection.format = line
            result.append(selection)
    return result


def _line(verdict: Verdict, tokens: Tokens) -> QTextCharFormat | None:
    if verdict is Verdict.WEAK:
        style, colour = QTextCharFormat.UnderlineStyle.DotLine, tokens.warn
    elif verdict is Verdict.UNSUPPORTED:
        style, colour = QTextCharFormat.UnderlineStyle.WaveUnderline, tokens.danger
    else:
        return None
    line = QTextCharFormat()
    line.setUnderlineStyle(style)
    line.setUnderlineColor(QColor(colour))
    return line
