"""JSON and JSON Lines: values under their keys, records as the places that citations name."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from workbench.language import mark
from workbench.model.document import Block, Finding, FindingKind, Metadata, Page, PageKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder, stem
from workbench.parsing.base import too_deep
from workbench.parsing.code_pieces import code_blocks
from workbench.parsing.dates import iso_date
from workbench.parsing.json_text import JsonWriter, as_line, is_table, label
from workbench.parsing.source_text import SourceText, read_source, require_text

_MOST_RECORDS = 3000
"""More records than that are no places any more that someone would count to."""
_LINES = frozenset((".jsonl", ".ndjson", ".jsonlines"))


class JsonParser:
    """Reads JSON; what is not valid is read as the text it is, with a warning."""

    format: ClassVar[str] = "json"
    suffixes: ClassVar[frozenset[str]] = _LINES | {".json", ".geojson", ".json5", ".jsonc", ".jsonld", ".har"}
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        source = read_source(path, whole=path.suffix.lower() not in _LINES)
        if path.suffix.lower() in _LINES:
            return self._records(_lines(source.text), source, path)
        try:
            value = _loads(source.text)
        except RecursionError as error:
            raise too_deep() from error
        except ValueError:
            records = _lines(source.text)
            if len(records) > 1 and not any(isinstance(record, str) for record in records):
                return self._records(records, source, path)
            return self._as_text(source, path)
        if isinstance(value, list) and len(value) > 1 and not is_table(value):
            return self._records(value, source, path)
        return self._built([value], (), source, _metadata(value, path))

    def _records(self, records: Sequence[Any], source: SourceText, path: Path) -> ParsedDocument:
        """Return a list of records, each a place of its own unless they are too many, or rows of a table."""
        dull = not any(isinstance(record, (dict, list)) for record in records)
        metadata = _metadata(None, path)
        if is_table(records) or dull or len(records) > _MOST_RECORDS:
            return self._built([list(records)], (), source, metadata)
        return self._built(records, tuple(map(label, records)), source, metadata)

    def _built(
        self, values: Sequence[Any], labels: Sequence[str], source: SourceText, metadata: Metadata
    ) -> ParsedDocument:
        builder = TextBuilder()
        writer = JsonWriter(builder)
        pages: list[Page] = []
        for number, value in enumerate(values, 1):
            before = len(builder.blocks)
            writer.write(value, page=len(pages) + 1 if labels else None)
            if labels and len(builder.blocks) > before:
                start = builder.blocks[before].start
                pages.append(Page(len(pages) + 1, start, builder.length, label=labels[number - 1]))
        blocks = tuple(builder.blocks)
        require_text(blocks)
        findings = source.findings
        if writer.tables:
            findings = (*findings, Finding(FindingKind.TABLES, count=writer.tables))
        return ParsedDocument(builder.text, blocks, tuple(pages), metadata, self.format, (), PageKind.RECORD, findings)

    def _as_text(self, source: SourceText, path: Path) -> ParsedDocument:
        blocks: tuple[Block, ...] = tuple(code_blocks(source.text))
        require_text(blocks)
        warning = mark("The file is not valid JSON; it was read as plain text.")
        return ParsedDocument(
            source.text, blocks, (), Metadata(title=stem(path)), self.format, (warning,), findings=source.findings
        )


def _loads(text: str) -> Any:
    # Numbers stay as they are written: 1.10 is a version as often as a value, and 5,000 digits are no error.
    return json.loads(text, parse_float=str, parse_int=str, parse_constant=str)


def _lines(text: str) -> list[Any]:
    """Return the value of each line; a line that is none stands for itself."""
    values: list[Any] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            values.append(_loads(line))
        except (ValueError, RecursionError):
            values.append(line)
    return values


def _metadata(value: Any, path: Path) -> Metadata:
    """Return what a document that is one object says of itself at its top."""
    said = value if isinstance(value, dict) else {}
    texts = {key.lower(): as_line(inner) for key, inner in said.items() if not isinstance(inner, (dict, list))}
    return Metadata(
        title=texts.get("title") or texts.get("name") or stem(path),
        author=texts.get("author", ""),
        created=iso_date(texts.get("date") or texts.get("created", "")),
    )
