"""Where an answer's doubtful sentences stand in the text that is shown, and how they are marked there."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit

from workbench.agent.markers import blanked
from workbench.model.claim import Claim, Verdict
from workbench.ui.theme import Tokens


@dataclass(frozen=True, slots=True)
class MarkedClaim:
    """A claim and its place in the document, in Qt's own counting."""

    start: int
    end: int
    claim: Claim


def places(shown: str, answer: str, claims: Sequence[Claim]) -> list[MarkedClaim]:
    """Return where the claims stand in the text that is shown, in order; one whose text is not found is left out.

    They are found by their letters and digits, since marks, chips and the cells of tables stand between them.

    Args:
        shown: The document's plain text.
        answer: Its Markdown.
        claims: Their places are those in the Markdown.
    """
    letters, positions = _letters(shown)
    bare = blanked(answer)
    found, from_here = [], 0
    for claim in claims:
        # A marker is a picture where it is a source, and text where it is none.
        for text in (bare, answer):
            wanted, _ = _letters(text[claim.start : claim.end])
            place = letters.find(wanted, from_here) if wanted else -1
            if place >= 0:
                from_here = place + len(wanted)
                found.append(MarkedClaim(positions[place], positions[from_here - 1] + 1, claim))
                break
    return found


def _letters(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits of a text and where each stands, counted in UTF-16 as Qt does."""
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
    """Return how the weak and the unsupported ones are drawn: a dotted line, a wavy one."""
    made = []
    for one in marked:
        if line := _line(one.claim.verdict, tokens):
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(document)
            last = document.characterCount() - 1
            cursor.setPosition(min(one.start, last))
            cursor.setPosition(min(one.end, last), QTextCursor.MoveMode.KeepAnchor)
            selection.cursor = cursor
            selection.format = line
            made.append(selection)
    return made


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
