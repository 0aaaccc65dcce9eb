"""search_knowledge_base: passages of the documents, under the numbers by which they are cited."""

import json
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.references import RunReferences
from workbench.errors import ToolError, WorkbenchError
from workbench.model.coverage import Coverage
from workbench.model.hit import NumberedHit, Reference, SearchResult
from workbench.model.message import ToolSpec
from workbench.model.run import LibrarySeen, Notice, ReferencesFound, RunEvent

logger = logging.getLogger(__name__)

SEARCH_KNOWLEDGE_BASE = "search_knowledge_base"
NOTHING_FOUND = "No documents found"
ERROR_PREFIX = "Error searching knowledge base: "

SearchFunction = Callable[[str], Awaitable[SearchResult]]


class SearchTool:
    """Searches the documents for the model."""

    def __init__(self, search: SearchFunction, references: RunReferences) -> None:
        self._search = search
        self._references = references
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
            reference = self._references.add(query, result, seconds=seconds)
        notices = (*self._seen(result), *self._notices(result))
        if not reference.hits:
            return ToolResult(NOTHING_FOUND, events=notices)
        return ToolResult(results_json(reference), events=(ReferencesFound(reference), *notices))

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

    def _notices(self, result: SearchResult) -> tuple[Notice, ...]:
        new = [note for note in result.notes if note not in self._noted]
        self._noted.update(new)
        return tuple(Notice(note) for note in new)


def results_json(reference: Reference) -> str:
    """Return hits as a model sees them: a JSON list with a fixed order of keys, no character escaped."""
    return json.dumps([_result(numbered) for numbered in reference.hits], indent=2, ensure_ascii=False)


def _result(numbered: NumberedHit) -> dict[str, Any]:
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
        "content": hit.chunk.text,
    }
