"""A library with its own parser processes, started before the files existed that they read."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.model.document import DocumentStatus
from workbench.operations import Library
from workbench.worker.job import JobContext


@pytest.fixture
def library(tmp_path: Path, embedder: Embedder) -> Iterator[Library]:
    library = Library.open(tmp_path / "library", embedder=embedder)
    asyncio.run(operations.warm_up(library)(JobContext()))
    yield library
    library.close()


def read(library: Library) -> list[tuple[str, DocumentStatus]]:
    return [(document.name, document.status) for document in library.documents.list()]


def test_the_first_file_is_read_by_readers_that_were_there_before(library: Library, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nThe heron flew.\n")
    asyncio.run(operations.add_documents(library, [tmp_path / "note.md"])(JobContext()))
    assert read(library) == [("note.md", DocumentStatus.READY)]


def test_files_are_read_after_the_folder_of_copies_was_made_anew(library: Library, tmp_path: Path) -> None:
    shutil.rmtree(library.originals)
    (tmp_path / "note.md").write_text("# Note\n\nThe heron flew.\n")
    asyncio.run(operations.add_documents(library, [tmp_path / "note.md"])(JobContext()))
    assert read(library) == [("note.md", DocumentStatus.READY)]
