"""The pieces of an answer -> a text document; only what changed since the last time is put in anew.

The document is at any moment what it would be if all the pieces had been put in at once (held by a test): a piece goes
in as HTML behind one character, which takes the place of a paragraph's beginning and is removed again, for what is
inserted into a paragraph loses the margins and the list of its own first one.
"""

import html
import re
from collections.abc import Sequence
from itertools import takewhile

from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument

from workbench.export.answer_pieces import Piece
from workbench.export.formulas import formula_html
from workbench.ui.chat.chips import LINK
from workbench.ui.theme import Tokens

# A chip stays on the line of the claim that it belongs to.
_BEFORE_CHIP = re.compile(rf'(?<!\s)\s++(?=<a href="{LINK}:)')
# Qt's own 40 pixels push a list a third of the way into a narrow column.
_INDENT = 24
_FORMULA = re.compile(r'(<(span|div) class="formula">)(.*?)(?=</\2>)', re.DOTALL)
_CELL = re.compile(r"<t[hd](?=[ >])")
# In a tag only: an answer may speak of style sheets.
_SIDE = re.compile(r'(<t[hd] [^>]*?)style="text-align:')
_LIST = re.compile(r"\A<[uo]l")
_TAGS = re.compile(r"<[^>]*>")
COPY = "copy"
"""The scheme of the address, and of the picture, of what copies code; its path is the number of the code's piece."""
_JOINT = "\u2060"


class AnswerDocument:
    """Keeps a text document at the pieces of an answer."""

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self._pieces: list[Piece] = []
        # Where each piece was put in, and the format of the block that stood there.
        self._starts: list[tuple[int, QTextBlockFormat]] = []
        self._tokens: Tokens | None = None
        document.setDocumentMargin(0)
        document.setIndentWidth(_INDENT)
        document.setUndoRedoEnabled(False)

    def dress(self, tokens: Tokens, monospace: str) -> None:
        """Take another theme; what is shown goes."""
        self._tokens = tokens
        self._document.setDefaultStyleSheet(_style(tokens, monospace))
        # The old theme's pictures stay cached in the document otherwise.
        self._document.clear()
        self._pieces.clear()
        self._starts.clear()

    def show(self, pieces: Sequence[Piece]) -> int:
        """Show these pieces instead of those before; returns the place up to which nothing changed."""
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

    def _append(self, piece: Piece) -> None:
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
            # An empty block, such as a rule, takes the format of what comes or goes behind it.
            cursor.setBlockFormat(kept)
        else:
            self._document.setHtml(body)
        self._pieces.append(piece)

    def _end(self) -> int:
        return self._document.characterCount() - 1

    def code(self, number: int) -> str:
        """Return the code that begins with a piece."""
        parts: list[str] = []
        for piece in self._pieces[number:]:
            parts.append(html.unescape(_TAGS.sub("", piece.html.strip())))
            if piece.ends:
                break
        return "\n".join(parts)

    def html(self, piece: Piece, number: int) -> str:
        """Return a piece as Qt's text document wants it: it draws padding and side lines for table cells only."""
        assert self._tokens is not None
        above, below = 9 * piece.begins, 9 * piece.ends
        code = (
            f'<table class="box" width="100%" cellspacing="0" cellpadding="0" bgcolor="{self._tokens.surface_sunken}"'
            f' style="margin-top: {2 * piece.begins}px; margin-bottom: {10 * piece.ends}px">'
            f'<tr><td style="padding: {above}px 9px {below}px 9px"><pre>'
        )
        # The space below a list belongs below its last part.
        body = piece.html.strip() if piece.ends else _LIST.sub(r'\g<0> style="margin-bottom: 0"', piece.html.strip())
        if piece.widths:
            width = iter(piece.widths)
            body = _CELL.sub(lambda cell: f'{cell[0]} width="{next(width)}%"', body, count=len(piece.widths))
        # Code of its own, rather than of a list or a quote, has what copies it in its corner.
        is_code = piece.begins and body.startswith('<div class="code">')
        copy = f'<a href="{COPY}:{number}"><img src="{COPY}:" style="float: right"></a>' if is_code else ""
        quote = '<table class="quote" width="100%" cellspacing="0" cellpadding="6"><tr><td class="quote">'
        return (
            _BEFORE_CHIP.sub("\u00a0", _FORMULA.sub(_readable, _SIDE.sub(r'\1align="', body)))
            .replace('<div class="code"><pre>', f"{code}{copy}", 1)
            .replace('<div class="code"><pre>', code)
            .replace("</pre></div>", "</pre></td></tr></table>")
            .replace("<blockquote>", quote)
            .replace("</blockquote>", "</td></tr></table>")
            .replace("<th>", '<th align="left">')
            .replace("<table>", _table_tag(piece))
        )


def _table_tag(piece: Piece) -> str:
    """Return the beginning of a table; the parts of a long one stand close together, each as wide as there is room."""
    if not piece.widths:
        return '<table class="data" cellspacing="0" cellpadding="5">'
    above, below = 2 * piece.begins, 10 * piece.ends
    margins = f"margin-top: {above}px; margin-bottom: {below}px"
    return f'<table class="data" width="100%" cellspacing="0" cellpadding="5" style="{margins}">'


def _readable(formula: re.Match[str]) -> str:
    return formula[1] + formula_html(html.unescape(formula[3]))


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
    table.data {{ border-collapse: collapse; margin: 2px 0 10px 0; }}
    table.data th {{ border-bottom: 1px solid {tokens.border_strong}; padding: 5px 10px; font-weight: 600; }}
    table.data td {{ border-bottom: 1px solid {tokens.border}; padding: 5px 10px; }}
    div.formula {{ margin: 4px 0 10px 24px; }}
    """
