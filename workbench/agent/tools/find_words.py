"""find_in_documents: number of documents that contain words, with counts and occurrences for citation."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.references import SearchRemarks, render_references, unsearched_of
from workbench.agent.tools.access import Mentions
from workbench.agent.tools.offer import DocumentTool, ToolOffer
from workbench.agent.tools.tool_results import DATA, number_passages
from workbench.errors import ToolError
from workbench.language import counted, mark
from workbench.model.agent import ReferencesFormat
from workbench.model.document import Document, count_unread_pages, not_read
from workbench.model.hit import Coverage, Hit, NumberedHit
from workbench.model.message import ToolSpec
from workbench.model.run import ReferencesFound, RunEvent
from workbench.retrieval.document_names import referenced_documents
from workbench.retrieval.quotable_spans import QuotableSpan, quotables
from workbench.store.name_words import name_words
from workbench.store.segmentation import matched_terms, segment

FIND_IN_DOCUMENTS = "find_in_documents"
_LONGEST = 200
_DOCUMENTS = 20
_PLACES, _PLACES_OF_ONE = 2, 12
_LONGEST_PLACE = 240
# Number of passages examined per document; those with a statement about the words are shown first.
_MOST_EXAMINED = 24
_QUOTED = re.compile(r"^[\"'“”‘’「」『』]+|[\"'“”‘’「」『』]+$")
_ARTICLE = re.compile(r"^(?:the|an?|any|some|word|words|term|terms|phrase|name|about|of)\s+(?=\S)", re.IGNORECASE)


class FindInDocumentsTool(DocumentTool):
    """Tool that counts the documents that mention something."""

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            FIND_IN_DOCUMENTS,
            "Counts in how many documents words stand one behind another, in any inflection, how often in each, and"
            " gives the first places of each to cite. Exact, unlike a search: use it for “how many documents mention”,"
            " “which documents mention”, “how often is … mentioned”.",
            {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "The words to find."},
                    "documents": {
                        "type": "string",
                        "description": "File name, title or words that mean the documents; empty for all.",
                    },
                },
                "required": ["text"],
                "additionalProperties": False,
            },
            aliases=("统计提及",),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the number of documents that contain the words, and the first occurrences, numbered, as JSON.

        Raises:
            ToolError: The text to find is empty or too long, or no document matches.
        """
        words = searched_words(str(arguments["text"]))
        async with self._references.in_call_order() as turn:
            began = time.perf_counter()
            available = await self._documents.documents()
            meant = referenced_documents(str(arguments.get("documents") or ""), available)
            if meant is None:
                raise ToolError(f"No document matches “{arguments.get('documents') or ''}”.")
            places = _PLACES_OF_ONE if len(meant.documents) == 1 else _PLACES
            looked_up = await self._documents.mentions(words, meant.documents, places=_MOST_EXAMINED)
            is_named = len(meant.documents) == 1 and arguments.get("documents")
            coverage = _coverage_of(meant.documents[0]) if is_named else await self._documents.coverage()
            not_read = unsearched_of(coverage)
            await turn.wait()
            found = [replace(one, hits=tuple(_statements_first(words, one.hits)[:places])) for one in looked_up]
            hits = [hit for one in found[:_DOCUMENTS] for hit in one.hits]
            hits = hits[: await self._room.take([hit.chunk.text[:_LONGEST_PLACE] for hit in hits])]
            reference = number_passages(self._references, f"mentions of “{words}”", hits, time.perf_counter() - began)
        by_chunk = {one.hit.chunk.id: one for one in reference.hits}
        answer = {
            "words": words,
            "looked_in": len(meant.documents),
            "documents": len(found),
            "times": sum(one.times for one in found),
            "found": [_object(words, one, by_chunk, each=places > _PLACES) for one in found[:_DOCUMENTS]],
            "called": _named_like(words, meant.documents, found),
            "others": [{"name": one.document.name, "times": one.times} for one in found[_DOCUMENTS:]],
            "not_read": not_read,
        }
        head = f"“{words}” occurs in {len(found):,} of {counted(len(meant.documents), 'document')}."
        text = render_references([answer], ReferencesFormat.JSON)
        remarks = SearchRemarks(unsearched=not_read).text
        events: tuple[RunEvent, ...] = (ReferencesFound(reference), *self._references.seen(coverage))
        return ToolResult(f"{head}\n{remarks}{DATA}\n{text}", events=events)


