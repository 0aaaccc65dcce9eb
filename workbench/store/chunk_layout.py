"""Positions of chunks in their documents, as columns: order, text offsets, pages.

A search needs them for some hundred chunks five times. For a small library the whole layout is read once after each
change and cached (9 ms for 9,000 chunks); for a larger one only the chunks around the requested ones are read each
time.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.store.bulk_reads import columns
from workbench.store.sql import Connection

# Exclusive upper limit of ordinals and page numbers.
_STRETCH = 1 << 32

Ids = NDArray[np.int64]

_COLUMNS = ("id", "document", "ordinal", "start", "end_", "first_page", "last_page", "tokens")
_SELECT = 'SELECT c.id, c.document, c.ordinal, c.start, c."end" AS end_'
_PAGES = ", COALESCE(c.page, 0) AS first_page, COALESCE(c.page_end, 0) AS last_page, c.tokens"
# The other columns are covered by an index, so that a large library reads no chunk rows from the disk for them.
_NO_PAGES = ", 0 AS first_page, 0 AS last_page, 0 AS tokens"


@dataclass(frozen=True, eq=False)
class ChunkLayout:
    """Chunks by document and ordinal; every attribute is int64 [chunks].

    Attributes:
        ids: Ids of the chunks.
        documents: Documents that contain them.
        ordinals: Their positions in the document, from 0.
        starts: Start of their text in that of the document, in characters.
        ends: End of their text.
        first_pages: First page, 1-based; 0 in a document without pages.
        last_pages: Last page.
        tokens: Length in tokens.
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
        """Return the indexes of the chunks that are present, and their places in the layout: int64 [found]."""
        by_id, order = self._by_id
        wanted = np.asarray(chunks, np.int64).reshape(-1)
        found = np.searchsorted(by_id, wanted)
        is_here = found < len(by_id)
        is_here[is_here] = by_id[found[is_here]] == wanted[is_here]
        return np.flatnonzero(is_here), order[found[is_here]]

    def around(self, places: Ids, reach: int) -> tuple[Ids, Ids]:
        """Return the range of places, start and end, at most reach ordinals from each place in its document."""
        at = self._keys[places]
        return np.searchsorted(self._keys, at - reach), np.searchsorted(self._keys, at + reach, side="right")

    def pages(self, places: Ids) -> tuple[Ids, Ids, Ids]:
        """Return the pages of chunks: start and end of the places on each page, and the index of its chunk in places.

        Args:
            places: Places of the chunks; a chunk in a document without pages has no pages.
        """
        first, last = self.first_pages[places], self.last_pages[places]
        counts = np.where(first > 0, np.maximum(last - first, 0) + 1, 0)
        of = np.repeat(np.arange(len(places)), counts)
        nth = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        keys = self.documents[places][of] * _STRETCH + first[of] + nth
        begins, ends = self._page_keys
        return np.searchsorted(ends, keys), np.searchsorted(begins, keys, side="right"), of

    def part(self, lows: Ids, highs: Ids) -> tuple["ChunkLayout", Ids]:
        """Return the layout of the chunks in any of the ranges, and the new index of each place: int64 [chunks + 1]."""
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
        """First and last page of each chunk, made ascending, so that pages with non-adjacent chunks form one range."""
        begins = self.documents * _STRETCH + self.first_pages
        ends = self.documents * _STRETCH + self.last_pages
        return np.minimum.accumulate(begins[::-1])[::-1], np.maximum.accumulate(ends)


def whole_layout(connection: Connection) -> ChunkLayout:
    """Return the layout of all chunks of the library, including those of removed documents."""
    query = f"{_SELECT}{_PAGES} FROM chunks c ORDER BY c.document, c.ordinal"
    return ChunkLayout(*columns(connection, _COLUMNS, query))


def layout_around(connection: Connection, chunks: Sequence[int], reach: int, *, has_pages: bool) -> ChunkLayout:
    """Return the layout of the existing chunks, and of their neighbours up to reach in both directions.

    Args:
        connection: A transaction.
        chunks: Their ids.
        reach: Number of neighbours on each side.
        has_pages: Whether pages and tokens are read; otherwise they are 0.
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
        " FROM json_each(json(?)) j CROSS JOIN chunks c INDEXED BY chunks_document"
        " ON c.document = CAST(j.value ->> 0 AS BIGINT)"
        " AND c.ordinal BETWEEN CAST(j.value ->> 1 AS BIGINT) AND CAST(j.value ->> 2 AS BIGINT)"
        " ORDER BY c.document, c.ordinal"
    )
    return ChunkLayout(*columns(connection, _COLUMNS, query, (json.dumps(stretches),)))
