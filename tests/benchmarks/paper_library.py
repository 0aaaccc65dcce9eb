"""Library with any number of chunks: real paragraphs, and new ones recombined from their sentences.

Every document except those of the real paragraphs mixes sentences of two paragraphs per chunk; numbers, names and rare
words in them are replaced by invented ones, drawn by Zipf's law, so that new words keep appearing as in real text. The
vectors are neighbours of real ones: the vector of a paragraph with noise, normalised again. A seventh is Chinese.
"""

import hashlib
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from benchmark_library import loaders
from numpy.typing import NDArray

from workbench.model.chunk import Chunk
from workbench.model.document import Block, BlockKind, DocumentStatus, Metadata, Page, ParsedDocument
from workbench.operations import Library
from workbench.store.segmentation import segment

NOISE = 0.7
"""Length of the noise vector: neighbours have a cosine similarity of 0.67 with one another."""

AUTHORS = [f"Author {number}" for number in range(100)]
FORMATS = ("pdf", "text")
HEADINGS = ("Overview", "Findings", "Method", "History", "Outlook", "Figures", "Discussion", "Annex")
PAGE = 3
"""Chunks per page."""
_TOGETHER = 50
"""Documents per transaction."""
_CHINESE = 1 / 7
_EXCHANGED = 0.7
_RARE = 3
_NAMES = 400_000
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"(])|(?<=[。！？])")
_SLOT = re.compile(r"(?<![^\s(\"“])([A-Za-z]+|\d+)(?=[.,;:!?)\"”]*(?:\s|$))")

Rows = NDArray[np.float32]


@dataclass(frozen=True)
class Sentence:
    """Constant pieces of text with a replaceable word between each two; and their terms of the keyword index."""

    text: list[str]
    words: list[str]
    slots: list[tuple[str, str]]


@dataclass(frozen=True)
class Source:
    """Paragraphs of one language: their sentences and their vectors."""

    paragraphs: list[str]
    sentences: list[list[Sentence]]
    vectors: Rows


def fill(library: Library, data: Path, chunks: int) -> None:
    """Add the given number of chunks to an empty library; the real paragraphs are spread among them."""
    embedder = library.models.embedder()
    english, chinese = (_source(library, texts) for texts in paragraphs(data))
    library.models.index()
    randomness, noise = random.Random(0), np.random.default_rng(0)
    names = _Names(randomness)
    real = [*_real(english), *_real(chinese)]
    made = waiting = 0
    every = max(1, chunks // 30 // len(real))
    while made < chunks:
        with library.database.write():
            for _ in range(_TOGETHER):
                if made >= chunks:
                    break
                if waiting % every == 0 and real:
                    texts, vectors = real.pop()
                    words: list[str] | None = None
                else:
                    source = chinese if randomness.random() < _CHINESE else english
                    texts, words, vectors = _mixed(source, randomness, noise, names)
                waiting += 1
                _put(library, embedder.id, waiting, texts, words, vectors, randomness)
                made += len(texts)


def paragraphs(data: Path) -> tuple[list[str], list[str]]:
    """Return English and Chinese paragraphs of the sets; those with questions come first."""
    sets = loaders(data)
    english = [*sets.squad2()[0].values(), *sets.xquad("en")[0].values(), *sets.hotpot_mini()[0].values()]
    for path in sorted((data / "docs_corpora").rglob("*.md")):
        text = path.read_text("utf-8", "replace")
        english += [" ".join(part.split()) for part in text.split("\n\n") if 200 < len(part) < 1200]
    chinese = [*sets.xquad("zh")[0].values(), *sets.drcd()[0].values(), *sets.cmrc()[0].values()]
    return [text[:1200] for text in english], [text[:450] for text in chinese]


def _source(library: Library, texts: list[str]) -> Source:
    texts = list(dict.fromkeys(texts))
    vectors = _embedded(library, texts[:1400])
    counts = Counter(word for text in texts for word in set(re.findall(r"\w+", text)))
    sentences = [[_templated(one, counts) for one in _SENTENCES.split(text) if one.strip()] for text in texts]
    return Source(texts, sentences, vectors)


def _embedded(library: Library, texts: list[str]) -> Rows:
    """Return the vectors of texts, cached next to the library: computing them takes a minute."""
    name = hashlib.sha256("".join((library.models.embedder().id, *texts)).encode()).hexdigest()[:16]
    path = library.folder.parent / f"paragraphs-{name}.npy"
    if not path.exists():
        np.save(path, library.models.embedder().embed_documents(texts))
    vectors: Rows = np.load(path)
    return vectors


def _templated(sentence: str, counts: Counter[str]) -> Sentence:
    text, slots, end = [], [], 0
    for match in _SLOT.finditer(sentence):
        word = match.group()
        is_name = word[0].isupper() and match.start() > 0
        if word.isdigit() or is_name or counts[word] <= _RARE:
            text.append(sentence[end : match.start()])
            slots.append((word, segment(word)))
            end = match.end()
    text.append(sentence[end:])
    return Sentence(text, [segment(piece) for piece in text], slots)


class _Names:
    """Invented words in order of decreasing frequency."""

    def __init__(self, randomness: random.Random) -> None:
        syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "on")]
        self._random = randomness
        names: dict[str, None] = {}
        while len(names) < _NAMES:
            names["".join(randomness.choices(syllables, k=randomness.randint(2, 4)))] = None
        self._names = list(names)
        self._words = [segment(name) for name in self._names]
        weights = list(accumulate(1 / (rank + 50) for rank in range(_NAMES)))
        self._drawn = iter(())
        self._weights = weights

    def instead(self, word: str) -> tuple[str, str]:
        """Return a word of the same kind and its terms of the keyword index."""
        if word.isdigit():
            number = str(self._random.randint(2, 9999))
            return number, number
        index = next(self._drawn, None)
        if index is None:
            self._drawn = iter(self._random.choices(range(_NAMES), cum_weights=self._weights, k=10_000))
            index = next(self._drawn)
        name = self._names[index]
        return name.capitalize() if word[0].isupper() else name, self._words[index]


