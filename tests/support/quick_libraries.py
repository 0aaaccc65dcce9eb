"""Libraries that cost tests less: new ones are copies of one, and no write waits for the disk.

Creating the tables of a library takes 60 ms of processor time, and each write 3 ms of waiting; thousands of tests open
one. Tests of durability and of whole programs use neither.
"""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import pytest

from workbench.store import database
from workbench.store.library_state import put_state
from workbench.store.migration import MigrationStep, migrate, shipped_steps
from workbench.store.name_index import NAMING
from workbench.store.segmentation import SEGMENTATION


def use_quick_libraries(patch: pytest.MonkeyPatch) -> None:
    """Let this process create libraries by copying the tables of one, and write without waiting for the disk."""
    make_durable = database._make_durable

    def make_fast(writer: sqlite3.Connection) -> None:
        make_durable(writer)
        writer.execute("PRAGMA synchronous = OFF")

    patch.setattr(database, "_make_durable", make_fast)
    patch.setattr(database, "migrate", _copy_or_migrate)


def _copy_or_migrate(
    connection: sqlite3.Connection, path: Path, steps: Sequence[MigrationStep], version: int | None
) -> None:
    if version is None and tuple(steps) == shipped_steps():
        _new_library().backup(connection)
    else:
        migrate(connection, path, steps, version)


@lru_cache(maxsize=1)
def _new_library() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    database.add_functions(connection)
    database.prepare_new(connection)
    migrate(connection, Path(":memory:"), shipped_steps(), None)
    # As after the first opening, which would write these.
    put_state(connection, "segmentation", SEGMENTATION)
    put_state(connection, "named_by", NAMING)
    return connection
