"""find_table: the complete table or list for a request ("list all priorities with their cost")."""

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from workbench.agent.base import ToolResult
from workbench.agent.offline.passage_structure import PassageSpans
from workbench.agent.outline import sections_in
from workbench.agent.references import RunReferences, render_references
from workbench.agent.tools.access import DocumentAccess, ReadableDocument
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.agent.tools.search import SearchFunction
from workbench.agent.tools.tool_results import DATA, RemainingRoom, number_passages
from workbench.errors import NotFound, ToolError
from workbench.language import mark
from workbench.model.agent import ReferencesFormat
from workbench.model.document import BlockKind, Document
from workbench.model.hit import Hit
from workbench.model.message import ToolSpec
from workbench.model.run import ReferencesFound
from workbench.retrieval.document_names import referenced_documents
from workbench.retrieval.quotable_spans import PATH_SEPARATOR, above_table_head, quotables
from workbench.store.segmentation import question_words, segment

FIND_TABLE = "find_table"
NO_TABLE = "No table or list is about this."

_MOST_ROWS = 80
_MOST_DOCUMENTS = 6
_MOST_OTHERS = 3
# Weight of a word of the request that occurs in the caption or headings, in the column names, in the rows.
_WEIGHT_ABOVE, _WEIGHT_HEADS, _WEIGHT_ROWS = 1.0, 0.9, 0.35
# Bonus for a table among the passages that a search finds, highest for the first hit.
_SEARCH_BONUS = 0.25
# Minimum score. Every table and list of the samples reaches 0.8 for a request in its own words; the best table for
# things that no table lists reaches 0.5.
_LEAST_SCORE = 0.6
# Maximum length of a line in a list without markers.
_LONGEST_LINE = 140
# Further tables are named only if their score is at least this share of that of the best one.
_LEAST_SHARE = 0.75
_FEWEST_ROWS = 2

_IN = re.compile(r"^(?P<what>.+?)\s+(?:in|of|from|within|according to)\s+(?P<document>.+)$", re.IGNORECASE)
_IN_ZH = re.compile(r"^(?P<document>.+?)(?:中|里|里面|裡)?(?:的)(?:所有|全部|各)?(?P<what>.+)$")
# Words that describe the form of the list, not its subject.
_IGNORED_WORDS = frozenset(
    segment(
        "list table all every each complete full whole overview together respective along show give number"
        " different various available existing mentioned"
    ).split()
)


@dataclass(frozen=True, slots=True)
class _Row:
    hit: Hit
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _FoundTable:
    """A table, or a list, whose rows have one cell each.

    Attributes:
        readable: The document.
        above: Text above it: headings, caption, introduction.
        columns: Names of the columns; empty for a list.
        rows: The rows.
        unit: Unit of the values, such as "(in millions)"; empty if it is not stated.
    """

    readable: ReadableDocument
    above: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[_Row, ...]
    unit: str = ""

    @property
    def title(self) -> str:
        return self.above[-1] if self.above else ""

    @property
    def place(self) -> tuple[int, int]:
        return self.readable.document.id, self.rows[0].hit.chunk.id


@dataclass(slots=True)
class _Candidates:
    """Tables with their scores for the words of a request."""

    words: frozenset[str]
    ranks: dict[int, int]
    scored: list[tuple[float, _FoundTable]] = field(default_factory=list)

    def add(self, table: _FoundTable) -> None:
        if len(table.rows) >= _FEWEST_ROWS:
            self.scored.append((self._score(table), table))

    def best(self) -> list[_FoundTable]:
        self.scored.sort(key=lambda one: -one[0])
        least = max(_LEAST_SCORE, _LEAST_SHARE * self.scored[0][0] if self.scored else 0.0)
        return [table for score, table in self.scored if score >= least]

    def _score(self, table: _FoundTable) -> float:
        above = set(segment(" ".join(table.above)).split())
        heads = set(segment(" ".join(table.columns)).split())
        rows = set(segment(" ".join(cell for row in table.rows for cell in row.cells)).split())
        weight = sum(
            max(_WEIGHT_ABOVE * (word in above), _WEIGHT_HEADS * (word in heads), _WEIGHT_ROWS * (word in rows))
            for word in self.words
        )
        rank = min((self.ranks.get(row.hit.chunk.id, 99) for row in table.rows), default=99)
        return weight / len(self.words) + _SEARCH_BONUS / (1 + rank)


