"""Where chunks stand in their documents, as columns: their order, their stretch of the text, their pages.

A search asks it of some hundred chunks five times: of a small library all is read once after each change and kept (9 ms
for 9,000 chunks), of a larger one what is around the chunks, each time anew.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.store.bulk_reads import columns

# Ordinals, and numbers of pages, lie below.
_STRETCH = 1 << 32

Ids = NDArray[np.int64]

_COLUMNS = ("id", "document", "ordinal", "start", "end_", "first_page", "last_page", "tokens")
_SELECT = 'SELECT c.id, c.document, c.ordinal, c.start, c."end" AS end_'
_PAGES = ", COALESCE(c.page, 0) AS first_page, COALESCE(c.page_end, 0) AS last_page, c.tokens"
# The other columns stand in an index by themselves: of a large library no chunk is read from the disk for them.
_NO_PAGES = ", 0 AS first_page, 0 AS last_page, 0 AS tokens"


@dataclass(frozen=True, eq=False)
class ChunkLayout:
    """Chunks by document and ordinal; every attribute is int64 [chunks].

    Attributes:
        ids: Of the chunks.
        documents: That they are in.
        ordinals: Their places there, from 0.
        starts: Where their text begins in that of the document, in characters.
        ends: Where it ends.
        first_pages: On which they begin, 1-based; 0 in a document without pages.
        last_pages: On which they end.
        tokens: How long they are.
    """

    ids: Ids
    documents: Ids
    ordinals: Ids
    starts: Ids
    ends: Ids
    first_pages: Ids
    last_pages: Ids
    tokens: Ids

    def places(self, chunks: Sequence[int]) -> tuple[Ids, Ids]:
        """Return which of the chunks are here, as indexes, and at which place each of them stands: int64 [found]."""
        by_id, order = self._by_id
        wanted = np.asarray(chunks, np.int64).reshape(-1)
        found = np.searchsorted(by_id, wanted)
        is_here = found < len(by_id)
        is_here[is_here] = by_id[found[is_here]] == wanted[is_here]
        return np.flatnonzero(is_here), order[found[is_here]]

    def around(self, places: Ids, reach: int) -> tuple[Ids, Ids]:
        """Return from where to where each place has chunks of its document at most so many ordinals away."""
        at = self._keys[places]
        return np.searchsorted(self._keys, at - reach), np.searchsorted(self._keys, at + reach, side="right")

    def pages(self, places: Ids) -> tuple[Ids, Ids, Ids]:
        """Return the pages on which chunks stand: from where to where each page has chunks, and whose page it is.

        Args:
            places: Of the chunks; one in a document without pages has none.
        """
        first, last = self.first_pages[places], self.last_pages[places]
        counts = np.where(first > 0, np.maximum(last - first, 0) + 1, 0)
        of = np.repeat(np.arange(len(places)), counts)
        nth = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        keys = self.documents[places][of] * _STRETCH + first[of] + nth
        begins, ends = self._page_keys
        return np.searchsorted(ends, keys), np.searchsorted(begins, keys, side="right"), of

    def part(self, lows: Ids, highs: Ids) -> tuple["ChunkLayout", Ids]:
        """Return what lies in any of some stretches, and for each place here the new one: int64 [chunks + 1]."""
        marks = np.zeros(len(self.ids) + 1, np.int64)
        np.add.at(marks, lows, 1)
        np.add.at(marks, highs, -1)
        kept = np.cumsum(marks[:-1]) > 0
        parts = (getattr(self, field.name)[kept] for field in fields(self))
        return ChunkLayout(*parts), np.append(0, np.cumsum(kept))

    @cached_property
    def _by_id(self) -> tuple[Ids, Ids]:
        order = np.argsort(self.ids)
        return self.ids[order], order

    @cached_property
    def _keys(self) -> Ids:
        keys: Ids = self.documents * _STRETCH + self.ordinals
        return keys

    @cached_property
    def _page_keys(self) -> tuple[Ids, Ids]:
        """First and last page of each chunk, each ascending: chunks of a page that do not follow one another join."""
        begins = self.documents * _STRETCH + self.first_pages
        ends = self.documents * _STRETCH + self.last_pages
        return np.minimum.accumulate(begins[::-1])[::-1], np.maximum.accumulate(ends)


def whole_layout(connection: sqlite3.Connection) -> ChunkLayout:
    """Return the layout of all chunks of the library, those of removed documents too."""
    query = f"{_SELECT}{_PAGES} FROM chunks c ORDER BY c.document, c.ordinal"
    return ChunkLayout(*columns(connection, _COLUMNS, query))


def layout_around(connection: sqlite3.Connection, chunks: Sequence[int], reach: int, *, has_pages: bool) -> ChunkLayout:
    """Return the layout of the chunks that are there, and of so many to each side of them in their documents.

    Args:
        connection: A transaction.
        chunks: Their ids.
        reach: How many.
        has_pages: Whether pages and tokens are wanted; else they are 0.
    """
    documents, ordinals = columns(
        connection,
        ("document", "ordinal"),
        "SELECT c.document, c.ordinal FROM json_each(?) j CROSS JOIN chunks c INDEXED BY chunks_places"
        " ON c.id = j.value",
        (json.dumps([int(chunk) for chunk in chunks]),),
    )
    stretches: list[list[int]] = []
    for document, ordinal in sorted(zip(documents.tolist(), ordinals.tolist(), strict=True)):
        if stretches and stretches[-1][0] == document and ordinal - reach <= stretches[-1][2] + 1:
            stretches[-1][2] = ordinal + reach
        else:
            stretches.append([document, ordinal - reach, ordinal + reach])
    query = (
        f"{_SELECT}{_PAGES if has_pages else _NO_PAGES}"
        " FROM json_each(?) j CROSS JOIN chunks c INDEXED BY chunks_document"
        " ON c.document = j.value ->> 0 AND c.ordinal BETWEEN j.value ->> 1 AND j.value ->> 2"
        " ORDER BY c.document, c.ordinal"
    )
    return ChunkLayout(*columns(connection, _COLUMNS, query, (json.dumps(stretches),)))
