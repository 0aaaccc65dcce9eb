"""Change of the embedding model: search works throughout, the models are swapped atomically, and it can be reverted."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_embedder import SmallEmbedder, failing

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import DiskFull, EmbeddingError, NotFound
from workbench.model.embedder import BoundEmbedder, EmbedderChanged, EmbedderChangeProgress, EmbedderChoice
from workbench.model.hit import Coverage, SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.library import embedder_change
from workbench.operations.library.models import SearchModels
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]

_A_BATCH = 8


@pytest.fixture
def old(embedder: Embedder) -> SmallEmbedder:
    return SmallEmbedder(embedder.tokenizer, name="old", dim=256)


@pytest.fixture
def new(embedder: Embedder) -> SmallEmbedder:
    return SmallEmbedder(embedder.tokenizer, name="new", dim=192)


@pytest.fixture
def library(
    tmp_path: Path, old: SmallEmbedder, new: SmallEmbedder, monkeypatch: pytest.MonkeyPatch, run: Run
) -> Iterator[Library]:
    """Return a library of 40 short documents, embedded with "old"; models are loaded by their names."""
    models = {"": old, "old": old, "new": new}
    monkeypatch.setattr(SearchModels, "load_embedder", lambda _self, choice: models[choice.model])
    monkeypatch.setattr(embedder_change, "BATCH", _A_BATCH)
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(40):
        (folder / f"note-{number}.md").write_text(f"The harbour number {number} froze in {1900 + number}.\n", "utf-8")
    library = Library.open(tmp_path / "library")
    run(operations.add_documents(library, [folder]))
    yield library
    library.close()


def _dense(run: Run, library: Library, question: str = "harbour number 7 froze in 1907") -> list[str]:
    found = run(operations.search(library, question, configuration=SearchConfiguration(SearchMode.DENSE), k=3))
    assert found.embedded_chunks == found.searched_chunks
    return [hit.document_name for hit in found.hits]


def _of(events: list[Any], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def test_the_new_vectors_are_made_beside_the_old_and_swapped(
    library: Library, run: Run, new: SmallEmbedder, events: list[Any]
) -> None:
    run(operations.put_setting(library, "embedder", "new"))
    assert library.models.embedder().id.startswith("old/")
    state = run(operations.change_embedder(library))
    assert (state.current.id, state.previous.name, state.wanted) == (new.id, "old", None)
    assert (library.models.embedder().id, library.models.index().dim, len(new.texts)) == (new.id, 192, 40)
    assert all(d.embedded == d.chunks == 1 for d in library.documents.list())
    assert _dense(run, library)[0] == "note-7.md"
    done = [event.chunks_done for event in _of(events, EmbedderChangeProgress)]
    assert (done[0], done[-1], done) == (0, 40, sorted(done))
    assert len(_of(events, EmbedderChanged)) == 1


def test_the_library_is_searched_with_the_old_model_until_the_swap(
    library: Library, run: Run, new: SmallEmbedder
) -> None:
    seen: list[tuple[int, str]] = []

    def search_meanwhile(_texts: Sequence[str]) -> None:
        found = library.models.retriever().search(
            "harbour number 7 froze in 1907", configuration=SearchConfiguration(SearchMode.DENSE), k=1
        )
        seen.append((found.embedded_chunks, found.hits[0].document_name))

    new.before = search_meanwhile
    run(operations.put_setting(library, "embedder", "new"))
    run(operations.change_embedder(library))
    assert seen == [(40, "note-7.md")] * 5


def test_a_document_restored_during_a_change_is_not_lost_at_the_swap(
    library: Library, run: Run, new: SmallEmbedder, tmp_path: Path
) -> None:
    (tmp_path / "late.md").write_text("The lighthouse of Vinga was painted red.\n", "utf-8")
    (late,) = run(operations.add_documents(library, [tmp_path / "late.md"]))
    run(operations.remove_documents(library, [late.document]))

    def come_back_with_the_last_batch(_texts: Sequence[str]) -> None:
        if len(new.texts) == 32:
            library.documents.restore([late.document])

    new.before = come_back_with_the_last_batch
    run(operations.put_setting(library, "embedder", "new"))
    run(operations.change_embedder(library))
    assert len(new.texts) == 41
    assert _dense(run, library, "lighthouse of Vinga was painted red")[0] == "late.md"


def test_a_document_added_during_a_change_is_found_before_and_after_the_swap(
    library: Library, run: Run, new: SmallEmbedder, tmp_path: Path
) -> None:
    (tmp_path / "late.md").write_text("The lighthouse of Vinga was painted red.\n", "utf-8")

    async def both() -> None:
        loop, reached = asyncio.get_running_loop(), asyncio.Event()
        new.before = lambda _texts: loop.call_soon_threadsafe(reached.set)  # type: ignore[assignment, return-value]
        changing = asyncio.ensure_future(operations.change_embedder(library)(JobContext()))
        await reached.wait()
        await operations.add_documents(library, [tmp_path / "late.md"])(JobContext())
        await changing
        new.before = lambda _texts: None

    run(operations.put_setting(library, "embedder", "new"))
    asyncio.run(both())
    assert run(operations.resume_import(library)) == []
    assert len(library.vectors.all(new.id)[0]) == 41
    assert _dense(run, library, "lighthouse of Vinga was painted red")[0] == "late.md"


def test_switching_back_embeds_only_what_was_added_since(
    library: Library, run: Run, old: SmallEmbedder, tmp_path: Path
) -> None:
    run(operations.put_setting(library, "embedder", "new"))
    run(operations.change_embedder(library))
    (tmp_path / "more.md").write_text("A ferry named Aurora.\n", "utf-8")
    run(operations.add_documents(library, [tmp_path / "more.md"]))
    before = len(old.texts)
    state = run(operations.revert_embedder(library))
    assert (state.current.name, state.previous.name, library.settings.embedder) == ("old", "new", "")
    assert len(old.texts) - before == 1
    assert _dense(run, library)[0] == "note-7.md"


def test_there_is_no_way_back_after_it_was_confirmed(library: Library, run: Run, old: SmallEmbedder) -> None:
    run(operations.put_setting(library, "embedder", "new"))
    run(operations.change_embedder(library))
    state = run(operations.confirm_embedder(library))
    assert (state.previous, len(library.vectors.all(old.id)[0])) == (None, 0)
    assert [path.name.split("_")[0] for path in (library.folder / "index").iterdir()] == ["new"]
    with pytest.raises(NotFound):
        run(operations.revert_embedder(library))


def test_b15_a_model_that_fails_half_way_leaves_the_old_one_in_force(
    library: Library, run: Run, old: SmallEmbedder, new: SmallEmbedder
) -> None:
    new.before = failing(after=2)
    run(operations.put_setting(library, "embedder", "new"))
    with pytest.raises(EmbeddingError, match="out of memory"):
        run(operations.change_embedder(library))
    assert (library.vectors.embedder, library.settings.embedder) == (old.id, "")
    assert len(library.vectors.all(new.id)[0]) == 16  # two full batches, nothing empty
    assert _dense(run, library)[0] == "note-7.md"


def test_b15_vectors_that_are_no_numbers_are_never_searched(
    library: Library, run: Run, old: SmallEmbedder, new: SmallEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new, "embed_documents", lambda texts: np.full((len(texts), new.dim), np.nan, np.float32))
    run(operations.put_setting(library, "embedder", "new"))
    with pytest.raises(EmbeddingError):
        run(operations.change_embedder(library))
    assert (library.vectors.embedder, len(library.vectors.all(new.id)[0])) == (old.id, 0)


def test_a_model_that_cannot_be_loaded_changes_nothing(
    library: Library, run: Run, old: SmallEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: SearchModels, _choice: object) -> Embedder:
        raise EmbeddingError("There is no folder ./models/typo.", "Give the folder of a model.")

    monkeypatch.setattr(SearchModels, "load_embedder", refuse)
    run(operations.put_setting(library, "embedder", "./models/typo"))
    with pytest.raises(EmbeddingError, match="typo"):
        run(operations.change_embedder(library))
    assert (library.settings.embedder, library.vectors.embedder) == ("", old.id)
    assert _dense(run, library)[0] == "note-7.md"


@pytest.mark.parametrize("closing", [False, True])
def test_a_cancelled_change_is_abandoned_but_one_stopped_by_closing_resumes_later(
    library: Library, run: Run, new: SmallEmbedder, *, closing: bool
) -> None:
    run(operations.put_setting(library, "embedder", "new"))

    async def stopped() -> None:
        changing = asyncio.ensure_future(operations.change_embedder(library)(JobContext()))
        loop = asyncio.get_running_loop()
        new.before = lambda _texts: len(new.texts) == 16 and loop.call_soon_threadsafe(changing.cancel)  # type: ignore[assignment, return-value]
        library.closing = closing
        with pytest.raises(asyncio.CancelledError):
            await changing

    asyncio.run(stopped())
    library.closing = False
    new.before = lambda _texts: None
    assert library.settings.embedder == ("new" if closing else "")
    asyncio.run(library.on_embedding(lambda: None))  # the running batch is finished
    embedded = len(new.texts)
    state = run(operations.change_embedder(library)) or run(operations.embedder_state(library))
    assert state.current.name == ("new" if closing else "old")
    assert len(new.texts) <= 40 + 8  # only the running batch may be embedded twice
    assert (len(new.texts) > embedded) is closing


def test_a_pending_change_resumes_after_a_restart(
    library: Library, run: Run, new: SmallEmbedder, tmp_path: Path
) -> None:
    run(operations.put_setting(library, "embedder", "new"))
    library.close()
    again = Library.open(tmp_path / "library")
    try:
        assert again.models.embedder().id.startswith("old/")
        assert _dense(run, again)[0] == "note-7.md"
        assert run(operations.change_embedder(again)).current.name == "new"
        assert _dense(run, again)[0] == "note-7.md"
    finally:
        again.close()


def test_b30_a_library_is_bound_to_model_and_width(library: Library, run: Run, old: SmallEmbedder) -> None:
    assert library.embedders.current is not None
    assert (library.embedders.current.id, library.embedders.current.choice.model) == (old.id, "")
    run(operations.put_setting(library, "embedder", "new"))
    # Only a change makes vectors of another model: until then the bound one is loaded, whatever the settings say.
    library.models.forget_models()
    assert (library.models.embedder().id, library.vectors.embedder) == (old.id, old.id)


def test_e20_a_model_with_a_smaller_window_causes_a_warning_and_documents_can_be_rechunked(
    library: Library, run: Run, new: SmallEmbedder, embedder: Embedder, tmp_path: Path
) -> None:
    long = tmp_path / "long.md"
    long.write_text("# Long\n\n" + "The winter of that year was cold and the ferry stayed in port. " * 40, "utf-8")
    run(operations.add_documents(library, [long]))
    new.tokenizer = SmallEmbedder(embedder.tokenizer, max_tokens=64).tokenizer
    run(operations.put_setting(library, "embedder", "new"))
    state = run(operations.change_embedder(library))
    assert (state.max_tokens, state.too_long > 0) == (64, True)
    assert ["passage size" in state.warnings[0], "longer than the 64 tokens" in state.warnings[1]] == [True, True]
    run(operations.recut_documents(library))
    assert run(operations.embedder_state(library)).too_long == 0
    assert all(chunk.tokens <= 62 for d in library.documents.list() for chunk in library.documents.chunks(d.id))


def test_e23_chunks_of_many_documents_are_embedded_in_batches(library: Library, run: Run, new: SmallEmbedder) -> None:
    sizes: list[int] = []
    new.before = lambda texts: sizes.append(len(texts))
    run(operations.put_setting(library, "embedder", "new"))
    run(operations.change_embedder(library))
    assert sizes == [_A_BATCH] * 5


def test_search_works_at_every_moment_of_a_change(library: Library, run: Run, new: SmallEmbedder) -> None:
    seen: list[tuple[str, int]] = []
    searched = threading.Event()

    def wait_for_a_search(texts: Sequence[str]) -> None:
        if len(texts) == _A_BATCH:
            searched.clear()
            assert searched.wait(30)

    async def change_and_search() -> None:
        changing = asyncio.ensure_future(operations.change_embedder(library)(JobContext()))
        while not changing.done():
            search = operations.search(
                library, "harbour number 7 froze in 1907", configuration=SearchConfiguration(SearchMode.DENSE), k=40
            )
            found = await search(JobContext())
            assert found.coverage == Coverage(40)
            seen.append((found.hits[0].document_name, len(found.hits)))
            searched.set()
        await changing

    new.before = wait_for_a_search
    run(operations.put_setting(library, "embedder", "new"))
    asyncio.run(change_and_search())
    assert set(seen) == {("note-7.md", 40)}
    assert len(seen) > 5
    assert library.models.embedder().id == new.id


def test_a_full_disk_ends_the_change_and_leaves_the_old_model_in_force(
    library: Library, run: Run, old: SmallEmbedder, new: SmallEmbedder
) -> None:
    run(operations.put_setting(library, "embedder", "new"))
    with library.database.write() as connection:
        connection.execute("CREATE TABLE filler (data BLOB)")
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    with library.database.write() as connection:
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(DiskFull):
        run(operations.change_embedder(library))
    assert (library.vectors.embedder, _dense(run, library)[0]) == (old.id, "note-7.md")
    with library.database.write() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    assert library.settings.embedder == ""
    assert len(library.vectors.all(new.id)[0]) == 0


def test_a_document_deleted_during_a_change_is_gone_after_it(library: Library, run: Run, new: SmallEmbedder) -> None:
    (gone,) = (document.id for document in library.documents.list() if document.name == "note-12.md")

    def delete(texts: Sequence[str]) -> None:
        if any("1912" in text for text in texts):
            library.documents.mark_removed([gone])
            library.bin.purge([gone])

    new.before = delete
    run(operations.put_setting(library, "embedder", "new"))
    assert run(operations.change_embedder(library)).current.id == new.id
    ids, _ = library.vectors.all(new.id)
    assert (len(ids), library.models.index().count) == (39, 39)
    assert "note-12.md" not in _dense(run, library, "harbour number 12 froze in 1912")
    assert library.database.integrity_problem() == ""


@pytest.fixture
def empty(tmp_path: Path, library: Library) -> Iterator[Library]:
    """Return a library without documents, whose models are loaded as those of `library` are."""
    opened = Library.open(tmp_path / "empty")
    yield opened
    opened.close()


def test_a_model_chosen_while_another_is_loaded_is_still_wanted(
    empty: Library, run: Run, old: SmallEmbedder, new: SmallEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose_meanwhile(_models: SearchModels, choice: EmbedderChoice) -> SmallEmbedder:
        empty.setting_values.put("embedder", "new")
        return new if choice.model == "new" else old

    monkeypatch.setattr(SearchModels, "load_embedder", choose_meanwhile)
    empty.models.retriever()
    assert empty.embedders.current == BoundEmbedder(old.id, EmbedderChoice("", "fp32"))
    assert run(operations.change_embedder(empty)).current.id == new.id


def test_other_operations_run_while_a_change_of_the_model_waits_for_one_that_is_being_loaded(
    empty: Library, old: SmallEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading, loaded = threading.Event(), threading.Event()

    def load_slowly(_models: SearchModels, _choice: EmbedderChoice) -> SmallEmbedder:
        loading.set()
        loaded.wait(20)
        return old

    async def list_meanwhile() -> bool:
        warming = asyncio.create_task(operations.warm_up(empty)(JobContext()))
        await asyncio.to_thread(loading.wait, 20)
        changing = asyncio.create_task(operations.put_setting(empty, "embedder", "new")(JobContext()))
        for _ in range(5):
            await operations.list_documents(empty)(JobContext())
        waits = not changing.done() and not loaded.is_set()
        loaded.set()
        await asyncio.gather(warming, changing)
        return waits

    monkeypatch.setattr(SearchModels, "load_embedder", load_slowly)
    assert asyncio.run(list_meanwhile())
