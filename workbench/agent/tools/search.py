"""search_knowledge_base: numbered passages from the documents, for citation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.references import RunReferences, SearchRemarks
from workbench.agent.search_step import ContextPacker, CurationGate, SearchFunction, SearchStep, SearchStepResult
from workbench.errors import RetrievalError, ToolError
from workbench.language import mark
from workbench.model.agent import ReferencesFormat
from workbench.model.filter import ChunkFilter
from workbench.model.message import ToolSpec
from workbench.model.run import Notice
from workbench.retrieval.filters.json_forms import with_model_filter

__all__ = ["NOTHING_FOUND", "NO_ROOM", "SEARCH_KNOWLEDGE_BASE", "NarrowedSearch", "SearchFunction", "SearchTool"]

SEARCH_KNOWLEDGE_BASE = "search_knowledge_base"
NOTHING_FOUND = "No documents found"
NO_ROOM = "Something was found, but there is no room left for it. Answer from what you have already been given."
ERROR_PREFIX = "Error searching knowledge base: "

_QUERY = {"type": "string", "description": "The query to search for."}
# Two types are accepted: a list, which is requested, and an object, which many models write anyway.
_FILTERS = {
    "description": "Optional restrictions that must all hold, as a list of objects with a key and a value.",
    "anyOf": [
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"key": {"type": "string"}, "value": {"type": "string"}},
                "required": ["key", "value"],
            },
        },
        {"type": "object"},
    ],
}


@dataclass(frozen=True, slots=True)
class NarrowedSearch:
    """Lets a model restrict its searches further; the filter of the user is never widened.

    Attributes:
        allowed: Filter set by the user or by the author of the agent.
        within: Returns the search function for a filter.
        custom_keys: Keys of the user's metadata in the library.
    """

    allowed: ChunkFilter
    within: Callable[[ChunkFilter], SearchFunction]
    custom_keys: tuple[str, ...] = ()


class SearchTool:
    """Tool that searches the documents.

    Args:
        search: Search function for passages.
        references: Numbered references of the run.
        handing_over: Fits the passages into the context window; None sends all of them uncompressed.
        format: Format of the text for the model.
        narrowed: Lets the model use filters; None if it may not.
        curation: Lets the user choose among the hits; None without curation.
        notes_doubt: See SearchStep.
    """

    def __init__(
        self,
        search: SearchFunction,
        references: RunReferences,
        handing_over: ContextPacker | None = None,
        *,
        format: ReferencesFormat = ReferencesFormat.JSON,
        narrowed: NarrowedSearch | None = None,
        curation: CurationGate | None = None,
        notes_doubt: bool = True,
    ) -> None:
        self._search = search
        self._references = references
        self._finder = SearchStep(references, handing_over, format, curation, notes_doubt=notes_doubt)
        self._narrowed = narrowed

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            SEARCH_KNOWLEDGE_BASE,
            "Use this function to search the knowledge base for information about a query.",
            {
                "type": "object",
                "properties": {"query": _QUERY, **({"filters": _FILTERS} if self._narrowed else {})},
                "required": ["query"],
                "additionalProperties": False,
            },
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Search, number the hits, and return them in the agent's format.

        For a failed search, the model receives only the name of the error's type, since the message may contain a path
        or a password, and the user receives a sentence. The result is never that of a search without hits.
        """
        query = str(arguments["query"]).strip()
        if not query:
            raise ToolError("The query is empty: say what to search for.")
        search = self._search
        if self._narrowed is not None and arguments.get("filters"):
            filter = _filter(self._narrowed, arguments["filters"])
            if problem := filter.problem(self._narrowed.custom_keys):
                return self._report_problem(problem)
            search = self._narrowed.within(filter)
        found = await self._finder.find(query, search)
        return ToolResult(_text(found), events=found.events, failed=bool(found.error), waited=found.waited)

    def _report_problem(self, problem: str) -> ToolResult:
        notices = tuple(
            Notice(note) for note in self._references.news([mark(f"The model's filters were not used. {problem}")])
        )
        return ToolResult(f"{NOTHING_FOUND}\n{problem}", events=notices)


def _filter(narrowed: NarrowedSearch, given: object) -> ChunkFilter:
    try:
        return with_model_filter(narrowed.allowed, given)
    except RetrievalError as error:
        raise ToolError(f"{error.message} {error.hint}".strip()) from error


def _text(found: SearchStepResult) -> str:
    if found.error:
        return f"{ERROR_PREFIX}{found.error}"
    if found.text or found.no_room:
        return found.text or NO_ROOM
    unsearched = SearchRemarks(unsearched=found.remarks.unsearched).text.rstrip()
    return f"{NOTHING_FOUND}\n{unsearched}" if unsearched else NOTHING_FOUND
