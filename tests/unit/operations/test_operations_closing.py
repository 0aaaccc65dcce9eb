"""A closed library releases everything without waiting for garbage collection."""

import gc
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.operations import Library

Run = Callable[[Any], Any]


@pytest.fixture
def _no_garbage_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_no_garbage_collection")
def test_embedder_and_index_are_given_back(tmp_path: Path, run: Run) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nThe heron flew.\n")
    library = Library.open(tmp_path / "library")
    run(operations.add_documents(library, [tmp_path / "note.md"]))
    assert run(operations.search(library, "Who flew?")).hits
    held = [weakref.ref(library.models.embedder()), weakref.ref(library.models.index())]
    library.close()
    assert [one() for one in held] == [None, None]
