"""Conversion of database rows to the data classes of workbench.model, with the matching column lists."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from workbench.model.chunk import Chunk
from workbench.model.document import (
    BlockKind,
    Document,
    DocumentStatus,
    FailureKind,
    Finding,
    FindingKind,
    Metadata,
    Origin,
    Page,
    PageKind,
    WordBoxes,
)
from workbench.model.metadata import CustomField, CustomFields, CustomSource, CustomValue, ValueKind
from workbench.store.sql import Connection
from workbench.store.stored_values import loaded_json, loaded_text, raise_damaged, stored_json, stored_text

_CUSTOM_FIELDS = (
    "SELECT json_group_array(json_array(m.key, m.place, m.kind, m.value, m.source)) FROM document_metadata m"
    " WHERE m.document ="
)
DOCUMENT_COLUMNS = (
    "d.id, (SELECT name FROM knowledge_bases WHERE id = d.knowledge_base), d.path, d.name, d.sha256, d.size, d.format,"
    " d.status, d.title, d.author, d.created, d.keywords, d.language, d.pages, d.chunks, d.embedded, d.reason, d.hint,"
    " d.added, d.warnings, d.modified, d.page_kind, d.origin, d.folder, d.tags, d.edited, d.parser_version, d.findings,"
    f" d.chunk_edits, d.passage_tags, ({_CUSTOM_FIELDS} d.id), d.failure"
)
NO_VALUE = "none"
"""Kind of a row of document_metadata that only records that the user removed the key."""
CHUNK_COLUMNS = (
    "c.id, c.document, c.ordinal, c.start, c.end, c.text, c.page, c.page_end, c.headings, c.kind, c.tokens, c.oversize,"
    " c.source, c.by_hand, c.disabled, c.tags"
)
CHUNK_VALUES = (
    "ordinal, start, end, text, page, page_end, headings, kind, tokens, oversize, source, by_hand, disabled, tags"
)

# Calling an enumeration takes ten times as long: 0.3 s for a list of 33,000 documents.
_STATUSES = {status.value: status for status in DocumentStatus}
_PAGE_KINDS = {kind.value: kind for kind in PageKind}
_ORIGINS = {origin.value: origin for origin in Origin}
_FAILURES = {failure.value: failure for failure in FailureKind}
_NO_WORDS = WordBoxes()


def document_of(row: tuple[Any, ...]) -> Document:
    """Return the document of a row of DOCUMENT_COLUMNS.

    Raises:
        LibraryDamaged: The row was not written by the program.
    """
    try:
        return _document(row)
    except (KeyError, ValueError, TypeError) as error:
        raise_damaged(error)


def _document(row: tuple[Any, ...]) -> Document:
    (number, base, path, name, sha256, size, form, status, title, author, created, keywords, language) = row[:13]
    (pages, chunks, embedded, reason, hint, added, warnings, modified) = row[13:21]
    (page_kind, origin, folder, tags, edited, parser_version, findings, chunk_edits, passage_tags) = row[21:30]
    return Document(
        id=number,
        knowledge_base=base,
        path=loaded_text(path),
        name=loaded_text(name),
        sha256=sha256,
        size=size,
        format=form,
        status=_STATUSES[status],
        metadata=Metadata(
            loaded_text(title),
            loaded_text(author),
            loaded_text(created),
            tuple(loaded_json(keywords)),
            loaded_text(language),
            loaded_text(modified),
        ),
        pages=pages,
        chunks=chunks,
        embedded=embedded,
        reason=loaded_text(reason),
        hint=loaded_text(hint),
        added=added,
        warnings=tuple(loaded_json(warnings)),
        page_kind=_PAGE_KINDS[page_kind],
        origin=_ORIGINS[origin],
        folder=loaded_text(folder),
        tags=tuple(loaded_json(tags)),
        edited=tuple(loaded_json(edited)),
        parser_version=parser_version,
        findings=_findings(findings),
        chunk_edits=chunk_edits,
        passage_tags=tuple(loaded_json(passage_tags)),
        stored_custom=_custom_fields(row[30]) if row[30] != "[]" else (),
        failure=_FAILURES[row[31]],
    )


def custom_fields_of(connection: Connection, document: int) -> CustomFields:
    """Return the user's own metadata of a document."""
    return _custom_fields(connection.execute(f"{_CUSTOM_FIELDS} ?", (document,)).fetchone()[0])


