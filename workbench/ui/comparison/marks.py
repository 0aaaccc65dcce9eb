"""What became of one text in another -> the places in both that differ, and how these are drawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit

from workbench.model.text_diff import Piece, Stretch
from workbench.ui.theme import Tokens


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a text, in Qt's own counting; nothing where start and end are the same."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """What only one of two texts says, or either in its own words, at the same place."""

    left: Place
    right: Place


def differences(stretches: Iterable[Stretch]) -> list[Difference]:
    """Return the places that differ, in order; those with nothing but space between them are one."""
    found: list[Difference] = []
    left = right = 0
    is_open = False
    for one in stretches:
        length = len(one.text.encode("utf-16-le")) // 2
        out, new = one.piece is not Piece.IN, one.piece is not Piece.OUT
        after_left, after_right = left + length * out, right + length * new
        if one.piece is Piece.SAME:
            is_open = is_open and not one.text.strip()
        else:
            place = Difference(_place(left, after_left, one.text), _place(right, after_right, one.text))
            if is_open:
                place = _joined(found.pop(), place)
            found.append(place)
            is_open = True
        left, right = after_left, after_right
    return [one for one in found if one.left.text.strip() or one.right.text.strip()]


def _place(start: int, end: int, text: str) -> Place:
    return Place(start, end, text if end > start else "")


def _joined(first: Difference, second: Difference) -> Difference:
    return Difference(_together(first.left, second.left), _together(first.right, second.right))


def _together(first: Place, second: Place) -> Place:
    text = " ".join(part for part in (first.text.strip(), second.text.strip()) if part)
    start = first.start if first.text else second.start
    return Place(start, (second if second.text else first).end if text else start, text)


def selections(
    document: QTextDocument, places: Sequence[Place], tokens: Tokens, *, is_left: bool
) -> list[QTextEdit.ExtraSelection]:
    """Return how places are drawn: in the left text struck through, in the right one underlined."""
    form = QTextCharFormat()
    form.setBackground(QColor(tokens.danger_soft if is_left else tokens.ok_soft))
    if is_left:
        form.setFontStrikeOut(True)
    else:
        form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        form.setUnderlineColor(QColor(tokens.ok))
    made = []
    last = document.characterCount() - 1
    for place in places:
        if place.end > place.start:
            selection = QTextEdit.ExtraSelection()
            selection.cursor = cursor_of(document, place, last)
            selection.format = form
            made.append(selection)
    return made


def cursor_of(document: QTextDocument, place: Place, last: int) -> QTextCursor:
    """Return a cursor that has a place selected."""
    cursor = QTextCursor(document)
    cursor.setPosition(min(place.start, last))
    cursor.setPosition(min(place.end, last), QTextCursor.MoveMode.KeepAnchor)
    return cursor
