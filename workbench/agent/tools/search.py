"""search_knowledge_base: passages of the documents, under the numbers by which they are cited."""

import dataclasses
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.handing_over import HandedOver, HandingOver
from workbench.agent.references import RunReferences
from workbench.errors import ToolError, WorkbenchError
from workbench.model.coverage import Coverage
from workbench.model.hit import NumberedHit, SearchResult
from workbench.model.message import ToolSpec
from workbench.model.run import LibrarySeen, Notice, ReferencesFound, RunEvent

logger = logging.getLogger(__name__)

SEARCH_KNOWLEDGE_BASE = "search_knowledge_base"
NOTHING_FOUND = "No documents found"
NO_ROOM = "Something was found, but there is no room left for it. Answer from what you have already been given."
ERROR_PREFIX = "Error searching knowledge base: "

# Counts as many tokens as the number that a hit will get.
_ANY_NUMBER = 88

SearchFunction = Callable[[str], Awaitable[SearchResult]]


class SearchTool:
    """Searches the documents for the model.

    Args:
        search: Finds passages.
        references: Numbers them.
        handing_over: Fits them into what the model sees; None hands over all of them whole.
    """

    def __init__(
        self, search: SearchFunction, references: RunReferences, handing_over: HandingOver | None = None
    ) -> None:
        self._search = search
        self._references = references
        self._handing_over = handing_over
        self._noted: set[str] = set()
        self._coverage: Coverage | None = None

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            SEARCH_KNOWLEDGE_BASE,
            "Use this function to search the knowledge base for information about a query.",
            {
                "type": "object",
                "properties": {"query": {"type": "string", "description": "The query to search for."}},
                "required": ["query"],
                "additionalProperties": False,
            },
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Search, number what was found, and return it as JSON.

        A failing search is told to the model as the name of the error's type only (its message may hold a path or a
        password) and to the user as a sentence; it never looks like an honest "nothing found".
        """
        query = str(arguments["query"]).strip()
        if not query:
            raise ToolError("The query is empty: say what to search for.")
        async with self._references.in_call_order() as turn:
            began = time.perf_counter()
            try:
                result = await self._search(query)
            # The search is a function given from outside: whatever it raises, the run goes on without it.
            except Exception as error:  # noqa: BLE001
                return self._failed(error)
            seconds = time.perf_counter() - began
            await turn.wait()
            if not result.is_relevant:
                nearest = ReferencesFound(self._references.add(query, result, seconds=seconds))
                told = (nearest, *self._seen(result), *self._notices(result, _withheld(result)))
                return ToolResult(NOTHING_FOUND, events=told)
            handed = await self._fitted(query, result)
            kept = [result.hits[place] for place in handed.texts]
            reference = self._references.add(query, dataclasses.replace(result, hits=tuple(kept)), seconds=seconds)
        notices = (*self._seen(result), *self._notices(result, *([handed.note] if handed.is_compressed else [])))
        if not reference.hits:
            return ToolResult(NO_ROOM if result.hits else NOTHING_FOUND, events=notices)
        text = _as_json(zip(reference.hits, handed.texts.values(), strict=True))
        return ToolResult(text, events=(ReferencesFound(reference), *notices))

    async def _fitted(self, query: str, result: SearchResult) -> HandedOver:
        if self._handing_over is None:
            return HandedOver({place: hit.chunk.text for place, hit in enumerate(result.hits)})

        def render(texts: Mapping[int, str]) -> str:
            return _as_json((NumberedHit(_ANY_NUMBER, result.hits[place]), text) for place, text in texts.items())

        return await self._handing_over.fit(query, result.hits, render)

    def _failed(self, error: Exception) -> ToolResult:
        logger.warning("A search failed: %s", type(error).__name__, exc_info=error)
        self._references.searches_failed += 1
        reason = str(error) if isinstance(error, WorkbenchError) else "The search failed."
        told = Notice(f"{reason} This answer may miss what your documents say.")
        return ToolResult(f"{ERROR_PREFIX}{type(error).__name__}", events=(told,), failed=True)

    def _seen(self, result: SearchResult) -> tuple[RunEvent, ...]:
        if result.coverage is None or result.coverage == self._coverage:
            return ()
        self._coverage = result.coverage
        return (LibrarySeen(result.coverage),)

    def _notices(self, result: SearchResult, *more: str) -> tuple[Notice, ...]:
        new = [note for note in (*result.notes, *more) if note not in self._noted]
        self._noted.update(new)
        return tuple(Notice(note) for note in new)


def _withheld(result: SearchResult) -> str:
    """Return that passages were found and none of them is about the question, so that the model is not misled."""
    passages = "1 passage was" if len(result.hits) == 1 else f"{len(result.hits)} passages were"
    best = max(hit.scores.relevance for hit in result.hits)
    return (
        f"{passages} found for “{result.question}”, but none is about it: the best has a relevance of {best:.2f}, where"
        f" {result.floor:.2f} is asked for. They are listed as evidence, and were not offered to the answerer."
    )


def _as_json(results: Iterable[tuple[NumberedHit, str]]) -> str:
    """Return hits as a model sees them: a JSON list with a fixed order of keys, no character escaped."""
    return json.dumps([_result(numbered, text) for numbered, text in results], indent=2, ensure_ascii=False)


def _result(numbered: NumberedHit, text: str) -> dict[str, Any]:
    hit = numbered.hit
    return {
        "name": hit.document_title or hit.document_name,
        "meta_data": {
            "citation": numbered.number,
            "document": hit.document_name,
            hit.page_kind.value: hit.page,
            **({"name": hit.label_of(hit.page)} if hit.label_of(hit.page) else {}),
            "chunk": hit.chunk.ordinal + 1,
            "heading": " > ".join(hit.chunk.headings),
        },
        "content": text,
    }
