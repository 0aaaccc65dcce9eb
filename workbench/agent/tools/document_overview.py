"""document_overview: structure of documents, with outline and opening sentences for citation."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.outline import MOST_ENTRIES, DocumentOutline, OpeningWords, outline_of
from workbench.agent.references import SearchRemarks, render_references, unsearched_of
from workbench.agent.tools.access import ReadableDocument
from workbench.agent.tools.offer import DocumentTool, ToolOffer
from workbench.agent.tools.tool_results import DATA, number_passages
from workbench.errors import NotFound
from workbench.language import counted, mark
from workbench.model.agent import ReferencesFormat
from workbench.model.hit import Coverage, Hit
from workbench.model.message import ToolSpec
from workbench.model.run import ReferencesFound, RunEvent
from workbench.retrieval.document_names import ReferencedDocuments, referenced_documents

DOCUMENT_OVERVIEW = "document_overview"
NO_SUCH_DOCUMENT = "No document is meant by"

# Sections are shown for at most this many documents; for more documents, only the opening of each.
_WITH_SECTIONS = 2
_MOST_DESCRIBED = 12
_MOST_NAMED = 60
_ENTRIES_OF_TWO = 12
# Number of passages that are searched for the title, author or date: at the beginning and at the end.
_FIRST_PASSAGES, _LAST_PASSAGES = 6, 3
_WORD = re.compile(r"\d+|[^\W\d_]+")
_LEAST_OF_VALUE = 0.6


@dataclass(frozen=True, slots=True)
class _Outlined:
    """A document with its outline."""

    readable: ReadableDocument
    outline: DocumentOutline

    @property
    def openings(self) -> list[OpeningWords]:
        outline = self.outline
        return [*outline.lead, *outline.findings, *(one.opening for one in outline.entries if one.opening)]


class DocumentOverviewTool(DocumentTool):
    """Tool that returns outlines of the accessible chunks of documents."""

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            DOCUMENT_OVERVIEW,
            "Gives an overview of documents from their structure: title, author, date, pages, headings, and the first"
            " sentences of the summary and of each section, each to cite. Of one or two documents with all sections; of"
            " more how each begins, and how many there are. Use it for questions about a whole document or the whole"
            " library; read_document reads on in a section.",
            {
                "type": "object",
                "properties": {
                    "documents": {
                        "type": "string",
                        "description": "File name, title or words that mean the documents; empty for all.",
                    },
                    "other": {"type": "string", "description": "A second document, to compare them."},
                },
                "additionalProperties": False,
            },
            aliases=("文档概览",),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the number of matching documents and their overview as JSON; a sentence if none matches."""
        async with self._references.in_call_order() as turn:
            began = time.perf_counter()
            known = await self._documents.documents()
            names = [one for key in ("documents", "other") if (one := str(arguments.get(key) or "").strip())]
            scope = [referenced_documents(one, known) for one in names or [""]] if known else []
            # Those that were not read matter unless all that is asked about was.
            not_read, seen = await self._not_read() if not names or not known or None in scope else ("", None)
            if not known:
                await turn.wait()
                nothing = render_references([_answer((), (), {}, not_read)], ReferencesFormat.JSON)
                head = f"There is no document.\n{_remark(not_read)}"
                return ToolResult(f"{head}{DATA}\n{nothing}", events=self._references.seen(seen))
            if None in scope:
                await turn.wait()
                missing = names[scope.index(None)] if names else ""
                head = f"{NO_SUCH_DOCUMENT} “{missing}”. The library has {counted(len(known), 'document')}."
                text = f"{head}\n{_remark(not_read)}".rstrip()
                return ToolResult(text, events=self._references.seen(seen))
            described = await self._read_outlines([one for one in scope if one])
            await turn.wait()
            what = "outline of " + ", ".join(f"“{one.readable.document.name}”" for one in described[:3])
            hits = _hits(described)
            taken = await self._room.take([hit.chunk.text[:400] for hit in hits])
            reference = number_passages(self._references, what, hits[:taken], time.perf_counter() - began)
        numbers = {one.hit.chunk.id: one.number for one in reference.hits}
        answer = _answer([one for one in scope if one], described, numbers, not_read)
        text = render_references([answer], ReferencesFormat.JSON)
        events: tuple[RunEvent, ...] = (ReferencesFound(reference), *self._references.seen(seen))
        return ToolResult(f"{_head(answer)}\n{_remark(not_read)}{DATA}\n{text}", events=events)

    async def _not_read(self) -> tuple[str, Coverage | None]:
        """Return what was not read, in words for a model, and the coverage; empty and None if all was read."""
        coverage = await self._documents.coverage()
        # Pages without text make no document disappear.
        words = unsearched_of(replace(coverage, pages=0, cut=0))
        return words, coverage if words else None

    async def _read_outlines(self, meant: Sequence[ReferencedDocuments]) -> list[_Outlined]:
        documents = list({one.id: one for each in meant for one in each.documents}.values())
        parts = {one.id: each.part for each in meant for one in each.documents}
        most = MOST_ENTRIES if len(documents) == 1 else _ENTRIES_OF_TWO
        found: list[_Outlined] = []
        for document in documents:
            if len(found) >= _MOST_DESCRIBED:
                break
            try:
                readable = await self._documents.read(document)
            except NotFound:  # removed meanwhile
                continue
            outline = await asyncio.to_thread(outline_of, readable, part=parts[document.id], most=most)
            if outline is not None:
                found.append(_Outlined(readable, outline))
        return found


