"""ChunkFilter -> SQL over chunks (c) and documents (d)."""

import sqlite3

from workbench.errors import NotFound
from workbench.model.filter import ChunkFilter
from workbench.store.values import absolute_path, stored_text

# A text that has no UTF-8 form is bytes, which json_each would take for its own binary form.
_ONE_OF = "SELECT 1 FROM json_each(CAST({} AS TEXT)) WHERE value = ? COLLATE NOCASE"
_CONDITIONS = {
    "document": "d.id = CAST(? AS INTEGER)",
    "name": "d.name = ?",
    "title": "d.title = ?",
    "author": "d.author = ?",
    "format": "d.format = lower(?)",
    "page": "CAST(? AS INTEGER) BETWEEN c.page AND c.page_end",
    "path": "d.path = ?",
    "created": "instr(d.created, ?) = 1",
    "modified": "instr(d.modified, ?) = 1",
    "keyword": f"EXISTS ({_ONE_OF.format('d.keywords')})",
    "tag": f"EXISTS ({_ONE_OF.format('d.tags')})",
    "folder": "instr(d.folder || '/', rtrim(?, '/') || '/') = 1",
    "origin": "d.origin = lower(?)",
}


def conditions(connection: sqlite3.Connection, chunk_filter: ChunkFilter) -> tuple[str, list[str | bytes | int]]:
    """Return an SQL condition and its parameters; removed documents never pass.

    Raises:
        NotFound: There is no such knowledge base.
    """
    sql = ["d.removed = 0"]
    parameters: list[str | bytes | int] = []
    if chunk_filter.knowledge_base is not None:
        sql.append("d.knowledge_base = ?")
        parameters.append(knowledge_base_id(connection, chunk_filter.knowledge_base))
    for key, value in chunk_filter.equals:
        sql.append(_CONDITIONS[key])
        parameters.append(stored_text(absolute_path(value) if key == "path" else value))
    return " AND ".join(sql), parameters


def knowledge_base_id(connection: sqlite3.Connection, name: str) -> int:
    """Return the number of a knowledge base.

    Raises:
        NotFound: There is no such knowledge base.
    """
    row = connection.execute("SELECT id FROM knowledge_bases WHERE name = ? AND removed = 0", (name,)).fetchone()
    if row is None:
        known = [
            str(row[0]) for row in connection.execute("SELECT name FROM knowledge_bases WHERE removed = 0 ORDER BY id")
        ]
        raise NotFound(f"There is no knowledge base “{name}”.", f"The knowledge bases are {', '.join(known)}.")
    return int(row[0])
