"""The text document of an answer: incremental updates, citation chips, plain text without a view, copying.

The document always equals the one that results if all pieces are inserted at once; a test checks this. A piece is
inserted as HTML after a placeholder character, which acts as the start of a paragraph and is then removed: the first
paragraph of an insertion into a paragraph loses its margins and its list.
"""

import html
import re
from collections.abc import Sequence
from functools import cache
from itertools import takewhile

from PySide6.QtCore import QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextTable,
)

from workbench.export.answer_pieces import MANY_COLUMNS, AnswerPieces, HtmlPiece
from workbench.export.formulas import set_formulas
from workbench.export.rendering import invalid_title
from workbench.language import translate
from workbench.model.hit import Citation
from workbench.ui.theme import Theme, Tokens

MOST = 1200
"""Maximum number of characters of an answer that are shown at once."""
# Characters per part of a longer answer: showing a part takes up to 6 ms.
_PART = 700


def part_end(text: str, start: int) -> int:
    """Return the end of the part of an answer that begins at an offset: the end of a paragraph or line if possible.

    A part that ends there is not rendered again with the next one.
    """
    if len(text) - start <= MOST:
        return len(text)
    place = start + _PART
    ends = (text.find(mark, place) for mark in ("\n\n", "\n"))
    return next((end + 1 for end in ends if 0 <= end < place + _PART), place + _PART)


def citations_shown(citations: Sequence[Citation], text: str, end: int) -> tuple[Citation, ...]:
    """Return the citations in the first part of an answer, up to an offset."""
    return tuple(citation for citation in citations if end == len(text) or citation.answer_end <= end)


class AnswerText:
    """Renders the plain text of an answer step by step, without a view.

    Attributes:
        answer: The answer as Markdown.
    """

    def __init__(self, theme: Theme, answer: str, citations: Sequence[Citation]) -> None:
        self.answer = answer
        self._citations = citations
        self._until = 0
        self._document = QTextDocument()
        self._shown = AnswerDocument(self._document)
        self._shown.dress(theme.tokens(), theme.monospace().family())
        self._pieces = AnswerPieces(link=str, chip=_chip)

    def go_on(self) -> str | None:
        """Render the next part; return the whole text after the last one, None before."""
        self._until = part_end(self.answer, self._until)
        shown = citations_shown(self._citations, self.answer, self._until)
        self._shown.show(self._pieces.read(self.answer[: self._until], shown))
        return self._document.toPlainText() if self._until == len(self.answer) else None


def _chip(citation: Citation, _link: str) -> str:
    # In plain text a picture is one character, whatever its content.
    return '<img src="">' if citation.valid else f"[{citation.marker}]"


LINK = "cite"
PICTURE = "chip"


def chip_link(citation: Citation) -> str:
    """Return the link address of a citation: it contains the offset, since one number may cite several sentences."""
    return f"{LINK}:{citation.answer_start}-{citation.marker}"


def get_citation_at(address: QUrl, citations: tuple[Citation, ...]) -> Citation | None:
    """Return the citation for an address made by chip_link; None for any other address."""
    if address.scheme() != LINK:
        return None
    return next((citation for citation in citations if chip_link(citation) == address.toString()), None)


def chip_html(tokens: Tokens, citation: Citation, href: str) -> str:
    """Return a chip as HTML for QTextDocument: a picture in a link, or struck text for an invalid number."""
    if citation.valid:
        picture = f'<img src="{PICTURE}:{citation.marker}" style="vertical-align: middle">'
        return f'<a href="{html.escape(href)}">{picture}</a>'
    title = html.escape(translate(invalid_title(citation)))
    return (
        f'<span title="{title}" style="color: {tokens.danger}; background-color: {tokens.danger_soft};'
        f' text-decoration: line-through">[{citation.marker}]</span>'
    )


def chip_image(theme: Theme, address: QUrl, ratio: float) -> QImage | None:
    """Return the picture for the address of a chip; None for any other address, so that nothing else is ever loaded."""
    if address.scheme() != PICTURE or not address.path().isdigit():
        return None
    return _draw(address.path(), theme.tokens(), theme.font(theme.tokens().caption - 0.5, bold=True).toString(), ratio)


