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
                "description", mark("Description"), FieldKind.TEXT, mark("Who it is; the prompt begins with it.")
            ),
            AgentField(
                "role", mark("Role"), FieldKind.LINE, mark("What its part is, for example “a careful legal clerk”.")
            ),
            AgentField(
                "instructions",
                mark("Instructions"),
                FieldKind.RULES,
                mark("One rule a paragraph, an empty line between two."),
            ),
            AgentField(
                "expected_output", mark("Expected output"), FieldKind.TEXT, mark("What an answer is to look like.")
            ),
            AgentField(
                "additional_context",
                mark("More to know"),
                FieldKind.TEXT,
                mark("Sent as it stands, behind the instructions."),
            ),
            AgentField(
                "profile",
                mark("Answered by"),
                FieldKind.ONE_OF,
                mark("“offline” quotes from the documents: it follows no instructions and calls no tools."),
                nothing=mark("The model of the settings"),
            ),
        ),
    ),
    FieldPage(
        mark("Knowledge"),
        (
            AgentField("knowledge", mark("It knows the library's documents"), FieldKind.SWITCH),
            AgentField(
                "knowledge_bases", mark("Knowledge bases"), FieldKind.SOME_OF, mark("None chosen means all of them.")
            ),
            AgentField(
                "filter",
                mark("Filter"),
                FieldKind.LINE,
                mark("As in the filter of a question, for example format:pdf year>=2020."),
            ),
            AgentField("num_documents", mark("Passages a search"), FieldKind.NUMBER),
            AgentField(
                "search_knowledge",
                mark("It searches by itself"),
                FieldKind.SWITCH,
                mark("As often as it wants, while it thinks."),
            ),
            AgentField(
                "add_knowledge_to_context",
                mark("The question is searched first"),
                FieldKind.SWITCH,
                mark("What is found is sent along with the question. Good for models that cannot call tools."),
            ),
            AgentField(
                "references_in",
                mark("What is found then stands"),
                FieldKind.ONE_OF,
                choices=(
                    (ReferencesPlace.MESSAGE, mark("Behind the question")),
                    (ReferencesPlace.SYSTEM, mark("In the prompt")),
                ),
            ),
            AgentField("agentic_filters", mark("It may narrow its searches by filters"), FieldKind.SWITCH),
            AgentField(
                "references_format",
                mark("Passages are written as"),
                FieldKind.ONE_OF,
                choices=((ReferencesFormat.JSON, "JSON"), (ReferencesFormat.YAML, "YAML")),
            ),
            AgentField(
                "retrievers",
                mark("Retrievers"),
                FieldKind.SOME_OF,
                mark("Asked instead of the library, all that are chosen."),
            ),
        ),
    ),
    FieldPage(
        mark("Tools"),
        (
            AgentField("tools", mark("Tools"), FieldKind.SOME_OF),
            AgentField(
                "ask_before_tools",
                mark("You are asked before a call"),
                FieldKind.ONE_OF,
                choices=(
                    (AskBefore.NEVER, mark("Never")),
                    (AskBefore.NETWORK, mark("Of tools that reach out of this machine")),
                    (AskBefore.ALWAYS, mark("Of every tool")),
                ),
                nothing=mark("As in the settings"),
            ),
            AgentField(
                "ask_before", mark("For single tools"), FieldKind.EACH_TOOL, mark("Counts before what is chosen above.")
            ),
            AgentField(
                "plan",
                mark("It plans its answers"),
                FieldKind.ONE_OF,
                mark("A plan is written first and its steps are carried out, one after another."),
                choices=(
                    (PlanWhen.NEVER, mark("Never")),
                    (PlanWhen.ASKED, mark("Where you say so")),
                    (PlanWhen.ALWAYS, mark("Always")),
                ),
                nothing=mark("As in the settings"),
            ),
            AgentField("think", mark("It can think on paper"), FieldKind.SWITCH),
            AgentField("analyze", mark("It can judge what it found"), FieldKind.SWITCH),
            AgentField("reasoning_instructions", mark("It is told how to do both"), FieldKind.SWITCH),
            AgentField(
                "reasoning_text", mark("How, in your own words"), FieldKind.TEXT, mark("Empty means the usual words.")
            ),
            AgentField("few_shot", mark("It is shown two examples of that"), FieldKind.SWITCH),
            AgentField(
                "few_shot_text", mark("Examples of your own"), FieldKind.TEXT, mark("Empty means the usual two.")
            ),
        ),
    ),
    FieldPage(
        mark("Prompt"),
        (
            AgentField("markdown", mark("Answers use Markdown"), FieldKind.SWITCH),
            AgentField("add_datetime", mark("It knows date and time"), FieldKind.SWITCH),
            AgentField(
                "timezone",
                mark("Time zone"),
                FieldKind.LINE,
                mark("For example Asia/Shanghai; empty means this machine's."),
            ),
            AgentField("location", mark("Your place"), FieldKind.LINE, mark("In words; it is never looked up.")),
            AgentField("add_name", mark("It knows its name"), FieldKind.SWITCH),
            AgentField("use_instruction_tags", mark("Instructions stand in a tag of their own"), FieldKind.SWITCH),
            AgentField(
                "state",
                mark("Values"),
                FieldKind.PAIRS,
                mark("key=value, one a line. {key} in its texts and in your questions becomes the value."),
            ),
            AgentField("resolve_in_context", mark("{key} is replaced by its value"), FieldKind.SWITCH),
            AgentField("add_state_to_context", mark("It is sent all values"), FieldKind.SWITCH),
            AgentField(
                "dependencies", mark("Facts"), FieldKind.PAIRS, mark("key=value, one a line; also given to retrievers.")
            ),
            AgentField("add_dependencies_to_context", mark("Facts are sent with each question"), FieldKind.SWITCH),
            AgentField(
                "metadata",
                mark("Marks"),
                FieldKind.PAIRS,
                mark("key=value, one a line; given to retrievers, and {key} in its texts becomes the value."),
            ),
            AgentField(
                "sections",
                mark("Sections of your own"),
                FieldKind.SECTIONS,
                mark(
                    "A line “== Title ==” begins each; what follows is sent as it stands, behind “More to know”. A"
                    " title is only shown to you."
                ),
            ),
            AgentField(
                "system_role",
                mark("The prompt is sent as"),
                FieldKind.ONE_OF,
                choices=((SystemRole.SYSTEM, "system"), (SystemRole.DEVELOPER, mark("developer (OpenAI only)"))),
            ),
            AgentField("build_context", mark("A prompt is sent at all"), FieldKind.SWITCH),
            AgentField(
                "system_message",
                mark("Prompt of your own"),
                FieldKind.TEXT,
                mark("Takes the place of everything above; only that documents are data is still said."),
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
