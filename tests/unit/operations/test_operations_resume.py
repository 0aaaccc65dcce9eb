"""Work that a stop or a change of the embedding model left undone is completed at the next start."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench import operations
from workbench.model.document import DocumentStatus
from workbench.model.import_progress import DocumentChanged, ImportProgress
from workbench.operations import Library

Run = Callable[[Any], Any]


def test_resuming_an_import_does_nothing_when_nothing_is_unfinished(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    assert run(operations.resume_import(library)) == []


def test_a_document_that_was_only_queued_is_read(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    (first, _) = library.documents.list()
    library.documents.set_status(first.id, DocumentStatus.QUEUED)
    (file,) = run(operations.resume_import(library))
    assert (file.document, file.outcome.value) == (first.id, "ready")


def test_documents_without_vectors_of_the_embedder_get_them(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    library.vectors.use("another-model/3/fp32")
    library.vectors.put("another-model/3/fp32", np.array([], np.int64), np.empty((0, 3), np.float32))
    assert {d.embedded for d in library.documents.list()} == {0}
    run(operations.resume_import(library))
    assert all(d.embedded == d.chunks > 0 for d in library.documents.list())


def test_documents_whose_vectors_an_update_made_invalid_are_reported_before_they_are_embedded(
    library: Library, run: Run, papers: Path, events: list[Any]
) -> None:
    run(operations.add_documents(library, [papers]))
    with library.database.write() as connection:
        connection.execute("UPDATE embedders SET name = 'older/384/int8'")
    library.vectors.use("older/384/int8")
    events.clear()
    run(operations.resume_import(library))
    first = next(place for place, event in enumerate(events) if isinstance(event, ImportProgress))
    known = {event.document.name: event.document.embedded for event in events[:first]}
    assert known == dict.fromkeys((document.name for document in library.documents.list()), 0)
    assert all(d.embedded == d.chunks > 0 for d in library.documents.list())


def test_documents_read_before_a_stop_count_as_read_from_the_start(
    library: Library, run: Run, papers: Path, events: list[Any]
) -> None:
    run(operations.add_documents(library, [papers]))
    for document in library.documents.list():
        library.documents.set_status(document.id, DocumentStatus.INDEXED)
    events.clear()
    run(operations.resume_import(library))
    first = next(event for event in events if isinstance(event, ImportProgress))
    assert (first.files_read, first.files_done, first.files) == (2, 0, 2)


def test_a_long_document_reports_its_progress_after_each_batch(
    library: Library, run: Run, tmp_path: Path, events: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.imports.embedding.BATCH", 4)
    (tmp_path / "long.md").write_text(
        "\n\n".join(f"# Part {n}\n\n{'The heron flew. ' * 90}" for n in range(9)), "utf-8"
    )
    run(operations.add_documents(library, [tmp_path / "long.md"]))
    told = [event.document for event in events if isinstance(event, DocumentChanged)]
    embedded = [one.embedded for one in told if one.status is DocumentStatus.EMBEDDING]
    assert embedded == sorted(set(embedded))
    assert len(embedded) >= 2
