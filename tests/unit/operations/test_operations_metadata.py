"""Metadata and tags through the operations: found by the new title, and undone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench import operations
from workbench.model.document import Document, DocumentStatus
from workbench.operations import Library
from workbench.retrieval.filters.json_forms import filter_of

Run = Callable[[Any], Any]


@pytest.fixture
def harbour(library: Library, run: Run, papers: Path) -> Document:
    run(operations.add_documents(library, [papers / "harbour.md"]))
    document: Document = run(operations.list_documents(library))[0]
    return document


def vector(library: Library, document: Document) -> Any:
    ids = [chunk.id for chunk in library.documents.chunks(document.id)]
    return library.vectors.get(library.models.embedder().id, ids)[1]


def test_another_title_is_found_at_once_keeps_the_vectors_and_is_undone(
    library: Library, run: Run, harbour: Document
) -> None:
    before = vector(library, harbour)
    edit = run(operations.edit_metadata(library, harbour.id, {"title": "Tax return of the lighthouse"}))
    assert (edit.after.status, edit.after.embedded) == (DocumentStatus.READY, harbour.chunks)
    assert np.array_equal(before, vector(library, harbour))
    assert run(operations.search(library, "Tax return")).hits[0].document_title == "Tax return of the lighthouse"
    run(operations.undo_edit(library, edit.before))
    assert library.documents.get(harbour.id) == harbour


def test_metadata_edited_by_the_user_survives_reading_the_file_again(
    library: Library, run: Run, harbour: Document
) -> None:
    run(operations.edit_metadata(library, harbour.id, {"title": "My harbour", "author": "Me"}))
    run(operations.reindex_documents(library, [harbour.id]))
    metadata = library.documents.get(harbour.id).metadata
    assert (metadata.title, metadata.author) == ("My harbour", "Me")


def test_a_title_given_while_the_document_is_being_read_is_kept(library: Library, run: Run, harbour: Document) -> None:
    library.active.add(harbour.id)
    run(operations.edit_metadata(library, harbour.id, {"title": "New"}))
    library.active.discard(harbour.id)
    run(operations.reindex_documents(library, [harbour.id]))
    assert library.documents.get(harbour.id).metadata.title == "New"


def test_tags_of_many_documents_are_changed_together_and_put_back(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    first, second = (document.id for document in library.documents.list())
    run(operations.tag_documents(library, [first], add=["old", "law"]))
    before = run(operations.tag_documents(library, [first, second], add=["sea"], remove=["OLD"]))
    assert [document.tags for document in library.documents.list()] == [("law", "sea"), ("sea",)]
    assert run(operations.list_tags(library)) == [("sea", 2), ("law", 1)]
    run(operations.put_tags(library, before))
    assert [document.tags for document in library.documents.list()] == [("old", "law"), ()]


def test_a_search_can_be_kept_to_a_tag(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    chinese = next(document for document in library.documents.list() if document.format == "text")
    run(operations.tag_documents(library, [chinese.id], add=["灯塔"]))
    result = run(operations.search(library, "harbour", filter=filter_of({"tag": "灯塔"})))
    assert {hit.chunk.document for hit in result.hits} == {chinese.id}


def test_metadata_of_ones_own_are_given_to_many_documents_filtered_by_and_put_back(
    library: Library, run: Run, papers: Path
) -> None:
    run(operations.add_documents(library, [papers]))
    first, second = library.documents.list()[:2]
    run(operations.give_metadata(library, [first.id], {"dept": "hr"}))
    before = run(operations.give_metadata(library, [first.id, second.id], {"Dept": "it", "budget": 7}))
    found = run(operations.search(library, "the", k=20, filter=filter_of({"dept": "it", "budget": 7})))
    assert {hit.chunk.document for hit in found.hits} == {first.id, second.id}
    assert run(operations.list_metadata_keys(library)) == [("budget", 2), ("dept", 2)]
    run(operations.put_metadata(library, before))
    assert library.documents.get(second.id) == second
    assert [field.plain for field in library.documents.get(first.id).custom] == ["hr"]


def test_metadata_of_ones_own_survive_reading_the_file_again(library: Library, run: Run, harbour: Document) -> None:
    run(operations.give_metadata(library, [harbour.id], {"due": "2025-06-01"}))
    run(operations.reindex_documents(library, [harbour.id]))
    assert [(one.key, one.plain) for one in library.documents.get(harbour.id).custom] == [("due", "2025-06-01")]
