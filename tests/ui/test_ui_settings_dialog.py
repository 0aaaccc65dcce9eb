"""Settings dialog: search in it, resets and their undo, and documents that do not follow a change yet."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QListWidget, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.language import Catalogue, speak
from workbench.model.knowledge_base import KnowledgeBase
from workbench.model.profile import OFFLINE, ModelProfile
from workbench.settings import DECLARATIONS, Settings
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.settings_dialog import SettingsDialog
from workbench.ui.settings.settings_pages import SettingRow, choice_words, help_words
from workbench.ui.theme import Theme

LIBRARY: Any = object()


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> SettingsPresenter:
    fake_operations(monkeypatch)
    made = SettingsPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(LIBRARY)
    return made


@pytest.fixture
def dialog(presenter: SettingsPresenter, qtbot: QtBot) -> SettingsDialog:
    made = SettingsDialog(presenter, Theme(choice="light"))
    qtbot.addWidget(made)
    made.show()
    made.fill()
    return made


@pytest.fixture
def in_chinese() -> Iterator[None]:
    speak(Catalogue("zh_CN", {("Passage size", ""): "段落大小", ("Automatic", ""): "自动"}))
    yield
    speak(None)


def test_large_text_fits_into_the_fields(dialog: SettingsDialog) -> None:
    usual, language = 276, row(dialog, "language").findChild(QComboBox)
    assert language is not None
    assert language.width() == usual
    dialog._theme.size_text(200)
    assert language.width() > usual
    assert language.width() >= language.fontMetrics().horizontalAdvance(language.currentText())
    dialog._theme.size_text(100)  # the font is that of the application


def search(dialog: SettingsDialog, text: str) -> None:
    field = next(one for one in dialog.findChildren(QLineEdit) if one.accessibleName() == "Search settings")
    field.setText(text)


def pages(dialog: SettingsDialog) -> QListWidget:
    return next(one for one in dialog.findChildren(QListWidget) if one.accessibleName() == "Pages of the settings")


def row(dialog: SettingsDialog, key: str) -> SettingRow:
    return next(one for one in dialog.findChildren(SettingRow) if one.key == key)


def pressed(widget: QWidget, text: str) -> None:
    next(one for one in widget.findChildren(QPushButton) if one.text() == text and one.isVisible()).click()


def shown(presenter: SettingsPresenter, **values: Any) -> None:
    presenter._on_settings(replace(Settings(), **values))


def test_a_setting_is_found_by_title_explanation_choice_and_page(dialog: SettingsDialog) -> None:
    for typed, key in (
        ("chunk size", "chunk_tokens"),
        ("SIZE chunk", "chunk_tokens"),  # in any order and case
        ("repeats from the previous one", "chunk_overlap"),  # in its explanation
        ("Brave", "web_search_format"),  # a choice
        ("rerank_patience", "rerank_patience"),  # its name on the command line
        ("memory days", "memory_days"),  # the page's name and its own
    ):
        search(dialog, typed)
        assert key in dialog.found, typed
        assert row(dialog, key).isVisible(), typed
        assert not row(dialog, "text_percent").isVisible(), typed


def test_matching_words_are_highlighted_where_they_occur(dialog: SettingsDialog) -> None:
    search(dialog, "overlap")
    texts = [label.text() for label in row(dialog, "chunk_overlap").findChildren(QLabel)]
    assert any("<span" in text and ">overlap</span>" in text for text in texts)
    search(dialog, "")
    assert not any("<span" in one.text() for one in dialog.findChildren(QLabel))


@pytest.mark.usefixtures("in_chinese")
@pytest.mark.parametrize("typed", ["段落大小", "chunk size"])
def test_a_setting_is_found_in_the_windows_language_and_in_english(
    presenter: SettingsPresenter, qtbot: QtBot, typed: str
) -> None:
    dialog = SettingsDialog(presenter, Theme(choice="light"))
    qtbot.addWidget(dialog)
    search(dialog, typed)
    assert "chunk_tokens" in dialog.found


def test_pages_show_their_number_of_matches_and_pages_without_matches_are_disabled(dialog: SettingsDialog) -> None:
    search(dialog, "Brave")
    texts = {pages(dialog).item(place).text() for place in range(pages(dialog).count())}
    assert "Tools  2" in texts
    (files,) = pages(dialog).findItems("Files", Qt.MatchFlag.MatchExactly)
    assert not files.flags() & Qt.ItemFlag.ItemIsEnabled
    assert pages(dialog).currentItem().text() == "Tools  2"


def texts_on_show(dialog: SettingsDialog) -> str:
    return "\n".join(one.text() for one in dialog.findChildren(QLabel) if one.isVisible())


def test_a_search_without_matches_says_so_and_what_to_do_next(dialog: SettingsDialog) -> None:
    search(dialog, "xyzzy")
    assert dialog.found == ()
    assert "No setting matches “xyzzy”." in texts_on_show(dialog)
    assert "“Commands and documents” (Ctrl+K)" in texts_on_show(dialog)
    dialog.findChild(QCheckBox).setChecked(True)
    assert "No changed setting matches “xyzzy”." in texts_on_show(dialog)
    search(dialog, "")
    assert "All settings have their default values." in texts_on_show(dialog)


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("backup", "“Check the library”"),
        ("export folder", "“Export” (Ctrl+Shift+E)"),
        ("导出文件夹", "“Export” (Ctrl+Shift+E)"),
        ("export", "“Export” (Ctrl+Shift+E)"),  # also found: the language of exported files
        ("system prompt", "“Agents” (Ctrl+Shift+A)"),
        ("快捷键", "“Keyboard shortcuts” (F1)"),
        ("clear history", "“Go to the sessions” (Ctrl+5)"),
        ("autosave", "Everything is saved at once"),
    ],
)
def test_what_is_no_setting_is_found_where_it_is(dialog: SettingsDialog, typed: str, command: str) -> None:
    search(dialog, typed)
    assert command in texts_on_show(dialog)
    search(dialog, "folder")
    assert command not in texts_on_show(dialog)


def test_a_word_is_found_at_the_beginning_of_words_and_within_them_only_if_nothing_else_is(
    dialog: SettingsDialog,
) -> None:
    search(dialog, "ram")
    assert set(dialog.found) == {"parser_megabytes", "plugin_megabytes"}  # not "program"
    search(dialog, "bsite")
    assert "fetch_seconds" in dialog.found  # "website"


def test_a_search_leads_to_the_best_page_whatever_page_is_on_show(dialog: SettingsDialog) -> None:
    search(dialog, "huggingface")
    pages(dialog).setCurrentRow(
        next(n for n in range(pages(dialog).count()) if "Network" in pages(dialog).item(n).text())
    )
    search(dialog, "model")
    assert pages(dialog).currentItem().text() == "Models"


def test_sampling_is_explained_on_the_page_of_the_models_while_it_is_looked_for(dialog: SettingsDialog) -> None:
    search(dialog, "sampling")
    assert "other <span" in texts_on_show(dialog)
    assert "options are set on the server." in texts_on_show(dialog)
    search(dialog, "ollama")
    assert "options are set on the server." not in texts_on_show(dialog)


def test_cards_are_found_too(dialog: SettingsDialog) -> None:
    search(dialog, "model context protocol")
    assert pages(dialog).currentItem().text() == "Tools"
    search(dialog, "ollama")
    assert pages(dialog).currentItem().text() == "Models"


WORDS_OF_PEOPLE = (
    ("font", "Window", "text_percent"),
    ("字号", "Window", "text_percent"),
    ("dark", "Window", "theme"),
    ("深色", "Window", "theme"),
    ("language", "Window", "language"),
    ("语言", "Window", "language"),
    ("timeout", "Answers", "run_seconds"),
    ("超时", "Answers", "run_seconds"),
    ("GPU", "Indexing", "embedding_backend"),
    ("显卡", "Indexing", "embedding_backend"),
    ("proxy", "Network", "offline_mode"),
    ("代理", "Network", "offline_mode"),
    ("scan", "Scans and tables", "ocr"),
    ("chatgpt", "Models", None),
    ("ollama", "Models", None),
    ("api key", "Models", None),
    ("密钥", "Models", None),
    ("password", "Models", None),
    ("密码", "Models", None),
    ("temperature", "Models", None),
    ("温度", "Models", None),
    ("top p", "Models", None),
    ("采样", "Models", None),
    ("top k", "Answers", "search_results"),
    ("number of results", "Answers", "search_results"),
    ("threads", "Answers", "reading_calls"),
    ("线程", "Answers", "reading_calls"),
    ("context length", "Answers", "context_tokens"),
    ("上下文窗口", "Answers", "context_tokens"),
    ("table", "Scans and tables", "layout_model"),
    ("file size", "Files", "parser_megabytes"),
    ("大小限制", "Files", "parser_megabytes"),
    ("夜间模式", "Window", "theme"),
    ("声音", "Window", "notifications"),
    ("hybrid", "Search", None),
    ("相似度", "Search", None),
    ("embedding", "Indexing", "embedder"),
    ("web search", "Tools", "web_search_url"),
)


def test_the_words_that_people_use_find_a_setting_in_english_and_chinese(dialog: SettingsDialog) -> None:
    for typed, page, key in WORDS_OF_PEOPLE:
        search(dialog, "")
        search(dialog, typed)
        assert pages(dialog).currentItem().text().rstrip(" 0123456789") == page, typed
        assert key is None or key in dialog.found, typed


def test_the_first_page_has_the_settings_that_matter_and_each_is_found_on_the_page_of_its_topic(
    dialog: SettingsDialog, presenter: SettingsPresenter, bridge: FakeBridge
) -> None:
    assert pages(dialog).currentItem().text() == "Basic"
    rows = [one.key for one in dialog.findChildren(SettingRow) if one.isVisible()]
    assert rows == ["profile", "language", "theme", "text_percent", "offline_mode", "ocr", "check_answers", "memory"]
    search(dialog, "size of all text")
    assert dialog.found == ("text_percent",)
    assert pages(dialog).currentItem().text() == "Window  1"


def test_the_model_that_answers_is_chosen_on_the_first_page(
    dialog: SettingsDialog, presenter: SettingsPresenter, bridge: FakeBridge
) -> None:
    presenter._on_profiles([OFFLINE, ModelProfile("ollama", "http://127.0.0.1:11434/v1", "llama3.2")])
    (field,) = row(dialog, "profile").findChildren(QComboBox)
    assert [field.itemText(place) for place in range(field.count())] == [
        *("Quotes only, no model", "ollama"),
        *("", "Add a model…"),
    ]
    field.activated.emit(1)
    assert bridge.last("put_setting").args == ("profile", "ollama")
    field.activated.emit(3)
    assert pages(dialog).currentItem().text() == "Models"
    assert field.currentText() == "Quotes only, no model"


def test_each_page_shows_whether_its_settings_belong_to_the_user_or_the_library(dialog: SettingsDialog) -> None:
    def is_said(words: str) -> bool:
        return any(words in one.text() for one in dialog.findChildren(QLabel) if one.isVisible())

    assert is_said("Language, appearance and text size are yours")
    dialog.show_setting("theme")
    assert is_said("These settings are yours and apply in every library.")
    dialog.show_setting("rounds")
    assert is_said("These settings apply to this library.")


def test_enter_goes_from_one_found_setting_to_the_next(dialog: SettingsDialog, qtbot: QtBot) -> None:
    search(dialog, "weather server")
    field = next(one for one in dialog.findChildren(QLineEdit) if one.accessibleName() == "Search settings")
    dialog.activateWindow()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert row(dialog, "weather_url").isVisible()


def test_only_what_was_changed_can_be_shown(dialog: SettingsDialog, presenter: SettingsPresenter) -> None:
    shown(presenter, rounds=5, text_percent=120)
    next(one for one in dialog.findChildren(QCheckBox) if one.text() == "Only changed settings").click()
    assert dialog.found == ("rounds", "text_percent")


def test_a_setting_is_reset_and_the_reset_undone(
    dialog: SettingsDialog, presenter: SettingsPresenter, bridge: FakeBridge
) -> None:
    shown(presenter, rounds=5)
    presenter.reset(["rounds"])
    bridge.last("reset_setting").succeed(Settings())
    assert "“Rounds per answer” was reset." in [one.text() for one in dialog.findChildren(QLabel)]
    pressed(dialog, "Undo")
    assert bridge.last("put_setting").args == ("rounds", 5)


def test_a_page_is_reset_as_a_whole(dialog: SettingsDialog, presenter: SettingsPresenter, bridge: FakeBridge) -> None:
    shown(presenter, rounds=5, run_seconds=60, text_percent=120)
    dialog.show_setting("rounds")
    pressed(dialog, "Reset this page")
    jobs = [job for job in bridge.jobs if job.name == "reset_setting"]
    assert [job.args for job in jobs] == [("rounds",), ("run_seconds",)]
    for job in jobs:
        job.succeed(replace(Settings(), text_percent=120))
    pressed(dialog, "Undo")
    assert [job.args for job in bridge.jobs if job.name == "put_setting"] == [("rounds", 5), ("run_seconds", 60)]


def test_the_number_of_documents_with_outdated_settings_is_shown_and_they_can_be_reindexed(
    dialog: SettingsDialog, presenter: SettingsPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    shown(presenter)
    shown(presenter, chunk_tokens=150)
    bridge.last("describe_knowledge_bases").succeed([KnowledgeBase("default", 3), KnowledgeBase("law", 4)])
    assert any("7 documents use earlier settings" in one.text() for one in dialog.findChildren(QLabel))
    pressed(dialog, "Re-index now")
    with qtbot.waitSignal(presenter.outdated.reindex_asked):
        bridge.last("list_documents").succeed([])


def test_a_change_that_is_taken_back_asks_for_nothing(presenter: SettingsPresenter, bridge: FakeBridge) -> None:
    told: list[int] = []
    presenter.outdated.found.connect(told.append)
    shown(presenter)
    shown(presenter, rounds=5)
    assert not bridge.has("describe_knowledge_bases")
    shown(presenter, ocr="off")
    bridge.last("describe_knowledge_bases").succeed([KnowledgeBase("default", 3)])
    shown(presenter)
    assert told[-2:] == [3, 0]


def test_every_choice_has_a_readable_label_also_in_its_help_text() -> None:
    for declared in DECLARATIONS:
        raw = [one for one in declared.choices if choice_words(declared.key, one) == one]
        assert raw == [], declared.key
        assert not any(f"“{one}”" in help_words(declared) for one in declared.choices), declared.key


def test_numeric_settings_show_their_unit(dialog: SettingsDialog) -> None:
    (field,) = row(dialog, "parser_megabytes").findChildren(QSpinBox)
    assert field.text() == "2,048 MB"


def test_every_control_has_a_name(dialog: SettingsDialog) -> None:
    assert nameless(dialog) == []


def test_every_choice_is_shown_whole(dialog: SettingsDialog) -> None:
    for one in dialog.findChildren(SettingRow):
        for field in one.findChildren(QComboBox):
            longest = max(field.fontMetrics().horizontalAdvance(field.itemText(n)) for n in range(field.count()))
            assert longest + 50 <= field.width(), one.key  # with the arrow and the margins