def _custom_fields(value: str) -> CustomFields:
    """Return the fields of rows of document_metadata, keys in alphabetical order."""
    fields: list[CustomField] = []
    for key, place, kind, text, source in sorted(loaded_json(value)):
        one = _custom_field(key, place > 0, kind, text, source)
        if place > 1:
            one = replace(one, values=(*fields.pop().values, *one.values))
        fields.append(one)
    return tuple(fields)


# Documents share keys and values: the cache reduces the time for 33,000 documents with five keys to a third.
@lru_cache(maxsize=8192)
def _custom_field(key: str, is_list: bool, kind: str, text: str, source: str) -> CustomField:
    values = () if kind == NO_VALUE else (CustomValue(ValueKind(kind), text),)
    return CustomField(key, values, is_list, CustomSource(source))


def documents_where(connection: Connection, condition: str, parameters: Sequence[Any]) -> list[Document]:
    """Return the documents (d) that meet an SQL condition, in the order they were added."""
    rows = connection.execute(
        f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE {condition} ORDER BY d.id", parameters
    ).fetchall()
    return [document_of(row) for row in rows]


def findings_of(value: str | bytes) -> tuple[Finding, ...]:
    """Return the findings encoded by findings_value().

    Raises:
        LibraryDamaged: They are invalid.
    """
    try:
        return _findings(value)
    except (ValueError, TypeError) as error:
        raise_damaged(error)


def _findings(value: str | bytes) -> tuple[Finding, ...]:
    return tuple(
        Finding(FindingKind(kind), tuple(where), count, detail, *map(FailureKind, failure))
        for kind, where, count, detail, *failure in loaded_json(value)
    )


def findings_value(findings: tuple[Finding, ...]) -> str | bytes:
    """Return the parameter to bind for findings."""
    return stored_json(
        [[one.kind.value, one.pages, one.count, one.detail, *filter(None, [one.failure.value])] for one in findings]
    )


def chunk_of(row: tuple[Any, ...]) -> Chunk:
    """Return the chunk of a row of CHUNK_COLUMNS.

    Raises:
        LibraryDamaged: The row was not written by the program.
    """
    try:
        return _chunk(row)
    except (ValueError, TypeError) as error:
        raise_damaged(error)


def _chunk(row: tuple[Any, ...]) -> Chunk:
    (number, document, ordinal, start, end, text, page, page_end, headings, kind, tokens, oversize) = row[:12]
    source, by_hand, disabled, tags = row[12:]
    return Chunk(
        ordinal=ordinal,
        start=start,
        end=end,
        text=loaded_text(text),
        page=page,
        page_end=page_end,
        headings=tuple(loaded_json(headings)),
        kind=BlockKind(kind),
        tokens=tokens,
        oversize=bool(oversize),
        id=number,
        document=document,
        source=loaded_text(source),
        by_hand=bool(by_hand),
        disabled=bool(disabled),
        tags=tuple(loaded_json(tags)),
    )


# A document's chunks share their headings, and hardly any has a tag.
_stored_words = lru_cache(maxsize=256)(stored_json)


def chunk_values(chunk: Chunk, ordinal: int) -> tuple[Any, ...]:
    """Return the parameters to bind for CHUNK_VALUES."""
    return (
        ordinal,
        chunk.start,
        chunk.end,
        stored_text(chunk.text),
        chunk.page,
        chunk.page_end,
        _stored_words(chunk.headings),
        chunk.kind.value,
        chunk.tokens,
        int(chunk.oversize),
        stored_text(chunk.source),
        int(chunk.by_hand),
        int(chunk.disabled),
        _stored_words(chunk.tags),
    )


def page_of(row: tuple[Any, ...], words: WordBoxes = _NO_WORDS) -> Page:
    """Return the page of a row (number, start, end, width, height, label, ocr)."""
    number, start, end, width, height, label, ocr = row
    return Page(number, start, end, width, height, words, loaded_text(label), bool(ocr))
