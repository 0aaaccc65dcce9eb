"""Translation is complete: the window in a language of brackets, every dialog opened, every text checked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from every_dialog import every_dialog
from pseudo_language import brackets, untranslated
from pytestqt.qtbot import QtBot
from ui_runs import run, session
from ui_window import fill, open_window

import workbench.app
from workbench.language import speak
from workbench.ui.app_controller import AppController

pytestmark = pytest.mark.usefixtures("warm_readers")


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NAMES = words(
    "Knowledge Workbench English PDF DOCX HTML JSON JSONL CSV YAML Markdown ZIP Word Excel OCR URL API MCP HTTP HTTPS"
    " SQL SQLite PostgreSQL Ollama LM Studio llama cpp vLLM OpenAI Chat Completions Responses Brave Search SearXNG"
    " Tavily Cohere Text Embeddings Inference RapidOCR Tesseract GB eng chi sim pdf BAAI bge nomic embed text"
)
"""Names that are equal in every language."""
KEYS = words("Ctrl Shift Alt Del Esc Tab Home End Enter Space Return PgUp PgDown Page Up Down Menu Ins Backspace")
OF_QT = words("Close Closes Float Undocks and re attaches the dock widget Scroll Left Right")
"""Texts of Qt, which has its own translations."""
SAID_BY_USERS = words(
    "The heron report md papers default docs library How did do Results Sales sales rose in Net Margins held Where fly"
    " Offline quotes only Three documents have no vectors yet system offline https http en wikipedia org wiki Special"
    " go Go search topic api open meteo com geocoding example html SELECT id subject body FROM tickets gemma"
    " postgresql name server database team papers"
)
"""Texts of the documents and questions of these tests, and examples of addresses and queries."""
KNOWN = NAMES | KEYS | OF_QT | SAID_BY_USERS


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppController]:
    monkeypatch.setattr(workbench.app, "install_window_language", lambda _choice: None)
    speak(brackets())
    made = open_window(qtbot, tmp_path / "library")
    fill(qtbot, made, tmp_path / "papers", question="Where did the heron fly?")
    monkeypatch.setattr(made, "folder", Path("library"))
    yield made
    speak(None)


def test_every_text_in_the_window_is_translated(shell: AppController, qtbot: QtBot) -> None:
    shell.chat.open_session(session(run(), run(number=2)))
    shell.inspector.show_run(run())
    for dock in (shell.evaluation, shell.map, shell.exhaustive):
        dock.reveal()
    qtbot.waitUntil(lambda: shell.map.presenter.map is not None, timeout=30_000)
    assert untranslated(shell.window, KNOWN) == []


def test_every_text_in_every_dialog_is_translated(
    shell: AppController, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {type(one).__name__: untranslated(one, KNOWN) for one in every_dialog(shell, qtbot, monkeypatch)}
    assert {name: texts for name, texts in found.items() if texts} == {}
