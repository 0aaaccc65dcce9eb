"""Removal of documents to the bin, across a restart, and restoration."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library

Run = Callable[[Any], Any]


@pytest.fixture
def removed(library: Library, run: Run, papers: Path) -> int:
    """Return a document in the bin."""
    run(operations.add_documents(library, [papers]))
    (document,) = (d for d in library.documents.list() if d.name == "harbour.md")
    run(operations.remove_documents(library, [document.id]))
    return document.id


def _copies(library: Library) -> int:
    return len([path for path in library.originals.rglob("*") if path.is_file()])


@pytest.mark.parametrize("mode", list(SearchMode))
def test_documents_in_the_bin_are_never_searched(library: Library, run: Run, removed: int, mode: SearchMode) -> None:
    steps = SearchConfiguration(mode)
    hits = run(operations.search(library, "When did the harbour of Lindhamn freeze?", configuration=steps)).hits
    assert removed not in {hit.chunk.document for hit in hits}
    # Its vectors left the index too: a search needs no filter because of it.
    assert library.models.index().count == sum(d.chunks for d in library.documents.list())


def test_the_bin_outlives_the_closing_of_the_library(
    library: Library, run: Run, removed: int, tmp_path: Path, embedder: Embedder
) -> None:
    library.close()
    again = Library.open(tmp_path / "library", embedder=embedder)
    try:
        assert [one.document.id for one in run(operations.list_bin(again))] == [removed]
        assert run(operations.restore_documents(again, [removed])) == [removed]
        dense = SearchConfiguration(SearchMode.DENSE)
        found = run(operations.search(again, "ferry Aurora", k=1, configuration=dense))
        assert found.hits[0].document_name == "harbour.md"
    finally:
        again.close()


def test_an_expired_document_in_the_bin_is_deleted_with_its_copy(
    library: Library, run: Run, removed: int, tmp_path: Path, embedder: Embedder
) -> None:
    before = _copies(library)
    with library.database.write() as connection:
        connection.execute("UPDATE documents SET removed_at = '2020-01-01T00:00:00.000000+00:00' WHERE removed > 0")
    library.close()
    again = Library.open(tmp_path / "library", embedder=embedder)
    try:
        assert (run(operations.list_bin(again)), before - _copies(again)) == ([], 1)
    finally:
        again.close()


def test_the_bin_is_emptied_in_part_or_whole(library: Library, run: Run, removed: int) -> None:
    (other,) = library.documents.list()
    run(operations.remove_documents(library, [other.id]))
    assert run(operations.empty_bin(library, [removed, 999])) == 1
    assert _copies(library) == 1
    assert run(operations.empty_bin(library)) == 1
    assert (run(operations.list_bin(library)), _copies(library)) == ([], 0)


def test_removing_for_good_leaves_the_rest_of_the_bin_alone(library: Library, run: Run, removed: int) -> None:
    (other,) = library.documents.list()
    run(operations.remove_documents(library, [other.id], for_good=True))
    assert [one.document.id for one in run(operations.list_bin(library))] == [removed]
