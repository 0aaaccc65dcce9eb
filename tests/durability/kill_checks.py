"""Invariants of a library at every start, however the program was killed; each violation is a sentence."""

import asyncio
import hashlib
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from kill_world import PIECES, World, done, small_embedder, wait_until

from workbench import operations
from workbench.indexing.faiss_store import FaissStore
from workbench.model.chunk import Chunk, embedding_text
from workbench.model.document import Document, DocumentStatus
from workbench.model.hit import SearchMode
from workbench.model.run import RunStatus
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.imports.source_files import find_copy
from workbench.store.intake import is_hashed

_UNFINISHED = ("*.part", "*.new", "*.unfinished", "*-journal")
_WORD = re.compile(r"zq[a-z]+\d+(?:p\d+v\d+)?")


def disagreements(library: Library, world: World, *, is_whole: bool = True) -> Iterator[str]:
    """Yield inconsistencies between database, search index, keyword index, sessions and files.

    Args:
        library: The open library.
        world: Its location.
        is_whole: Whether it has the files and vectors of its documents.
    """
    if problem := library.database.integrity_problem():
        yield f"database: {problem}"
    held = _held(library)
    yield from _keywords(library, held)
    yield from _searches(library)
    if is_whole:
        yield from _documents(library, held)
        yield from _vectors(library, held)
        yield from _originals(library)
    yield from _runs(library)
    yield from _left_behind(library, world)


def _held(library: Library) -> dict[int, tuple[Chunk, Document]]:
    with library.database.read() as connection:
        ids = [row[0] for row in connection.execute("SELECT id FROM chunks ORDER BY id")]
    found = library.documents.chunks_by_id(ids)
    return {number: found[number] for number in ids if number in found}


def _documents(library: Library, held: dict[int, tuple[Chunk, Document]]) -> Iterator[str]:
    embedder = library.models.embedder().id
    for document in library.documents.list():
        chunks = library.documents.chunks(document.id)
        own = [chunk for chunk, owner in held.values() if owner.id == document.id]
        embedded = len(library.vectors.get(embedder, [chunk.id for chunk in chunks])[0])
        if not document.chunks == len(chunks) == len(own):
            yield f"{document.name}: {document.chunks} chunks are counted, {len(chunks)} are there"
        if document.embedded != embedded:
            yield f"{document.name}: {document.embedded} vectors are counted, {embedded} are there"
        if document.status is DocumentStatus.READY and (embedded != len(chunks) or not chunks):
            yield f"{document.name}: ready with {embedded} vectors of {len(chunks)} chunks"
        if [chunk.ordinal for chunk in chunks] != list(range(len(chunks))):
            yield f"{document.name}: its chunks are not in order"
        if chunks:
            text = library.documents.text(document.id)
            if any(text[chunk.start : chunk.end] != chunk.slice for chunk in chunks):
                yield f"{document.name}: a chunk is not what stands in the text"
    same = Counter((one.knowledge_base, one.sha256) for one in library.documents.list())
    yield from (f"two documents of the same bytes in {base}" for (base, _), many in same.items() if many > 1)


def _vectors(library: Library, held: dict[int, tuple[Chunk, Document]]) -> Iterator[str]:
    embedder = library.models.embedder()
    index = library.models.index()
    assert isinstance(index, FaissStore)
    ids, rows = library.vectors.all(embedder.id)
    in_index = {
        int(number): part.rows[place]
        for part in index._parts
        for place, number in zip(part.places, part.ids[part.places], strict=True)
    }
    if sorted(in_index) != sorted(ids.tolist()) or index.count != len(ids):
        yield f"search index: holds {len(in_index)} vectors ({index.count}), the database {len(ids)}"
    for number, row in zip(ids.tolist(), rows, strict=True):
        if number in in_index and not np.array_equal(in_index[number], row):
            yield f"search index: another vector of chunk {number} than in the database"
        if number not in held:
            continue  # of a document in the bin
        chunk, document = held[number]
        text = embedding_text(chunk.headings, chunk.text)
        if not np.allclose(small_embedder(embedder.id.split("/")[0])._vector(text), row, atol=1e-6):
            yield f"vectors: that of chunk {number} of {document.name} is of another text"


def _keywords(library: Library, held: dict[int, tuple[Chunk, Document]]) -> Iterator[str]:
    with library.database.read() as connection:
        indexed = {row[0] for row in connection.execute("SELECT rowid FROM keyword_index")}
        enabled = {row[0] for row in connection.execute("SELECT id FROM chunks WHERE disabled = 0")}
        if indexed != enabled:
            yield f"keyword index: {len(indexed - enabled)} rows too many, {len(enabled - indexed)} too few"
        for number, (chunk, document) in held.items():
            for word in set(_WORD.findall(chunk.text)):
                rows = connection.execute(
                    "SELECT rowid FROM keyword_index WHERE keyword_index MATCH ?", (f'body : "{word}"',)
                ).fetchall()
                if ((number,) in rows) is chunk.disabled:
                    yield f"keyword index: “{word}” of {document.name} is {'found' if chunk.disabled else 'not found'}"
        names = {row[0] for row in connection.execute("SELECT rowid FROM document_names")}
        if names != {row[0] for row in connection.execute("SELECT id FROM documents")}:
            yield "names of documents: not those that there are"


