"""A model profile -> who answers for it, with the library's means."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from workbench.agent.base import ModelProvider
from workbench.errors import ModelError, SettingError
from workbench.language import mark
from workbench.model.message import ModelEvent, ModelRequest
from workbench.model.profile import ModelProfile, WireApi
from workbench.operations.keys import load_key
from workbench.operations.library import Library

if TYPE_CHECKING:
    from workbench.retrieval.answer_sentences import SentenceRanker


async def provider_of(library: Library, profile: ModelProfile) -> ModelProvider:
    """Return the provider of a profile; close it when the run is over. One that cannot be reached fails when asked."""
    # openai takes 0.4 s to import, the sentence ranker loads the embedder: only when a question is asked.
    from workbench.agent.providers.provider_factory import provider_for

    def build() -> ModelProvider:
        ranker = sentence_ranker(library)

        def remember(api: WireApi) -> None:
            library.store_soon(library.profiles.remember_api, profile.name, api)

        try:
            key = load_key(profile) if not profile.is_offline else ""
            return provider_for(profile, key=key, remember_api=remember, ranker=ranker, gate=library.gate)
        except (ModelError, SettingError) as error:
            return _NotReached(profile, error)

    return await library.on_search(build)


def sentence_ranker(library: Library) -> "SentenceRanker":
    """Return what finds the best sentences; blocks until the embedder is loaded."""
    # As above.
    from workbench.retrieval.answer_sentences import SentenceRanker

    return SentenceRanker(library.embedder_or_none(), library.keywords, library.names)


class _NotReached:
    """Stands for a model that cannot even be asked, so that the question is kept with the reason like any failure."""

    def __init__(self, profile: ModelProfile, error: ModelError | SettingError) -> None:
        self.mode = mark(f"Model: {profile.model}; it could not be asked.")
        self.counts = None
        self._error = error

    def stream(self, _request: ModelRequest) -> AsyncIterator[ModelEvent]:
        raise self._error

    async def close(self) -> None:
        pass
