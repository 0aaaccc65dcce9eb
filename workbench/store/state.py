"""What a library remembers of itself: one value a name, changed in the caller's own transaction."""

import sqlite3

FILES_WANTED = "files of lost documents"
"""Under which name recovery.py remembers that files are all that is left of documents."""


def state(connection: sqlite3.Connection, name: str) -> str | bytes | None:
    """Return what is remembered under a name; None where nothing is."""
    row = connection.execute("SELECT value FROM remembered WHERE scope = 'state' AND key = ?", (name,)).fetchone()
    return None if row is None else row[0]


def put_state(connection: sqlite3.Connection, name: str, value: str | bytes) -> None:
    """Remember a value under a name, in the place of what was."""
    connection.execute("INSERT OR REPLACE INTO remembered (scope, key, value) VALUES ('state', ?, ?)", (name, value))


def forget_state(connection: sqlite3.Connection, name: str) -> None:
    """Remember nothing under a name."""
    connection.execute("DELETE FROM remembered WHERE scope = 'state' AND key = ?", (name,))
