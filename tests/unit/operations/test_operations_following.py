"""Incremental update of the search index, with a full comparison only if the changes are unknown."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench import operations
from workbench.errors import IndexUnavailable
from workbench.indexing.faiss_store import FaissStore
from workbench.operations import Library
from workbench.store.vectors import VectorTable

Run = Callable[[Any], Any]


@pytest.fixture
def filled(library: Library, run: Run, papers: Path) -> Library:
    run(operations.add_documents(library, [papers]))
    return library


@pytest.fixture
def looks(filled: Library, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows whenever all ids of the library are read."""
    looked, ids = list[str](), VectorTable.ids

    def counted(table: VectorTable, embedder: str) -> Any:
        looked.append(embedder)
        return ids(table, embedder)

    monkeypatch.setattr(VectorTable, "ids", counted)
    return looked


def is_in_step(library: Library) -> bool:
    found, _ = library.vectors.all(library.models.embedder().id)
    return sorted(library.models.index().ids.tolist()) == sorted(found.tolist())


def test_a_document_that_comes_goes_and_comes_back_is_followed_without_a_look_at_all(
    filled: Library, run: Run, tmp_path: Path, looks: list[str]
) -> None:
    path = tmp_path / "pump.md"
    path.write_text("# Pump\n\nThe pump stands in the cellar.\n")
    run(operations.add_documents(filled, [path]))
    number, count = filled.documents.find("pump.md").id, filled.models.index().count
    run(operations.remove_documents(filled, [number]))
    assert (filled.models.index().count, is_in_step(filled)) == (count - 1, True)
    run(operations.restore_documents(filled, [number]))
    assert (filled.models.index().count, is_in_step(filled), looks) == (count, True, [])


def test_a_document_that_went_before_its_vectors_came_into_the_index_leaves_it(
    filled: Library, run: Run, looks: list[str]
) -> None:
    number = filled.documents.list()[0].id
    ids, vectors = filled.vectors.get(filled.models.embedder().id, [one.id for one in filled.documents.chunks(number)])
    run(operations.remove_documents(filled, [number]))
    filled.models.take_into_index(ids, vectors)
    assert not is_in_step(filled)
    filled.models.save_index()
    assert (is_in_step(filled), looks) == (True, [])


def test_after_a_failure_all_is_looked_at(
    filled: Library, run: Run, looks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any) -> None:
        raise IndexUnavailable("There is no room.")

    number = filled.documents.list()[0].id
    filled.documents.mark_removed([number])
    with monkeypatch.context() as patch:
        patch.setattr(FaissStore, "remove", failing)
        with pytest.raises(IndexUnavailable):
            filled.models.follow_documents()
    filled.models.follow_documents()
    assert (is_in_step(filled), len(looks)) == (True, 1)


def test_a_rebuilt_index_holds_all_vectors(filled: Library) -> None:
    filled.models.index().upsert(np.array([999]), np.zeros((1, filled.models.index().dim), np.float32))
    filled.models.rebuild_index()
    assert is_in_step(filled)
