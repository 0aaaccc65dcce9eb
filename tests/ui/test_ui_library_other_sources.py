"""Links, queries and notes in the window, against a fake of the operations."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.model.document import Document, DocumentStatus, Metadata, Origin
from workbench.ui.library.add_dialogs import AddLinkDialog, NoteDialog
from workbench.ui.library.drop_overlay import DropOverlay
from workbench.ui.library.other_sources import AddQueryDialog, TypedLines, is_link, pasted_links, typed_lines
from workbench.ui.library.pane import LibraryPane
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.theme import Theme


def document(number: int, origin: Origin, status: DocumentStatus = DocumentStatus.READY) -> Document:
    path = {Origin.URL: "https://example.org/a", Origin.NOTE: "note:a", Origin.QUERY: "shop.db · SELECT 1"}.get(
        origin, "/a"
    )
    return Document(number, "default", path, f"paper {number}", "", 1, "x", status, Metadata("x"), origin=origin)


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def pane(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> Iterator[LibraryPane]:
    fake_operations(monkeypatch)
    pane = LibraryPane(LibraryPresenter(bridge, None), Theme())  # type: ignore[arg-type]
    pane.prepare()
    pane._presenter.set_library(object())  # type: ignore[arg-type]
    qtbot.addWidget(pane)
    QGuiApplication.clipboard().clear()
    yield pane
    QGuiApplication.clipboard().clear()


@pytest.mark.parametrize(
    "word", ["https://example.org/a?b", "example.org", "http://localhost:80/x", "例え.jp/ä", "a.b-c.org:8080/x"]
)
def test_a_word_that_can_be_a_link_is_recognised(word: str) -> None:
    assert is_link(word)


@pytest.mark.parametrize("word", ["hello", "a@b.org", "/home/me/a.txt", "file:///etc/passwd", "3.", "user:pw@host.org"])
def test_a_word_that_is_not_a_link_is_rejected(word: str) -> None:
    assert not is_link(word)


def test_a_pasted_text_is_links_only_if_it_is_nothing_else() -> None:
    assert pasted_links("https://a.org/x\n\n https://b.org https://a.org/x") == ["https://a.org/x", "https://b.org"]
    assert pasted_links("See https://a.org") == pasted_links("readme.md") == pasted_links("") == []


def _typed(dialog: QWidget, name: str, text: str) -> None:
    field = next(one for one in dialog.findChildren(QWidget) if one.accessibleName() == name)
    field.setPlainText(text) if isinstance(field, QPlainTextEdit) else field.setText(text)  # type: ignore[attr-defined]


def _button(dialog: QWidget, text: str) -> QPushButton:
    return next(one for one in dialog.findChildren(QPushButton) if one.text() == text)


def test_e7_several_lines_of_links_are_added_at_once(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane.sources.ask_for_links()
    [dialog] = pane.findChildren(AddLinkDialog)
    assert not _button(dialog, "Add").isEnabled()
    _typed(dialog, "Links, one per line", "https://a.org\nb.org/x\nhttps://a.org\n")
    _button(dialog, "Add").click()
    job = bridge.last("add_urls")
    assert job.args == (["https://a.org", "b.org/x"],)
    assert job.kwargs == {"knowledge_base": "default", "run_scripts": False}
    assert not dialog.isVisible()


def test_e7_a_line_that_is_not_a_link_is_reported_before_it_is_fetched(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane.sources.ask_for_links()
    [dialog] = pane.findChildren(AddLinkDialog)
    _typed(dialog, "Links, one per line", "https://a.org\nnonsense")
    assert not _button(dialog, "Add").isEnabled()
    assert dialog._said.text() == "“nonsense” is not a link."


def test_b7_a_line_that_is_not_a_link_is_looked_up_only_with_the_consent_of_the_user(
    pane: LibraryPane, bridge: FakeBridge
) -> None:
    pane.sources.ask_for_links()
    [dialog] = pane.findChildren(AddLinkDialog)
    _typed(dialog, "Links, one per line", "https://a.org\nSea  ice of R&D\n海冰\nSea ice of R&D")
    offer = dialog._looks_up
    assert not offer.isVisible()
    bridge.last("topic_host").succeed("en.wikipedia.org")
    assert offer.isVisible()
    assert offer.text() == "Look up “Sea ice of R&&D” and 1 more in Wikipedia (en.wikipedia.org)"
    assert not _button(dialog, "Add").isEnabled()
    offer.setChecked(True)
    assert (dialog._said.text(), _button(dialog, "Add").isEnabled()) == ("1 link, 2 topics", True)
    _button(dialog, "Add").click()
    assert bridge.last("add_urls").args == (["https://a.org"],)
    assert bridge.last("add_topics").args == (["Sea ice of R&D", "海冰"],)
    assert bridge.last("add_topics").kwargs == {"knowledge_base": "default"}


def test_the_consent_to_look_up_is_asked_for_each_time_and_names_the_server(
    pane: LibraryPane, bridge: FakeBridge
) -> None:
    pane.sources.ask_for_links()
    [dialog] = pane.findChildren(AddLinkDialog)
    bridge.last("topic_host").succeed("wiki.example.org")
    _typed(dialog, "Links, one per line", "x" * 60)
    assert dialog._looks_up.text() == f"Look up “{'x' * 39}…” at wiki.example.org"
    dialog._looks_up.setChecked(True)
    _button(dialog, "Add").click()
    assert not bridge.has("add_urls")
    pane.sources.ask_for_links()
    _typed(dialog, "Links, one per line", "Sea ice")
    assert not dialog._looks_up.isChecked()
    assert not _button(dialog, "Add").isEnabled()


@pytest.mark.parametrize(
    ("text", "links", "topics", "wrong"),
    [
        ("https://a.org b.org/x", ["https://a.org", "b.org/x"], [], []),
        ("History of Node.js", [], ["History of Node.js"], []),
        ("See https://a.org", ["https://a.org"], [], ["See"]),
        (" \n\t\n", [], [], []),
    ],
)
def test_lines_are_links_or_topics(text: str, links: list[str], topics: list[str], wrong: list[str]) -> None:
    assert typed_lines(text) == TypedLines(links, topics, wrong)


def test_a_copied_link_is_already_filled_in_when_the_dialog_opens(pane: LibraryPane) -> None:
    QGuiApplication.clipboard().setText("https://a.org/copied")
    pane.sources.ask_for_links()
    assert pane.findChildren(AddLinkDialog)[0]._links.toPlainText() == "https://a.org/copied"


def test_e8_a_query_is_added(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane.sources.ask_for_query()
    [dialog] = pane.findChildren(AddQueryDialog)
    _typed(dialog, "Database", "postgresql://me:secret@db/shop")
    _typed(dialog, "Query", "SELECT 1")
    _typed(dialog, "Title", "Orders")
    _button(dialog, "Add").click()
    job = bridge.last("add_query")
    assert job.args == ("postgresql://me:secret@db/shop", "SELECT 1")
    assert job.kwargs == {"title": "Orders", "knowledge_base": "default"}
    assert dialog._database.text() == ""


def test_e8_in_offline_mode_a_query_names_the_server_that_is_asked_and_a_file_needs_none(
    pane: LibraryPane, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(pane.sources), "_is_shut", True)
    pane.sources.ask_for_query()
    [dialog] = pane.findChildren(AddQueryDialog)
    _typed(dialog, "Query", "SELECT 1")
    for database, button, options in (
        ("/data/shop.db", "Add", {}),
        ("postgresql://localhost/shop", "Add", {}),
        ("postgresql://me@db.example.org/shop", "Download from db.example.org", {"allow_hosts": ("db.example.org",)}),
        (
            "postgresql://[2001:db8::1]:6543/x",
            "Download from [2001:db8::1]:6543",
            {"allow_hosts": ("[2001:db8::1]:6543",)},
        ),
    ):
        _typed(dialog, "Database", database)
        assert dialog._box.isVisibleTo(dialog) == bool(options)
        assert dialog.height() >= dialog.layout().totalHeightForWidth(dialog.width())
        _button(dialog, button).click()
        assert bridge.last("add_query").kwargs == {"title": "", "knowledge_base": "default", **options}


def test_b9_a_note_is_written(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane.sources.ask_for_note()
    [dialog] = pane.findChildren(NoteDialog)
    assert not _button(dialog, "Save").isEnabled()
    _typed(dialog, "Text of the note", "Milk and bread")
    _button(dialog, "Save").click()
    assert bridge.last("add_note").args == ("Milk and bread",)


def test_an_existing_note_is_edited(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane.sources.edit_notes([document(7, Origin.NOTE)])
    assert bridge.last("note_text").args == (7,)
    bridge.last("note_text").succeed("Milk\n")
    [dialog] = pane.findChildren(NoteDialog)
    assert (dialog.windowTitle(), dialog._title.text(), dialog._text.toPlainText()) == (
        "Edit note",
        "paper 7",
        "Milk\n",
    )
    _typed(dialog, "Text of the note", "Milk and bread")
    _button(dialog, "Save").click()
    assert bridge.last("edit_note").args == (7, "Milk and bread")


def test_a_note_that_was_not_changed_is_left_alone(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane.sources.edit_notes([document(7, Origin.NOTE)])
    bridge.last("note_text").succeed("Milk\n")
    _button(pane.findChildren(NoteDialog)[0], "Save").click()
    assert not bridge.has("edit_note")


def test_pages_and_queries_are_fetched_again_and_nothing_else(pane: LibraryPane, bridge: FakeBridge) -> None:
    chosen = [document(1, Origin.URL), document(2, Origin.FILE), document(3, Origin.QUERY), document(4, Origin.NOTE)]
    pane._actions.refetch_asked.emit(chosen)
    assert bridge.last("refetch").args == ([1, 3],)


def _data(text: str = "", *urls: str) -> QMimeData:
    data = QMimeData()
    if text:
        data.setText(text)
    if urls:
        data.setUrls([QUrl(url) for url in urls])
    return data


def test_pasted_links_are_added_and_a_pasted_text_becomes_a_note(pane: LibraryPane, bridge: FakeBridge) -> None:
    pane.sources.take(_data("https://a.org/x"))
    assert bridge.last("add_urls").args == (["https://a.org/x"],)
    pane.sources.take(_data("Some words of somebody"))
    assert pane.findChildren(NoteDialog)[0]._text.toPlainText() == "Some words of somebody"


def test_pasted_files_are_added(pane: LibraryPane, bridge: FakeBridge, tmp_path: Path) -> None:
    pane.sources.take(_data("", QUrl.fromLocalFile(str(tmp_path)).toString()))
    assert bridge.jobs[-1].args[0] == [tmp_path]


def test_pasting_nothing_does_nothing(pane: LibraryPane, bridge: FakeBridge) -> None:
    before = len(bridge.jobs)
    pane.sources.take(_data())
    assert len(bridge.jobs) == before


def test_a_link_dropped_on_the_window_is_taken(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    overlay = DropOverlay(Theme(), window)
    links: list[Any] = []
    overlay.links_dropped.connect(links.extend)
    data = _data("", "https://a.org/x", "ftp://a.org/y")
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    window.show()
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(5, 5), *how))
    assert overlay.isVisible()
    QApplication.sendEvent(window, QDropEvent(QPoint(5, 5), *how))
    assert links == ["https://a.org/x"]


def test_the_link_dialog_has_room_for_the_offer_to_look_something_up(qtbot: QtBot) -> None:
    dialog = AddLinkDialog()
    qtbot.addWidget(dialog)
    dialog.show_offline_mode(on=True)
    dialog.begin(["sea ice"])
    dialog.offer_topics("en.wikipedia.org")
    layout = dialog.layout()
    assert layout is not None
    assert dialog.height() >= layout.totalHeightForWidth(dialog.width())


def test_every_control_of_the_dialogs_has_a_name(qtbot: QtBot) -> None:
    for dialog in (AddLinkDialog(), AddQueryDialog(), NoteDialog()):
        qtbot.addWidget(dialog)
        assert nameless(dialog) == []