@cache
def _draw(number: str, tokens: Tokens, font_name: str, ratio: float) -> QImage:
    font = QFont()
    font.fromString(font_name)
    metrics = QFontMetricsF(font)
    # Only as high as the digits need: a picture taller than the text would increase the line spacing.
    height = round(metrics.capHeight()) + 7
    width = max(height + 2, round(metrics.horizontalAdvance(number)) + 10)
    # A margin at both sides of the picture separates neighbouring chips from each other and from the word before.
    margin = 1
    image = QImage(
        round((width + 2 * margin) * ratio), round(height * ratio), QImage.Format.Format_ARGB32_Premultiplied
    )
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens.accent_soft))
    pill = QRectF(margin, 0, width, height)
    painter.drawRoundedRect(pill, height / 2, height / 2)
    painter.setPen(QColor(tokens.accent))
    painter.setFont(font)
    baseline = (height + metrics.capHeight()) / 2
    painter.drawText(QPointF(margin + (width - metrics.horizontalAdvance(number)) / 2, baseline), number)
    painter.end()
    return image


# Keeps a chip on the line of its claim.
_BEFORE_CHIP = re.compile(rf'(?<!\s)\s++(?=<a href="{LINK}:)')
# Qt's default of 40 pixels takes a third of a narrow column.
_INDENT = 24
_CELL = re.compile(r"<t[hd](?=[ >])")
# Inside a tag only: an answer may mention style sheets.
_SIDE = re.compile(r'(<t[hd] [^>]*?)style="text-align:')
_LIST = re.compile(r"\A<[uo]l")
_TAGS = re.compile(r"<[^<>]*>")
COPY = "copy"
"""Scheme of the link and of the picture that copy code; the path is the number of the first piece of the code."""
_JOINT = "\u2060"


class AnswerDocument:
    """Updates a text document to the pieces of an answer."""

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self._pieces: list[HtmlPiece] = []
        # For each piece: its position, and the format of the block at that position before the insertion.
        self._starts: list[tuple[int, QTextBlockFormat]] = []
        self._tokens: Tokens | None = None
        document.setDocumentMargin(0)
        document.setIndentWidth(_INDENT)
        document.setUndoRedoEnabled(False)

    def dress(self, tokens: Tokens, monospace: str) -> None:
        """Apply a theme and clear the document."""
        self._tokens = tokens
        self._document.setDefaultStyleSheet(_style(tokens, monospace))
        # Without this the document keeps the pictures of the old theme in its cache.
        self._document.clear()
        self._pieces.clear()
        self._starts.clear()

    def show(self, pieces: Sequence[HtmlPiece]) -> int:
        """Show these pieces instead of the current ones; return the position up to which nothing changed."""
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self._pieces, pieces, strict=False)))
        if same == len(self._pieces) == len(pieces):
            return self._document.characterCount()
        unchanged = self._starts[same][0] if same < len(self._starts) else self._end()
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        if same < len(self._starts):
            self._remove_from(same)
        for piece in pieces[same:]:
            self._append(piece)
        cursor.endEditBlock()
        return unchanged

    def _remove_from(self, number: int) -> None:
        start, kept = self._starts[number]
        cursor = QTextCursor(self._document)
        cursor.setPosition(start)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(kept)
        del self._pieces[number:], self._starts[number:]

    def _append(self, piece: HtmlPiece) -> None:
        start = self._end()
        cursor = QTextCursor(self._document)
        cursor.setPosition(start)
        kept = cursor.blockFormat()
        self._starts.append((start, kept))
        body = self.html(piece, len(self._pieces))
        if self._pieces:
            cursor.insertHtml(f"<p>{_JOINT}</p>{body}")
            cursor.setPosition(start)
            cursor.deleteChar()
            # An empty block, such as a horizontal rule, takes over the format of text that is inserted or removed after
            # it.
            cursor.setBlockFormat(kept)
        else:
            self._document.setHtml(body)
        self._pieces.append(piece)

    def _end(self) -> int:
        return self._document.characterCount() - 1

    def code(self, number: int) -> str:
        """Return the code whose first piece has this number."""
        parts: list[str] = []
        for piece in self._pieces[number:]:
            parts.append(html.unescape(_TAGS.sub("", piece.html.strip())))
            if piece.ends:
                break
        return "\n".join(parts)

    def html(self, piece: HtmlPiece, number: int) -> str:
        """Return a piece as HTML for QTextDocument, which supports padding and side borders for table cells only."""
        assert self._tokens is not None
        above, below = 9 * piece.begins, 9 * piece.ends
        code = (
            f'<table class="box" width="100%" cellspacing="0" cellpadding="0" bgcolor="{self._tokens.surface_sunken}"'
            f' style="margin-top: {2 * piece.begins}px; margin-bottom: {10 * piece.ends}px">'
            f'<tr><td style="padding: {above}px 9px {below}px 9px"><pre>'
        )
        # Only the last part of a list has the space below the list.
        body = piece.html.strip() if piece.ends else _LIST.sub(r'\g<0> style="margin-bottom: 0"', piece.html.strip())
        body = body.replace("<th>", '<th align="left">')
        if piece.widths:
            width = iter(piece.widths)
            body = _CELL.sub(lambda cell: f'{cell[0]} width="{next(width)}%"', body, count=len(piece.widths))
        # A code block has a copy button in its corner, unless it is part of a list or a quote.
        is_code = piece.begins and body.startswith('<div class="code">')
        copy = f'<a href="{COPY}:{number}"><img src="{COPY}:" style="float: right"></a>' if is_code else ""
        quote = '<table class="quote" width="100%" cellspacing="0" cellpadding="6"><tr><td class="quote">'
        return (
            _BEFORE_CHIP.sub("\u00a0", set_formulas(_SIDE.sub(r'\1align="', body)))
            .replace('<div class="code"><pre>', f"{code}{copy}", 1)
            .replace('<div class="code"><pre>', code)
            .replace("</pre></div>", "</pre></td></tr></table>")
            .replace("<blockquote>", quote)
            .replace("</blockquote>", "</td></tr></table>")
            .replace("<table>", _table_tag(piece))
        )


