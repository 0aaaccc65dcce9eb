"""The rounds of a run: the model is asked and its calls are carried out, until it answers or a limit is reached."""

from collections.abc import Sequence

from workbench.agent.approval_gate import with_arguments
from workbench.agent.context_window import ContextWindow
from workbench.agent.opening import Opening
from workbench.agent.run_log import RunLog
from workbench.agent.text_protocol import text_protocol_instructions
from workbench.agent.token_budget import TokenBudget
from workbench.agent.tool_calls import ToolCalls
from workbench.agent.turns import ModelTurns
from workbench.errors import LimitReached
from workbench.language import mark
from workbench.model.message import Message, ModelRequest, PromptSection, Role, ToolSpec, TurnEnd
from workbench.model.run import Limit, Notice

TEXT_PROTOCOL = mark("Tool protocol")
"""The label of the section that explains how to call tools by text."""


class Rounds:
    """Leads one conversation with the model, or several: all of them share the limits of the run.

    Args:
        turns: Asks the model.
        calls: Carries out what it calls.
        budget: The tokens of the run.
        opening: Makes what is sent.
        log: Told what happens.
        limit: How many rounds the run may take.
        done: How many it has taken already.
        window: Told what is sent.
    """

    def __init__(
        self,
        turns: ModelTurns,
        calls: ToolCalls,
        budget: TokenBudget,
        opening: Opening,
        log: RunLog,
        *,
        limit: int,
        done: int = 0,
        window: ContextWindow | None = None,
    ) -> None:
        self._turns = turns
        self._calls = calls
        self._budget = budget
        self._opening = opening
        self._log = log
        self._limit = limit
        self._done = done
        self._window = window

    @property
    def left(self) -> int:
        """How many rounds the run may still take."""
        return self._limit - self._done

    @property
    def budget(self) -> TokenBudget:
        """The tokens of the run."""
        return self._budget

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model may call."""
        return self._calls.specs

    async def answer(self, messages: list[Message], *, most: int | None = None, tools: bool = True) -> TurnEnd | None:
        """Go on until the model answers; None where it went on calling tools instead, in as many rounds as it had.

        Args:
            messages: What is said before; what follows is put behind it.
            most: How many rounds this may take; None means all that are left.
            tools: Whether tools are declared.
        """
        last = self._limit if most is None else min(self._limit, self._done + most)
        while self._done < last:
            self._done += 1
            is_last = self._done == last or self._budget.is_short
            if is_last and self._done < last:
                self._log.emit(
                    Notice(
                        mark(f"The limit of {self._budget.limit:,} tokens is near; the model was told to answer now.")
                    )
                )
            turn = await self._turn(messages, self._calls.specs if tools else (), last_round=is_last and tools)
            if not turn.tool_calls:
                return turn
            if is_last:
                return None
            messages.extend(await self._answered(turn))
        return None

    def used_up(self) -> LimitReached:
        """Return what is said of a run that came to no answer within its limits."""
        if self._budget.is_short:
            return LimitReached(
                f"The model used up its {self._budget.limit:,} tokens without coming to an answer.",
                "Ask a narrower question, or raise “Tokens per answer” in the settings.",
                Limit.TOKENS,
            )
        return LimitReached(
            f"The model used up its {self._limit} rounds without coming to an answer.",
            "Ask a narrower question, or raise “Rounds per answer” in the settings.",
            Limit.ROUNDS,
        )

    async def _turn(self, messages: Sequence[Message], specs: Sequence[ToolSpec], *, last_round: bool) -> TurnEnd:
        told = last_round and self._done > 1

        def request(by_text: bool) -> ModelRequest:
            protocol = text_protocol_instructions(specs) if by_text else ""
            also = (PromptSection(TEXT_PROTOCOL, f"\n{protocol}\n"),) if protocol else ()
            return self._opening.request(messages, specs, last_round=told, also=also)

        turn, sent = await self._turns.take(self._done, request)
        if self._window is not None:
            self._window.sent(sent, turn.usage)
        return turn

    async def _answered(self, turn: TurnEnd) -> list[Message]:
        """Carry out a turn's calls and return what follows from it: what the model said, and the results."""
        said = self._log.discard()
        answered = await self._calls.answer(turn.tool_calls)
        items = turn.provider_items
        for call in answered.calls:
            items = with_arguments(call, items)
        return [Message(Role.ASSISTANT, said, answered.calls, provider_items=items), *answered.messages]
