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


def add(library: Library, path: Path) -> None:
    path.write_text(f"# {path.stem}\n\nThe heron flew.\n")
    asyncio.run(operations.add_documents(library, [path])(JobContext()))


def test_parser_processes_started_earlier_read_the_first_file_and_one_in_a_recreated_copies_folder(
    library: Library, tmp_path: Path
) -> None:
    add(library, tmp_path / "first.md")
    shutil.rmtree(library.originals)
    add(library, tmp_path / "second.md")
    assert [(document.name, document.status) for document in library.documents.list()] == [
        ("first.md", DocumentStatus.READY),
        ("second.md", DocumentStatus.READY),
    ]