def _table_tag(piece: HtmlPiece) -> str:
    """Return the start tag of a table; the parts of a long table have the full width and no space between them."""
    if not piece.widths:
        return '<table class="data" cellspacing="0" cellpadding="5">'
    above, below = 2 * piece.begins, 10 * piece.ends
    margins = f"margin-top: {above}px; margin-bottom: {below}px"
    kind = "dense" if len(piece.widths) >= MANY_COLUMNS else "data"
    if len(piece.widths) > MANY_COLUMNS:
        kind = "dense small"
    return f'<table class="{kind}" width="100%" cellspacing="0" cellpadding="5" style="{margins}">'


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
    table.quote {{ margin: 2px 0 10px 0; }}
    td.quote {{ border-left: 3px solid {tokens.border_strong}; padding-left: 10px; }}
    table.data, table.dense {{ border-collapse: collapse; margin: 2px 0 10px 0; }}
    table.data th, table.dense th {{ border-bottom: 1px solid {tokens.border_strong}; font-weight: 600; }}
    table.data td, table.dense td {{ border-bottom: 1px solid {tokens.border}; }}
    table.data th, table.data td {{ padding: 5px 10px; }}
    table.dense th, table.dense td {{ padding: 5px 4px; }}
    table.small th, table.small td {{ padding: 5px 3px; font-size: {tokens.caption}pt; }}
    div.formula {{ margin: 4px 0 10px 24px; }}
    """


def selected_text(cursor: QTextCursor) -> str:
    """Return the text of a selection."""
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    document = cursor.document()
    block = document.findBlock(start)
    text, before = "", None
    while block.isValid() and block.position() <= end:
        if not _is_joint(block):
            text += ("" if before is None else _separator(before, block)) + _block_text(block, start, end)
            before = block
        block = block.next()
    return text


def _block_text(block: QTextBlock, start: int, end: int) -> str:
    """Return the part of a block between two positions."""
    text, place = "", block.begin()
    while not place.atEnd():
        fragment = place.fragment()
        first = fragment.position()
        encoded = fragment.text().encode("utf-16-le")
        inside = encoded[2 * max(0, start - first) : 2 * max(0, end - first)].decode("utf-16-le")
        image = fragment.charFormat().toImageFormat()
        scheme, _, number = image.name().partition(":")
        if image.isValid():
            inside = inside.replace("\ufffc", f"[{number}]" if scheme == PICTURE else "")
        text += inside
        place += 1
    return text.replace("\u2028", "\n").replace("\u00a0", " ")


def _separator(before: QTextBlock, block: QTextBlock) -> str:
    """Return the separator of two blocks: a tab between cells of one row, else a line break."""
    table, other = _table(before), _table(block)
    if table is None or other is None or table.firstPosition() != other.firstPosition():
        return "\n"
    left, right = table.cellAt(before.position()), table.cellAt(block.position())
    return "\t" if left.row() == right.row() and left.column() != right.column() else "\n"


def _table(block: QTextBlock) -> QTextTable | None:
    return QTextCursor(block).currentTable()


def _is_joint(block: QTextBlock) -> bool:
    """Return whether a block is the empty one that Qt keeps before and after every table."""
    if block.text() or _table(block) is not None:
        return False
    before, after = block.previous(), block.next()
    is_after = before.isValid() and _table(before) is not None
    return is_after or (after.isValid() and _table(after) is not None)
