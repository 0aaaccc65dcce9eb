"""Factory of the model provider for a profile."""

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
    """Return the provider of a profile; the caller closes it after the run.

    Args:
        profile: Profile of the model; the offline profile needs neither server nor key.
        key: The server's key, empty for none.
        remember_api: Called with the detected wire format, to save it in the profile.
        ranker: Ranks sentences for the offline answerer.
        gate: Egress gate for all requests.

    Raises:
        SettingError: The profile's address is invalid.
        ModelKeyRefused: The key contains invalid characters.
    """
    if profile.is_offline:
        return OfflineProvider(ranker)
    # Imports openai, which takes 0.4 s and is not needed to show the window.
    from workbench.agent.providers.openai_provider import OpenAIProvider

    return OpenAIProvider(profile, key=key, remember_api=remember_api, gate=gate)


async def examine(
    profile: ModelProfile, key: str, on_ability: Callable[[ModelAbility], None], *, gate: EgressGate = LOOPBACK_ONLY
) -> ConnectionReport:
    """Test the abilities of a profile's server and model through a gate, and pass each to on_ability as soon as known.

    Raises:
        SettingError: The profile's address is invalid.
        ModelKeyRefused: The key contains invalid characters.
    """
    if profile.is_offline:
        words = mark("No connection is needed: answers are quotes from your documents.")
        found = ModelAbility(Ability.ANSWERS, AbilityMark.YES, words)
        on_ability(found)
        return ConnectionReport((found,))
    # Imported late as in provider_for.
    from workbench.agent.providers.connection_check import examine_openai

    return await examine_openai(profile, key, on_ability, gate=gate)
