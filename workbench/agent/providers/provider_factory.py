"""A profile -> the provider that answers for it."""

from collections.abc import Callable

from workbench.agent.base import ModelProvider
from workbench.agent.offline.provider import OfflineProvider
from workbench.egress.gate import LOOPBACK_ONLY, EgressGate
from workbench.language import mark
from workbench.model.profile import Ability, AbilityMark, ConnectionReport, ModelAbility, ModelProfile, WireApi
from workbench.retrieval.answer_sentences import SentenceRanker


def provider_for(
    profile: ModelProfile,
    *,
    key: str = "",
    remember_api: Callable[[WireApi], None] | None = None,
    ranker: SentenceRanker,
    gate: EgressGate = LOOPBACK_ONLY,
) -> ModelProvider:
    """Return the provider of a profile; close it when the run is over.

    Args:
        profile: Which model; the offline profile needs neither server nor key.
        key: The server's key, empty for none.
        remember_api: Told which wire format was found to work, to be kept in the profile.
        ranker: Finds the best sentences, for the offline answerer.
        gate: Through which servers are asked.

    Raises:
        SettingError: The profile's address cannot be one.
        ModelKeyRefused: The key cannot be one.
    """
    if profile.is_offline:
        return OfflineProvider(ranker)
    # Imports openai, which takes 0.4 s and is not needed to get the window on screen.
    from workbench.agent.providers.openai_provider import OpenAIProvider

    return OpenAIProvider(profile, key=key, remember_api=remember_api, gate=gate)


async def examine(
    profile: ModelProfile, key: str, tell: Callable[[ModelAbility], None], *, gate: EgressGate = LOOPBACK_ONLY
) -> ConnectionReport:
    """Try what a profile's server and model can do through a gate, and tell each thing as soon as it is known.

    Raises:
        SettingError: The profile's address cannot be one.
        ModelKeyRefused: The key cannot be one.
    """
    if profile.is_offline:
        words = mark("Offline needs no connection: it quotes from your documents.")
        found = ModelAbility(Ability.ANSWERS, AbilityMark.YES, words)
        tell(found)
        return ConnectionReport((found,))
    # As in provider_for.
    from workbench.agent.providers.connection_check import examine_openai

    return await examine_openai(profile, key, tell, gate=gate)
