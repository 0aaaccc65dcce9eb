"""Editable fields of an agent, each declared once with its texts; independent of Qt."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from workbench.language import mark
from workbench.model.agent import ReferencesFormat, ReferencesPlace, SystemRole
from workbench.model.approval import AskBefore
from workbench.model.message import PromptSection
from workbench.model.run import PlanWhen


class FieldKind(Enum):
    """Kind of editor for a field."""

    LINE = auto()
    TEXT = auto()
    RULES = auto()
    """Several texts, separated by empty lines."""
    SWITCH = auto()
    ONE_OF = auto()
    """A single choice, or none."""
    SOME_OF = auto()
    NUMBER = auto()
    """A number, or none for the value of the settings."""
    PAIRS = auto()
    """Lines of the form key=value."""
    SECTIONS = auto()
    """Texts, each below a line with its title."""
    EACH_TOOL = auto()
    """Yes, no, or no choice, for each tool."""


@dataclass(frozen=True, slots=True)
class AgentField:
    """Editable field of an agent.

    Attributes:
        name: Name of the agent's attribute.
        choices: Values and their texts, if they are fixed; other choices come from the library.
        nothing: Text for no value.
    """

    name: str
    title: str
    kind: FieldKind
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class FieldPage:
    """Fields that are edited on one page."""

    title: str
    fields: tuple[AgentField, ...]


PAGES = (
    FieldPage(
        mark("Instructions"),
        (
            AgentField("name", mark("Name"), FieldKind.LINE),
            AgentField(
                "description", mark("Description"), FieldKind.TEXT, mark("Identity; the prompt begins with it.")
            ),
            AgentField("role", mark("Role"), FieldKind.LINE, mark("Role, for example “a careful legal clerk”.")),
            AgentField(
                "instructions",
                mark("Instructions"),
                FieldKind.RULES,
                mark("One rule per paragraph, separated by empty lines."),
            ),
            AgentField(
                "expected_output", mark("Expected output"), FieldKind.TEXT, mark("Format and content of an answer.")
            ),
            AgentField(
                "additional_context",
                mark("More to know"),
                FieldKind.TEXT,
                mark("Sent unchanged after the instructions."),
            ),
            AgentField(
                "profile",
                mark("Answered by"),
                FieldKind.ONE_OF,
                mark(
                    "Without a model, answers only quote from the documents: instructions are ignored and no tools"
                    " are called."
                ),
                nothing=mark("Default model"),
            ),
        ),
    ),
    FieldPage(
        mark("Knowledge"),
        (
            AgentField("knowledge", mark("Search the library"), FieldKind.SWITCH),
            AgentField(
                "knowledge_bases",
                mark("Knowledge bases"),
                FieldKind.SOME_OF,
                mark("If none is selected, all are searched."),
            ),
            AgentField(
                "filter",
                mark("Filter"),
                FieldKind.LINE,
                mark("Same syntax as the filter of a question, for example format:pdf year>=2020."),
            ),
            AgentField("num_documents", mark("Passages per search"), FieldKind.NUMBER),
            AgentField(
                "search_knowledge",
                mark("Search tool"),
                FieldKind.SWITCH,
                mark("The model searches whenever it needs to."),
            ),
            AgentField(
                "add_knowledge_to_context",
                mark("Search before answering"),
                FieldKind.SWITCH,
                mark("The results are sent with the question. Suitable for models without tool calls."),
            ),
            AgentField(
                "references_in",
                mark("Position of the results"),
                FieldKind.ONE_OF,
                choices=(
                    (ReferencesPlace.MESSAGE, mark("After the question")),
                    (ReferencesPlace.SYSTEM, mark("In the system prompt")),
                ),
            ),
            AgentField("agentic_filters", mark("Allow filters in searches"), FieldKind.SWITCH),
            AgentField(
                "references_format",
                mark("Format of passages"),
                FieldKind.ONE_OF,
                choices=((ReferencesFormat.JSON, "JSON"), (ReferencesFormat.YAML, "YAML")),
            ),
            AgentField(
                "retrievers",
                mark("Retrievers"),
                FieldKind.SOME_OF,
                mark("Used instead of the library; all selected ones are searched."),
            ),
        ),
    ),
    FieldPage(
        mark("Tools"),
        (
            AgentField("tools", mark("Tools"), FieldKind.SOME_OF),
            AgentField(
                "ask_before_tools",
                mark("Ask before tool calls"),
                FieldKind.ONE_OF,
                choices=(
                    (AskBefore.NEVER, mark("Never")),
                    (AskBefore.NETWORK, mark("For tools that use the network")),
                    (AskBefore.ALWAYS, mark("For all tools")),
                ),
                nothing=mark("Default setting"),
            ),
            AgentField(
                "ask_before",
                mark("For individual tools"),
                FieldKind.EACH_TOOL,
                mark("Takes precedence over the setting above."),
            ),
            AgentField(
                "plan",
                mark("Plan answers"),
                FieldKind.ONE_OF,
                mark("The model writes a plan first and runs it step by step."),
                choices=(
                    (PlanWhen.NEVER, mark("Never")),
                    (PlanWhen.ASKED, mark("When you choose it")),
                    (PlanWhen.ALWAYS, mark("Always")),
                ),
                nothing=mark("Default setting"),
            ),
            AgentField("think", mark("Think tool"), FieldKind.SWITCH),
            AgentField("analyze", mark("Analyze tool"), FieldKind.SWITCH),
            AgentField("reasoning_instructions", mark("Explain both tools in the prompt"), FieldKind.SWITCH),
            AgentField(
                "reasoning_text",
                mark("Your own explanation"),
                FieldKind.TEXT,
                mark("Leave empty for the default text."),
            ),
            AgentField("few_shot", mark("Include two examples"), FieldKind.SWITCH),
            AgentField(
                "few_shot_text",
                mark("Your own examples"),
                FieldKind.TEXT,
                mark("Leave empty for the default examples."),
            ),
        ),
    ),
    FieldPage(
        mark("Prompt"),
        (
            AgentField("markdown", mark("Use Markdown"), FieldKind.SWITCH),
            AgentField("add_datetime", mark("Include date and time"), FieldKind.SWITCH),
            AgentField(
                "timezone",
                mark("Time zone"),
                FieldKind.LINE,
                mark("For example Asia/Shanghai; leave empty for the local time zone."),
            ),
            AgentField("location", mark("Your place"), FieldKind.LINE, mark("As text; it is never looked up.")),
            AgentField("add_name", mark("Include its name"), FieldKind.SWITCH),
            AgentField("use_instruction_tags", mark("Put instructions in a separate tag"), FieldKind.SWITCH),
            AgentField(
                "state",
                mark("Values"),
                FieldKind.PAIRS,
                mark("One key=value per line. {key} in texts and questions is replaced by the value."),
            ),
            AgentField("resolve_in_context", mark("{key} is replaced by its value"), FieldKind.SWITCH),
            AgentField("add_state_to_context", mark("Send all values"), FieldKind.SWITCH),
            AgentField(
                "dependencies", mark("Facts"), FieldKind.PAIRS, mark("One key=value per line; also sent to retrievers.")
            ),
            AgentField("add_dependencies_to_context", mark("Send facts with each question"), FieldKind.SWITCH),
            AgentField(
                "metadata",
                mark("Marks"),
                FieldKind.PAIRS,
                mark("One key=value per line; sent to retrievers, and {key} in texts is replaced by the value."),
            ),
            AgentField(
                "sections",
                mark("Custom sections"),
                FieldKind.SECTIONS,
                mark(
                    "Each section begins with a line “== Title ==”. Its text is sent unchanged after "
                    "“More to know”; titles are only shown to you."
                ),
            ),
            AgentField(
                "system_role",
                mark("Role of the prompt"),
                FieldKind.ONE_OF,
                choices=((SystemRole.SYSTEM, "system"), (SystemRole.DEVELOPER, mark("developer (OpenAI only)"))),
            ),
            AgentField("build_context", mark("Send a system prompt"), FieldKind.SWITCH),
            AgentField(
                "system_message",
                mark("Custom prompt"),
                FieldKind.TEXT,
                mark("Replaces everything above, except the rule that documents are data."),
            ),
        ),
    ),
    FieldPage(
        mark("Limits"),
        (
            AgentField("tool_calls", mark("Tool calls per answer"), FieldKind.NUMBER),
            AgentField("rounds", mark("Rounds per answer"), FieldKind.NUMBER),
            AgentField("seconds", mark("Seconds per answer"), FieldKind.NUMBER),
            AgentField("tokens", mark("Tokens per answer"), FieldKind.NUMBER),
        ),
    ),
)

_TITLE = re.compile(r"^== *(.*?) *==[^\S\n]*$", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")


def rules_of(text: str) -> tuple[str, ...]:
    """Parse a text into rules separated by empty lines."""
    return tuple(rule.strip() for rule in _BLANK_LINE.split(text) if rule.strip())


def pairs_of(text: str) -> dict[str, str]:
    """Parse key=value lines; a line without a sign is skipped."""
    parts = [line.partition("=") for line in text.splitlines()]
    return {key.strip(): value.strip() for key, sign, value in parts if sign and key.strip()}


def text_of_pairs(values: dict[str, str]) -> str:
    """Format values as key=value lines."""
    return "\n".join(f"{key}={value}" for key, value in values.items())


def sections_of(text: str) -> tuple[PromptSection, ...]:
    """Parse a text into sections; text before the first title becomes a section without title."""
    parts = _TITLE.split(text)
    titled = zip(["", *parts[1::2]], parts[0::2], strict=True)
    return tuple(PromptSection(title.strip(), body.strip()) for title, body in titled if body.strip())


def text_of_sections(sections: tuple[PromptSection, ...]) -> str:
    """Format sections as text with title lines."""
    return "\n\n".join(f"== {section.label} ==\n{section.text}" for section in sections)
