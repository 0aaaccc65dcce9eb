"""A library and exports written by the program of September 2026 (commit 0fcd557) open with all their contents.

tests/data/library_0fcd557.tar.xz was made with that program's command line: three files, a note and a linked folder
were added, one file was moved to the knowledge base "Harbour", one was tagged and renamed, one was removed; two
questions were asked; a passage was rewritten, another disabled; a memory, a model profile, an agent and a setting were
stored; the first session was exported as a bundle and as JSON.
"""

import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import workbench

ARCHIVE = Path(__file__).parents[1] / "data" / "library_0fcd557.tar.xz"


@pytest.fixture
def old_files(tmp_path: Path) -> Path:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.fixture
def old(old_files: Path, folder: Path) -> Iterator[workbench.Library]:
    with workbench.open_library(folder) as library:
        yield library


def test_documents_tags_knowledge_bases_and_the_bin_are_there(old: workbench.Library) -> None:
    documents = {document.name: document for document in old.documents()}
    assert sorted(documents) == ["Boat house", "ferry.txt", "forum-minutes.txt", "lighthouse.md", "master.txt"]
    assert documents["ferry.txt"].knowledge_base == "Harbour"
    assert (documents["lighthouse.md"].metadata.title, documents["lighthouse.md"].tags) == (
        "The light of Corran",
        ("light",),
    )
    assert [linked.documents for linked in old.folders.list()] == [1]
    (removed,) = old.bin.list()
    old.bin.restore(removed.document.id)
    assert [hit.text for hit in old.search("Who sold the old crane?", 1)] == [
        "A parcel for the bin: the old crane was sold in 1971."
    ]


def test_stored_answers_keep_their_citations_and_steps(old: workbench.Library) -> None:
    first = min(old.runs.list(), key=lambda run: run.id)
    run = old.runs.open(first.id)
    assert run.question == "Who built the lighthouse of Corran?"
    assert [citation.quote for citation in run.citations] == [
        "The lighthouse of Corran was built in 1884 by Ada Merewake."
    ]
    assert len(run.events) > 5


def test_edits_of_passages_are_in_force_and_can_be_undone(old: workbench.Library) -> None:
    rewritten, disabled = old.chunks(3)[:2]
    assert "13 crowns" in rewritten.text
    assert disabled.disabled
    old.undo_chunk_edit(3)
    old.undo_chunk_edit(3)
    assert [chunk.is_changed for chunk in old.chunks(3)[:2]] == [False, False]
    assert old.chunks(3)[0].text.startswith("VESSMARK HARBOUR USERS' FORUM")


def test_memories_profiles_agents_and_settings_are_there(old: workbench.Library) -> None:
    assert [memory.text for memory in old.memories.list()] == ["I live in Corran."]
    assert [profile.model for profile in old.profiles.list() if profile.name == "local"] == ["llama3.2"]
    assert "Keeper" in [agent.name for agent in old.agents.list()]
    assert old.settings.get("chunk_overlap") == 1


def test_it_answers_from_its_old_documents_and_is_sound(old: workbench.Library) -> None:
    # The question comes first: that program saved an index that still contained a removed passage, which a check before
    # the passages are embedded again reports.
    assert "[1]" in old.ask("When does the ferry to Corran leave?").answer
    assert old.integrity.check().faults == ()


@pytest.mark.parametrize("exported", ["answer.kwbundle", "answer.json"])
def test_an_exported_session_is_imported(old_files: Path, old: workbench.Library, exported: str) -> None:
    imported = old.sessions.import_file(old_files / exported)
    assert imported.info.title == "Who built the lighthouse of Corran?"
    assert old.sessions.open(imported.info.id).runs[0].citations[0].document_name == "lighthouse.md"
