"""What BM25 is reckoned with: the numbers, and how they come out of FTS5."""

import math
import sqlite3
import sys
from collections.abc import Callable, Iterable, Sequence

K1, B = 1.2, 0.75
"""Those built into FTS5's bm25()."""

# A column weight w acts as k1 / w: body at 1.33 is k1 = 0.9, which measured best with b = 0.75 (nDCG@10: squad2 0.900
# against 0.897 at k1 = 1.2, hotpot 0.779 against 0.761 at b = 0.4).
BODY, BESIDE_BODY = 1.33, 0.67
WEIGHTS = f"bm25({BESIDE_BODY}, {BESIDE_BODY}, {BODY})"
# A word repeated without end gives k1 + 1 times its idf.
SATURATION = K1 + 1

# What is written as one thing is asked for once, not once a part: its words together are worth this many times the
# rarest of them. Evidence of chunk_spans in five hits, where a sixth of the questions has such words, by tokens of a
# chunk, without / here: 190 0.925 / 0.929, 195 0.927 / 0.928, 200 0.931 / 0.935, 212 0.928 / 0.929; hotpot 0.830 /
# 0.831, squad2 0.944, xquad en 0.983, reports and filings the same. As much as the rarest alone: hotpot 0.828.
_COMPOUND = 1.5


def idf(chunks: float, holding: int) -> float:
    """Return what a word is worth that so many of the chunks hold."""
    return math.log1p(_odds(chunks, holding))


def shares(compounds: Iterable[Sequence[str]], weight: Callable[[str], float]) -> dict[str, float]:
    """Return what share of its weight each word of a compound keeps, 0 to 1; other words keep all of it.

    Args:
        compounds: As segmentation.compounds_in() gives them.
        weight: What a word alone is worth, 0 or more.
    """
    kept: dict[str, float] = {}
    for words in compounds:
        weights = [weight(word) for word in words]
        share = min(1.0, _COMPOUND * max(weights) / (sum(weights) or 1.0))
        kept.update((word, min(share, kept.get(word, 1.0))) for word in words)
    return kept


def multiplied(chunks: float, holding: int) -> float:
    """Return what FTS5's rank of a word is to be divided by for its saturation, 0 to 1 (tf / (tf + K) of BM25).

    FTS5's own idf, as in its source, is no idf that BM25 could use where a word is common.
    """
    odds = _odds(chunks, holding)
    return -SATURATION * max(math.log(odds), 1e-6)


def ranks(connection: sqlite3.Connection, word: str, first: int = 0, last: int = sys.maxsize) -> sqlite3.Cursor:
    """Return (chunk, rank) of the chunks from first to last that hold a word, ascending; "*" at its end: begin so."""
    return connection.execute(
        "SELECT rowid, rank FROM keyword_index"
        f" WHERE keyword_index MATCH ? AND rank MATCH '{WEIGHTS}' AND rowid BETWEEN ? AND ?",
        (matching(word), first, last),
    )


def matching(word: str) -> str:
    """Return a word as FTS5 is asked for it."""
    return f'"{word[:-1]}" *' if word.endswith("*") else f'"{word}"'


def _odds(chunks: float, holding: int) -> float:
    return (max(chunks - holding, 0.0) + 0.5) / (holding + 0.5)
