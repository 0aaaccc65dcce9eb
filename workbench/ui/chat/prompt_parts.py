"""What a model was told -> a list of its parts, each with what it takes; knows no Qt."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.agent.request_builder import QUESTION
from workbench.agent.token_budget import estimate
from workbench.language import said, tr, trn
from workbench.model.run import PromptAssembled


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One line of the list; depth is 1 for a part of the one above it."""

    label: str
    text: str
    depth: int = 1

    @property
    def tokens(self) -> int:
        """How many tokens it is held to be."""
        return round(estimate(self.text)) if self.text else 0

    @property
    def size(self) -> str:
        """The same in words."""
        return trn("≈ {n:,} token", "≈ {n:,} tokens", self.tokens)


def parts_of(told: PromptAssembled) -> list[PromptPart]:
    """Return the parts in the order in which they were sent, below what they belong to."""
    return [*_prompt(told), *_conversation(told), *_tools(told)]


def turn_names(prompts: Sequence[PromptAssembled]) -> list[str]:
    """Return what to call each of a run's prompts, with the step of the plan that it was told for."""
    names = [tr("First turn"), *(tr("Change {n}", n=number) for number in range(1, len(prompts)))]
    ends = [told.conversation[-1].label if told.conversation else QUESTION for told in prompts]
    return [
        name if end == QUESTION else tr("{turn}: {part}", turn=name, part=said(end))
        for name, end in zip(names, ends, strict=False)
    ]


def _prompt(told: PromptAssembled) -> Iterator[PromptPart]:
    whole = "".join(section.text for section in told.sections)
    sent = tr("System prompt") if told.role == "system" else tr("System prompt, sent as {role}", role=told.role)
    yield PromptPart(sent if whole else tr("No system prompt was sent"), whole, 0)
    for section in told.sections:
        yield PromptPart(said(section.label), section.text.strip("\n"))


def _conversation(told: PromptAssembled) -> Iterator[PromptPart]:
    yield PromptPart(tr("Conversation"), "\n\n".join(spoken.text for spoken in told.conversation), 0)
    for spoken in told.conversation:
        yield PromptPart(said(spoken.label), spoken.text)


def _tools(told: PromptAssembled) -> Iterator[PromptPart]:
    declared = json.loads(told.tools) if told.tools else []
    yield PromptPart(tr("Tools") if declared else tr("No tools were declared"), told.tools, 0)
    for tool in declared:
        yield PromptPart(str(tool["name"]), json.dumps(tool, indent=2, ensure_ascii=False))
