"""Reference evaluation of filters over plain objects, and documents to filter."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from store_content import parsed

from workbench.model.chunk import Chunk
from workbench.model.custom_metadata import passes as custom_passes
from workbench.model.document import BlockKind
from workbench.model.filter import AllOf, AnyOf, Condition, Expression, Not, Operator
from workbench.model.metadata import CustomField
from workbench.store.database import Database
from workbench.store.document_writes import put_custom_fields
from workbench.store.documents import DocumentStore
from workbench.store.stored_values import absolute_path, stored_json, stored_text

_COMPARE: dict[Operator, Callable[[str | float, str | float], bool]] = {
    Operator.GT: lambda one, other: one > other,  # type: ignore[operator]
    Operator.GTE: lambda one, other: one >= other,  # type: ignore[operator]
    Operator.LT: lambda one, other: one < other,  # type: ignore[operator]
    Operator.LTE: lambda one, other: one <= other,  # type: ignore[operator]
}


@dataclass(frozen=True)
class Row:
    """Document with one chunk, and all fields that a filter can use."""

    knowledge_base: str = "default"
    name: str = "a.txt"
    title: str = "A"
    author: str = ""
    format: str = "text"
    folder: str = ""
    language: str = ""
    created: str = ""
    modified: str = ""
    keyword: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    pages: int = 0
    page: int | None = None
    page_end: int | None = None
    origin: str = "file"
    custom: tuple[CustomField, ...] = ()
    document: int = 0

    @property
    def path(self) -> str:
        return absolute_path(f"/library/{self.name}")


def passes(expression: Expression, row: Row) -> bool:
    """Evaluate a filter tree without SQL."""
    match expression:
        case AllOf(parts):
            return all(passes(part, row) for part in parts)
        case AnyOf(parts):
            return any(passes(part, row) for part in parts)
        case Not(part):
            return not passes(part, row)
        case Condition(key, Operator.NEQ, values):
            return not passes(Condition(key, Operator.EQ, values), row)
        case Condition(("created" | "modified") as key, operator, values):
            return _date(getattr(row, key), operator, values)
        case Condition(("document" | "page" | "pages") as key, operator, values):
            last = row.page_end if key == "page" else getattr(row, key)
            return _number(getattr(row, key), last, operator, values)
        case Condition(("due" | "budget") as key, operator, values):
            return custom_passes(
                [one for field in row.custom if field.key == key for one in field.values], operator, values
            )
        case Condition(key, operator, values):
            return _text(key, _texts(key, row), operator, values)


def _texts(key: str, row: Row) -> tuple[str, ...]:
    if key == "called":
        return (row.name, row.title, row.folder)
    value = getattr(row, key)
    return value if isinstance(value, tuple) else (value,)


def _text(key: str, texts: Sequence[str], operator: Operator, values: Sequence[str]) -> bool:
    small = [text.casefold() for text in texts]
    wanted = [value.casefold() for value in values]
    if operator in (Operator.EQ, Operator.IN):
        if key == "folder":
            return any(f"{small[0]}/".startswith(f"{one}/") if one else not small[0] for one in wanted)
        if key == "path":
            wanted += [absolute_path(value).casefold() for value in values if value]
        return any(one in small for one in wanted) or ("" in wanted and not texts)
    if operator is Operator.CONTAINS:
        return any(wanted[0] in text for text in small)
    if operator is Operator.STARTSWITH:
        return any(text.startswith(wanted[0]) for text in small)
    return any(_COMPARE[operator](text, wanted[0]) for text in small if text)


def _date(date: str, operator: Operator, values: Sequence[str]) -> bool:
    date = date.replace(" ", "T")
    if operator in (Operator.EQ, Operator.IN):
        return any(date.startswith(value) if value else not date for value in values)
    if operator is Operator.CONTAINS:
        return values[0] in date
    if operator is Operator.STARTSWITH:
        return date.startswith(values[0])
    return bool(date) and _COMPARE[operator](date[: len(values[0])], values[0])


def _number(first: int | None, last: int | None, operator: Operator, values: Sequence[str]) -> bool:
    if first is None or last is None:
        return operator in (Operator.EQ, Operator.IN) and "" in values
    wanted = [float(value) for value in values if value]
    if operator in (Operator.EQ, Operator.IN):
        return any(first <= value <= last for value in wanted if value.is_integer())
    return _COMPARE[operator](last if operator in (Operator.GT, Operator.GTE) else first, wanted[0])


def put(database: Database, documents: DocumentStore, row: Row) -> tuple[int, int]:
    """Add a row's document to the library; return the ids of the document and its chunk."""
    documents.ensure_knowledge_base(row.knowledge_base)
    sha256 = hashlib.sha256(f"{row!r}{len(documents.list())}".encode("utf-8", "surrogatepass")).hexdigest()
    made = documents.queue(Path(row.path), knowledge_base=row.knowledge_base, sha256=sha256, size=1, format=row.format)
    text = "apples\n"
    chunk = Chunk(0, 0, 7, text, row.page, row.page_end, (), BlockKind.PARAGRAPH, 1)
    documents.put_content(made.id, parsed(text, title=row.title, format=row.format), [chunk], sha256=sha256, size=1)
    texts = {name: stored_text(getattr(row, name)) for name in ("author", "language", "created", "modified", "folder")}
    with database.write() as connection:
        connection.execute(
            "UPDATE documents SET name = ?, path = ?, author = ?, language = ?, created = ?, modified = ?, folder = ?,"
            " keywords = ?, tags = ?, pages = ?, origin = ? WHERE id = ?",
            (
                stored_text(row.name),
                stored_text(row.path),
                *texts.values(),
                stored_json(row.keyword),
                stored_json(row.tag),
                row.pages,
                row.origin,
                made.id,
            ),
        )
        put_custom_fields(connection, made.id, row.custom)
        (number,) = connection.execute("SELECT id FROM chunks WHERE document = ?", (made.id,)).fetchone()
        database.revision += 1
    return made.id, int(number)
