"""Other operations of the command line than adding and asking, from a script."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import workbench


def names(library: workbench.Library) -> list[str]:
    return [document.name for document in library.documents()]


def test_removed_documents_come_back_from_the_bin(filled: workbench.Library) -> None:
    number = filled.document("Ice").id
    filled.remove("Ice")
    assert names(filled) == ["Ferry"]
    assert [one.document.name for one in filled.bin.list()] == ["Ice"]
    assert filled.bin.restore(number) == [number]
    filled.remove([filled.document("Ice"), "Ferry"])
    assert (filled.bin.empty(), filled.bin.list(), names(filled)) == (2, [], [])
    with pytest.raises(workbench.NotFound):
        filled.remove("Ice")


def test_knowledge_bases_are_kept_apart(filled: workbench.Library) -> None:
    bases = filled.knowledge_bases
    bases.create("work")
    bases.move("Ice", "work")
    assert [(base.name, base.documents) for base in bases.list()] == [("default", 1), ("work", 1)]
    bases.rename("work", "ships")
    removed = bases.delete("ships")
    assert names(filled) == ["Ferry"]
    bases.restore(removed)
    assert [hit.document_name for hit in filled.knowledge("ships").search("harbour")] == ["Ice"]
    with pytest.raises(workbench.NotFound):
        filled.search("harbour", knowledge_base="none")


def test_settings_are_read_changed_and_reset(library: workbench.Library) -> None:
    assert library.settings.set("search_results", 3) == 3
    assert library.settings.set("memory", True) == "yes"
    assert (library.settings.get("search_results"), library.settings.all().memory) == (3, "yes")
    assert library.settings.reset("search_results") == library.settings.describe("search_results").default
    assert library.settings.keys()[0] == "embedder"


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("colour", "red", "The settings are embedder, "),
        ("theme", "pink", "Choose one of "),
        ("search_results", 2.5, "Give a whole number"),
        ("search_results", 0, "Give a value from 1"),
    ],
)
def test_an_invalid_setting_is_rejected_and_the_valid_choices_are_reported(
    library: workbench.Library, key: str, value: Any, told: str
) -> None:
    with pytest.raises((workbench.SettingError, TypeError), match=told):
        library.settings.set(key, value)


def test_sessions_are_listed_found_exported_and_deleted(filled: workbench.Library, tmp_path: Path) -> None:
    sessions = filled.sessions
    run = filled.ask("When did the harbour freeze?")
    assert [info.id for info in sessions.list()] == [one.session for one in sessions.find("harbour")] == [run.session]
    assert sessions.open(run.session).runs[0].answer == run.answer
    (page,) = sessions.export(run.session, tmp_path / "session.html")
    (told,) = sessions.export(run.session, tmp_path / "session.json", parts="steps")
    assert "3 May 1893" in page.read_text("utf-8")
    assert json.loads(told.read_text("utf-8"))
    with pytest.raises(workbench.FileIsThere):
        sessions.export(run.session, page)
    with pytest.raises(workbench.ExportError, match="Choose one of: md, html"):
        sessions.export(run.session, tmp_path / "session.xml")
    with pytest.raises(ValueError, match="'pages', 'steps'"):
        sessions.export(run.session, tmp_path / "b.md", parts="pictures")
    sessions.rename(run.session, "Ice")
    sessions.delete(run.session)
    assert sessions.list() == []
    with pytest.raises(workbench.NotFound):
        sessions.delete(run.session)
    assert sessions.import_file(told).info.id in [info.id for info in sessions.list()]


def test_memories_are_kept_and_forgotten(library: workbench.Library) -> None:
    note = library.memories.add("Answers in metres.", "TASK_RECORD")
    assert library.memories.edit(note.id, "Answers in feet.").text == "Answers in feet."
    assert [one.text for one in library.memories.list()] == ["Answers in feet."]
    library.memories.delete(note.id)
    assert library.memories.clear() == []
    with pytest.raises(ValueError, match="'USER_PREFERENCE', 'TASK_RECORD'"):
        library.memories.add("Feet.", "habit")


def test_profiles_and_agents_are_kept_and_deleted(library: workbench.Library) -> None:
    library.profiles.put(workbench.ModelProfile("local", "http://127.0.0.1:9/v1", "m", api="chat"))
    library.agents.put(workbench.Agent("clerk", instructions="Be brief."))
    assert [one.name for one in library.profiles.list()] == ["offline", "local"]
    assert library.agents.get("clerk").instructions == ("Be brief.",)
    library.profiles.delete("local")
    assert library.agents.delete("clerk").name == "clerk"
    assert [one.name for one in library.agents.list()] == ["default"]


def test_the_agents_of_a_workspace_are_kept(library: workbench.Library, tmp_path: Path) -> None:
    (tmp_path / "agents" / "clerk").mkdir(parents=True)
    (tmp_path / "agents" / "clerk" / "AGENT.md").write_text("---\nname: Clerk\n---\nBe brief.\n", "utf-8")
    imported = library.agents.import_workspace(tmp_path)
    assert [agent.id for agent in imported.agents] == ["clerk"]
    assert imported.agents[0].name in [agent.name for agent in library.agents.list()]


def test_the_embedding_model_is_returned_and_a_change_to_the_same_model_has_no_effect(
    filled: workbench.Library,
) -> None:
    before = filled.embedder.state()
    assert before.current is not None
    assert filled.embedder.change("built-in").current == before.current
    with pytest.raises(workbench.NotFound):
        filled.embedder.revert()


def test_the_mode_of_a_search_is_for_this_search_only(filled: workbench.Library) -> None:
    assert filled.search("harbour", mode="keyword", rerank=False).hits[0].scores.dense is None
    assert filled.search("harbour").hits[0].scores.dense is not None
    with pytest.raises(ValueError, match="'hybrid', 'dense', 'keyword'"):
        filled.search("harbour", mode="vector")


def test_the_same_awaited(folder: Path) -> None:
    async def main() -> tuple[str, int, list[str]]:
        async with workbench.open_library_async(folder) as library:
            knowledge = library.knowledge("work", max_results=1)
            await knowledge.insert(text="The harbour froze.", name="Ice")
            await library.settings.set("search_results", 4)
            hits = await knowledge.search("harbour")
            await knowledge.remove(hits[0].chunk.document)
            return hits[0].document_name, (await library.settings.all()).search_results, await names_in(library)

    async def names_in(library: workbench.AsyncLibrary) -> list[str]:
        return [one.document.name for one in await library.bin.list()]

    assert asyncio.run(main()) == ("Ice", 4, ["Ice"])


def test_both_libraries_have_the_same_shelves_and_verbs(library: workbench.Library) -> None:
    shelves = [name for name, one in vars(library).items() if not name.startswith("_")]
    assert shelves == [name for name in vars(library._awaited) if not name.startswith("_")]
    for name in shelves:
        waits, awaited = type(getattr(library, name)), type(getattr(library._awaited, name))
        verbs = {verb for verb in vars(awaited) if not verb.startswith("_")}
        assert verbs == {verb for verb in vars(waits) if not verb.startswith("_")}, name
