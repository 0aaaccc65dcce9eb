"""Map of a library: drawn, stored, updated, and positions of questions."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.embedding.base import Embedder
from workbench.errors import IndexUnavailable, NotFound
from workbench.model.map import LibraryMap, MapOutlook, MapProgress, MapState
from workbench.operations import (
    Library,
    add_documents,
    draw_map,
    library_map,
    passage_on_map,
    place_on_map,
    remove_documents,
    search,
)
from workbench.worker.job import JobContext, Operation
from workbench.worker.processes import ProcessCrashed, ProcessPool

Run = Callable[[Operation[Any]], Any]

BIRDS = ("heron", "gull", "tern", "osprey", "plover", "curlew", "egret", "stork", "ibis", "crane")
COOKING = ("soup", "bread", "cake", "stew", "pasta", "salad", "curry", "omelette", "porridge", "risotto")


def perform(operation: Operation[Any], context: JobContext | None = None) -> Any:
    async def main() -> Any:
        return await operation(context or JobContext())

    return asyncio.run(main())


def written(folder: Path) -> list[Path]:
    """Return a document on each bird and on each dish."""
    folder.mkdir(parents=True, exist_ok=True)
    for bird in BIRDS:
        (folder / f"{bird}.md").write_text(f"# {bird}\n\nThe {bird} is a bird that nests near water, flies south.\n")
    for dish in COOKING:
        (folder / f"{dish}.md").write_text(
            f"# {dish}\n\nTo cook {dish}, heat oil in a pan, add salt, stir and serve.\n"
        )
    return sorted(folder.glob("*.md"))


@pytest.fixture(scope="module")
def drawn_folder(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Path:
    """Return the folder of a library with a map: drawing takes seconds, because scikit-learn is imported."""
    folder = tmp_path_factory.mktemp("drawn")
    library = Library.open(folder / "library", embedder=embedder)
    try:
        perform(add_documents(library, written(folder / "files")))
        assert perform(draw_map(library)).state is MapState.READY
    finally:
        library.close()
    return folder / "library"


@pytest.fixture
def drawn(drawn_folder: Path, tmp_path: Path, embedder: Embedder) -> Iterator[Library]:
    """Yield a separate library that has a map."""
    import shutil

    shutil.copytree(drawn_folder, tmp_path / "drawn")
    library = Library.open(tmp_path / "drawn", embedder=embedder)
    yield library
    library.close()


def map_of(outlook: MapOutlook) -> LibraryMap:
    assert outlook.map is not None
    return outlook.map


def middles(map: LibraryMap) -> tuple[Any, Any]:
    """Return the mean positions of birds and dishes."""
    birds = [place for place, one in enumerate(map.shown) if one.name.removesuffix(".md") in BIRDS]
    is_bird = np.isin(map.documents, birds)
    return map.points[is_bird].mean(axis=0), map.points[~is_bird].mean(axis=0)


def test_the_map_state_shows_why_there_is_no_map_without_documents_or_vectors(library: Library, run: Run) -> None:
    assert run(library_map(library)).state is MapState.NO_DOCUMENTS
    assert run(draw_map(library)).state is MapState.NO_DOCUMENTS


def test_a_library_without_an_embedding_model_reports_keyword_search_only(
    library: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library.documents, "counts", lambda: (3, 0))
    assert run(library_map(library)).state is MapState.NOT_EMBEDDED
    monkeypatch.setattr(library.models, "embedder_or_none", lambda: None)
    assert run(library_map(library)).state is MapState.KEYWORD_ONLY


def test_every_passage_becomes_a_point_and_similar_passages_are_close_together(drawn: Library, run: Run) -> None:
    outlook = run(library_map(drawn))
    map = map_of(outlook)
    assert outlook.state is MapState.READY
    assert len(map.ids) == sum(one.chunks for one in map.shown) == 20
    birds, dishes = middles(map)
    assert np.linalg.norm(birds - dishes) > 0.3
    assert sum(region.chunks for region in map.regions) == 20
    assert all(region.label and region.documents for region in map.regions)


def test_the_same_library_is_drawn_identically_and_reports_its_progress(
    drawn: Library, run: Run, events: list[Any]
) -> None:
    (path,) = (drawn.folder / "map").glob("*.chart")
    before = map_of(run(library_map(drawn)))
    path.unlink()
    assert run(library_map(drawn)).state is MapState.NOT_DRAWN
    again = map_of(run(draw_map(drawn)))
    assert np.array_equal(again.points, before.points)
    assert [region.label for region in again.regions] == [region.label for region in before.regions]
    told = [event for event in events if isinstance(event, MapProgress)]
    assert told[0].share == 0.0
    assert [one.share for one in told] == sorted(one.share for one in told)


def test_a_new_document_is_placed_by_its_neighbours_and_moves_nothing(drawn: Library, run: Run, tmp_path: Path) -> None:
    before = map_of(run(library_map(drawn)))
    (tmp_path / "swan.md").write_text("# swan\n\nThe swan is a bird that nests near water and flies south.\n")
    run(add_documents(drawn, [tmp_path / "swan.md"]))
    after = map_of(run(library_map(drawn)))
    assert np.array_equal(after.points[:-1], before.points)
    birds, dishes = middles(before)
    assert np.linalg.norm(after.points[-1] - birds) < np.linalg.norm(after.points[-1] - dishes)


def test_a_removed_document_leaves_the_map(drawn: Library, run: Run) -> None:
    gone = map_of(run(library_map(drawn))).shown[0]
    run(remove_documents(drawn, [gone.id]))
    after = map_of(run(library_map(drawn)))
    assert gone.id not in [one.id for one in after.shown]
    assert len(after.ids) == 19


def test_a_question_is_placed_near_its_hits(drawn: Library, run: Run) -> None:
    map = map_of(run(library_map(drawn)))
    question = "Which birds nest near water?"
    ((x, y),) = run(place_on_map(drawn, [question]))
    hits = [hit.chunk.id for hit in run(search(drawn, question, k=5)).hits]
    there = map.points[np.searchsorted(map.ids, hits)].mean(axis=0)
    everywhere = map.points[~np.isin(map.ids, hits)].mean(axis=0)
    assert np.linalg.norm(there - (x, y)) < np.linalg.norm(everywhere - (x, y))


def test_no_map_has_no_place_for_a_question(library: Library, run: Run) -> None:
    assert run(place_on_map(library, ["Where?"])) == ()


def test_a_damaged_map_is_reported_once_and_redrawn(drawn: Library, run: Run) -> None:
    (path,) = (drawn.folder / "map").glob("*.chart")
    path.write_bytes(path.read_bytes()[:-3] + b"???")
    outlook = run(library_map(drawn))
    assert outlook.state is MapState.NOT_DRAWN
    assert "damaged" in outlook.notice
    assert run(place_on_map(drawn, ["Where?"])) == ()
    assert run(library_map(drawn)).notice == ""
    assert len(map_of(run(draw_map(drawn))).ids) == 20


def test_a_map_of_which_much_is_new_is_outdated_and_shown_all_the_same(
    drawn: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.indexing.projection._FEW", 1)
    monkeypatch.setattr("workbench.indexing.projection._ENOUGH_CHANGED", 0.0)
    shown = map_of(run(library_map(drawn))).shown
    run(remove_documents(drawn, [shown[0].id, shown[1].id]))
    outlook = run(library_map(drawn))
    assert outlook.state is MapState.OUTDATED
    assert len(map_of(outlook).ids) == 18
    monkeypatch.setattr(drawn, "active", {1})
    assert run(library_map(drawn)).state is MapState.READY


def test_a_cancelled_drawing_leaves_the_map_as_it_was(drawn: Library) -> None:
    (path,) = (drawn.folder / "map").glob("*.chart")
    before = path.read_bytes()

    async def main() -> None:
        task: asyncio.Task[Any] | None = None

        def told(event: MapProgress) -> None:
            if event.step.startswith("Arranging"):
                assert task is not None
                task.get_loop().call_soon_threadsafe(task.cancel)

        task = asyncio.ensure_future(draw_map(drawn)(JobContext(told)))
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert path.read_bytes() == before


def test_a_crashed_child_process_is_reported_as_a_calm_error_message(
    drawn: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(*args: Any, **limits: Any) -> Any:
        raise ProcessCrashed(-9)

    monkeypatch.setattr(ProcessPool, "run", dies)
    with pytest.raises(IndexUnavailable, match="could not be drawn"):
        run(draw_map(drawn))


def test_a_point_returns_its_passage(drawn: Library, run: Run) -> None:
    map = map_of(run(library_map(drawn)))
    place = next(number for number, one in enumerate(map.shown) if one.name == "heron.md")
    chunk = int(map.ids[map.documents == place][0])
    passage = run(passage_on_map(drawn, chunk))
    assert (passage.citation.document_name, passage.citation.chunk, passage.citation.valid) == ("heron.md", chunk, True)
    assert passage.line.startswith("heron The heron is a bird")
    assert drawn.documents.text(passage.citation.document or 0)[passage.citation.start :].startswith("# heron")
    with pytest.raises(NotFound):
        run(passage_on_map(drawn, 10**9))
