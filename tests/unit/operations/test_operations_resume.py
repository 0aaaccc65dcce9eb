"""What a stop or a change of the embedding model left undone is done at the next start."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from workbench import operations
from workbench.model.document import DocumentStatus
from workbench.operations import Library

Run = Callable[[Any], Any]


def test_nothing_unfinished_is_nothing_to_do(library: Library, run: Run, papers: Path) -> None:
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
