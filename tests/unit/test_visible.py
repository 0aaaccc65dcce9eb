"""Invisible characters in names are spelt out; those that belong to words stay."""

import json

import pytest
from hostile import NAMES
from hypothesis import given
from hypothesis import strategies as st

from workbench.model.document import PageKind, place
from workbench.model.hit import OutsidePassage, outside_hit
from workbench.model.visible import escaped_json, replace_invisible, visible, visible_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("photo\u202egpj.exe", "photo⟨U+202E⟩gpj.exe"),
        ("two\nlines", "two⟨U+000A⟩lines"),
        ("\x1b]0;t\x07", "⟨U+001B⟩]0;t⟨U+0007⟩"),
        ("pay\u200bpal", "pay⟨U+200B⟩pal"),
        ("a\U000e0041b", "a⟨U+E0041⟩b"),
        ("ㅤ.pdf", "⟨U+3164⟩.pdf"),
    ],
)
def test_an_invisible_character_is_spelt_out(name: str, shown: str) -> None:
    assert visible_name(name) == shown


@pytest.mark.parametrize(
    "name", ["Résumé 2024.pdf", "劳动合同.pdf", "می‌خواهم.txt", "👨‍👩‍👧 ❤️.txt", "שלום\u200f.md", "葛󠄀城.txt"]
)
def test_characters_that_belong_to_words_and_emoji_are_kept(name: str) -> None:
    assert visible_name(name) == name


def test_bytes_of_a_file_name_without_a_text_form_stay() -> None:
    assert visible_name("caf\udce9.pdf") == "caf\udce9.pdf"


@given(st.text(max_size=30))
def test_a_visible_name_is_on_one_line_and_stays_as_it_is(name: str) -> None:
    shown = visible_name(name)
    assert visible_name(shown) == shown
    assert len(shown.splitlines()) <= 1


@given(st.text(max_size=30))
def test_replacing_moves_no_place(text: str) -> None:
    assert len(replace_invisible(text)) == len(text)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_escaped_json_decodes_to_the_same_value(text: str) -> None:
    written = escaped_json(json.dumps({"x": text}, ensure_ascii=False))
    assert json.loads(written) == {"x": text}
    assert visible(written) == written.replace("\u2028", "\n").replace("\u2029", "\n")


def test_the_name_of_a_sheet_is_visible_in_its_place() -> None:
    assert place(PageKind.SHEET, 2, "Sales\u202e") == "sheet 2 “Sales⟨U+202E⟩”"


def test_names_of_passages_from_a_retriever_or_a_tool_are_made_visible() -> None:
    found = outside_hit(OutsidePassage("text", "photo\u202egpj"), origin="tool", rank=1)
    assert (found.document_name, found.document_title) == ("photo⟨U+202E⟩gpj", "photo⟨U+202E⟩gpj")


@pytest.mark.parametrize("name", NAMES)
def test_no_name_holds_a_character_that_commands_a_terminal_or_turns_the_text_around(name: str) -> None:
    assert visible(visible_name(name)) == visible_name(name)
