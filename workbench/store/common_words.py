"""Arrays of the chunks that contain common words.

They are stored next to the keyword index and built from it in idle time.

FTS5 takes 1.2 microseconds per chunk that contains a word, an array 0.01: among 1,000,000 chunks, of which 160,000
contain a common word, that is 190 ms compared with 2. Chunks added since are read from FTS5 itself.

The chunk counts of first characters in scripts without spaces are stored too, because a search by characters needs
them: FTS5 adds up every pair, which takes 12 of the 39 ms of a Chinese question in 1,000,000 chunks.
"""

import json
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from workbench.store.bm25 import WEIGHTS, matching, multiplied, ranks
from workbench.store.segmentation import SEGMENTATION
from workbench.store.sql import Connection, DocumentDatabase
from workbench.store.stored_values import forget_state, put_state, state

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray

    Arrays = tuple[NDArray[np.int64], NDArray[np.float32]]

logger = logging.getLogger(__name__)

LEAST_CHUNKS = 20_000
"""Minimum number of chunks; FTS5 is fast enough for a smaller library: 5,000 chunks take 1 ms."""

# Minimum number of chunks with a common word; a rarer word takes FTS5 0.4 ms. For 100,000 chunks, at 1000 / 300: 29 /
# 37 MB of the file's 390, built in 10 / 12 s; the words of a question take 2.0 / 0.7 ms, in Chinese, with 14 pairs, 3.0
# / 1.5.
_COMMON = 300
# Scripts without spaces begin at this character.
_FIRST_UNSPACED = "\u0e00"
# All arrays are rebuilt when this share of the chunks was added since, or more gaps than this exist.
_LEFT_OUT = 0.05
_MOST_GAPS = 20
# Number of postings written in one transaction: 3 MB, so that no other writer waits long.
_TOGETHER = 500_000
_SWEPT = 200
# Version of the arrays: they are invalid for another segmentation or other weights.
_OF = f"{SEGMENTATION} {WEIGHTS}"
_KEPT, _BEGUN = "common words", "common words, begun"
_ID, _SHARE = "<u4", "<u2"
_RANK = [("chunk", "<i8"), ("rank", "<f8")]
_SATURATED = 65535
# Upper limit, so that rounding never produces a full saturation.
_HIGHEST = 0.9999

_Row = tuple[int, str, int, bytes, bytes]


@dataclass(frozen=True, slots=True)
class CommonWords:
    """Build of the arrays.

    Attributes:
        making: Number of the build.
        last: Highest chunk number in it.
        gaps: First and last of the ranges of chunks whose words have changed since.
        came_since: Whether there are chunks with higher numbers.
    """

    making: int
    last: int
    gaps: tuple[tuple[int, int], ...] = ()
    came_since: bool = True

    def outside(self) -> Iterator[tuple[int, int]]:
        """Yield first and last of the ranges that must be read from FTS5."""
        yield from self.gaps
        if self.came_since:
            yield self.last + 1, sys.maxsize


def stored_build(connection: Connection) -> CommonWords | None:
    """Return the current build; None if there is none, or if it is of another version."""
    common = _load_build(connection, _KEPT)
    if common is None:
        return None
    (newest,) = connection.execute("SELECT MAX(id) FROM chunks").fetchone()
    return replace(common, came_since=newest is not None and newest > common.last)


