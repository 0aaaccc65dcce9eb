"""kill -9 in the middle of an import: the next start is consistent, and continues it."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.embedding.base import Embedder
from workbench.model.document import DocumentStatus
from workbench.operations import Library

FILES = 30


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(FILES):
        body = "\n\n".join(f"## Part {part}\n\nStation {number} reported value {part * number}." for part in range(30))
        (folder / f"report-{number:02}.md").write_text(f"# Report {number}\n\n{body}\n", "utf-8")
    return folder


def _started(library: Path, papers: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "workbench", "--json", "--library", str(library), "add", str(papers)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _kill_after(process: "subprocess.Popen[str]", lines: int) -> None:
    assert process.stdout is not None
    for _ in range(lines):
        process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def _check(library: Library, embedder: Embedder) -> int:
    """Check that database, vectors and index agree, and return the number of ready documents."""
    assert library.database.integrity_problem() == ""
    ids, _ = library.vectors.all(embedder.id)
    assert library.models.index().count == len(ids)
    ready = [d for d in library.documents.list() if d.status is DocumentStatus.READY]
    for document in ready:
        assert document.embedded == document.chunks == len(library.documents.chunks(document.id)) > 0
    return len(ready)


@pytest.mark.parametrize("lines", [1, 20])
def test_a_killed_import_loses_nothing_it_had_finished(
    tmp_path: Path, papers: Path, embedder: Embedder, shell: Any, lines: int
) -> None:
    folder = tmp_path / "library"
    _kill_after(_started(folder, papers), lines)
    library = Library.open(folder, embedder=embedder)
    try:
        assert _check(library, embedder) >= lines
    finally:
        library.close()
    assert {line["status"] for line in shell("add", papers)} <= {"ready", "unchanged"}
    library = Library.open(folder, embedder=embedder)
    try:
        assert _check(library, embedder) == FILES
    finally:
        library.close()
