"""A library of the Python API, with a loaded embedder and running parser processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import workbench
from workbench.embedding.base import Embedder


@pytest.fixture
def folder(tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch, warm_readers: None) -> Path:
    """Return a folder without a library."""
    monkeypatch.setattr("workbench.operations.library.models.SearchModels.embedder", lambda _models: embedder)
    return tmp_path / "library"


@pytest.fixture
def library(folder: Path) -> Iterator[workbench.Library]:
    """Yield an open library without documents."""
    with workbench.open_library(folder) as library:
        yield library


@pytest.fixture
def filled(library: workbench.Library) -> workbench.Library:
    """Return a library of two notes."""
    library.add(text="The harbour of Lindhamn froze on 3 May 1893.", name="Ice")
    library.add(text="The ferry stays in port for nine days.", name="Ferry")
    return library
