"""search_knowledge_base: passages of the documents, under the numbers by which they are cited."""

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
# No one type: the list is what models are asked for, the object what many write all the same.
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
    """Lets a model restrict its searches further; what the user allows is never widened.

    Attributes:
        allowed: What the user, or the agent's maker, allows.
        within: A filter -> the search inside it.
        custom_keys: The keys of the user's metadata in the library.
    """

    allowed: ChunkFilter
    within: Callable[[ChunkFilter], SearchFunction]
    custom_keys: tuple[str, ...] = ()


class SearchTool:
    """Searches the documents for the model.

    Args:
        search: Finds passages.
        references: Numbers them.
        handing_over: Fits them into what the model sees; None hands over all of them whole.
        format: How they are written.
        narrowed: Lets the model give filters; None for one that cannot.
        curation: Where a person chooses from what is found; None where nobody does.
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
        """Search, number what was found, and return it as the agent's format has it.

        A failing search is told to the model as the name of the error's type only (its message may hold a path or a
        password) and to the user as a sentence; it never looks like an honest "nothing found".
        """
        query = str(arguments["query"]).strip()
        if not query:
            raise ToolError("The query is empty: say what to search for.")
        search = self._search
        if self._narrowed is not None and arguments.get("filters"):
            filter = _filter(self._narrowed, arguments["filters"])
            if problem := filter.problem(self._narrowed.custom_keys):
                return self._nothing(problem)
            search = self._narrowed.within(filter)
        found = await self._finder.find(query, search)
        return ToolResult(_text(found), events=found.events, failed=bool(found.error), waited=found.waited)

    def _nothing(self, problem: str) -> ToolResult:
        told = tuple(
            Notice(note) for note in self._references.news([mark(f"The model's filters were not used. {problem}")])
        )
        return ToolResult(f"{NOTHING_FOUND}\n{problem}", events=told)


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
    pending = SearchRemarks(pending=found.remarks.pending).text.rstrip()
    return f"{NOTHING_FOUND}\n{pending}" if pending else NOTHING_FOUND