def _searches(library: Library) -> Iterator[str]:
    live = {document.id: document for document in library.documents.list()}
    for mode in (SearchMode.DENSE, SearchMode.KEYWORD, SearchMode.HYBRID):
        asked = operations.search(library, "Station reported", configuration=SearchConfiguration(mode), k=200)
        for hit in asyncio.run(done(asked)).hits:
            document = live.get(hit.chunk.document)
            if document is None:
                yield f"{mode.value} search: finds a document that is not there"
            elif not document.chunks or hit.chunk.disabled:
                yield f"{mode.value} search: finds what is not to be found in {document.name}"


def _originals(library: Library) -> Iterator[str]:
    kept = [*library.documents.list(), *(one.document for one in library.bin.list())]
    for document in kept:
        if not is_hashed(document) or library.linked.covers(document.knowledge_base, document.path):
            continue
        copy = find_copy(library.originals, document)
        if copy is None:
            yield f"originals: there is none of {document.name} ({document.status.value})"
        elif hashlib.sha256(copy.read_bytes()).hexdigest() != document.sha256:
            yield f"originals: that of {document.name} is not what was added"
    hashes = {document.sha256 for document in kept}
    if not wait_until(lambda: all(path.name in hashes for path in library.originals.glob("??/*"))):
        yield "originals: there are copies of which there is no document"


def _runs(library: Library) -> Iterator[str]:
    for info in library.sessions.list():
        for run in library.sessions.get(info.id).runs:
            numbers = [timed.number for timed in run.events]
            if run.status is RunStatus.RUNNING:
                yield f"run {run.id}: is said to be on its way"
            if numbers != sorted(set(numbers)):
                yield f"run {run.id}: its steps are not in order"
    for reading in library.readings.list():
        if reading.status.value == "running":
            yield f"reading {reading.id}: is said to be on its way"


def _left_behind(library: Library, world: World) -> Iterator[str]:
    def left() -> list[str]:
        found = [path for pattern in _UNFINISHED for path in world.now.rglob(pattern)]
        for folder in (world.tmp, library.folder / "staging", library.folder / "unpacked"):
            found += [path for path in folder.rglob("*") if not path.name.startswith("pymp-")]
        index = library.folder / "index"
        used = {library.models.index_path(name).name for name in _embedders(library)}
        found += [path for path in index.glob("*") if path.name not in used]
        charts = {f"{name}.chart" for name in used}
        found += [path for path in (library.folder / "map").glob("*") if path.name not in charts]
        sessions = {str(session.id) for session in library.sessions.list()}
        for name in ("kept-pages", "kept-originals"):
            found += [path for path in (library.folder / name).glob("*") if path.name not in sessions]
        return sorted({str(path.relative_to(world.now)) for path in found})

    if not wait_until(lambda: not left()):
        yield f"left behind: {', '.join(left())}"


def _embedders(library: Library) -> set[str]:
    with library.database.read() as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM embedders")}
    return names | {library.vectors.embedder}


def fingerprint(library: Library) -> dict[str, object]:
    """Return the state that must be the same after another start."""
    with library.database.read() as connection:
        rows = {
            table: connection.execute(f"SELECT COUNT(*), TOTAL(id) FROM {table}").fetchone()
            for table in ("documents", "chunks", "vectors", "sessions", "runs", "run_events", "chunk_edits", "readings")
        }
    documents = [(one.id, one.name, one.status, one.chunks, one.tags) for one in library.documents.list()]
    files = sorted(str(path) for path in library.originals.rglob("*") if path.is_file())
    return {**rows, "documents": documents, "index": sorted(library.models.index().ids.tolist()), "files": files}


def is_whole(path: Path) -> str:
    """Return the defect of an exported file, or nothing."""
    data = path.read_bytes()
    if path.suffix in (".zip", ".docx", ".kwbundle"):
        if not zipfile.is_zipfile(path):
            return "no archive"
        with zipfile.ZipFile(path) as archive:
            return str(archive.testzip() or "")
    if path.suffix == ".json":
        try:
            json.loads(data)
        except ValueError:
            return "cut short"
        return ""
    if path.suffix == ".jsonl":
        return "" if data.endswith(b"\n") else "cut short"
    if path.suffix == ".html":
        return "" if data.rstrip().endswith(b"</html>") else "cut short"
    return "" if PIECES[-1].encode() in data and data.endswith(b"\n") else "cut short"