class FindTableTool:
    """Tool that finds the table or list for a request and returns all of its rows."""

    def __init__(
        self, documents: DocumentAccess, references: RunReferences, room: RemainingRoom, search: SearchFunction | None
    ) -> None:
        self._documents = documents
        self._references = references
        self._room = room
        self._search = search

    @classmethod
    def of(cls, context: ToolContext) -> Self:
        """Create the tool for a run with documents (see ToolOffer.needs_documents)."""
        assert context.documents is not None
        return cls(context.documents, context.references, RemainingRoom(context.window), context.search)

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            FIND_TABLE,
            "Finds the table or list of the documents that lists something, and gives all of its rows, each to cite."
            " A search gives single passages; use this where every row is wanted.",
            {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "What is listed: “priorities with their cost”."},
                },
                "required": ["text"],
                "additionalProperties": False,
            },
            aliases=("查找表格",),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the table as JSON; a sentence if no table matches.

        Raises:
            ToolError: The request contains no words to search for.
        """
        async with self._references.in_call_order() as turn:
            began = time.perf_counter()
            what, documents = list_request(str(arguments["text"]), await self._documents.documents())
            words = _words(what)
            if not words:
                raise ToolError("There is nothing to look for: say what the table or list contains.")
            hits = (await self._search(what)).hits if self._search is not None else ()
            readables = await self._readables(documents, hits)
            ranks = {hit.chunk.id: rank for rank, hit in enumerate(hits)}
            found = await asyncio.to_thread(_best, readables, words, ranks)
            await turn.wait()
            if not found:
                return ToolResult(NO_TABLE)
            rows = found[0].rows[:_MOST_ROWS]
            rows = rows[: await self._room.take([" | ".join(row.cells) for row in rows])]
            shown = [row.hit for row in (*rows, *(other.rows[0] for other in found[1 : 1 + _MOST_OTHERS]))]
            unique = list({hit.chunk.id: hit for hit in shown}.values())
            reference = number_passages(self._references, f"table of “{what}”", unique, time.perf_counter() - began)
        numbers = {one.hit.chunk.id: one.number for one in reference.hits}
        answer = _object(found, rows, numbers)
        text = render_references([answer], ReferencesFormat.JSON)
        head = f"“{found[0].title}” in “{found[0].readable.document.name}” has {len(found[0].rows):,} rows."
        return ToolResult(f"{head}\n{DATA}\n{text}", events=(ReferencesFound(reference),))

    async def _readables(self, documents: Sequence[Document], hits: Sequence[Hit]) -> list[ReadableDocument]:
        """Return the documents to search: the given ones, or else those of the hits."""
        wanted = {one.id: one for one in documents}
        if not wanted:
            available = {one.id: one for one in await self._documents.documents()}
            order = dict.fromkeys(hit.chunk.document for hit in hits)
            wanted = {number: available[number] for number in order if number in available}
        found = []
        for document in list(wanted.values())[:_MOST_DOCUMENTS]:
            try:
                found.append(await self._documents.read(document))
            except NotFound:  # removed meanwhile
                continue
        return found


def list_request(said: str, there: Sequence[Document]) -> tuple[str, Sequence[Document]]:
    """Split a request into the listed things and the documents that it names; without names, any document counts."""
    for pattern in (_IN, _IN_ZH):
        match = pattern.match(said.strip())
        referenced = referenced_documents(match["document"], there) if match else None
        if match and referenced and (referenced.by_name or len(there) == 1) and _words(match["what"]):
            return match["what"], referenced.documents
    return said.strip(), there if len(there) == 1 else ()


def _words(what: str) -> frozenset[str]:
    return frozenset(word.rstrip("*") for word in question_words(what)) - _IGNORED_WORDS


def _best(readables: Sequence[ReadableDocument], words: frozenset[str], ranks: dict[int, int]) -> list[_FoundTable]:
    candidates = _Candidates(words, ranks)
    for readable in readables:
        for table in (*_tables(readable), *_lists(readable), *_lines(readable)):
            candidates.add(table)
    return candidates.best()


def _tables(readable: ReadableDocument) -> Iterator[_FoundTable]:
    """Yield the tables; consecutive chunks of one block form one table."""
    run: list[Hit] = []
    for hit in (*readable.passages, None):
        if hit is not None and hit.chunk.kind is BlockKind.TABLE and (not run or _continues(readable, run[-1], hit)):
            run.append(hit)
            continue
        if run:
            yield _table(readable, run)
        run = [hit] if hit is not None and hit.chunk.kind is BlockKind.TABLE else []


def _continues(readable: ReadableDocument, last: Hit, hit: Hit) -> bool:
    between = readable.text[last.chunk.end : hit.chunk.start]
    # A blank line separates two tables; a table that was split continues in the next line, below its head as a heading.
    first, second = last.chunk.headings, hit.chunk.headings
    is_same = above_table_head(second) in (first, above_table_head(first))
    return not between.strip() and between.count("\n") < 2 and is_same


def _table(readable: ReadableDocument, run: Sequence[Hit]) -> _FoundTable:
    first = run[0].chunk
    if any(hit.chunk.is_edited for hit in run):
        run = run[:1]
        text = first.text
    else:
        text = readable.text[first.start : run[-1].chunk.end]
    rows, columns, unit = [], tuple[str, ...](), ""
    for span in quotables(text, PATH_SEPARATOR.join(first.headings)):
        if span.is_statement and span.cells:
            columns = columns or tuple(name for name, _ in span.cells)
            unit = unit or span.unit
            place = first.start + span.start
            hit = next((one for one in run if one.chunk.start <= place < one.chunk.end), run[0])
            rows.append(_Row(hit, tuple(value for _, value in span.cells)))
    columns = columns if any(columns) else ()
    return _FoundTable(readable, above_table_head(first.headings), columns, tuple(rows), unit)


def _lists(readable: ReadableDocument) -> Iterator[_FoundTable]:
    """Yield the bulleted and numbered lists in prose."""
    for hit in readable.passages:
        if hit.chunk.kind.is_atomic:
            continue
        reading = PassageSpans(hit.chunk.text)
        for listed in reading.lists:
            above = hit.chunk.headings
            if listed.introduction is not None:
                above = (*above, reading.reads(listed.introduction, listed.introduction))
            rows = tuple(_Row(hit, (reading.reads(item[0], item[-1]),)) for item in listed.items)
            yield _FoundTable(readable, above, (), rows)


def _lines(readable: ReadableDocument) -> Iterator[_FoundTable]:
    """Yield the sections of plain text that begin with short indented or marked lines: names, dates, tasks."""
    if readable.sections:
        return
    for section in sections_in(readable):
        body = readable.text[section.start : section.end].split("\n")[1:]
        lines = [line for line in body if line.strip()]
        if not all(len(line) <= _LONGEST_LINE and line.startswith((" ", "\t", "-", "*", "•")) for line in lines[:3]):
            continue
        rows = []
        for line in lines:
            if not line.startswith((" ", "\t", "-", "*", "•")):
                break
            place = readable.text.find(line, section.start, section.end)
            hit = next((one for one in readable.passages if one.chunk.start <= place < one.chunk.end), None)
            if hit is not None and not hit.chunk.is_edited:
                rows.append(_Row(hit, (" ".join(line.split()),)))
        yield _FoundTable(readable, (section.title,), (), tuple(rows))


def _object(found: Sequence[_FoundTable], rows: Sequence[_Row], numbers: dict[int, int]) -> dict[str, Any]:
    table = found[0]
    document = table.readable.document
    return {
        "document": document.name,
        "title": document.metadata.title,
        "above": list(table.above[-2:]),
        "page": table.rows[0].hit.page,
        "page_kind": document.page_kind.value,
        "columns": list(table.columns),
        **({"unit": table.unit} if table.unit else {}),
        "total": len(table.rows),
        "rows": [{"citation": numbers[row.hit.chunk.id], "cells": list(row.cells)} for row in rows],
        "also": [
            {
                "citation": numbers[other.rows[0].hit.chunk.id],
                "document": other.readable.document.name,
                "title": other.title,
                "page": other.rows[0].hit.page,
                "rows": len(other.rows),
            }
            for other in found[1 : 1 + _MOST_OTHERS]
            if other.rows[0].hit.chunk.id in numbers
        ],
    }


OFFER = ToolOffer(
    FIND_TABLE,
    mark("Find table"),
    mark("Finds the table or list whose rows are asked for, and gives it whole."),
    "search",
    FindTableTool.of,
    needs_documents=True,
)
