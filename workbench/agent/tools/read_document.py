"""read_document: pages, a section or a range of a document, as passages for citation."""

import re
import time
from collections.abc import Sequence
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.tools.access import DOCUMENT_ARGUMENT, ReadableDocument, Section, read_by_name
from workbench.agent.tools.offer import DocumentTool, ToolOffer
from workbench.agent.tools.tool_results import DATA, ShownPart, as_json, number_passages, part_of, whole_number
from workbench.errors import ToolError
from workbench.language import mark
from workbench.model.document import Page
from workbench.model.message import ToolSpec
from workbench.model.run import ReferencesFound

READ_DOCUMENT = "read_document"
_PAGES = re.compile(r"\D{0,12}?(\d{1,7})\s*(?:(?:[-–—~至到]|\.\.|to)\s*(\d{1,7}))?\D{0,3}")
_MOST_HEADINGS = 60


class ReadDocumentTool(DocumentTool):
    """Tool that reads the accessible chunks of one document."""

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            READ_DOCUMENT,
            "Reads a document in order: some of its pages, one section, or from a character on; without these from the"
            " beginning. What is read can be cited. When there is no room for all of it, it says where to go on.",
            {
                "type": "object",
                "properties": {
                    "document": DOCUMENT_ARGUMENT,
                    "pages": {
                        "type": "string",
                        "description": "For example “3” or “3-5”: pages, slides, sheets, or the name of a sheet.",
                    },
                    "section": {"type": "string", "description": "A heading, or a part of one."},
                    "start": {"type": "integer", "description": "Read on from this character."},
                    "end": {"type": "integer", "description": "Up to this character."},
                },
                "required": ["document"],
                "additionalProperties": False,
            },
            aliases=("读取文档", "阅读文档"),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the requested passages, numbered, as JSON.

        Raises:
            ToolError: The document, page or section does not exist, or there is no space left for the result.
        """
        async with self._references.in_call_order() as turn:
            began = time.perf_counter()
            readable = await read_by_name(self._documents, str(arguments["document"]))
            meant = requested_parts(readable, arguments)
            await turn.wait()
            given = meant[: await self._room.take([one.text for one in meant])]
            if not given:
                raise ToolError("There is no room left to read more. Answer from what you have already been given.")
            what = f"read “{readable.document.name}”{_place(given)}"
            hits = [one.hit for one in given]
            reference = number_passages(self._references, what, hits, time.perf_counter() - began)
        head = _head(readable, given, len(meant))
        text = "\n".join([head, DATA, as_json(reference, given)])
        return ToolResult(text, events=(ReferencesFound(reference),))


def requested_parts(readable: ReadableDocument, arguments: dict[str, Any]) -> Sequence[ShownPart]:
    """Return the requested parts of a document, one per passage.

    Raises:
        ToolError: The document has no such part.
    """
    low = whole_number(arguments, "start", default=0)
    high = whole_number(arguments, "end", default=len(readable.text))
    if pages := str(arguments.get("pages") or "").strip():
        first, last = _pages(readable, pages)
        low, high = max(low, first.start), min(high, last.end)
    if wanted := str(arguments.get("section") or "").strip():
        section = _section(readable, wanted)
        low, high = max(low, section.start), min(high, section.end)
    found = [part for hit in readable.passages if (part := part_of(hit, low, high)).text.strip()]
    if not found:
        raise ToolError(f"There is nothing to read at this place; the document has {len(readable.text):,} characters.")
    return found


def _pages(readable: ReadableDocument, said: str) -> tuple[Page, Page]:
    """Return the first and the last page of a range that is given by numbers or by a label."""
    pages, kind = readable.pages, readable.document.page_kind
    if not pages:
        raise ToolError("This document has no pages: give a section, or start and end.")
    if named := [page for page in pages if page.label and page.label.casefold() == said.casefold()]:
        return named[0], named[-1]
    match = _PAGES.fullmatch(said)
    if not match:
        raise ToolError(f"pages cannot be “{said[:60]}”: write for example “3” or “3-5”.")
    first, last = int(match[1]), int(match[2] or match[1])
    if not 1 <= first <= last or first > len(pages):
        raise ToolError(f"There is no {kind.value} {said}; the document has {len(pages):,} {kind.plural}.")
    return pages[first - 1], pages[min(last, len(pages)) - 1]


def _section(readable: ReadableDocument, wanted: str) -> Section:
    """Return the first section whose heading equals the given one, or else contains it."""
    key = wanted.casefold()
    sections = readable.sections
    exact = (one for one in sections if one.title.casefold() == key)
    found = next(exact, None) or next((one for one in sections if key in one.title.casefold()), None)
    if found is None:
        listed = "; ".join(one.title[:80] for one in sections[:_MOST_HEADINGS]) or "there are none"
        raise ToolError(f"There is no section “{wanted[:80]}”. The headings are: {listed}.")
    return found


def _place(given: Sequence[ShownPart]) -> str:
    first, last = given[0].page, given[-1].hit.page_at(given[-1].end - 1)
    if first is None:
        return f", characters {given[0].start:,} to {given[-1].end:,}"
    kind = given[0].hit.page_kind
    return f", {kind.value} {first}" if last == first else f", {kind.plural} {first} to {last}"


def _head(readable: ReadableDocument, given: Sequence[ShownPart], meant: int) -> str:
    document = readable.document
    size = f"{document.pages:,} {document.page_kind.plural}, " if document.pages else ""
    words = f"“{document.name}”{_place(given)} (it has {size}{len(readable.text):,} characters)."
    if len(given) < meant:
        return f"{words} There was no room for all of it: go on with start={given[-1].end}."
    return words


OFFER = ToolOffer(
    READ_DOCUMENT,
    mark("Read document"),
    mark("Lets the model read pages or a section of a document; what it read can be cited."),
    "document",
    ReadDocumentTool.of,
    needs_documents=True,
)
