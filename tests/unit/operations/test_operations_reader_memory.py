"""Parser processes use 100 MB each: while embedding takes long, idle ones are closed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.operations import Library

Run = Callable[[Any], Any]


def _readers(library: Library) -> int:
    return library.parsers._idle.qsize()


def test_readers_end_before_a_long_embedding_and_are_there_for_the_next_file(
    library: Library, papers: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.imports.importing.LONG", 1)
    run(operations.add_documents(library, [papers]))
    assert _readers(library) == 0
    (tmp_path / "later.md").write_text("# Later\n\nThe heron came back.\n", "utf-8")
    (added,) = run(operations.add_documents(library, [tmp_path / "later.md"]))
    assert added.outcome.value == "ready"


def test_readers_stay_for_a_short_one(library: Library, papers: Path, run: Run) -> None:
    run(operations.add_documents(library, [papers]))
    assert _readers(library) > 0
