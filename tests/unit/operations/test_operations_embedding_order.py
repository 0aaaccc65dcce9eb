"""Order in which documents are embedded: short ones do not wait for a long one, which continues meanwhile."""

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_embedder import SmallEmbedder

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import EmbeddingError
from workbench.model.document import Document, DocumentStatus
from workbench.model.import_progress import DocumentChanged
from workbench.operations import Library
from workbench.operations.imports.embedding import BATCH, Embedding
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]


@pytest.fixture
def small(embedder: Embedder) -> SmallEmbedder:
    return SmallEmbedder(embedder.tokenizer)


@pytest.fixture
def quick_library(tmp_path: Path, small: SmallEmbedder) -> Iterator[Library]:
    library = Library.open(tmp_path / "library", embedder=small)
    yield library
    library.close()


@pytest.fixture
def batches(small: SmallEmbedder) -> list[list[str]]:
    """Return, for every batch, the documents of its texts."""
    seen: list[list[str]] = []
    small.before = lambda texts: seen.append(re.findall("heron_([a-d])", "\n".join(texts)))
    return seen


def _read(library: Library, run: Run, small: SmallEmbedder, folder: Path, **chunks: int) -> None:
    """Add documents of about these numbers of chunks, in the order of their names, without vectors."""
    folder.mkdir()
    for name, number in chunks.items():
        paragraphs = (f"{place}: heron_{name} {'waded slowly through cold water. ' * 27}" for place in range(number))
        (folder / f"{name}.txt").write_text("\n\n".join(paragraphs), "utf-8")

    def fail(_texts: object) -> None:
        raise EmbeddingError("The model is busy.", "Try again.")

    before, small.before = small.before, fail
    run(operations.add_documents(library, [folder]))
    small.before = before


def _embed(library: Library, on: Callable[[Document], None] = lambda _document: None) -> list[str]:
    """Return the names of the documents in the order in which their embedding was completed."""
    ready: list[str] = []

    def emit(event: Any) -> None:
        if isinstance(event, DocumentChanged):
            on(event.document)
            if event.document.status is DocumentStatus.READY:
                ready.append(event.document.name)

    async def resume() -> None:
        await operations.resume_import(library)(JobContext(emit))

    asyncio.run(resume())
    return ready


def test_short_documents_do_not_wait_for_the_vectors_of_a_long_one(
    quick_library: Library, run: Run, small: SmallEmbedder, batches: list[list[str]], tmp_path: Path
) -> None:
    _read(quick_library, run, small, tmp_path / "notes", a=6 * BATCH, b=2 * BATCH, c=1)
    assert _embed(quick_library) == ["c.txt", "b.txt", "a.txt"]
    assert "c" in batches[0]


def test_a_long_document_gets_half_of_each_batch_while_shorter_ones_go_before(
    quick_library: Library, run: Run, small: SmallEmbedder, batches: list[list[str]], tmp_path: Path
) -> None:
    _read(quick_library, run, small, tmp_path / "notes", a=4 * BATCH, b=BATCH, c=BATCH)
    assert _embed(quick_library) == ["b.txt", "c.txt", "a.txt"]
    assert all(batch.count("a") >= BATCH // 2 for batch in batches)


def test_a_document_that_a_question_is_about_is_embedded_before_shorter_documents(
    quick_library: Library, run: Run, small: SmallEmbedder, tmp_path: Path
) -> None:
    _read(quick_library, run, small, tmp_path / "notes", a=4 * BATCH, b=2 * BATCH, c=BATCH)
    (asked,) = [document.id for document in quick_library.documents.list() if document.name == "b.txt"]
    assert _embed(quick_library, lambda _document: quick_library.queue.first([asked]))[0] == "b.txt"


def test_a_few_passages_are_embedded_while_files_are_read_if_no_import_has_measured_the_speed(
    quick_library: Library, run: Run, small: SmallEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.imports.embedding._MEASURE_AFTER", 0.0)
    _read(quick_library, run, small, tmp_path / "notes", a=2 * BATCH)
    sizes, is_reading = list[int](), [True]

    def note(texts: list[str]) -> None:
        sizes.append(len(texts))
        is_reading.clear()

    small.before = note
    embedding = Embedding(
        quick_library, JobContext(), lambda _finished: None, reads_first=lambda: bool(is_reading), obeys_pause=False
    )
    embedding.put(quick_library.documents.list()[0])
    embedding.no_more()
    asyncio.run(embedding.run())
    assert sizes[0] == 16 < sizes[1]
    assert embedding.progress.seconds_left == 0
