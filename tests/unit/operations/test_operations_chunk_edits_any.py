"""Random sequences of chunk edits: the document stays covered, every index agrees, and all edits can be undone."""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from small_embedder import SmallEmbedder

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import ChunkError
from workbench.model.chunk import Chunk
from workbench.operations import Library

Run = Callable[[Any], Any]

TEXT = "\n\n".join(
    f"# Part {number}\n\nThe harbour {number} froze. 港口的水深是{number}米。\n\n| a | b |\n|---|---|\n| {number} | 2 |"
    for number in range(6)
)


@pytest.fixture
def library(tmp_path: Path, embedder: Embedder) -> Iterator[Library]:
    library = Library.open(tmp_path / "library", embedder=SmallEmbedder(embedder.tokenizer))
    library.setting_values.put("chunk_tokens", 32)
    library.models.index()
    yield library
    library.close()


@pytest.fixture
def file(library: Library, run: Run, tmp_path: Path) -> Path:
    path = tmp_path / "parts.md"
    path.write_text(TEXT, "utf-8")
    run(operations.add_documents(library, [path]))
    return path


def state(library: Library) -> list[tuple[int, int, str, bool, tuple[str, ...]]]:
    return [(one.start, one.end, one.text, one.disabled, one.tags) for one in library.documents.chunks(1)]


def agrees(library: Library) -> None:
    text, chunks = library.documents.text(1), library.documents.chunks(1)
    held = [False] * len(text)
    for number, chunk in enumerate(chunks):
        assert (chunk.ordinal, chunk.slice) == (number, text[chunk.start : chunk.end])
        held[chunk.start : chunk.end] = [True] * (chunk.end - chunk.start)
    assert all(is_held or not letter.strip() for letter, is_held in zip(text, held, strict=True))
    enabled = {chunk.id for chunk in chunks if not chunk.disabled}
    assert set(library.models.index().ids.tolist()) == enabled
    with library.database.read() as connection:
        assert {row[0] for row in connection.execute("SELECT rowid FROM keyword_index")} == enabled
    document = library.documents.get(1)
    assert (document.chunks, document.embedded) == (len(chunks), len(chunks))


def some_change(library: Library, chooser: random.Random, chunks: list[Chunk]) -> Any:
    one = chooser.choice(chunks)
    cut = chooser.randrange(len(one.text))
    return chooser.choice(
        [
            operations.edit_chunk(library, one.id, f"{one.text[:cut]}Polaris {chooser.random()}{one.text[cut:]}"),
            operations.edit_chunk(library, one.id, one.slice),
            operations.merge_chunks(library, one.id, other=chooser.choice([-1, 1])),
            operations.split_chunk(library, one.id, cut),
            operations.disable_chunk(library, one.id, disabled=not one.disabled),
            operations.tag_chunk(library, one.id, [f"t{cut}"]),
            operations.reset_chunk(library, one.id),
        ]
    )


def change(library: Library, run: Run, chooser: random.Random, times: int) -> None:
    for _ in range(times):
        with suppress(ChunkError):  # a part would be empty, or there is no neighbour
            run(some_change(library, chooser, library.documents.chunks(1)))
        agrees(library)


@pytest.mark.parametrize("seed", range(4))
def test_any_edits_are_undone_one_after_another_and_redone(library: Library, run: Run, file: Path, seed: int) -> None:
    before = state(library)
    change(library, run, random.Random(seed), 14)
    after = state(library)
    edits = len(run(operations.list_chunk_edits(library, 1)))
    for _ in range(edits):
        run(operations.undo_chunk_edit(library, 1))
    assert state(library) == before
    agrees(library)
    for _ in range(edits):
        run(operations.redo_chunk_edit(library, 1))
    assert state(library) == after
    agrees(library)


@pytest.mark.parametrize("seed", range(4, 8))
def test_any_edits_outlive_another_reading_and_another_cut(library: Library, run: Run, file: Path, seed: int) -> None:
    change(library, run, random.Random(seed), 14)
    after = state(library)
    run(operations.reindex_documents(library, [1]))
    assert state(library) == after
    agrees(library)
    mine = {(one.text, one.disabled, one.tags) for one in library.documents.chunks(1) if one.is_changed}
    library.setting_values.put("chunk_tokens", 60)
    run(operations.reindex_documents(library, [1]))
    agrees(library)
    assert {(one.text, one.disabled, one.tags) for one in library.documents.chunks(1) if one.is_changed} == mine
    file.write_text(f"# New\n\nTides and currents.\n\n{TEXT}", "utf-8")
    run(operations.add_documents(library, [file]))
    agrees(library)
    assert {(one.text, one.disabled, one.tags) for one in library.documents.chunks(1) if one.is_changed} == mine
    change(library, run, random.Random(seed + 100), 5)


@pytest.mark.parametrize("seed", range(8, 11))
def test_any_edits_of_a_text_that_goes_and_comes_again_are_there_again(
    library: Library, run: Run, file: Path, seed: int
) -> None:
    change(library, run, random.Random(seed), 10)
    mine = {(one.text, one.disabled, one.tags) for one in library.documents.chunks(1) if one.is_changed}
    file.write_text("# Other\n\nNothing of it is left.", "utf-8")
    run(operations.add_documents(library, [file]))
    agrees(library)
    file.write_text(TEXT, "utf-8")
    run(operations.add_documents(library, [file]))
    agrees(library)
    assert {(one.text, one.disabled, one.tags) for one in library.documents.chunks(1) if one.is_changed} == mine
