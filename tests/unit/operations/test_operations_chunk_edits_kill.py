"""kill -9 during a chunk edit: the edit is complete or absent, and every index agrees at the next start."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_embedder import SmallEmbedder

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.operations import Library

Run = Callable[[Any], Any]

PROGRAM = """
import asyncio, pathlib, sys
sys.path.insert(0, sys.argv[3])
from small_embedder import SmallEmbedder
from workbench import operations
from workbench.embedding.sentence_transformer import load_embedder
from workbench.operations.library.models import model_cache
from workbench.store import chunk_edits
from workbench.worker.job import JobContext

library = operations.Library.open(
    pathlib.Path(sys.argv[1]), embedder=SmallEmbedder(load_embedder("", cache=model_cache()).tokenizer)
)
library.models.index()

def wait(*_):
    print("now", flush=True)
    sys.stdin.read()

if sys.argv[2] == "in the transaction":
    chunk_edits.put_edit = wait
else:
    library.models.follow_documents = wait
(chunk,) = library.documents.chunks(1)
asyncio.run(operations.edit_chunk(library, chunk.id, "The quay is made of granite.")(JobContext()))
"""


@pytest.mark.parametrize("moment", ["in the transaction", "before the index follows"])
def test_a_kill_leaves_a_changed_chunk_as_it_was_or_as_it_is_to_be(
    tmp_path: Path, run: Run, embedder: Embedder, moment: str
) -> None:
    (tmp_path / "harbour.txt").write_text("The harbour of Lindhamn froze in 1987.", "utf-8")
    folder, small = tmp_path / "library", SmallEmbedder(embedder.tokenizer)
    library = Library.open(folder, embedder=small)
    run(operations.add_documents(library, [tmp_path / "harbour.txt"]))
    library.close()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), moment, str(Path(__file__).parents[2] / "support")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        process.kill()
    is_made = moment == "before the index follows"
    library = Library.open(folder, embedder=small)
    try:
        (chunk,) = library.documents.chunks(1)
        assert (chunk.text, chunk.is_edited) == (
            ("The quay is made of granite.", True) if is_made else ("The harbour of Lindhamn froze in 1987.", False)
        )
        hits = run(operations.search(library, "granite")).hits
        assert {hit.chunk.text for hit in hits} <= {chunk.text}
        assert library.models.index().ids.tolist() == [chunk.id]
        assert len(run(operations.list_chunk_edits(library, 1))) == int(is_made)
        assert bool(library.keywords.search("granite", 5)) is is_made
        assert library.database.integrity_problem() == ""
    finally:
        library.close()
