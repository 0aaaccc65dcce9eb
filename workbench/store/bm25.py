"""BM25 constants and formulas, and their computation from FTS5 results."""

import math
import sys
from collections.abc import Callable, Iterable, Sequence

from workbench.store.sql import Connection, Cursor

K1, B = 1.2, 0.75
"""Constants built into FTS5's bm25()."""

# A column weight w acts as k1 / w: body at 1.33 is k1 = 0.9, which measured best with b = 0.75 (nDCG@10: squad2 0.900
# against 0.897 at k1 = 1.2, hotpot 0.779 against 0.761 at b = 0.4).
BODY, BESIDE_BODY = 1.33, 0.67
WEIGHTS = f"bm25({BESIDE_BODY}, {BESIDE_BODY}, {BODY})"
# Limit of a word's contribution: a word repeated without end contributes k1 + 1 times its idf.
SATURATION = K1 + 1

# A compound counts once instead of once per part: the total weight of its words is this factor times the weight of the
# rarest. Evidence of chunk_spans in five hits, where a sixth of the questions has such words, by tokens per chunk,
# without / with the factor: 190 0.925 / 0.929, 195 0.927 / 0.928, 200 0.931 / 0.935, 212 0.928 / 0.929; hotpot 0.830 /
# 0.831, squad2 0.944, xquad en 0.983, reports and filings the same. Weight of the rarest alone: hotpot 0.828.
_COMPOUND = 1.5


def idf(chunks: float, holding: int) -> float:
    """Return the inverse document frequency of a word that occurs in the given number of chunks."""
    return math.log1p(_odds(chunks, holding))


def shares(compounds: Iterable[Sequence[str]], weight: Callable[[str], float]) -> dict[str, float]:
    """Return the share of its weight that each word of a compound keeps, 0 to 1; other words keep all of it.

    Args:
        compounds: As returned by segmentation.compounds_in().
        weight: Returns the weight of a single word, 0 or more.
    """
    kept: dict[str, float] = {}
    for words in compounds:
        weights = [weight(word) for word in words]
        share = min(1.0, _COMPOUND * max(weights) / (sum(weights) or 1.0))
        kept.update((word, min(share, kept.get(word, 1.0))) for word in words)
    return kept


def multiplied(chunks: float, holding: int) -> float:
    """Return the divisor that turns FTS5's rank of a word into its saturation, 0 to 1 (tf / (tf + K) of BM25).

    FTS5's own idf, as in its source, is not usable as the idf of BM25 for common words.
    """
    odds = _odds(chunks, holding)
    return -SATURATION * max(math.log(odds), 1e-6)


def ranks(connection: Connection, word: str, first: int = 0, last: int = sys.maxsize) -> Cursor:
    """Return (chunk, rank) for the chunks from first to last with a word, ascending; a final "*" matches prefixes."""
    return connection.execute(
        "SELECT rowid, rank FROM keyword_index"
        f" WHERE keyword_index MATCH ? AND rank MATCH '{WEIGHTS}' AND rowid BETWEEN ? AND ?",
        (matching(word), first, last),
    )


def matching(word: str) -> str:
    """Return the FTS5 query for a word."""
    return f'"{word[:-1]}" *' if word.endswith("*") else f'"{word}"'


def _odds(chunks: float, holding: int) -> float:
    return (max(chunks - holding, 0.0) + 0.5) / (holding + 0.5)
