"""Knowledge bases, details, tags and moves in the window: dialogs, and the presenter behind them."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.model.custom_metadata import checked_metadata
from workbench.model.document import Document, DocumentStatus, Metadata
from workbench.model.knowledge_base import KnowledgeBasesChanged, RefusedDocument, RemovedBase, Transfer
from workbench.operations.documents.metadata_edits import MetadataEdit
from workbench.ui.library.catalogue_dialogs import MoveDialog, TagsDialog
from workbench.ui.library.filter_query import Query
from workbench.ui.library.metadata_dialogs import DetailsDialog, MetadataDialog
from workbench.ui.library.pane import LibraryPane
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.theme import Theme

LIBRARY: Any = object()


def document(number: int = 1, **changes: Any) -> Document:
    fields: dict[str, Any] = {
        "id": number,
        "knowledge_base": "default",
        "path": f"/docs/{number}.pdf",
        "name": f"{number}.pdf",
        "sha256": "ab" * 32,
        "size": 12_345,
        "format": "pdf",
        "status": DocumentStatus.READY,
        "metadata": Metadata("Tides", author="Ada", keywords=("sea", "moon")),
        "pages": 3,
        "chunks": 7,
        "embedded": 7,
    }
    return Document(**{**fields, **changes})


class Saved(list[Any]):
    """Recorder of what a dialog saves."""

    def __call__(self, *values: Any) -> None:
        self.append(values)


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> LibraryPresenter:
    fake_operations(monkeypatch)
    made = LibraryPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(LIBRARY)
    bridge.last("list_documents").succeed([document(1), document(2, knowledge_base="work")])
    bridge.last("list_knowledge_bases").succeed(["default", "work"])
    return made


@pytest.fixture
def pane(presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot) -> LibraryPane:
    made = LibraryPane(presenter, Theme())
    made.prepare()
    qtbot.addWidget(made)
    made.show()
    bridge.domain_event.emit(KnowledgeBasesChanged(("default", "work")))
    return made


def test_the_details_dialog_saves_only_changed_values(qtbot: QtBot) -> None:
    saved = Saved()
    dialog = DetailsDialog(document(tags=("law",)), Theme(), saved)
    qtbot.addWidget(dialog)
    dialog._fields["title"].setText("Tides of the North Sea")
    dialog._tags.setText("urgent")
    dialog.accept()
    assert saved == [({"title": "Tides of the North Sea"}, ("urgent",), ("law",), {})]
    assert nameless(dialog) == []


def test_the_details_dialog_saves_which_metadata_were_added_changed_and_removed(qtbot: QtBot) -> None:
    saved = Saved()
    held = checked_metadata({"dept": "hr", "due": "2025-06", "team": ["a", "b"]})
    dialog = DetailsDialog(document(stored_custom=held), Theme(), saved)
    qtbot.addWidget(dialog)
    assert dialog._metadata.toPlainText() == "dept = hr\ndue = 2025-06\nteam = a; b"
    dialog._metadata.setPlainText("team = a; b\nDept = it\nbudget = 120")
    dialog.accept()
    assert saved == [({}, (), (), {"dept": "it", "due": None, "budget": "120"})]
    assert nameless(dialog) == []


def test_metadata_in_which_documents_differ_stay_unless_the_line_is_changed(qtbot: QtBot) -> None:
    saved = Saved()
    several = [document(1, stored_custom=checked_metadata({"dept": "hr", "due": "2025"})), document(2)]
    dialog = MetadataDialog("Metadata of 2 documents", [one.custom for one in several], Theme(), saved)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog._box.setPlainText("author = me")
    dialog.accept()
    assert (saved, dialog.isVisible()) == ([], True)
    assert "“author”" in dialog._banner.text
    layout = dialog.layout()
    assert layout is not None
    assert dialog.height() >= layout.totalHeightForWidth(dialog.width())
    dialog._box.setPlainText("due = (different values)\nsite = north")
    dialog.accept()
    assert saved == [({"dept": None, "site": "north"},)]


def test_metadata_of_selected_documents_are_given_and_taken_back(
    pane: LibraryPane, bridge: FakeBridge, qtbot: QtBot
) -> None:
    catalogue = pane._presenter.catalogue
    with qtbot.waitSignal(catalogue.notified) as said:
        catalogue.give([document(1), document(2)], {"dept": "hr"})
        assert bridge.last("give_metadata").args == ([1, 2], {"dept": "hr"})
        bridge.last("give_metadata").succeed({1: (), 2: ()})
    assert said.args == ["Changed the metadata of 2 documents", True]
    catalogue.undo()
    assert bridge.last("put_metadata").args == ({1: (), 2: ()},)


@pytest.mark.parametrize("text", ["dept:h", "dept:hr", "dept=HR", "budget>=100", "-dept:it", "dept:*r* due<2025-07"])
def test_the_list_is_filtered_by_own_metadata_as_searches_are(text: str) -> None:
    held = checked_metadata({"dept": "hr", "budget": 120, "due": "2025-06-01"})
    rows = {1: document(1, stored_custom=held), 2: document(2, stored_custom=checked_metadata({"dept": "it"}))}
    assert list(Query.of(text).chosen([1, 2], rows, {1: "", 2: ""}).named) == [1]


def test_the_details_dialog_rejects_an_invalid_date_and_stays_open(qtbot: QtBot) -> None:
    saved = Saved()
    dialog = DetailsDialog(document(), Theme(), saved)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog._fields["created"].setText("last May")
    dialog.accept()
    assert (saved, dialog.isVisible()) == ([], True)
    assert "is not a date" in dialog._banner.text


def test_tags_that_only_some_have_stay_as_they_are_unless_touched(qtbot: QtBot) -> None:
    saved = Saved()
    dialog = TagsDialog([document(1, tags=("law", "old")), document(2, tags=("law",))], Theme(), saved)
    qtbot.addWidget(dialog)
    dialog.offer([("law", 2), ("sea", 9)])
    items = {dialog._list.item(row).text(): dialog._list.item(row) for row in range(dialog._list.count())}
    assert items["old"].checkState() is Qt.CheckState.PartiallyChecked
    items["law"].setCheckState(Qt.CheckState.Unchecked)
    items["sea"].setCheckState(Qt.CheckState.Checked)
    dialog._new.setText("new, , two words")
    dialog.accept()
    assert saved == [(("sea", "new", "two words"), ("law",))]
    assert nameless(dialog) == []


def test_a_name_that_is_typed_makes_a_new_knowledge_base(qtbot: QtBot) -> None:
    saved = Saved()
    dialog = MoveDialog([document()], ["default", "work"], saved)
    qtbot.addWidget(dialog)
    assert dialog._box.count() == 1
    dialog._box.setEditText("taxes")
    dialog._copy.setChecked(True)
    assert dialog._note.text() == "“taxes” will be created."
    dialog.accept()
    assert saved == [("taxes", True, True)]
    assert nameless(dialog) == []


def test_a_new_knowledge_base_is_made_before_the_documents_go_there(
    presenter: LibraryPresenter, bridge: FakeBridge
) -> None:
    presenter.catalogue.move([document(1)], "taxes", copy=False, new=True)
    bridge.last("add_knowledge_base").succeed("taxes")
    move = bridge.last("move_documents")
    assert (move.args, move.kwargs) == (((1,), "taxes"), {"copy": False})


def test_a_document_that_was_not_moved_is_reported_with_its_reason(
    presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    presenter.catalogue.move([document(1), document(2)], "work", copy=False, new=False)
    refusal = RefusedDocument(2, "2.pdf", "It is in “work” already.")
    with qtbot.waitSignal(presenter.notified) as said:
        bridge.last("move_documents").succeed(Transfer("work", (1,), (refusal,), ("default",)))
    assert said.args == ["Moved 1 document to “work”. “2.pdf” was not moved: It is in “work” already.", True]


def test_a_move_is_taken_back_from_the_toast(presenter: LibraryPresenter, bridge: FakeBridge) -> None:
    presenter.catalogue.move([document(1)], "work", copy=False, new=False)
    moved = Transfer("work", (1,), (), ("default",))
    bridge.last("move_documents").succeed(moved)
    presenter.undo_remove()
    assert bridge.last("move_back").args == (moved,)


def test_several_documents_that_were_not_moved_are_reported_with_one_of_their_reasons(
    presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    presenter.catalogue.move([document(1), document(2)], "work", copy=False, new=False)
    refusals = (
        RefusedDocument(1, "1.pdf", "It is in “work” already."),
        RefusedDocument(2, "2.pdf", "It is elsewhere."),
    )
    with qtbot.waitSignal(presenter.notified) as said:
        bridge.last("move_documents").succeed(Transfer("work", (), refusals))
    assert said.args == ["2 were not moved, such as “1.pdf”: It is in “work” already.", False]


def test_a_removed_knowledge_base_can_be_brought_back_from_the_toast(
    presenter: LibraryPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    presenter.catalogue.remove_base("work")
    removed = RemovedBase(2, "work", (2,))
    with qtbot.waitSignal(presenter.notified) as said:
        bridge.last("remove_knowledge_base").succeed(removed)
    assert said.args == ["Removed “work” with 1 document", True]
    presenter.undo_remove()
    assert bridge.last("restore_knowledge_base").args == (removed,)


def test_one_undo_takes_back_fields_tags_and_metadata_that_were_saved_together(
    presenter: LibraryPresenter, bridge: FakeBridge
) -> None:
    before = document(1)
    presenter.catalogue.change(before, {"title": "New"}, ("law",), (), {"dept": "hr"})
    bridge.last("tag_documents").succeed({1: ()})
    bridge.last("give_metadata").succeed({1: ()})
    bridge.last("edit_metadata").succeed(MetadataEdit(before, before))
    presenter.undo_remove()
    assert bridge.last("put_tags").args == ({1: ()},)
    assert bridge.last("put_metadata").args == ({1: ()},)
    assert bridge.last("undo_edit").args == (before,)


def test_choosing_a_knowledge_base_lists_its_documents_emits_a_signal_and_allows_its_removal(
    presenter: LibraryPresenter, pane: LibraryPane, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(presenter.knowledge_base_changed) as changed:
        pane._bases.activated.emit(2)
    assert changed.args == ["work"]
    assert presenter.model.rowCount() == 1
    assert pane._options._remove.isEnabled()


@pytest.mark.parametrize(("remembered", "chosen"), [("work", "work"), ("gone", ""), ("", "")])
def test_the_knowledge_base_of_the_last_time_is_chosen_if_it_is_still_there(
    presenter: LibraryPresenter, bridge: FakeBridge, remembered: str, chosen: str
) -> None:
    presenter.set_library(LIBRARY)
    presenter.remembered_base = remembered
    bridge.last("list_knowledge_bases").succeed(["default", "work"])
    assert presenter.knowledge_base == chosen
    presenter.choose_knowledge_base("")
    bridge.domain_event.emit(KnowledgeBasesChanged(("default", "work")))
    assert presenter.knowledge_base == ""


def test_the_default_knowledge_base_cannot_be_removed(presenter: LibraryPresenter, pane: LibraryPane) -> None:
    presenter.choose_knowledge_base("default")
    assert not pane._options._remove.isEnabled()


def test_removing_the_chosen_knowledge_base_switches_to_all_knowledge_bases(
    presenter: LibraryPresenter, pane: LibraryPane, bridge: FakeBridge
) -> None:
    presenter.choose_knowledge_base("work")
    bridge.domain_event.emit(KnowledgeBasesChanged(("default",)))
    assert presenter.knowledge_base == ""
    assert presenter.model.rowCount() == 2


def test_an_empty_knowledge_base_shows_how_to_add_files(
    presenter: LibraryPresenter, pane: LibraryPane, bridge: FakeBridge
) -> None:
    bridge.domain_event.emit(KnowledgeBasesChanged(("default", "work", "taxes")))
    presenter.choose_knowledge_base("taxes")
    assert pane._nothing.isVisible()
    assert pane._nothing.text() == "“taxes” is empty. Drop files here to add them."