def _remark(not_read: str) -> str:
    return SearchRemarks(unsearched=not_read).text


def _hits(described: Sequence[_Outlined]) -> list[Hit]:
    """Return the passages to show, each once; for many documents only the openings and the sources of properties."""
    many = len(described) > _WITH_SECTIONS
    openings = [opening for one in described for opening in (one.openings[:1] if many else one.openings)]
    sources = [hit for one in described for _, _, hit in _facts(one.readable) if hit is not None]
    return list({hit.chunk.id: hit for hit in (*(opening.hit for opening in openings), *sources)}.values())


def _answer(
    meant: Sequence[ReferencedDocuments], described: Sequence[_Outlined], numbers: dict[int, int], not_read: str
) -> dict[str, Any]:
    documents = list({one.id: one for each in meant for one in each.documents}.values())
    shown = {one.readable.document.id for one in described}
    many = len(described) > _WITH_SECTIONS
    rest = [one for one in documents if one.id not in shown]
    return {
        "total": len(documents),
        "formats": dict(Counter(one.format for one in documents).most_common(8)),
        "named": all(one.by_name for one in meant),
        "part": next((one.part for one in meant if one.part), ""),
        "documents": [_object(one, numbers, brief=many) for one in described],
        "others": [{"name": one.name, "folder": one.folder} for one in rest[:_MOST_NAMED]],
        "not_read": not_read,
    }


def _object(one: _Outlined, numbers: dict[int, int], *, brief: bool) -> dict[str, Any]:
    document, outline = one.readable.document, one.outline
    record: dict[str, Any] = {
        "name": document.name,
        "title": document.metadata.title,
        "part": outline.part,
        "format": document.format,
        "folder": document.folder,
        "pages": document.pages,
        "page_kind": document.page_kind.value,
        "passages": len(one.readable.passages),
        "properties": [
            {"field": field, "value": value, **_citation_of(value, hit, numbers)}
            for field, value, hit in _facts(one.readable)
        ],
        "lead": _openings(outline.lead[:1] if brief else outline.lead, numbers),
    }
    if not brief:
        record["findings"] = _openings(outline.findings, numbers)
        record["sections"] = outline.sections
        record["outline"] = [
            {"heading": entry.title, "page": entry.page, **shown}
            for entry in outline.entries
            if entry.opening is not None
            for shown in _openings([entry.opening], numbers)
        ]
    return record


def _openings(openings: Iterable[OpeningWords], numbers: dict[int, int]) -> list[dict[str, Any]]:
    return [
        {
            "citation": numbers[one.hit.chunk.id],
            "page": one.page,
            "text": " ".join(one.text.split()),
            **({"rows": one.rows} if one.rows else {}),
        }
        for one in openings
        if one.hit.chunk.id in numbers
    ]


def _facts(readable: ReadableDocument) -> list[tuple[str, str, Hit | None]]:
    """Return title, author and date of a document, each with the passage that contains it, if any."""
    about = readable.document.metadata
    values = (("title", about.title), ("author", about.author), ("date", about.created[:10]))
    return [(field, value, _find_source(value, readable)) for field, value in values if value]


def _find_source(value: str, readable: ReadableDocument) -> Hit | None:
    """Return the passage near the beginning or end that contains most words of a value; None if it contains too few."""
    wanted = {word.casefold() for word in _WORD.findall(value)}
    near = (*readable.passages[:_FIRST_PASSAGES], *readable.passages[_FIRST_PASSAGES:][-_LAST_PASSAGES:])
    best, share = None, 0.0
    for hit in near:
        text = hit.chunk.text.casefold()
        share_found = 1.0 if value.casefold() in text else len(wanted & set(_WORD.findall(text))) / max(1, len(wanted))
        if share_found > share:
            best, share = hit, share_found
    return best if share >= _LEAST_OF_VALUE else None


def _citation_of(value: str, hit: Hit | None, numbers: dict[int, int]) -> dict[str, Any]:
    """Return the citation number of the passage with a value, and whether it contains the value verbatim."""
    if hit is None or hit.chunk.id not in numbers:
        return {}
    is_verbatim = " ".join(value.split()).casefold() in " ".join(hit.chunk.text.split()).casefold()
    return {"citation": numbers[hit.chunk.id], "verbatim": is_verbatim}


def _head(answer: dict[str, Any]) -> str:
    total = answer["total"]
    shown = len(answer["documents"])
    words = "1 document is meant." if total == 1 else f"{total:,} documents are meant."
    return words if shown == total else f"{words} These are the first {shown}; list_documents lists all of them."


OFFER = ToolOffer(
    DOCUMENT_OVERVIEW,
    mark("Document overview"),
    mark("Lets the model see what documents are about: their outline and how each section begins."),
    "library",
    DocumentOverviewTool.of,
    needs_documents=True,
)
