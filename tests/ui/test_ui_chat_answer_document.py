"""Streamed answers: the document that grew is, block for block, the one made of the complete answer."""

import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument, QTextFormat
from ui_runs import citations, hit

from workbench.export.answer_pieces import AnswerPieces, HtmlPiece
from workbench.export.rendering import LIGHT_CODE
from workbench.ui.chat.answer_document import AnswerDocument, chip_html, chip_link
from workbench.ui.theme import LIGHT

BLOCKS = (
    "A line, **bold** and `code` [1].",
    "***both*** `end`",
    "Ends with a chip [2]",
    "# Head",
    "- a\n- b [2]\n  - c",
    "- a\n\n- loose",
    "- a\n\n  ```python\n  x = 1\n  ```\n- b",
    "3. x\n4. y",
    "| a | b |\n|---|--:|\n| 1 [1] | `x` |",
    "```python\ndef f():\n\n    return 1\n```",
    "```\nplain\n```",
    "> quote\n> - list",
    "***",
    "$$\na = b\n$$",
    "中文段落 [1]。",
)


def pieces(text: str) -> list[HtmlPiece]:
    chips = AnswerPieces(link=chip_link, chip=lambda cited, href: chip_html(LIGHT, cited, href), code_style=LIGHT_CODE)
    return chips.read(text, citations(text, hit(1)))


def made() -> tuple[QTextDocument, AnswerDocument]:
    document = QTextDocument()
    shown = AnswerDocument(document)
    shown.dress(LIGHT, "monospace")
    return document, shown


def structure(document: QTextDocument) -> Sequence[object]:
    """Return everything that is drawn: each block's text, formats, list and table."""
    found, block = [], document.begin()
    while block.isValid():
        table = QTextCursor(block).currentTable()
        inside = (table.rows(), table.columns(), properties(table.format())) if table is not None else None
        found.append((block.text(), properties(block.blockFormat()), fragments(block), numbered(block), inside))
        block = block.next()
    return found


def fragments(block: QTextBlock) -> list[tuple[str, dict[int, str]]]:
    found, place = [], block.begin()
    while not place.atEnd():
        fragment = place.fragment()
        found.append((fragment.text(), properties(fragment.charFormat())))
        place += 1
    return found


def numbered(block: QTextBlock) -> tuple[int, int, str] | None:
    made_of = QTextCursor(block).currentList()
    if made_of is None:
        return None
    return made_of.itemNumber(block), made_of.count(), made_of.itemText(block)


def properties(format: QTextFormat) -> dict[int, str]:
    objects = {QTextFormat.Property.ObjectIndex.value}
    return {name: plain(value) for name, value in format.properties().items() if name not in objects}


def plain(value: Any) -> str:
    return str(value.color().name()) if hasattr(value, "color") else str(value).partition(" at 0x")[0]


@pytest.mark.usefixtures("qapp")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=7), st.data())
def test_a_grown_document_is_the_one_made_at_once(parts: list[str], data: st.DataObject) -> None:
    text = "\n\n".join(parts)
    document, shown = made()
    for end in [*sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6))), len(text)]:
        shown.show(pieces(text[:end]))
    whole, at_once = made()
    whole.setHtml("".join(at_once.html(piece, number) for number, piece in enumerate(pieces(text))))
    assert structure(document) == structure(whole)


@pytest.mark.usefixtures("qapp")
def test_unchanged_content_is_not_rewritten() -> None:
    text = "One.\n\n- two\n- three\n\nFour."
    document, shown = made()
    document.documentLayout()
    shown.show(pieces(text))
    before = document.revision()
    assert shown.show(pieces(text)) == document.characterCount()
    assert document.revision() == before
    changed: list[int] = []
    document.contentsChange.connect(lambda start, _removed, _added: changed.append(start))
    shown.show(pieces(f"{text} Five."))
    assert min(changed) >= document.toPlainText().index("three")


@pytest.mark.usefixtures("qapp")
def test_an_answer_that_is_taken_back_leaves_nothing() -> None:
    document, shown = made()
    shown.show(pieces("| a |\n|---|\n| 1 |\n\nText."))
    shown.show([])
    assert document.isEmpty()
    shown.show(pieces("New."))
    assert document.toPlainText() == "New."


def test_60_000_spaces_in_code_are_written_in_no_time() -> None:
    _document, shown = made()
    (piece,) = pieces(f"```\n{' ' * 60_000}x\n```")
    began = time.process_time()
    assert shown.html(piece, 0).count(" ") > 60_000
    assert time.process_time() - began < 1  # measured: 0.01; with a search from each space, 20
