"""kill -9 during exhaustive reading: no result is lost, and nothing is read twice."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.model.exhaustive import DocumentVerdict, ReadingProgress, ReadingStatus
from workbench.operations import Library
from workbench.worker.job import JobContext

HERE = Path(__file__).parent
DOCUMENTS = 12


def run(operation: Any, emit: Any = None) -> Any:
    return asyncio.run(operation(JobContext(emit)))


def _text(number: int) -> str:
    parts = "\n\n".join(
        f"## Part {part}\n\nStation {number} reported {part * number} in part {part}." for part in range(8)
    )
    return f"# Report {number}\n\n{parts}\n"


@pytest.mark.parametrize("batches", [1, 7])
def test_a_killed_reading_continues_where_it_stopped(
    tmp_path: Path, embedder: Embedder, warm_readers: None, batches: int
) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    for number in range(1, DOCUMENTS + 1):
        (folder / f"report-{number:02}.md").write_text(_text(number), "utf-8")
    library = Library.open(tmp_path / "library", embedder=embedder)
    run(operations.add_documents(library, [folder]))
    library.close()
    command = [sys.executable, str(HERE / "killed_reader.py"), str(tmp_path / "library"), str(batches)]
    assert subprocess.run(command, timeout=120, check=False).returncode == -signal.SIGKILL
    library = Library.open(tmp_path / "library", embedder=embedder)
    try:
        assert library.database.integrity_problem() == ""
        (info,) = run(operations.list_readings(library))
        assert (info.status, info.reason) == (
            ReadingStatus.PAUSED,
            "The program ended while this was being read.",
        )
        assert info.meter.documents_read == batches
        kept = library.reading_passages.read(info.id)
        events: list[Any] = []
        done = run(operations.continue_reading(library, info.id), events.append)
        told = [event.meter.read for event in events if isinstance(event, ReadingProgress)]
        assert (told[0], told[-1]) == (len(kept), info.meter.passages)
        assert done.info.meter.documents_read == DOCUMENTS
        again = library.reading_passages.read(info.id)
        assert all(again[chunk] == one for chunk, one in kept.items())
        assert DocumentVerdict.YES in {one.verdict for one in done.documents}
    finally:
        library.close()
