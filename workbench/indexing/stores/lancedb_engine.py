"""LanceDB: an embedded database of columnar files; searches by comparing with every vector."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np

from workbench.indexing.stores.vector_engine import (
    IdFilter,
    Ids,
    Rows,
    StoreLocation,
    VectorEngine,
    missing_package,
    opening_files,
    other_schema,
)
from workbench.model.vector_store import AddressUse

_TITLE = "LanceDB"
_KEPT = timedelta(hours=1)
"""Time for which old versions of the table are kept: a search that reads one has ended by then."""


class LanceDBProvider:
    """StoreProvider for LanceDB."""

    title = _TITLE
    address_use = AddressUse.NEVER
    port = 0
    is_concurrent = True

    def open(self, location: StoreLocation, dim: int) -> VectorEngine:
        """Open the table; raises as StoreProvider.open does."""
        try:
            import lancedb
        except ImportError as error:
            raise missing_package(_TITLE, "lancedb") from error
        with opening_files(_TITLE):
            return LanceDBEngine(lancedb.connect(location.data), location.collection, dim)


class LanceDBEngine:
    """VectorEngine over one table with the columns id and vector."""

    uses_ranges = True

    def __init__(self, database: Any, name: str, dim: int) -> None:
        import pyarrow

        self._database = database
        self._name = name
        self._schema = pyarrow.schema(
            [
                pyarrow.field("id", pyarrow.int64(), nullable=False),
                pyarrow.field("vector", pyarrow.list_(pyarrow.float32(), dim), nullable=False),
            ]
        )
        self._dim = dim
        if name in database.list_tables().tables:
            self._table = database.open_table(name)
            if self._table.schema.field("vector").type != self._schema.field("vector").type:
                raise other_schema(_TITLE)
        else:
            self._table = database.create_table(name, schema=self._schema)

    def ids(self) -> Ids:
        """Return all ids."""
        found: Ids = _column(self._table.search().select(["id"]).limit(None).to_arrow(), "id")
        return found

    def vectors(self, ids: Ids) -> tuple[Ids, Rows]:
        """Return the ids that are held, and their vectors."""
        found = self._table.search().where(_among(ids)).select(["id", "vector"]).limit(len(ids)).to_arrow()
        rows = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        return _column(found, "id"), rows.astype(np.float32).reshape(-1, self._dim)

    def put(self, ids: Ids, rows: Rows) -> None:
        """Add or replace vectors, in one commit."""
        merge = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        merge.execute(self._arrow(ids, rows))

    def delete(self, ids: Ids) -> None:
        """Delete ids, in one commit."""
        self._table.delete(_among(ids))

    def nearest(self, query: Rows, k: int, allowed: IdFilter | None) -> tuple[Ids, Rows]:
        """Return the ids and inner products of the k nearest, exactly."""
        search = self._table.search(query, vector_column_name="vector").distance_type("dot").limit(k)
        if allowed is not None:
            search = search.where(_within(allowed), prefilter=True)
        found = search.select(["id", "_distance"]).to_arrow()
        # LanceDB's distance is one minus the inner product.
        return _column(found, "id"), np.float32(1) - _column(found, "_distance").astype(np.float32)

    def optimise(self, stop: Callable[[], bool]) -> None:
        """Compact the fragments of many commits, and delete versions that no search reads any more."""
        if not stop():
            self._table.optimize(cleanup_older_than=_KEPT)

    def flush(self) -> None:
        """Do nothing: each change is written to the disk before its call returns."""

    def drop(self) -> None:
        """Delete the table."""
        self._database.drop_table(self._name)

    def close(self) -> None:
        """Do nothing: files are closed with the last query."""

    def _arrow(self, ids: Ids, rows: Rows) -> Any:
        import pyarrow

        values = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(rows.reshape(-1)), self._dim)
        return pyarrow.Table.from_arrays([pyarrow.array(ids), values], schema=self._schema)


def _among(ids: Ids) -> str:
    return f"id IN ({','.join(map(str, ids.tolist()))})"


def _within(allowed: IdFilter) -> str:
    if not allowed.has_few_ranges:
        return _among(allowed.ids)
    return " OR ".join(f"id BETWEEN {first} AND {last}" for first, last in allowed.ranges.tolist())


def _column(table: Any, name: str) -> Any:
    return table[name].to_numpy()