def arrays(connection: Connection, common: CommonWords, word: str, chunks: float) -> "Arrays | None":
    """Return the chunks that contain a word, ascending, and its saturation in each; None if the word is not common.

    Args:
        connection: The transaction in which common was read.
        common: The current build.
        word: As in the index.
        chunks: Number of chunks in the index.
    """
    import numpy as np  # 100 ms that the window does not wait for

    if word.endswith("*"):
        return None
    row = connection.execute(
        "SELECT ids, saturations FROM common_words WHERE making = ? AND word = ?", (common.making, word)
    ).fetchone()
    if row is None:
        return None
    ids = np.frombuffer(row[0], _ID).astype(np.int64)
    saturations = np.frombuffer(row[1], _SHARE) * np.float32(1 / _SATURATED)
    for first, last in common.gaps:
        gap = slice(*np.searchsorted(ids, (first, last + 1)))
        ids, saturations = np.delete(ids, gap), np.delete(saturations, gap)
    others = chain.from_iterable(ranks(connection, word, first, last) for first, last in common.outside())
    found = np.fromiter(others, np.dtype(_RANK))
    if len(found):
        shares = found["rank"] / multiplied(chunks, len(ids) + len(found))
        ids, saturations = (
            np.append(ids, found["chunk"]),
            np.append(saturations, np.minimum(shares, _HIGHEST).astype(np.float32)),
        )
        if common.gaps:
            order = np.argsort(ids)
            ids, saturations = ids[order], saturations[order]
    return ids, saturations


def holding(connection: Connection, common: CommonWords, word: str) -> int | None:
    """Return the number of chunks that contain a word; None if it is not common.

    For a prefix ("*" at its end) each word counts separately, as in the index.
    """
    row = connection.execute(
        "SELECT chunks FROM common_words WHERE making = ? AND word = ?", (common.making, word)
    ).fetchone()
    if row is None:
        return None
    # Changed chunks carry no weight here, and new ones are counted quickly. For prefixes they are not: FTS5 first
    # merges all their words. Prefixes are counted at the next build, after a twentieth of the library has been added.
    if not common.came_since or word.endswith("*"):
        return int(row[0])
    count = "SELECT COUNT(*) FROM keyword_index WHERE keyword_index MATCH ? AND rowid > ?"
    return int(row[0] + connection.execute(count, (matching(word), common.last)).fetchone()[0])


def leave_out(connection: Connection, chunks: Iterable[int]) -> None:
    """Record that the words of chunks are about to change under the same numbers."""
    numbers = sorted(chunks)
    for name in (_KEPT, _BEGUN):
        known = _load_build(connection, name)
        if known is None:
            continue
        gaps = list(known.gaps)
        for chunk in numbers:
            if gaps and gaps[-1][1] == chunk - 1:
                gaps[-1] = (gaps[-1][0], chunk)
            elif not any(first <= chunk <= last for first, last in gaps):
                gaps.append((chunk, chunk))
        if len(gaps) > _MOST_GAPS:
            forget_state(connection, name)
        else:
            _store_build(connection, name, CommonWords(known.making, known.last, tuple(sorted(gaps))))


def forget(connection: Connection) -> None:
    """Invalidate all builds."""
    for name in (_KEPT, _BEGUN):
        forget_state(connection, name)


def keep(database: DocumentDatabase, stop: Callable[[], bool]) -> None:
    """Build the arrays if the library is large enough and they are missing or outdated; ends soon after stop() is true.

    100,000 chunks take some seconds, 1,000,000 some minutes and 450 MB of the file; an interrupted build is continued
    the next time.
    """
    with database.read() as connection:
        begun, is_wanted = _load_build(connection, _BEGUN), _is_wanted(connection)
    if is_wanted and not stop():
        making = begun or _begin(database)
        if _build(database, making, stop) and _put_in_force(database, making):
            logger.info("Common words are kept beside the keyword index, up to chunk %d", making.last)
    _sweep(database, stop)


def _is_wanted(connection: Connection) -> bool:
    """Return whether the library is large, and much of it was added or changed since the current build."""
    (count,) = connection.execute("SELECT TOTAL(chunks) FROM documents").fetchone()
    if count < LEAST_CHUNKS:
        return False
    known = _load_build(connection, _KEPT)
    if known is None:
        return True
    (outside,) = connection.execute("SELECT COUNT(*) FROM chunks WHERE id > ?", (known.last,)).fetchone()
    outside += sum(last - first + 1 for first, last in known.gaps)
    return bool(outside > _LEFT_OUT * count)


