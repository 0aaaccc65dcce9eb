"""A small in-memory library: a toy embedder, an exact index and word counts, so that each rule is tested separately."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from fakes import NoWords
from numpy.typing import NDArray

from workbench.indexing.faiss_store import FaissStore
from workbench.model.chunk import Chunk
from workbench.model.document import Block, BlockKind, Metadata, Page, ParsedDocument
from workbench.retrieval.retriever import Retriever
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex

GROUPS = (
    "when|opened|1932", "who|wrote|written|teacher", "cost|costs|ticket", "warranty|guarantees|pump",
    "factory|customer", "birds|winter", "roof|copper|metal", "cheese|milk", "students|school", "disease|virus",
    "election|candidate", "password|settings", "car|automobile|vehicle", "whale|ocean",
)  # fmt: skip


class ToyEmbedder:
    """Embeds a few English words by meaning, and everything else as the same vector, as MiniLM does with Chinese."""

    id = "toy"
    dim = len(GROUPS) + 1

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        found = [len(re.findall(rf"\b(?:{group})\b", text.lower())) for group in GROUPS]
        vector = np.array([*found, 0 if any(found) else 1], np.float32)
        return vector / np.linalg.norm(vector)


class Counts(NoWords):
    """Word counts without a library: every word occurs in the given number of chunks."""

    def __init__(self, frequencies: dict[str, int] | None = None, *, count: int = 1000) -> None:
        self.count = count
        self._frequencies = frequencies or {}

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        known = self._frequencies
        return {term: known.get(term, known.get(term.rstrip("*"), 5)) for term in terms}


class SmallLibrary:
    """A real store and a real index over texts, one chunk per text."""

    def __init__(self, folder: Path) -> None:
        self._database = Database.open(folder)
        self.documents = DocumentStore(self._database)
        self.keywords = KeywordIndex(self._database)
        self.embedder = ToyEmbedder()
        self.index = FaissStore(self.embedder.dim)

    def add(
        self,
        text: str,
        *,
        kb: str = "default",
        embed: bool = True,
        title: str = "",
        page_starts: Sequence[int] = (),
    ) -> int:
        """Add a document with one chunk; return the id of the chunk."""
        self.documents.ensure_knowledge_base(kb)
        number = len(self.documents.list()) + 1
        sha256 = f"{number:064x}"
        document = self.documents.queue(
            Path(f"/d/{number}.txt"), knowledge_base=kb, sha256=sha256, size=len(text), format="text"
        )
        block = Block(BlockKind.PARAGRAPH, 0, len(text))
        ends = [*page_starts[1:], len(text)]
        pages = tuple(Page(n, *span, 1.0, 1.0) for n, span in enumerate(zip(page_starts, ends, strict=False), start=1))
        parsed = ParsedDocument(text, (block,), pages, Metadata(title), "text")
        first, last = (1, len(pages)) if pages else (None, None)
        chunk = Chunk(0, 0, len(text), text, first, last, (), BlockKind.PARAGRAPH, 10)
        self.documents.put_content(document.id, parsed, [chunk], sha256=sha256, size=len(text))
        id = self.documents.chunks(document.id)[0].id
        if embed:
            self.index.upsert(np.array([id]), self.embedder.embed_documents([text]))
        return id

    @property
    def retriever(self) -> Retriever:
        return Retriever(self.documents, self.keywords, self.index, self.embedder)  # type: ignore[arg-type]

    def close(self) -> None:
        self._database.close()


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SmallLibrary]:
    small = SmallLibrary(tmp_path / "library")
    yield small
    small.close()


@pytest.fixture
def counts() -> Callable[..., Counts]:
    return Counts


@pytest.fixture
def toy_embedder() -> ToyEmbedder:
    return ToyEmbedder()
