"""Connection test of a model profile: abilities of its server and its model, each reported as soon as it is known."""

import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

from workbench.agent.providers.base_url import is_loopback
from workbench.agent.providers.model_server import model_names
from workbench.agent.providers.openai_provider import OpenAIProvider
from workbench.agent.token_budget import DEFAULT_CONTEXT, estimate
from workbench.egress.gate import LOOPBACK_ONLY, EgressGate
from workbench.errors import ModelError, ModelKeyRefused, ModelLacksTools, ModelNotFound, ModelUnreachable
from workbench.language import mark
from workbench.model.egress import Purpose
from workbench.model.message import Message, ModelRequest, ReasoningDelta, Role, TextDelta, ToolSpec, TurnEnd
from workbench.model.profile import (
    Ability,
    AbilityMark,
    ConnectionReport,
    ModelAbility,
    ModelProfile,
    ToolCalling,
    WireApi,
)

AbilityHandler = Callable[[ModelAbility], None]

_MOST_NAMES = 8
_WRITING_SECONDS = 6.0
"""Time to read after the first word; a model may think for minutes, and the test need not wait for its end."""
_LEAST_TOKENS, _LEAST_SECONDS = 8, 0.05
"""Least number of tokens, and least duration, from which the speed is computed."""
_COUNTING = ModelRequest((Message(Role.USER, "Count from one to thirty in words, and write nothing else."),))
_TOOL = ToolSpec(
    "report_ready",
    "Reports that you are ready.",
    {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"], "additionalProperties": False},
)
_CALLING = ModelRequest(
    (Message(Role.USER, "Call the tool report_ready with the word ready. Write nothing else."),), (_TOOL,)
)
_TITLES = {WireApi.RESPONSES: "Responses", WireApi.CHAT: "Chat Completions"}


async def examine_openai(
    profile: ModelProfile, key: str, on_ability: AbilityHandler, *, gate: EgressGate = LOOPBACK_ONLY
) -> ConnectionReport:
    """Test the abilities of a profile's server and model; failures become part of the report.

    Args:
        profile: Profile with the server and the model; without a model only the server is tested.
        key: The server's key, empty for none.
        on_ability: Called with each ability as soon as it is known.
        gate: Egress gate for all requests.

    Raises:
        SettingError: The profile's address is invalid.
        ModelKeyRefused: The key contains invalid characters.
    """
    provider = OpenAIProvider(profile, key=key, retry_seconds=0.2, gate=gate, purpose=Purpose.CONNECTION_TEST)
    try:
        return await _Examination(profile, provider, key, on_ability).report()
    finally:
        await provider.close()


@dataclass(slots=True)
class _TurnMetrics:
    """Measurements of one model turn; times in seconds since the request."""

    first: float | None = None
    last: float = 0.0
    pieces: int = 0
    text: str = ""
    reasoned: bool = False
    tokens: int | None = None
    calls: bool = False


class _Examination:
    """Runs one connection test and reports each ability."""

    def __init__(self, profile: ModelProfile, provider: OpenAIProvider, key: str, on_ability: AbilityHandler) -> None:
        self._profile = profile
        self._provider = provider
        self._has_key = bool(key)
        self._on_ability = on_ability
        self._found: list[ModelAbility] = []
        self._models: tuple[str, ...] = ()
        self._context: int | None = None
        self._speed: float | None = None

    async def report(self) -> ConnectionReport:
        """Run the test and return the report."""
        if await self._check_connection() and self._profile.model and await self._check_answer():
            await self._check_tools()
            await self._check_context()
        return ConnectionReport(tuple(self._found), self._models, self._context, self._speed)

    def _add(self, ability: Ability, how: AbilityMark, words: str, hint: str = "") -> None:
        found = ModelAbility(ability, how, words, hint)
        self._found.append(found)
        self._on_ability(found)

    async def _check_connection(self) -> bool:
        target = self._provider.target
        try:
            self._models = await model_names(self._provider.client, target)
        except (ModelUnreachable, ModelKeyRefused) as error:
            self._add(Ability.REACHED, AbilityMark.NO, error.message, error.hint)
            return False
        is_here = is_loopback(target.base_url)
        if self._has_key and target.base_url.startswith("http://") and not is_here:
            words = mark(f"{target.host} can be reached, but the key travels unencrypted: prefer https.")
            self._add(Ability.REACHED, AbilityMark.PARTLY, words)
        elif is_here:
            self._add(
                Ability.REACHED, AbilityMark.YES, mark(f"{target.host} can be reached; it runs on this computer.")
            )
        else:
            self._add(Ability.REACHED, AbilityMark.YES, mark(f"{target.host} can be reached over the network."))
        self._add(Ability.LISTED, *self._check_listing())
        return True

    def _check_listing(self) -> tuple[AbilityMark, str]:
        number, model = len(self._models), self._profile.model
        if not number:
            return AbilityMark.UNKNOWN, mark("The server does not say which models it has.")
        if not model:
            return AbilityMark.YES, mark(f"Models to choose from: {_list(self._models)}.")
        if model in self._models or f"{model}:latest" in self._models:
            return AbilityMark.YES, mark(f"“{model}” is among the models that it lists ({number:,}).")
        return AbilityMark.PARTLY, mark(f"“{model}” is not among the models that it lists: {_list(self._models)}.")

    async def _check_answer(self) -> bool:
        try:
            written = await self._measure(_COUNTING)
        except ModelNotFound as error:
            hint = mark(f"The server offers {_list(self._models)}.") if self._models else error.hint
            self._add(Ability.ANSWERS, AbilityMark.NO, error.message, hint)
            return False
        except ModelError as error:
            self._add(Ability.ANSWERS, AbilityMark.NO, error.message, error.hint)
            return False
        if written.first is None:
            self._add(Ability.ANSWERS, AbilityMark.NO, mark(f"“{self._profile.model}” gave an empty answer."))
            return False
        api = _TITLES.get(self._provider.detected_api or self._profile.api, "")
        words = mark(f"“{self._profile.model}” answers ({api}); the first word came after {written.first:.1f} s.")
        self._add(Ability.ANSWERS, AbilityMark.YES, words)
        self._report_writing(written)
        return True

    def _report_writing(self, written: _TurnMetrics) -> None:
        if written.pieces > 1:
            self._add(Ability.STREAMS, AbilityMark.YES, mark("The answer appears while it is written."))
        else:
            words = mark("The answer appears only when it is complete.")
            self._add(Ability.STREAMS, AbilityMark.PARTLY, words)
        seconds = written.last - (written.first or 0.0)
        tokens = written.tokens or round(estimate(written.text))
        if tokens >= _LEAST_TOKENS and seconds >= _LEAST_SECONDS:
            self._speed = tokens / seconds
            slow = mark("About 1 token a second, or less.")
            speed_text = mark(f"About {self._speed:,.0f} tokens a second.") if self._speed >= 1.5 else slow
            self._add(Ability.SPEED, AbilityMark.YES, speed_text)
        else:
            self._add(Ability.SPEED, AbilityMark.UNKNOWN, mark("It wrote too little to measure its speed."))
        if written.reasoned:
            self._add(Ability.REASONS, AbilityMark.YES, mark("Its own reasoning is shown while it thinks."))
        else:
            self._add(Ability.REASONS, AbilityMark.UNKNOWN, mark("It showed no reasoning of its own."))

    async def _check_tools(self) -> None:
        if self._profile.tool_calling is ToolCalling.TEXT:
            self._add(Ability.TOOLS, AbilityMark.UNKNOWN, mark("Tools are called as text, as set in this profile."))
            return
        try:
            written = await self._measure(_CALLING)
        except ModelLacksTools:
            self._add(
                Ability.TOOLS, AbilityMark.PARTLY, mark("The server refuses tools; they are called by text instead.")
            )
            return
        except ModelError as error:
            self._add(Ability.TOOLS, AbilityMark.NO, error.message, error.hint)
            return
        if written.calls:
            self._add(Ability.TOOLS, AbilityMark.YES, mark("It can call tools."))
        else:
            words = mark("It did not call the tool when asked to.")
            hint = mark("Set “Tools” to “As text (for models without tool calling)” if its answers find nothing.")
            self._add(Ability.TOOLS, AbilityMark.PARTLY, words, hint)

    async def _check_context(self) -> None:
        self._context = await self._provider.counts.context()
        if self._context is None:
            words = mark(f"The server does not report the context length; {DEFAULT_CONTEXT:,} tokens are assumed.")
            hint = mark("“Context length” on the page “Answers” sets another number.")
            self._add(Ability.CONTEXT, AbilityMark.UNKNOWN, words, hint)
        elif self._context < DEFAULT_CONTEXT:
            words = mark(
                f"It has room for only {self._context:,} tokens in its context, so long passages are shortened."
            )
            self._add(Ability.CONTEXT, AbilityMark.PARTLY, words)
        else:
            self._add(Ability.CONTEXT, AbilityMark.YES, mark(f"It can read {self._context:,} tokens at once."))

    async def _measure(self, request: ModelRequest) -> _TurnMetrics:
        """Send a request and return the measurements of the answer, cut off _WRITING_SECONDS after its first word.

        Raises:
            ModelError: The model did not answer.
        """
        written, began = _TurnMetrics(), time.perf_counter()
        stream = cast(Any, self._provider.stream(request))
        async with aclosing(stream) as events:
            async for event in events:
                now = time.perf_counter() - began
                if isinstance(event, (TextDelta, ReasoningDelta)) and event.text:
                    written.first = now if written.first is None else written.first
                    written.last, written.pieces = now, written.pieces + 1
                    written.text += event.text
                    written.reasoned = written.reasoned or isinstance(event, ReasoningDelta)
                elif isinstance(event, TurnEnd):
                    written.tokens, written.calls = event.usage.output_tokens, bool(event.tool_calls)
                if written.first is not None and now - written.first > _WRITING_SECONDS:
                    break
        return written


def _list(names: tuple[str, ...]) -> str:
    named, left = ", ".join(names[:_MOST_NAMES]), len(names) - _MOST_NAMES
    return mark(f"{named} and {left} more") if left > 0 else named
