"""The text of an answer as its view shows it, worked out without a view, and part by part."""

from collections.abc import Sequence

from PySide6.QtGui import QTextDocument

from workbench.export.answer_pieces import AnswerPieces
from workbench.model.hit import Citation
from workbench.ui.chat.answer_document import AnswerDocument
from workbench.ui.theme import Theme

MOST = 1200
"""Characters of an answer that are shown at once, at most."""
# Characters of a part, where there are more: to show it takes up to 6 ms.
_PART = 700


def part_end(text: str, start: int) -> int:
    """Return where the part of an answer that begins at a place ends: at the end of a paragraph, or of a line.

    A part that ends there is not rendered again with the next one.
    """
    if len(text) - start <= MOST:
        return len(text)
    place = start + _PART
    ends = (text.find(mark, place) for mark in ("\n\n", "\n"))
    return next((end + 1 for end in ends if 0 <= end < place + _PART), place + _PART)


def shown_of(citations: Sequence[Citation], text: str, end: int) -> tuple[Citation, ...]:
    """Return the citations of the first characters of an answer."""
    return tuple(citation for citation in citations if end == len(text) or citation.answer_end <= end)


class AnswerText:
    """Works the text of an answer out.

    Attributes:
        answer: Its Markdown.
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
        """Work out the next part; return the text when that was the last one."""
        self._until = part_end(self.answer, self._until)
        shown = shown_of(self._citations, self.answer, self._until)
        self._shown.show(self._pieces.read(self.answer[: self._until], shown))
        return self._document.toPlainText() if self._until == len(self.answer) else None


def _chip(citation: Citation, _link: str) -> str:
    # A picture is one character, whichever it is.
    return '<img src="">' if citation.valid else f"[{citation.marker}]"
