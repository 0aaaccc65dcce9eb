"""Command palette: matches, their order, and the effect of a choice."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot
from ui_window import fill, open_window

from workbench.language import Catalogue, speak
from workbench.ui.actions import COMMANDS, command
from workbench.ui.app_controller import AppController
from workbench.ui.palette.command_palette import CommandPalette
from workbench.ui.palette.name_matching import best_names, match
from workbench.ui.palette.presenter import PaletteEntry, PaletteEntryKind


@pytest.mark.usefixtures("warm_readers")
class TestWindow:
    @pytest.fixture
    def shell(self, qtbot: QtBot, tmp_path: Path) -> AppController:
        made = open_window(qtbot, tmp_path / "library")
        fill(qtbot, made, tmp_path / "papers", question="Where did the heron fly?")
        return made

    def test_every_command_is_found_and_a_new_one_would_be(self, shell: AppController) -> None:
        names = {entry.key for entry in opened(shell).entries}
        assert {f"command:{one.name}" for one in COMMANDS} - names == {"command:palette"}

    def test_commands_documents_sessions_settings_and_agents_are_found(
        self, shell: AppController, qtbot: QtBot
    ) -> None:
        palette = opened(shell)
        for typed, kind, text in (
            ("nn", PaletteEntryKind.COMMAND, "New note…"),
            ("heron rep", PaletteEntryKind.DOCUMENT, "heron report.md: The heron"),
            ("合同", PaletteEntryKind.DOCUMENT, "采购合同.md"),
            ("where did", PaletteEntryKind.SESSION, "Where did the heron fly?"),
            ("chunk size", PaletteEntryKind.SETTING, "Passage size"),
            ("ask default", PaletteEntryKind.AGENT, "Ask default"),
        ):
            field(palette).setText(typed)
            field(palette).textEdited.emit(typed)
            qtbot.waitUntil(lambda kind=kind: any(one.kind is kind for one in palette.entries), timeout=5000)
            assert next(one for one in palette.entries if one.kind is kind).text.startswith(text)

    @pytest.fixture
    def chinese(self, shell: AppController) -> Iterator[None]:
        speak(Catalogue("zh_CN", {("New note…", ""): "新建笔记…"}))
        shell.window.actions_by_name["new_note"].setText(command("new_note").title)
        yield
        speak(None)

    @pytest.mark.usefixtures("chinese")
    def test_in_another_language_a_command_is_found_by_its_english_name_too(
        self, shell: AppController, qtbot: QtBot
    ) -> None:
        palette = opened(shell)
        qtbot.keyClicks(field(palette), "new note")
        assert palette.entries[0].text == "新建笔记…"

    def test_keyboard_alone_chooses_and_what_was_used_comes_first_next_time(
        self, shell: AppController, qtbot: QtBot
    ) -> None:
        palette = opened(shell)
        qtbot.keyClicks(field(palette), "new sess")
        qtbot.keyClick(field(palette), Qt.Key.Key_Return)
        assert not palette.isVisible()
        assert shell.sessions.current is None
        qtbot.keyClick(shell.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
        assert palette.entries[0].key == "command:new_session"

    def test_a_document_that_is_chosen_is_shown(self, shell: AppController, qtbot: QtBot) -> None:
        palette = opened(shell)
        qtbot.keyClicks(field(palette), "heron report")
        qtbot.waitUntil(lambda: palette.chosen is not None and palette.chosen.kind is PaletteEntryKind.DOCUMENT)
        qtbot.keyClick(field(palette), Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: shell.inspector.title == "heron report.md")
        assert [one.name for one in shell.library_pane.selected()] == ["heron report.md"]

    def test_esc_gives_the_keyboard_back_to_where_it_was(self, shell: AppController, qtbot: QtBot) -> None:
        shell.library_pane.focus()
        before = QApplication.focusWidget()
        palette = opened(shell)
        assert QApplication.focusWidget() is field(palette)
        qtbot.keyClick(field(palette), Qt.Key.Key_Escape)
        assert QApplication.focusWidget() is before

    def test_rows_go_round_with_the_arrows(self, shell: AppController, qtbot: QtBot) -> None:
        palette = opened(shell)
        qtbot.keyClick(field(palette), Qt.Key.Key_Up)
        assert palette.chosen is palette.entries[-1]
        qtbot.keyClick(field(palette), Qt.Key.Key_Down)
        assert palette.chosen is palette.entries[0]


def opened(shell: AppController) -> CommandPalette:
    shell.window.actions_by_name["palette"].trigger()
    (palette,) = shell.window.findChildren(CommandPalette)
    assert isinstance(palette, CommandPalette)
    return palette


def field(palette: CommandPalette) -> QLineEdit:
    found = palette.findChild(QLineEdit)
    assert isinstance(found, QLineEdit)
    return found


@pytest.mark.parametrize(
    ("typed", "name", "marked"),
    [
        ("nn", "New note…", ["N", "n"]),
        ("set", "Settings…", ["Set"]),
        ("note new", "New note…", ["New", "note"]),
        ("合同", "采购合同.md", ["合同"]),
        ("gtl", "Go to the library", ["G", "t", "l"]),
        ("gttl", "Go to the library", ["G", "t", "t", "l"]),
        ("stgs", "Settings…", ["S", "t", "gs"]),
    ],
)
def test_a_few_letters_find_a_name(typed: str, name: str, marked: list[str] | None) -> None:
    found = match(typed, name)
    assert (found and [name[start:end] for start, end in found.spans]) == marked


def test_beginnings_come_before_parts_and_those_before_scattered_letters() -> None:
    scores = [match("note", name) for name in ("Note", "Notes of May", "New note", "Annotate", "Neat old tree")]
    found = [one.score for one in scores if one is not None]
    assert found == sorted(found, reverse=True)
    assert len(found) == 4


def test_every_word_has_to_be_found() -> None:
    assert match("new harbour", "New note") is None
    assert match("new setting", "New note", "setting") is not None


def test_names_that_begin_with_what_is_typed_come_first() -> None:
    names = {1: "annual report 2020", 2: "report", 3: "the report", 4: "unreported"}
    assert best_names(names, "report") == [2, 3, 1, 4]


def test_a_hundred_thousand_names_are_looked_through_at_once() -> None:
    names = {number: f"report {number} of the harbour.pdf\nsurvey" for number in range(100_000)}
    began = time.process_time()
    assert best_names(names, "99999 harbour") == [99_999]
    assert len(best_names(names, "r")) == 12
    assert time.process_time() - began < 0.5


def test_the_accessible_text_of_an_entry_contains_title_kind_location_and_shortcut() -> None:
    assert (
        PaletteEntry(PaletteEntryKind.COMMAND, "k", "New note…", list, "File", "Ctrl+N").spoken
        == "New note…, Command, File, Ctrl+N"
    )
