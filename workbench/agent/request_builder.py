"""Request builder: the prompt, messages of earlier runs, and the question with results of searches made beforehand."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from workbench.agent.base import ToolResult
from workbench.agent.built_in_agent import BUILT_IN
from workbench.agent.map_reduce import MapReduce, ReadingLimits
from workbench.agent.markers import without_markers
from workbench.agent.prompt import LAST_ROUND, PromptFacts, prompt_sections, prompt_text, substitute_values, values_of
from workbench.agent.search_step import SearchFunction, SearchStep
from workbench.agent.searched_ahead import block, question_with_results
from workbench.errors import ToolError
from workbench.language import mark
from workbench.model.agent import Agent, ReferencesPlace
from workbench.model.hit import Reference
from workbench.model.message import Message, ModelRequest, PromptSection, Role, ToolSpec
from workbench.model.run import Notice, PromptAssembled, ReferencesFound, Run, RunEvent

ContextSource = Callable[[str], Awaitable[Sequence[PromptSection]]]
"""Finds or recalls sections of the prompt for a question; it reports its own errors to the user."""

QUESTION = mark("Question")
"""Label of the question as it is sent."""

_PromptParts = tuple[tuple[ToolSpec, ...], bool, tuple[PromptSection, ...], PromptFacts, tuple[PromptSection, ...]]

_LABELS = {Role.USER: mark("Earlier question"), Role.ASSISTANT: mark("Earlier answer")}


class RequestBuilder:
    """Builds the first messages of one run, and its prompt for every turn.

    Args:
        agent: The agent that answers.
        finder: Search step for agents that get the results of a search for the question; it searches with ahead.
        ahead: The search function.
        memory: Recalls the user's memory entries for the question.
        contexts: Further sources of prompt sections, called one after another.
        filter_keys: Keys by which the model may restrict its searches.
        user: Name of the user; empty if it is unknown.
        notices: Notices that are shown to the user before anything else.
        now: Returns the current time.
        structure: Looks up the structure of documents for a question that requests it; None to leave it out.
        whole: Reads whole documents for such a question, in place of their structure; None if they are not read.
    """

    def __init__(
        self,
        agent: Agent = BUILT_IN,
        *,
        finder: SearchStep | None = None,
        ahead: SearchFunction | None = None,
        memory: ContextSource | None = None,
        contexts: Sequence[ContextSource] = (),
        filter_keys: Sequence[str] = (),
        user: str = "",
        notices: Sequence[str] = (),
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
        structure: Callable[[], Awaitable[ToolResult]] | None = None,
        whole: MapReduce | None = None,
    ) -> None:
        self._agent = agent
        self._finder = finder
        self._ahead = ahead
        self._memory = memory
        self._contexts = tuple(contexts)
        self._facts = PromptFacts(filter_keys=tuple(filter_keys), user=user)
        self._notices = tuple(notices)
        self._now = now
        self._structure = structure
        self._whole = whole
        self._emit: Callable[[RunEvent], None] = _ignore_event
        self._conversation: tuple[PromptSection, ...] = ()
        self._part: tuple[PromptSection, ...] = ()
        self._resumed: tuple[PromptSection, ...] = ()
        self._last_prompt: PromptAssembled | None = None
        self._assembled: tuple[_PromptParts, tuple[tuple[PromptSection, ...], str]] | None = None

    async def begin(
        self,
        question: str,
        history: Sequence[Run],
        emit: Callable[[RunEvent], None],
        means: ReadingLimits | None = None,
    ) -> list[Message]:
        """Return the messages of earlier runs and the question as it is sent, with the search results for it.

        Args:
            question: The user's question; it is the search query as it was typed.
            history: Earlier runs of the session, oldest first.
            emit: Receives the search results, and later each prompt that is sent.
            means: Limits for reading whole documents; None if they may not be read.
        """
        self._emit = emit
        for text in self._notices:
            emit(Notice(text))
        agent, values = self._agent, values_of(self._agent, self._facts.user)
        references = "\n".join(filter(None, (await self._read_documents(means), await self._search_ahead(question))))
        in_prompt = agent.references_in is ReferencesPlace.SYSTEM
        remembered = tuple(await self._memory(question)) if self._memory is not None else ()
        context = [section for source in self._contexts for section in await source(question)]
        if references and in_prompt:
            context.append(PromptSection(mark("Retrieved context"), f"## Retrieved Context\n\n{block(references)}"))
        self._facts = replace(self._facts, now=self._time(), memory=remembered, context=tuple(context))
        message_text = question_with_results(
            substitute_values(question, values),
            "" if in_prompt else references,
            agent.dependencies if agent.add_dependencies_to_context else None,
        )
        earlier = [
            replace(message, text=substitute_values(message.text, values)) if message.role is Role.USER else message
            for message in history_messages(history)
        ]
        earlier_sections = tuple(PromptSection(_LABELS[message.role], message.text) for message in earlier)
        self._conversation = (*earlier_sections, PromptSection(QUESTION, message_text))
        return [*earlier, Message(Role.USER, message_text)]

    def resume(self, recorded: PromptAssembled, emit: Callable[[RunEvent], None]) -> list[Message]:
        """Reuse the recorded beginning of another run unchanged, and return the messages that begin returned for it."""
        self._emit = emit
        self._resumed = recorded.sections
        self._last_prompt = recorded
        roles = {label: role for role, label in _LABELS.items()}
        known = {*roles, QUESTION}
        self._conversation = tuple(section for section in recorded.conversation if section.label in known)
        return [Message(roles.get(section.label, Role.USER), section.text) for section in self._conversation]

    def asking(self, messages: Sequence[Message], part: PromptSection) -> list[Message]:
        """Return the first messages with the current task of the model appended to the question.

        The task is part of the same message: many servers refuse two consecutive messages of one role.

        Args:
            messages: The messages that begin or resume returned.
            part: The task until the next call of this method; with an empty text the question itself is the task.
        """
        self._part = (part,) if part.text else ()
        *earlier, question = messages
        text = f"{question.text}\n\n{part.text}" if part.text else question.text
        return [*earlier, replace(question, text=text)]

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        last_round: bool = False,
        also: Sequence[PromptSection] = (),
    ) -> ModelRequest:
        """Return the request for one turn; a prompt that differs from the last one is emitted as an event.

        Args:
            messages: The conversation so far, without the prompt.
            tools: Tools that are declared.
            last_round: Only the answer may follow.
            also: Further sections of the prompt, for this turn.
        """
        role = self._agent.system_role.value
        sections, declared = self._assemble(tuple(tools), last_round, tuple(also), self._facts, self._resumed)
        assembled = PromptAssembled(sections, (*self._conversation, *self._part), declared, role)
        if assembled != self._last_prompt:
            self._last_prompt = assembled
            self._emit(assembled)
        text = prompt_text(sections)
        system = [Message(Role.SYSTEM, text)] if text else []
        return ModelRequest((*system, *messages), tuple(tools), role)

    def _assemble(self, *parts: *_PromptParts) -> tuple[tuple[PromptSection, ...], str]:
        """Return the sections of the prompt and the declared tools; most turns of a run have those of the turn before.

        Assembling them for each turn took 3 % of an offline answer. Tools may change the state of an agent.
        """
        if self._assembled is None or self._assembled[0] != parts or self._agent.state:
            tools, last_round, also, _facts, _resumed = parts
            self._assembled = parts, (self._sections(tools, last_round, also), _serialize_tools(tools))
        return self._assembled[1]

    def _sections(
        self, tools: Sequence[ToolSpec], last_round: bool, also: Sequence[PromptSection]
    ) -> tuple[PromptSection, ...]:
        if not self._resumed:
            return prompt_sections(self._agent, tools, self._facts, last_round=last_round, also=also)
        known = {section.label for section in self._resumed}
        more = [section for section in also if section.label not in known]
        end = [PromptSection(mark("Last round"), f"\n{LAST_ROUND}")] if last_round else []
        return (*self._resumed, *more, *end)

    async def _read_documents(self, means: ReadingLimits | None) -> str:
        """Return the text of whole documents to send with the question: passages or findings, or their structure."""
        read = await self._whole.read(means, self._emit) if self._whole is not None and means is not None else ""
        if self._whole is not None and read and not self._whole.is_listing:
            return read
        return "\n".join(filter(None, (await self._read_structure(), read)))

    async def _read_structure(self) -> str:
        """Return the structure of documents; after an error the model may still call the tool itself."""
        if self._structure is None:
            return ""
        try:
            result = await self._structure()
        except ToolError:
            return ""
        for event in result.events:
            self._emit(event)
        return result.text if result.events else ""

    async def _search_ahead(self, question: str) -> str:
        """Search for the question before the model is called; a search that fails or finds nothing adds nothing."""
        if self._finder is None or self._ahead is None or not self._agent.add_knowledge_to_context:
            return ""
        result = await self._finder.find(question, self._ahead)
        for event in result.events:
            self._emit(event)
        if result.reference is None and not result.error:
            # Unlike a search by the model, this one is recorded even if it found nothing.
            self._emit(ReferencesFound(Reference(question, (), result.seconds)))
        return result.text

    def _time(self) -> datetime | None:
        if not self._agent.add_datetime:
            return None
        now = self._now()
        if not self._agent.timezone:
            return now
        try:
            return now.astimezone(ZoneInfo(self._agent.timezone))
        except (KeyError, ValueError, OSError):  # no such zone, not a valid name, or a folder of zones such as “Europe”
            text = mark(
                f"There is no time zone “{self._agent.timezone}”: the agent was given the time of this computer."
            )
            self._emit(Notice(text))
            return now


def _serialize_tools(tools: Sequence[ToolSpec]) -> str:
    declared = [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in tools]
    return _indent(json.dumps(declared, ensure_ascii=False)) if declared else ""


# Cached, since json.dumps() is slow with an indent (1.3 ms of an offline answer), and most runs declare the same tools.
@lru_cache(maxsize=16)
def _indent(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False, indent=2)


def _ignore_event(_event: RunEvent) -> None:
    pass


# Local models often have a context window of 8,192 tokens; about 3,000 for earlier runs leave space for passages.
MAX_CHARACTERS = 12_000


def history_messages(runs: Sequence[Run], *, max_characters: int = MAX_CHARACTERS) -> tuple[Message, ...]:
    """Return the messages of the newest runs that fit, oldest first; runs without an answer are left out.

    Citation markers are removed from the old answers: their numbers have another meaning in a new run, and a model that
    copies one would cite the wrong passage.
    """
    messages: list[Message] = []
    characters_left = max_characters
    for run in reversed(runs):
        answer = without_markers(run.answer).strip()
        characters_left -= len(run.question) + len(answer)
        if characters_left < 0:
            break
        if answer:
            messages[:0] = [Message(Role.USER, run.question), Message(Role.ASSISTANT, answer)]
    return tuple(messages)