def _real(source: Source) -> Iterator[tuple[list[str], Rows]]:
    for start in range(0, len(source.vectors), 25):
        vectors = source.vectors[start : start + 25]
        yield source.paragraphs[start : start + len(vectors)], vectors


def _mixed(
    source: Source, randomness: random.Random, noise: np.random.Generator, names: _Names
) -> tuple[list[str], list[str], Rows]:
    """Return the texts, words and vectors of a new document."""
    texts, words = [], []
    for _ in range(randomness.randint(10, 50)):
        chosen: list[Sentence] = []
        for sentences in randomness.choices(source.sentences, k=2):
            chosen += randomness.sample(sentences, min(len(sentences), randomness.randint(2, 3)))
        made = [_exchanged(sentence, randomness, names) for sentence in chosen]
        texts.append(" ".join(text for text, _ in made))
        words.append(" ".join(line for _, line in made))
    places = noise.integers(0, len(source.vectors), len(texts))
    shape = (len(texts), source.vectors.shape[1])
    vectors = source.vectors[places] + noise.standard_normal(shape, np.float32) * (NOISE / shape[1] ** 0.5)
    return texts, words, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _exchanged(sentence: Sentence, randomness: random.Random, names: _Names) -> tuple[str, str]:
    text, words = [sentence.text[0]], [sentence.words[0]]
    for piece, line, slot in zip(sentence.text[1:], sentence.words[1:], sentence.slots, strict=True):
        drawn = names.instead(slot[0]) if randomness.random() < _EXCHANGED else slot
        text += (drawn[0], piece)
        words += (drawn[1], line)
    return "".join(text), " ".join(words)


def _put(
    library: Library,
    embedder: str,
    number: int,
    texts: Sequence[str],
    words: list[str] | None,
    vectors: Rows,
    randomness: random.Random,
) -> None:
    store, sha256 = library.documents, f"{number:064x}"
    text = "\n\n".join(texts)
    starts = list(accumulate((len(one) + 2 for one in texts), initial=0))
    chunks = [
        Chunk(
            index,
            start,
            start + len(one),
            one,
            index // PAGE + 1,
            index // PAGE + 1,
            (HEADINGS[index * len(HEADINGS) // len(texts)],),
            BlockKind.PARAGRAPH,
            len(one) // 5,
        )
        for index, (one, start) in enumerate(zip(texts, starts, strict=False))
    ]
    edges = [*starts[:-1:PAGE], len(text)]
    pages = tuple(Page(index + 1, start, edges[index + 1], 595.0, 842.0) for index, start in enumerate(edges[:-1]))
    blocks = tuple(Block(BlockKind.PARAGRAPH, chunk.start, chunk.end) for chunk in chunks)
    form = FORMATS[number % 2]
    metadata = Metadata(f"Report {number}", randomness.choice(AUTHORS), f"{randomness.randint(2000, 2025)}-01-01")
    document = store.queue(
        Path(f"/papers/{number % 97}/report {number}.{form}"),
        knowledge_base="default",
        sha256=sha256,
        size=len(text),
        format=form,
    )
    parsed = ParsedDocument(text, blocks, pages, metadata, form)
    store.put_content(document.id, parsed, chunks, sha256=sha256, size=len(text), words=words)
    with library.database.write() as connection:  # other connections see committed rows only
        rows = connection.execute(
            "SELECT id FROM chunks WHERE document = ? ORDER BY ordinal", (document.id,)
        ).fetchall()
    library.vectors.put(embedder, np.array([row[0] for row in rows], np.int64), vectors)
    store.set_status(document.id, DocumentStatus.READY)
