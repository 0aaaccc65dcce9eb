"""Question -> run: every step an event as it happens, all of it kept."""

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from workbench.agent.base import ModelProvider
from workbench.agent.context_window import ContextWindow
from workbench.agent.handing_over import HandingOver
from workbench.agent.references import RunReferences
from workbench.agent.run import AgentRunner, RunLimits
from workbench.agent.tools.search import SearchFunction
from workbench.agent.tools.toolbox import run_tools
from workbench.errors import ModelError, RetrievalError, SettingError
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.hit import SearchResult
from workbench.model.message import ModelEvent, ModelRequest
from workbench.model.profile import ModelProfile, WireApi
from workbench.model.run import Run
from workbench.operations.keys import load_key
from workbench.operations.library import Library
from workbench.operations.recorder import Recorder
from workbench.operations.search import search
from workbench.retrieval.filters.writing import text_of
from workbench.worker.job import JobContext, Operation

if TYPE_CHECKING:
    from workbench.retrieval.sentences import SentenceRanker


def ask(
    library: Library,
    question: str,
    *,
    session: int | None = None,
    profile: str | None = None,
    knowledge_base: str | None = None,
    filter: ChunkFilter = EVERYTHING,
) -> Operation[Run]:
    """Answer a question from the library.

    Emits TimedEvent. Returns the run as it is kept, also when it failed: a failure is in its status and error.

    Args:
        library: The open library.
        question: What the user asks.
        session: Go on with this session; None begins a new one.
        profile: Name of the model profile that answers; None means the one of the settings.
        knowledge_base: Search only this one; None means all.
        filter: Search only what it lets through; kept with the run as text.

    Raises:
        NotFound: No such session, profile or knowledge base.
        RetrievalError: The question is empty.
    """

    async def operation(context: JobContext) -> Run:
        if not question.strip():
            raise RetrievalError("The question is empty.", "Type what you want to know.")
        settings = await library.on_store(library.setting_values.load)
        chosen = await library.on_store(library.profiles.get, profile or settings.profile)
        allowed = ChunkFilter(knowledge_base or filter.knowledge_base, filter.where)
        # A knowledge base that is not there is told before anything is asked; and the first search finds this done.
        await library.on_search(library.documents.searchable_chunks, allowed)
        earlier = await _history(library, session)
        provider = await _provider(library, chosen)
        try:
            references = RunReferences()
            window = ContextWindow.of(provider, settings)
            handing_over = HandingOver(window, await library.on_search(_ranker, library)) if window else None
            tools = run_tools(_search(library, allowed, context), references, handing_over)
            runner = AgentRunner(
                provider,
                tools,
                references=references,
                limits=RunLimits.of(settings),
                profile=chosen.name,
                knowledge_base=allowed.knowledge_base or "",
                filter=text_of(allowed),
                window=window,
            )
            recorder = await Recorder.start(library, session, question, chosen.name, provider.mode, context)
            return await recorder.record(runner.run(question, earlier, emit=recorder.emit))
        finally:
            await provider.close()

    return operation


async def _history(library: Library, session: int | None) -> Sequence[Run]:
    return (await library.on_store(library.sessions.get, session)).runs if session is not None else ()


async def _provider(library: Library, profile: ModelProfile) -> ModelProvider:
    # openai takes 0.4 s to import, the sentence ranker loads the embedder: only when a question is asked.
    from workbench.agent.providers.factory import provider_for

    def build() -> ModelProvider:
        ranker = _ranker(library)

        def remember(api: WireApi) -> None:
            library.store_soon(library.profiles.remember_api, profile.name, api)

        try:
            key = load_key(profile) if not profile.is_offline else ""
            return provider_for(profile, key=key, remember_api=remember, ranker=ranker)
        except (ModelError, SettingError) as error:
            return _NotReached(profile, error)

    return await library.on_search(build)


def _ranker(library: Library) -> "SentenceRanker":
    # As above.
    from workbench.retrieval.sentences import SentenceRanker

    return SentenceRanker(library.embedder_or_none(), library.keywords)


class _NotReached:
    """Stands for a model that cannot even be asked, so that the question is kept with the reason like any failure."""

    def __init__(self, profile: ModelProfile, error: ModelError | SettingError) -> None:
        self.mode = f"Model: {profile.model}; it could not be asked."
        self.counts = None
        self._error = error

    def stream(self, _request: ModelRequest) -> AsyncIterator[ModelEvent]:
        raise self._error

    async def close(self) -> None:
        pass


def _search(library: Library, allowed: ChunkFilter, context: JobContext) -> SearchFunction:
    async def run(query: str) -> SearchResult:
        result = await search(library, query, filter=allowed)(context)
        # What was asked about is embedded before what merely waits.
        asked_about = dict.fromkeys(hit.chunk.document for hit in result.hits)
        library.queue.first(number for number in asked_about if number in library.active)
        return result

    return run
