"""Memory of answers for later questions: off by default, written after the answer, separate from the documents."""

import asyncio
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedProvider, says

from workbench import operations
from workbench.errors import ModelBusy, SettingError
from workbench.model.memory import Memory, MemoryKind, NewMemory
from workbench.model.profile import ModelProfile
from workbench.model.run import Run, RunStatus
from workbench.operations import Library
from workbench.operations.questions.memory_management import recall_memories
from workbench.worker.job import JobContext, Operation

Do = Callable[[Operation[Any]], Any]
TEA = json.dumps([{"kind": "USER_PREFERENCE", "text": "Wants answers about tea in one sentence."}])
SECTION = "memories_from_previous_interactions"


class Asker:
    """Client of a scripted model that waits for the background jobs after each answer."""

    def __init__(self, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
        self.library = library
        self.provider = ScriptedProvider(says("Yes."))
        for module in ("ask", "memory_management"):
            monkeypatch.setattr(import_module(f"workbench.operations.questions.{module}"), "provider_of", self._made)

    async def _made(self, _library: Library, _profile: ModelProfile) -> ScriptedProvider:
        return self.provider

    def __call__(self, *turns: Any, question: str = "Is there tea?", **more: Any) -> Run:
        self.provider = ScriptedProvider(*turns)

        async def main() -> Run:
            run = await operations.ask(self.library, question, profile="far", **more)(JobContext())
            await self.library.afterwards.wait_until_done()
            return run

        return asyncio.run(main())


@pytest.fixture
def ask(library: Library, monkeypatch: pytest.MonkeyPatch) -> Asker:
    library.profiles.put(ModelProfile("far", "http://127.0.0.1:9/v1", "llama"))
    return Asker(library, monkeypatch)


@pytest.fixture
def on(library: Library, run: Do) -> None:
    run(operations.put_setting(library, "memory", "yes"))


def remembered(library: Library, user: str = "") -> list[str]:
    return [memory.text for memory in library.memories.list(user)]


def told(run: Run) -> str:
    return "".join(section.text for section in run.prompts[0].sections)


def test_e38_memory_is_off_until_it_is_switched_on(library: Library, ask: Asker) -> None:
    run = ask(says("Yes."), says(TEA))
    assert len(ask.provider.requests) == 1
    assert remembered(library) == []
    assert not any(section.label == "Memory" for section in run.prompts[0].sections)


@pytest.mark.usefixtures("on")
def test_e38_e45_after_an_answer_its_model_returns_the_memories_to_store(library: Library, ask: Asker, run: Do) -> None:
    asked = ask(says("Yes, there is."), says(TEA))
    (kept,) = run(operations.list_memories(library)).memories
    assert (kept.kind, kept.run, kept.question) == (MemoryKind.USER_PREFERENCE, asked.id, "Is there tea?")
    assert run(operations.list_documents(library)) == []
    assert library.keywords.count == 0


@pytest.mark.usefixtures("on")
def test_e35_a_later_question_is_handed_it_before_the_knowledge_and_its_prompt_shows_it(
    library: Library, ask: Asker
) -> None:
    assert "Nothing is remembered" in told(ask(says("Yes."), says(TEA)))
    prompt = told(ask(says("Still."), says("[]"), question="Any more tea?"))
    assert "- Wants answers about tea in one sentence. (preference, " in prompt
    assert prompt.index(SECTION) < prompt.index("<knowledge_base>")
    assert library.memories.list()[0].hits == 1


@pytest.mark.usefixtures("on")
def test_e38_one_users_memories_are_never_anothers(library: Library, ask: Asker) -> None:
    ask(says("Yes."), says(TEA), user="ann")
    assert (len(remembered(library, "ann")), remembered(library, "bob"), remembered(library)) == (1, [], [])
    assert SECTION not in told(ask(says("No."), says("[]"), user="bob"))
    assert SECTION in told(ask(says("No."), says("[]"), user="ann"))


@pytest.mark.usefixtures("on")
def test_e22_a_search_finds_no_memory_and_memory_finds_no_document(
    library: Library, ask: Asker, run: Do, tmp_path: Path
) -> None:
    path = tmp_path / "harbour.md"
    path.write_text("# Log\n\nThe harbour froze in 1893.\n", "utf-8")
    run(operations.add_documents(library, [path]))
    run(operations.put_memory(library, "Collects zeppelins and zithers."))
    found = run(operations.search(library, "zeppelins zithers")).hits
    assert all("zeppelin" not in hit.chunk.text for hit in found)
    section = next(
        s for s in ask(says("."), says("[]"), question="harbour 1893").prompts[0].sections if s.label == "Memory"
    )
    assert "zeppelins" in section.text
    assert "froze" not in section.text


@pytest.mark.usefixtures("on")
def test_e38_a_model_that_fails_at_remembering_fails_no_answer(library: Library, ask: Asker, run: Do) -> None:
    asked = ask(says("Yes."), [ModelBusy("The server is busy.", "Wait.")])
    assert asked.status is RunStatus.COMPLETED
    assert "busy" in run(operations.list_memories(library)).problem
    ask(says("Yes."), says(TEA))
    assert run(operations.list_memories(library)).problem == ""


@pytest.mark.usefixtures("on")
def test_e45_memory_extraction_yields_to_the_next_question_and_is_completed_later(library: Library, ask: Asker) -> None:
    async def main() -> tuple[Run, Run]:
        thinking, never = asyncio.Event(), asyncio.Event()

        async def think() -> None:
            thinking.set()
            await never.wait()

        ask.provider = ScriptedProvider(says("Yes."), [think])
        first = await operations.ask(library, "Is there tea?", profile="far")(JobContext())
        await thinking.wait()
        ask.provider = ScriptedProvider(says("Still."), says(TEA), says("[]"))
        second = await operations.ask(library, "And now?", profile="far")(JobContext())
        await library.afterwards.wait_until_done()
        return first, second

    first, second = asyncio.run(main())
    assert (first.answer, second.answer) == ("Yes.", "Still.")
    assert [memory.run for memory in library.memories.list()] == [first.id]


@pytest.mark.usefixtures("on")
def test_remembering_ends_with_the_library(library: Library, ask: Asker) -> None:
    async def main() -> None:
        thinking, never = asyncio.Event(), asyncio.Event()

        async def think() -> None:
            thinking.set()
            await never.wait()

        ask.provider = ScriptedProvider(says("Yes."), [think])
        await operations.ask(library, "Is there tea?", profile="far")(JobContext())
        await thinking.wait()
        await asyncio.to_thread(library.close)
        await library.afterwards.wait_until_done()
        assert ask.provider.closed

    asyncio.run(asyncio.wait_for(main(), 10))


@pytest.mark.usefixtures("on")
def test_memory_that_is_switched_off_while_the_model_works_stores_nothing(library: Library, ask: Asker) -> None:
    async def switch_off() -> None:
        library.setting_values.put("memory", "no")

    ask(says("Yes."), [switch_off, *says(TEA)])
    assert len(ask.provider.requests) == 2
    assert remembered(library) == []


@pytest.mark.usefixtures("on")
def test_a_run_forked_from_a_step_is_an_experiment_and_stores_no_memories(library: Library, ask: Asker) -> None:
    asked = ask(says("Yes."), says("[]"))
    ask.provider = ScriptedProvider(says("Yes."), says(TEA))

    async def main() -> Run:
        fork = operations.fork_run(library, asked.id, asked.events[-1].number, question="Is there milk?")
        forked = await fork(JobContext())
        await library.afterwards.wait_until_done()
        return forked

    assert asyncio.run(main()).parent == asked.id
    assert len(ask.provider.requests) == 1


@pytest.mark.logs_warnings
@pytest.mark.usefixtures("on")
def test_a_bug_in_the_memory_extraction_after_an_answer_is_reported_and_does_no_harm(
    library: Library, ask: Asker, run: Do
) -> None:
    assert ask(says("Yes."), [ZeroDivisionError("a bug")]).status is RunStatus.COMPLETED
    assert "Something went wrong" in run(operations.list_memories(library)).problem


def test_e38_vectors_of_memories_are_made_once(library: Library, run: Do) -> None:
    kept = run(operations.put_memory(library, "The car is parked in the garage."))
    assert recall_memories(library, "Where did I leave my vehicle?", "")[0].similarity > 0.2
    run(operations.load_settings(library))
    library._storing.submit(int).result()
    assert list(library.memories.vectors("", library.models.embedder().id)) == [kept.id]


def test_e39_with_no_embedder_the_hundred_newest_are_compared_by_words(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library.models, "embedder_or_none", lambda: None)
    for number in range(-2, 99):
        text = {-2: "Owns a zeppelin.", -1: "Owns a zither."}.get(number, f"Note {number}.")
        library.memories.put(NewMemory(MemoryKind.CONTEXT_INFO, text), days=90)
    assert recall_memories(library, "zither", "")[0].memory.text == "Owns a zither."
    assert recall_memories(library, "zeppelin", "")[0].similarity == 0.0


def test_e38_expired_memories_are_deleted_when_the_library_is_opened(library: Library) -> None:
    past = "2020-01-01T00:00:00.000000+00:00"
    library.memories.restore([Memory(1, "", MemoryKind.CONTEXT_INFO, "Old.", past, past)])
    folder = library.folder
    library.close()
    opened = Library.open(folder)
    assert opened.memories.drop_expired() == 0
    opened.close()


@pytest.mark.usefixtures("on")
def test_the_offline_answerer_remembers_nothing(library: Library, run: Do) -> None:
    asked = run(operations.ask(library, "Is there tea?"))
    assert not any(section.label == "Memory" for section in asked.prompts[0].sections)
    assert remembered(library) == []


def test_a_memory_written_by_the_user_is_stored_edited_removed_and_restored(library: Library, run: Do) -> None:
    kept = run(operations.put_memory(library, "Lives in Kiel.", MemoryKind.CONTEXT_INFO))
    assert run(operations.edit_memory(library, kept.id, "Lives in Bonn.")).text == "Lives in Bonn."
    gone = run(operations.remove_memory(library, kept.id))
    run(operations.restore_memories(library, [gone]))
    all_gone = run(operations.clear_memories(library))
    assert remembered(library) == []
    run(operations.restore_memories(library, all_gone))
    assert remembered(library) == ["Lives in Bonn."]


def test_e38_a_person_is_kept_from_writing_a_password(library: Library, run: Do) -> None:
    with pytest.raises(SettingError, match="must stay secret"):
        run(operations.put_memory(library, "My password is hunter2."))
