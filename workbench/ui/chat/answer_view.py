"""The text of one answer: Markdown and citations, as high as its content, with chips that can be pressed."""

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, QSizeF, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QDesktopServices,
    QFontInfo,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QTextCursor,
    QTextDocumentFragment,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QTextBrowser, QToolTip, QWidget

from workbench.export.rendering import DARK_CODE, LIGHT_CODE, answer_html
from workbench.model.claim import Claim
from workbench.model.hit import Citation
from workbench.ui.chat.chips import LINK, PICTURE, chip_html, chip_image, chip_link, cited
from workbench.ui.chat.claim_marks import MarkedClaim, places, selections
from workbench.ui.theme import Theme, Tokens

# A chip stays on the line of the claim that it belongs to.
_BEFORE_CHIP = re.compile(rf'\s+(?=<a href="{LINK}:)')
# Qt's own 40 pixels push a list a third of the way into a narrow column.
_INDENT = 24
_PICTURE = re.compile(rf'<img src="{PICTURE}:(\d+)"[^>]*>')


class AnswerView(QTextBrowser):
    """Shows an answer; rendered anew for each piece of a stream, and never loads anything.

    Attributes:
        mark_menu: Makes the menu of a citation's chip; None for the usual menu.

    Signals:
        citation_activated: The Citation whose chip was pressed.
        citation_hovered: The Citation under the pointer and the chip's place on the screen (QRect), or None.
    """

    citation_activated = Signal(object)
    citation_hovered = Signal(object, object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._markdown = ""
        self._citations: tuple[Citation, ...] = ()
        self._claims: tuple[Claim, ...] = ()
        self._marked: list[MarkedClaim] = []
        self.mark_menu: Callable[[Citation], QMenu] | None = None
        self.setAccessibleName("Answer")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(_INDENT)
        self.document().documentLayout().documentSizeChanged.connect(self._on_size_changed)
        self.anchorClicked.connect(self._on_anchor_clicked)
        self.highlighted.connect(self._on_highlighted)
        theme.changed.connect(self._on_theme_changed)
        self._dress()

    def show_answer(self, markdown: str, citations: tuple[Citation, ...]) -> None:
        """Show an answer as it stands; a selection the reader made stays where it is."""
        if markdown == self._markdown and citations == self._citations:
            return
        self._markdown = markdown
        self._citations = citations
        self._render()

    def show_claims(self, claims: tuple[Claim, ...]) -> None:
        """Mark what the answer claims and its sources do not bear out."""
        if claims != self._claims:
            self._claims = claims
            self._mark_claims()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and (claim := self._claim_at(event.pos())) is not None:
            QToolTip.showText(event.globalPos(), claim.reason, self)
            return True
        return super().viewportEvent(event)

    def loadResource(self, _kind: int, name: QUrl | str) -> Any:
        image = chip_image(self._theme, QUrl(name), self.devicePixelRatioF())
        return image if image is not None else b""

    def wheelEvent(self, event: QWheelEvent) -> None:
        # The timeline scrolls, never one answer inside it.
        event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not self.anchorAt(event.position().toPoint()):
            self.citation_hovered.emit(None, None)

    def leaveEvent(self, event: Any) -> None:
        super().leaveEvent(event)
        self.citation_hovered.emit(None, None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        citation = cited(QUrl(self.anchorAt(event.pos())), self._citations)
        if citation is None or self.mark_menu is None:
            super().contextMenuEvent(event)
        else:
            self.mark_menu(citation).popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Keys that would scroll a page belong to the timeline.
        scrolling = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Escape)
        if event.key() in scrolling and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            event.ignore()
            return
        super().keyPressEvent(event)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return the selected text, with "[3]" for the picture of a chip."""
        html = _PICTURE.sub(r"[\1]", self.textCursor().selection().toHtml())
        data = QMimeData()
        data.setText(QTextDocumentFragment.fromHtml(html).toPlainText())
        return data

    def _render(self) -> None:
        tokens = self._theme.tokens()
        chip: Callable[[Citation, str], str] = partial(chip_html, tokens)
        body = answer_html(
            self._markdown,
            self._citations,
            link=chip_link,
            chip=chip,
            code_style=DARK_CODE if tokens.dark else LIGHT_CODE,
        )
        self.document().setDefaultFont(self._theme.font(text=self._markdown))
        cursor = self.textCursor()
        selected = (cursor.anchor(), cursor.position())
        self.setHtml(_for_text_document(body, tokens))
        if selected[0] != selected[1]:
            self._select(*selected)
        self._mark_claims()

    def _mark_claims(self) -> None:
        shown = self.document().toPlainText() if self._claims else ""
        self._marked = places(shown, self._markdown, self._claims)
        self.setExtraSelections(selections(self.document(), self._marked, self._theme.tokens()))

    def _claim_at(self, place: QPoint) -> Claim | None:
        """Return the doubtful claim under the pointer; a chip has a preview of its own."""
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
        # A style sheet names one family: the one that is really there.
        monospace = QFontInfo(self._theme.monospace()).family()
        self.document().setDefaultStyleSheet(_style(self._theme.tokens(), monospace))

    @Slot()
    def _on_theme_changed(self) -> None:
        self._dress()
        # The old theme's pictures stay cached in the document otherwise.
        self.document().clear()
        self._render()

    @Slot(QSizeF)
    def _on_size_changed(self, size: QSizeF) -> None:
        self.setFixedHeight(math.ceil(size.height()) + 2)

    @Slot(QUrl)
    def _on_anchor_clicked(self, address: QUrl) -> None:
        citation = cited(address, self._citations)
        if citation is not None:
            self.citation_activated.emit(citation)
        elif address.scheme() in ("http", "https", "mailto"):
            QDesktopServices.openUrl(address)

    @Slot(QUrl)
    def _on_highlighted(self, address: QUrl) -> None:
        citation = cited(address, self._citations)
        place = self._chip_place() if citation is not None else None
        self.citation_hovered.emit(citation, place)
        web = citation is None and address.isValid() and not address.isEmpty()
        self.setToolTip(address.toString() if web else "")

    def _chip_place(self) -> QRect:
        """Return where on the screen the chip under the pointer stands."""
        pointer = self.viewport().mapFromGlobal(self.cursor().pos())
        line = self.cursorRect(self.cursorForPosition(pointer))
        return QRect(self.viewport().mapToGlobal(QPoint(pointer.x() - 8, line.top())), line.size())


def _for_text_document(body: str, tokens: Tokens) -> str:
    """Return the HTML as Qt's text document wants it: it draws padding and side lines for table cells only."""
    code = (
        f'<table class="box" width="100%" cellspacing="0" cellpadding="9" bgcolor="{tokens.surface_sunken}">'
        "<tr><td><pre>"
    )
    quote = '<table class="quote" width="100%" cellspacing="0" cellpadding="6"><tr><td class="quote">'
    return (
        _BEFORE_CHIP.sub("\u00a0", body)
        .replace('<div class="code"><pre>', code)
        .replace("</pre></div>", "</pre></td></tr></table>")
        .replace("<blockquote>", quote)
        .replace("</blockquote>", "</td></tr></table>")
        .replace('style="text-align:', 'align="')
        .replace("<table>", '<table class="data" cellspacing="0" cellpadding="5">')
    )


def _style(tokens: Tokens, monospace: str) -> str:
    return f"""
    body {{ color: {tokens.text}; }}
    p {{ margin: 0 0 8px 0; line-height: 135%; }}
    li {{ line-height: 135%; margin: 0 0 3px 0; }}
    ul, ol {{ margin: 0 0 8px 0; }}
    h1 {{ font-size: {tokens.heading}pt; font-weight: 600; margin: 12px 0 6px 0; }}
    h2 {{ font-size: {tokens.title + 1.5}pt; font-weight: 600; margin: 12px 0 6px 0; }}
    h3, h4, h5, h6 {{ font-size: {tokens.title}pt; font-weight: 600; margin: 10px 0 4px 0; }}
    a {{ color: {tokens.accent}; text-decoration: none; }}
    code {{ font-family: "{monospace}"; background-color: {tokens.surface_sunken}; }}
    pre {{ font-family: "{monospace}"; white-space: pre-wrap; margin: 0; }}
    table.box, table.quote {{ margin: 2px 0 10px 0; }}
    td.quote {{ border-left: 3px solid {tokens.border_strong}; padding-left: 10px; }}
    table.data {{ border-collapse: collapse; margin: 2px 0 10px 0; }}
    table.data th {{ border-bottom: 1px solid {tokens.border_strong}; padding: 5px 10px; font-weight: 600; }}
    table.data td {{ border-bottom: 1px solid {tokens.border}; padding: 5px 10px; }}
    div.formula {{ font-family: "{monospace}"; margin: 4px 0 10px 20px; }}
    span.formula {{ font-family: "{monospace}"; }}
    """
