"""find_in_document: occurrences of words in a document, each with its passage for citation."""

import asyncio
import re
import time
from bisect import bisect_right
from itertools import pairwise
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.tools.access import DOCUMENT_ARGUMENT, ReadableDocument, read_by_name
from workbench.agent.tools.offer import DocumentTool, ToolOffer
from workbench.agent.tools.tool_results import DATA, ShownPart, as_json, number_passages, whole_number
from workbench.errors import ToolError
from workbench.language import mark
from workbench.model.chunk import Chunk
from workbench.model.document import Document
from workbench.model.message import ToolSpec
from workbench.model.run import ReferencesFound

FIND_IN_DOCUMENT = "find_in_document"
AT_A_TIME = 20
_LONGEST = 300
_AROUND = 120
# Chinese and Japanese have no spaces between words: there, every character is a word boundary.
_LETTER = r"[^\W\u2e80-\u9fff\uf900-\ufaff]"


class FindInDocumentTool(DocumentTool):
    """Tool that finds words in the accessible chunks of one document."""

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            FIND_IN_DOCUMENT,
            "Finds every place where exactly these words stand in one document (capitals and line breaks aside), with"
            " page and offset. Each place can be cited. Tells how many there are, also when there are none.",
            {
                "type": "object",
                "properties": {
                    "document": DOCUMENT_ARGUMENT,
                    "text": {"type": "string", "description": "The words to find; no wildcards."},
                    "whole_words": {"type": "boolean", "description": "Not inside of longer words.", "default": False},
                    "first": {"type": "integer", "description": "Show places from this one on.", "default": 1},
                },
                "required": ["document", "text"],
                "additionalProperties": False,
            },
            aliases=("查找",),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the number of occurrences, and the occurrences with citation numbers, as JSON.

        Raises:
            ToolError: The document does not exist, or the text to find is empty or too long.
        """
        pattern = _pattern(str(arguments["text"]), is_whole=bool(arguments.get("whole_words")))
        phrase = " ".join(str(arguments["text"]).split())
        first = whole_number(arguments, "first", default=1, least=1)
        async with self._references.in_call_order() as turn:
            began = time.perf_counter()
            readable = await read_by_name(self._documents, str(arguments["document"]))
            places = await asyncio.to_thread(_places, readable, pattern)
            await turn.wait()
            shown = places[first - 1 : first - 1 + AT_A_TIME]
            shown = shown[: await self._room.take([place.text for place in shown])]
            head = _head(readable.document, phrase, len(places), first, len(shown))
            if not shown:
                return ToolResult(head)
            passages = list({place.hit.chunk.id: place.hit for place in shown}.values())
            what = f"find “{phrase}” in “{readable.document.name}”"
            reference = number_passages(self._references, what, passages, time.perf_counter() - began)
        text = "\n".join([head, DATA, as_json(reference, shown)])
        return ToolResult(text, events=(ReferencesFound(reference),))


def _pattern(text: str, *, is_whole: bool) -> re.Pattern[str]:
    """Return the pattern for the words; a space matches any white space, so that words across line breaks are found."""
    words = text.split()
    if not words:
        raise ToolError("There is nothing to find: give the words to find.")
    if len(text) > _LONGEST:
        raise ToolError(f"The text to find is longer than {_LONGEST} characters: search for a part of it.")
    pattern = r"\s+".join(map(re.escape, words))
    if is_whole:
        pattern = rf"(?<!{_LETTER}){pattern}(?!{_LETTER})"
    return re.compile(pattern, re.IGNORECASE)


def _places(readable: ReadableDocument, pattern: re.Pattern[str]) -> list[ShownPart]:
    """Return the occurrences within accessible, consecutive passages, in order."""
    starts = [hit.chunk.start for hit in readable.passages]
    found: list[ShownPart] = []
    for match in pattern.finditer(readable.text):
        start, end = match.span()
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
        chunks = [hit.chunk for hit in readable.passages[max(first, 0) : last + 1]]
        is_seen = first >= 0 and start < chunks[0].end and end <= chunks[-1].end
        if is_seen and all(after.ordinal == before.ordinal + 1 for before, after in pairwise(chunks)):
            hit = readable.passages[first]
            found.append(ShownPart(hit, start, end, _around(hit.chunk, start, end)))
    return found


def _around(chunk: Chunk, start: int, end: int) -> str:
    """Return the text of a passage around an occurrence, cut between words."""
    # The offsets refer to the document, so the source text is shown even if the user edited the passage.
    low = max(0, start - chunk.start - _AROUND)
    high = min(len(chunk.slice), end - chunk.start + _AROUND)
    text = chunk.slice[low:high]
    if low and " " in text[: _AROUND // 2]:
        text = text[text.index(" ") + 1 :]
    if high < len(chunk.slice) and " " in text[-_AROUND // 2 :]:
        text = text[: text.rindex(" ")]
    return f"{'… ' * (low > 0)}{text.strip()}{' …' * (high < len(chunk.slice))}"


def _head(document: Document, said: str, total: int, first: int, shown: int) -> str:
    if not total:
        return f"“{said}” does not occur in “{document.name}”."
    words = f"“{said}” occurs {total:,} time{'s' * (total > 1)} in “{document.name}”."
    if not shown:
        return words + (" There is no room left to show them." if first <= total else f" There is no place {first}.")
    more = f" More: first={first + shown}." if first - 1 + shown < total else ""
    return f"{words} These are {first} to {first + shown - 1}.{more}"


OFFER = ToolOffer(
    FIND_IN_DOCUMENT,
    mark("Find in document"),
    mark("Finds every occurrence of words in a document, and counts them."),
    "search",
    FindInDocumentTool.of,
    needs_documents=True,
)
