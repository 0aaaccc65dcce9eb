"""Library of paragraphs, built with the real store, chunker, embedder and index; one document per paragraph."""

import importlib.util
import random
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import numpy as np
import platformdirs

from workbench.chunking.structure import StructureChunker
from workbench.embedding.base import Embedder
from workbench.embedding.sentence_transformer import load_embedder
from workbench.indexing.faiss_store import FaissStore
from workbench.model.chunk import embedding_text
from workbench.model.document import Block, BlockKind, Metadata, ParsedDocument
from workbench.operations.library.derived_vectors import codec_of, embed_with_codes
from workbench.retrieval.answer_sentences import SentenceRanker
from workbench.retrieval.recent_chunks import RecentChunks
from workbench.retrieval.reranking.late_interaction import LateInteraction, StoredTokens
from workbench.retrieval.retriever import Retriever
from workbench.retrieval.sentence_similarity import SentenceSimilarity
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex
from workbench.store.name_index import NameIndex
from workbench.store.vectors import TokenCodeTable, VectorTable

_CACHE = Path(platformdirs.user_cache_dir("knowledge-workbench", appauthor=False)) / "models"
_BATCH = 128
DEFAULT_DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@dataclass(frozen=True)
class Library:
    """A library in a temporary folder; paragraph_of maps a document's id to the paragraph's."""

    documents: DocumentStore
    retriever: Retriever
    ranker: SentenceRanker
    keywords: KeywordIndex
    paragraph_of: dict[int, str]
    chunks: int

    def forget(self, paragraphs: set[str]) -> None:
        """Exclude paragraphs from searches, as if they had been removed."""
        self.documents.mark_removed([id for id, name in self.paragraph_of.items() if name in paragraphs])

    def bring_back(self) -> None:
        """Include all excluded paragraphs again."""
        self.documents.restore(list(self.paragraph_of))


def loaders(data: Path) -> ModuleType:
    """Return the loaders module next to the data."""
    spec = importlib.util.spec_from_file_location("data_loaders", data / "loaders.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def default_embedder(backend: str = "fp32") -> Embedder:
    """Return the built-in embedder: in full precision, as "int8", or as the program would choose it ("auto")."""
    return load_embedder("", cache=_CACHE, backend=backend)


def plain(text: str) -> ParsedDocument:
    """Return a paragraph as a document.

    It has no title, so that the search is measured and not the hints in the names of the paragraphs.
    """
    return ParsedDocument(text, (Block(BlockKind.PARAGRAPH, 0, len(text)),), (), Metadata(""), "text")


def library_of(paragraphs: Mapping[str, str], embedder: Embedder) -> AbstractContextManager[Library]:
    """Build a library with one document per paragraph."""
    return library_of_documents({name: plain(text) for name, text in paragraphs.items()}, embedder)


@contextmanager
def library_of_documents(
    parsed: Mapping[str, ParsedDocument], embedder: Embedder, *, are_named: bool = False
) -> Iterator[Library]:
    """Build a library in a temporary folder that is deleted afterwards; are_named: the keys are the file names."""
    with TemporaryDirectory() as folder:
        database = Database.open(Path(folder))
        try:
            documents = DocumentStore(database)
            documents.ensure_knowledge_base("default")
            paragraph_of = _fill(documents, parsed, embedder, are_named=are_named)
            index, count = _index(database, documents, paragraph_of, embedder)
            keywords, codes = KeywordIndex(database), TokenCodeTable(database)
            codec = codec_of(embedder, _CACHE)
            tokens, recent = StoredTokens(lambda: codec, partial(codes.get, embedder.id)), RecentChunks()
            yield Library(
                documents,
                Retriever(
                    documents,
                    keywords,
                    index,
                    embedder,
                    LateInteraction(embedder, keywords, tokens),
                    names=NameIndex(database),
                    recent=recent,
                ),
                SentenceRanker(embedder, keywords, similarity=SentenceSimilarity(embedder, tokens, recent)),
                keywords,
                paragraph_of,
                count,
            )
        finally:
            database.close()


def sample(keys: list[str], size: int, *, seed: int = 0) -> list[str]:
    """Return a seeded sample; all items if size is 0."""
    return random.Random(seed).sample(keys, min(size, len(keys))) if size else keys


def _fill(
    documents: DocumentStore, parsed: Mapping[str, ParsedDocument], embedder: Embedder, *, are_named: bool
) -> dict[int, str]:
    chunker = StructureChunker(embedder.tokenizer)
    paragraph_of: dict[int, str] = {}
    for number, (name, content) in enumerate(parsed.items()):
        sha256, size = f"{number:064x}", len(content.text)
        document = documents.queue(
            Path("/paragraph") / (name if are_named else f"{number}.txt"),
            knowledge_base="default",
            sha256=sha256,
            size=size,
            format=content.format,
        )
        chunks = chunker.chunk(content, document.name)
        documents.put_content(document.id, content, chunks, sha256=sha256, size=size)
        paragraph_of[document.id] = name
    return paragraph_of


def _index(
    database: Database, documents: DocumentStore, paragraph_of: dict[int, str], embedder: Embedder
) -> tuple[FaissStore, int]:
    index = FaissStore(embedder.dim)
    chunks = [chunk for document in paragraph_of for chunk in documents.chunks(document)]
    codec, table = codec_of(embedder, _CACHE), VectorTable(database)
    for start in range(0, len(chunks), _BATCH):
        batch = chunks[start : start + _BATCH]
        texts = [embedding_text(chunk.headings, chunk.text) for chunk in batch]
        ids = np.array([chunk.id for chunk in batch], np.int64)
        vectors, tokens = embed_with_codes(embedder, codec, texts)
        table.put(embedder.id, ids, vectors, tokens)
        index.upsert(ids, vectors)
    return index, len(chunks)
