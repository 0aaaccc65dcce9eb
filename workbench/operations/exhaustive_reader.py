"""A model profile -> who reads passages, and how much goes into one call."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from workbench.agent.base import ModelProvider
from workbench.agent.exhaustive.offline_reader import BATCH, MODE, OfflineReader
from workbench.agent.exhaustive.passage_batches import Passage, PassageReader, Room, packed, room_of
from workbench.agent.exhaustive.passage_readers import ModelReader, Spending
from workbench.agent.providers.base_url import is_loopback
from workbench.agent.token_budget import DEFAULT_CONTEXT
from workbench.language import mark
from workbench.model.profile import ModelProfile
from workbench.operations.library import Library
from workbench.operations.model_provider import provider_of, sentence_ranker
from workbench.settings import Settings


@dataclass(frozen=True, slots=True)
class Packing:
    """How the passages of a document are put together; room is None for the offline reader."""

    room: Room | None
    spending: Spending

    def batches(self, passages: Iterable[Passage]) -> Iterator[tuple[tuple[Passage, ...], float]]:
        """Yield the batches of one document in order, each with its tokens."""
        if self.room is not None:
            yield from packed(passages, self.room, self.spending.estimate.count)
            return
        listed = list(passages)
        for start in range(0, len(listed), BATCH):
            yield tuple(listed[start : start + BATCH]), 0.0


@dataclass(frozen=True, slots=True)
class OpenedReader:
    """A reader with what it speaks to; close it when the reading is over.

    Attributes:
        provider: None offline.
        at_once: Batches that are read side by side.
    """

    reader: PassageReader
    packing: Packing
    provider: ModelProvider | None
    at_once: int

    async def close(self) -> None:
        """Release connections."""
        if self.provider is not None:
            await self.provider.close()


async def opened_reader(library: Library, profile: str, question: str) -> OpenedReader:
    """Return who reads for a profile.

    Raises:
        NotFound: There is no such profile (any more).
    """
    settings = await library.on_store(library.setting_values.load)
    chosen = await library.on_store(library.profiles.get, profile)
    spending = Spending()
    if chosen.is_offline:
        ranker = await library.on_search(sentence_ranker, library)
        return OpenedReader(OfflineReader(ranker), Packing(None, spending), None, 1)
    provider = await provider_of(library, chosen)
    said = None
    if not settings.context_tokens and provider.counts is not None:
        said = await provider.counts.context()
    packing = packing_of(settings, chosen, question, spending, context=said)
    assert packing.room is not None
    reader = ModelReader(provider, packing.room, spending, mode=mode_of(chosen))
    return OpenedReader(reader, packing, provider, settings.reading_calls)


def host_of(profile: ModelProfile) -> str:
    """Return where the passages are sent; empty where they stay on this machine."""
    if profile.is_offline or is_loopback(profile.base_url):
        return ""
    return urlsplit(profile.base_url).hostname or profile.base_url


def mode_of(profile: ModelProfile) -> str:
    """Return who reads, in a sentence."""
    if profile.is_offline:
        return MODE
    model, host = profile.model or profile.name, host_of(profile)
    return (
        mark(f"{model} reads at {host}: every passage is sent there.")
        if host
        else mark(f"{model} reads on this machine.")
    )


def packing_of(
    settings: Settings, profile: ModelProfile, question: str, spending: Spending, *, context: int | None = None
) -> Packing:
    """Return how passages are put together for a profile, as far as is known without asking its server."""
    if profile.is_offline:
        return Packing(None, spending)
    size = settings.context_tokens or context or DEFAULT_CONTEXT
    return Packing(room_of(size, settings.answer_tokens, question, spending.estimate.count), spending)
