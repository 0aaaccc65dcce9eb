"""Request builder: the prompt, the messages of earlier runs, and the question with what was found for it beforehand."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
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
"""Finds or remembers something for a question, to stand in the prompt; it says by itself what went wrong."""

QUESTION = mark("Question")
"""The label of what is asked, as it is sent."""

_SPOKEN = {Role.USER: mark("Earlier question"), Role.ASSISTANT: mark("Earlier answer")}


class RequestBuilder:
    """The beginning of one run, and its prompt at every turn.

    Args:
        agent: Who answers.
        finder: For agents that are handed what a search for the question finds; with ahead, what it searches with.
        ahead: The search itself.
        memory: Recalls what is remembered of who asks.
        contexts: What else is asked for the prompt, one after another.
        filter_keys: By what the model may restrict its searches.
        user: Who asks; empty where nobody knows.
        notices: What the user is told before anything else.
        now: Tells the time.
        structure: Looks up the structure of documents for a question that requests it; None where none is wanted.
        whole: Reads whole documents for such a question, in place of their structure; None where nobody reads.
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
        self._emit: Callable[[RunEvent], None] = _nobody
        self._conversation: tuple[PromptSection, ...] = ()
        self._part: tuple[PromptSection, ...] = ()
        self._resumed: tuple[PromptSection, ...] = ()
        self._told: PromptAssembled | None = None

    async def begin(
        self,
        question: str,
        history: Sequence[Run],
        emit: Callable[[RunEvent], None],
        means: ReadingLimits | None = None,
    ) -> list[Message]:
        """Return what was said before and the question as it is sent, with what was found for it.

        Args:
            question: What the user asks; it is searched for as it was typed.
            history: Earlier runs of the session, oldest first.
            emit: Told what is found, and later what the model is told.
            means: By what whole documents may be read; None where they may not.
        """
        self._emit = emit
        for text in self._notices:
            emit(Notice(text))
        agent, values = self._agent, values_of(self._agent, self._facts.user)
        references = "\n".join(filter(None, (await self._looked_up(means), await self._found(question))))
        in_prompt = agent.references_in is ReferencesPlace.SYSTEM
        remembered = tuple(await self._memory(question)) if self._memory is not None else ()
        context = [section for source in self._contexts for section in await source(question)]
        if references and in_prompt:
            context.append(PromptSection(mark("Retrieved context"), f"## Retrieved Context\n\n{block(references)}"))
        self._facts = replace(self._facts, now=self._time(), memory=remembered, context=tuple(context))
        asked = question_with_results(
            substitute_values(question, values),
            "" if in_prompt else references,
            agent.dependencies if agent.add_dependencies_to_context else None,
        )
        earlier = [
            replace(message, text=substitute_values(message.text, values)) if message.role is Role.USER else message
            for message in history_messages(history)
        ]
        spoken = tuple(PromptSection(_SPOKEN[message.role], message.text) for message in earlier)
        self._conversation = (*spoken, PromptSection(QUESTION, asked))
        return [*earlier, Message(Role.USER, asked)]

    def resume(self, recorded: PromptAssembled, emit: Callable[[RunEvent], None]) -> list[Message]:
        """Take over the opening of another run, word for word, and return what begin returned for it."""
        self._emit = emit
        self._resumed = recorded.sections
        self._told = recorded
        roles = {label: role for role, label in _SPOKEN.items()}
        known = {*roles, QUESTION}
        self._conversation = tuple(spoken for spoken in recorded.conversation if spoken.label in known)
        return [Message(roles.get(spoken.label, Role.USER), spoken.text) for spoken in self._conversation]

    def asking(self, messages: Sequence[Message], part: PromptSection) -> list[Message]:
        """Return the messages of the opening with more behind the question: what is asked of the model right now.

        It stands in the same message: many servers refuse two of one side in a row.

        Args:
            messages: What begin or resume returned.
            part: What is asked, until this is called again; an empty text asks the question itself.
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
        """Return what is sent for one turn; where the prompt is another than before, that is told.

        Args:
            messages: The conversation so far, without the prompt.
            tools: What is declared.
            last_round: Only the answer is left to give.
            also: Further sections of the prompt, for this turn.
        """
        role = self._agent.system_role.value
        sections = self._sections(tools, last_round, also)
        assembled = PromptAssembled(sections, (*self._conversation, *self._part), _declared(tools), role)
        if assembled != self._told:
            self._told = assembled
            self._emit(assembled)
        text = prompt_text(sections)
        system = [Message(Role.SYSTEM, text)] if text else []
        return ModelRequest((*system, *messages), tuple(tools), role)

    def _sections(
        self, tools: Sequence[ToolSpec], last_round: bool, also: Sequence[PromptSection]
    ) -> tuple[PromptSection, ...]:
        if not self._resumed:
            return prompt_sections(self._agent, tools, self._facts, last_round=last_round, also=also)
        known = {section.label for section in self._resumed}
        more = [section for section in also if section.label not in known]
        end = [PromptSection(mark("Last round"), f"\n{LAST_ROUND}")] if last_round else []
        return (*self._resumed, *more, *end)

    async def _looked_up(self, means: ReadingLimits | None) -> str:
        """Return what of whole documents is handed over with the question: what was read of them, else structure."""
        read = await self._whole.read(means, self._emit) if self._whole is not None and means is not None else ""
        if self._whole is not None and read and not self._whole.is_listing:
            return read
        return "\n".join(filter(None, (await self._structure_found(), read)))

    async def _structure_found(self) -> str:
        """Return the structure of documents; what fails is left to the model's own calls."""
        if self._structure is None:
            return ""
        try:
            result = await self._structure()
        except ToolError:
            return ""
        for event in result.events:
            self._emit(event)
        return result.text if result.events else ""

    async def _found(self, question: str) -> str:
        """Search for the question before the model is asked; a search that fails or finds nothing adds nothing."""
        if self._finder is None or self._ahead is None or not self._agent.add_knowledge_to_context:
            return ""
        found = await self._finder.find(question, self._ahead)
        for event in found.events:
            self._emit(event)
        if found.reference is None and not found.error:
            # Unlike a search of the model's own, this one is kept also when it found nothing.
            self._emit(ReferencesFound(Reference(question, (), found.seconds)))
        return found.text

    def _time(self) -> datetime | None:
        if not self._agent.add_datetime:
            return None
        now = self._now()
        if not self._agent.timezone:
            return now
        try:
            return now.astimezone(ZoneInfo(self._agent.timezone))
        except (KeyError, ValueError, OSError):  # no such zone, no name of one, a folder of them such as “Europe”
            told = mark(f"There is no time zone “{self._agent.timezone}”: the agent was told the time of this machine.")
            self._emit(Notice(told))
            return now


def _declared(tools: Sequence[ToolSpec]) -> str:
    declared = [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in tools]
    return json.dumps(declared, ensure_ascii=False, indent=2) if declared else ""


def _nobody(_event: RunEvent) -> None:
    pass


# Local models often see 8,192 tokens in all; about 3,000 of them for what was said before leaves room for passages.
MAX_CHARACTERS = 12_000


def history_messages(runs: Sequence[Run], *, max_characters: int = MAX_CHARACTERS) -> tuple[Message, ...]:
    """Return the newest runs that fit, oldest first; runs without an answer are left out.

    Citation markers are taken out of the old answers: their numbers mean something else in a new run, and a model that
    copies one would cite the wrong passage.
    """
    messages: list[Message] = []
    room = max_characters
    for run in reversed(runs):
        answer = without_markers(run.answer).strip()
        room -= len(run.question) + len(answer)
        if room < 0:
            break
        if answer:
            messages[:0] = [Message(Role.USER, run.question), Message(Role.ASSISTANT, answer)]
    return tuple(messages)