def _begin(database: DocumentDatabase) -> CommonWords:
    """Return a new build; the current one stays in use until it is complete."""
    with database.write() as connection:
        last, latest = connection.execute(
            "SELECT (SELECT MAX(id) FROM chunks), (SELECT MAX(making) FROM common_words)"
        ).fetchone()
        begun = CommonWords((latest or 0) + 1, last)
        _store_build(connection, _BEGUN, begun)
    return begun


def _build(database: DocumentDatabase, making: CommonWords, stop: Callable[[], bool]) -> bool:
    """Store every common word that is not stored yet; return whether all are stored."""
    with database.read() as connection:
        of_making = connection.execute("SELECT word FROM common_words WHERE making = ?", (making.making,))
        done = {row[0] for row in of_making}
        words = []
        beginnings: Counter[str] = Counter()
        for word, number in connection.execute("SELECT term, doc FROM keyword_terms"):
            if stop():
                return False
            if number >= _COMMON and word not in done:
                words.append((word, number))
            if word >= _FIRST_UNSPACED:
                beginnings[f"{word[0]}*"] += number
    _write(database, [(making.making, word, number, b"", b"") for word, number in beginnings.items()])
    waiting: list[_Row] = []
    for word, number in words:
        if stop():
            return False
        waiting.append(_row(database, making, word, number))
        if sum(row[2] for row in waiting) >= _TOGETHER:
            _write(database, waiting)
            waiting = []
    _write(database, waiting)
    return True


def _row(database: DocumentDatabase, making: CommonWords, word: str, number: int) -> _Row:
    import numpy as np  # 100 ms that the window does not wait for

    with database.read() as connection:
        (chunks,) = connection.execute("SELECT TOTAL(chunks) FROM documents").fetchone()
        found = np.fromiter(ranks(connection, word, 0, making.last), np.dtype(_RANK))
    shares = np.clip(found["rank"] / multiplied(chunks, number), 0.0, _HIGHEST)
    saturations = np.rint(shares * _SATURATED).astype(_SHARE)
    return making.making, word, len(found), found["chunk"].astype(_ID).tobytes(), saturations.tobytes()


def _write(database: DocumentDatabase, rows: Sequence[_Row]) -> None:
    with database.write() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO common_words (making, word, chunks, ids, saturations) VALUES (?, ?, ?, ?, ?)", rows
        )


def _put_in_force(database: DocumentDatabase, making: CommonWords) -> bool:
    """Make a complete build the current one; return False if it was invalidated meanwhile."""
    with database.write() as connection:
        begun = _load_build(connection, _BEGUN)
        if begun is None or begun.making != making.making:
            return False
        _store_build(connection, _KEPT, begun)
        forget_state(connection, _BEGUN)
        database.revision += 1
    return True


def _sweep(database: DocumentDatabase, stop: Callable[[], bool]) -> None:
    """Delete builds that are no longer current, some rows at a time."""
    deleted = 1
    while deleted and not stop():
        with database.write() as connection:
            makings = [known.making for name in (_KEPT, _BEGUN) if (known := _load_build(connection, name))]
            deleted = connection.execute(
                "DELETE FROM common_words WHERE rowid IN (SELECT rowid FROM common_words"
                " WHERE making NOT IN (SELECT value FROM json_each(?)) LIMIT ?)",
                (json.dumps(makings), _SWEPT),
            ).rowcount


def _load_build(connection: Connection, name: str) -> CommonWords | None:
    kept = state(connection, name)
    if kept is None:
        return None
    value = json.loads(kept)
    if value["of"] != _OF:
        return None
    return CommonWords(value["making"], value["last"], tuple((first, last) for first, last in value["gaps"]))


def _store_build(connection: Connection, name: str, known: CommonWords) -> None:
    value = {"of": _OF, "making": known.making, "last": known.last, "gaps": known.gaps}
    put_state(connection, name, json.dumps(value))