def _coverage_of(document: Document) -> Coverage:
    pages = count_unread_pages(document.findings, document.pages)
    return Coverage(1, pages=pages, cut=int(not pages and bool(not_read(document.findings))))


def searched_words(said: str) -> str:
    """Return the words to find, without quotation marks, articles and words such as “phrase” before them.

    Raises:
        ToolError: The text is empty or too long.
    """
    words = " ".join(said.split())
    while (shorter := _ARTICLE.sub("", _QUOTED.sub("", words))) != words:
        words = shorter
    if not segment(words):
        raise ToolError("There is nothing to find: give the words to find.")
    if len(words) > _LONGEST:
        raise ToolError(f"The text to find is longer than {_LONGEST} characters: search for a part of it.")
    return words


def _statements_first(words: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the passages that contain the words in a statement first; a heading only names the subject."""
    return sorted(hits, key=lambda hit: not any(one.is_statement for one in _spans_with(words, hit)))


def _named_like(words: str, documents: Sequence[Document], found: Sequence[Mentions]) -> list[str]:
    """Return the names of documents that have the words in their name or title, but not in their text."""
    wanted, holding = set(name_words(words).split()), {one.document.id for one in found}
    return [
        one.name
        for one in documents
        if one.id not in holding
        and any(wanted and wanted <= set(name_words(name).split()) for name in (one.name, one.metadata.title))
    ][:_DOCUMENTS]


def _spans_with(words: str, hit: Hit) -> list[QuotableSpan]:
    """Return the sentences and rows of a passage that contain all of the words."""
    wanted = len(matched_terms(words, words))
    return [span for span in quotables(hit.chunk.text) if len(matched_terms(words, span.text)) >= wanted]


def _object(words: str, one: Mentions, by_chunk: dict[int, NumberedHit], *, each: bool) -> dict[str, Any]:
    """Return a document with its occurrences: every sentence that contains the words, or one per passage."""
    return {
        "name": one.document.name,
        "title": one.document.metadata.title,
        "times": one.times,
        "passages": one.passages,
        "places": [
            {"citation": by_chunk[hit.chunk.id].number, **place}
            for hit in one.hits
            if hit.chunk.id in by_chunk
            for place in _places(words, hit)[: None if each else 1]
        ],
    }


def _places(words: str, hit: Hit) -> list[dict[str, Any]]:
    """Return the sentences and rows of a passage that contain the words, each with its page, statements first."""
    spans = sorted(_spans_with(words, hit), key=lambda span: not span.is_statement)
    if not spans:
        return [{"page": hit.page, "text": " ".join(hit.chunk.text[:_LONGEST_PLACE].split())}]
    return [
        {
            "page": hit.page_at(hit.chunk.span(span.start, span.end)[0]),
            "text": _cut(" ".join((span.reads or span.text).split()), words),
        }
        for span in spans
    ]


def _cut(text: str, words: str) -> str:
    """Shorten a long sentence or row to the text around the words."""
    if len(text) <= _LONGEST_PLACE:
        return text
    at = text.casefold().find(words.casefold())
    low = max(0, min(at, len(text)) - _LONGEST_PLACE // 3) if at >= 0 else 0
    if low and " " in text[low : low + 40]:
        low = text.index(" ", low) + 1
    high = min(len(text), low + _LONGEST_PLACE)
    if high < len(text) and " " in text[high - 40 : high]:
        high = text.rindex(" ", low, high)
    return f"{'… ' * (low > 0)}{text[low:high]}{' …' * (high < len(text))}"


OFFER = ToolOffer(
    FIND_IN_DOCUMENTS,
    mark("Find in all documents"),
    mark("Counts the documents that contain words, and shows where."),
    "search",
    FindInDocumentsTool.of,
    needs_documents=True,
)
