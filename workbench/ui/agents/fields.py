"""What of an agent can be edited: each field declared once, with the words for it; knows no Qt."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from workbench.model.agent import ReferencesFormat, ReferencesPlace, SystemRole
from workbench.model.approval import AskBefore
from workbench.model.plan import PlanWhen
from workbench.model.prompt import PromptSection


class Kind(Enum):
    """How a field is edited."""

    LINE = auto()
    TEXT = auto()
    RULES = auto()
    """Several texts, an empty line between them."""
    SWITCH = auto()
    ONE_OF = auto()
    """One of the choices, or nothing."""
    SOME_OF = auto()
    NUMBER = auto()
    """A number, or nothing: as the settings have it."""
    PAIRS = auto()
    """key=value, one a line."""
    SECTIONS = auto()
    """Texts, each below a line with its title."""
    EACH_TOOL = auto()
    """Yes, no, or nothing, for every tool."""


@dataclass(frozen=True, slots=True)
class AgentField:
    """One field.

    Attributes:
        name: Of the agent's attribute.
        choices: Value and words, where they are always the same; those of the library come with it.
        nothing: What no value is called.
    """

    name: str
    title: str
    kind: Kind
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Fields that are edited together."""

    title: str
    fields: tuple[AgentField, ...]


PAGES = (
    Page(
        "Instructions",
        (
            AgentField("name", "Name", Kind.LINE),
            AgentField("description", "Description", Kind.TEXT, "Who it is; the prompt begins with it."),
            AgentField("role", "Role", Kind.LINE, "What its part is, for example “a careful legal clerk”."),
            AgentField("instructions", "Instructions", Kind.RULES, "One rule a paragraph, an empty line between two."),
            AgentField("expected_output", "Expected output", Kind.TEXT, "What an answer is to look like."),
            AgentField("additional_context", "More to know", Kind.TEXT, "Sent as it stands, behind the instructions."),
            AgentField(
                "profile",
                "Answered by",
                Kind.ONE_OF,
                "“offline” quotes from the documents: it follows no instructions and calls no tools.",
                nothing="The model of the settings",
            ),
        ),
    ),
    Page(
        "Knowledge",
        (
            AgentField("knowledge", "It knows the library's documents", Kind.SWITCH),
            AgentField("knowledge_bases", "Knowledge bases", Kind.SOME_OF, "None chosen means all of them."),
            AgentField(
                "filter", "Filter", Kind.LINE, "As in the filter of a question, for example format:pdf year>=2020."
            ),
            AgentField("num_documents", "Passages a search", Kind.NUMBER),
            AgentField(
                "search_knowledge", "It searches by itself", Kind.SWITCH, "As often as it wants, while it thinks."
            ),
            AgentField(
                "add_knowledge_to_context",
                "The question is searched first",
                Kind.SWITCH,
                "What is found is sent along with the question. Good for models that cannot call tools.",
            ),
            AgentField(
                "references_in",
                "What is found then stands",
                Kind.ONE_OF,
                choices=(
                    (ReferencesPlace.MESSAGE, "Behind the question"),
                    (ReferencesPlace.SYSTEM, "In the prompt"),
                ),
            ),
            AgentField("agentic_filters", "It may narrow its searches by filters", Kind.SWITCH),
            AgentField(
                "references_format",
                "Passages are written as",
                Kind.ONE_OF,
                choices=((ReferencesFormat.JSON, "JSON"), (ReferencesFormat.YAML, "YAML")),
            ),
            AgentField("retrievers", "Retrievers", Kind.SOME_OF, "Asked instead of the library, all that are chosen."),
        ),
    ),
    Page(
        "Tools",
        (
            AgentField("tools", "Tools", Kind.SOME_OF),
            AgentField(
                "ask_before_tools",
                "You are asked before a call",
                Kind.ONE_OF,
                choices=(
                    (AskBefore.NEVER, "Never"),
                    (AskBefore.NETWORK, "Of tools that reach out of this machine"),
                    (AskBefore.ALWAYS, "Of every tool"),
                ),
                nothing="As in the settings",
            ),
            AgentField("ask_before", "For single tools", Kind.EACH_TOOL, "Counts before what is chosen above."),
            AgentField(
                "plan",
                "It plans its answers",
                Kind.ONE_OF,
                "A plan is written first and its steps are carried out, one after another.",
                choices=(
                    (PlanWhen.NEVER, "Never"),
                    (PlanWhen.ASKED, "Where you say so"),
                    (PlanWhen.ALWAYS, "Always"),
                ),
                nothing="As in the settings",
            ),
            AgentField("think", "It can think on paper", Kind.SWITCH),
            AgentField("analyze", "It can judge what it found", Kind.SWITCH),
            AgentField("reasoning_instructions", "It is told how to do both", Kind.SWITCH),
            AgentField("reasoning_text", "How, in your own words", Kind.TEXT, "Empty means the usual words."),
            AgentField("few_shot", "It is shown two examples of that", Kind.SWITCH),
            AgentField("few_shot_text", "Examples of your own", Kind.TEXT, "Empty means the usual two."),
        ),
    ),
    Page(
        "Prompt",
        (
            AgentField("markdown", "Answers use Markdown", Kind.SWITCH),
            AgentField("add_datetime", "It knows date and time", Kind.SWITCH),
            AgentField("timezone", "Time zone", Kind.LINE, "For example Asia/Shanghai; empty means this machine's."),
            AgentField("location", "Your place", Kind.LINE, "In words; it is never looked up."),
            AgentField("add_name", "It knows its name", Kind.SWITCH),
            AgentField("use_instruction_tags", "Instructions stand in a tag of their own", Kind.SWITCH),
            AgentField(
                "state",
                "Values",
                Kind.PAIRS,
                "key=value, one a line. {key} in its texts and in your questions becomes the value.",
            ),
            AgentField("resolve_in_context", "{key} is replaced by its value", Kind.SWITCH),
            AgentField("add_state_to_context", "It is sent all values", Kind.SWITCH),
            AgentField("dependencies", "Facts", Kind.PAIRS, "key=value, one a line; also given to retrievers."),
            AgentField("add_dependencies_to_context", "Facts are sent with each question", Kind.SWITCH),
            AgentField(
                "metadata",
                "Marks",
                Kind.PAIRS,
                "key=value, one a line; given to retrievers, and {key} in its texts becomes the value.",
            ),
            AgentField(
                "sections",
                "Sections of your own",
                Kind.SECTIONS,
                "A line “== Title ==” begins each; what follows is sent as it stands, behind “More to know”. A title"
                " is only shown to you.",
            ),
            AgentField(
                "system_role",
                "The prompt is sent as",
                Kind.ONE_OF,
                choices=((SystemRole.SYSTEM, "system"), (SystemRole.DEVELOPER, "developer (OpenAI only)")),
            ),
            AgentField("build_context", "A prompt is sent at all", Kind.SWITCH),
            AgentField(
                "system_message",
                "Prompt of your own",
                Kind.TEXT,
                "Takes the place of everything above; only that documents are data is still said.",
            ),
        ),
    ),
    Page(
        "Limits",
        (
            AgentField("tool_calls", "Tool calls per answer", Kind.NUMBER),
            AgentField("rounds", "Rounds per answer", Kind.NUMBER),
            AgentField("seconds", "Seconds per answer", Kind.NUMBER),
            AgentField("tokens", "Tokens per answer", Kind.NUMBER),
        ),
    ),
)

_TITLE = re.compile(r"^== *(.*?) *==[^\S\n]*$", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")


def rules_of(text: str) -> tuple[str, ...]:
    """Return the rules of a text, an empty line between two."""
    return tuple(rule.strip() for rule in _BLANK_LINE.split(text) if rule.strip())


def pairs_of(text: str) -> dict[str, str]:
    """Return the values of a text, one a line; a line without a sign is left out."""
    parts = [line.partition("=") for line in text.splitlines()]
    return {key.strip(): value.strip() for key, sign, value in parts if sign and key.strip()}


def text_of_pairs(values: dict[str, str]) -> str:
    """Return values as they are written."""
    return "\n".join(f"{key}={value}" for key, value in values.items())


def sections_of(text: str) -> tuple[PromptSection, ...]:
    """Return the sections of a text; what stands before the first title is one without."""
    parts = _TITLE.split(text)
    titled = zip(["", *parts[1::2]], parts[0::2], strict=True)
    return tuple(PromptSection(title.strip(), body.strip()) for title, body in titled if body.strip())


def text_of_sections(sections: tuple[PromptSection, ...]) -> str:
    """Return sections as they are written."""
    return "\n\n".join(f"== {section.label} ==\n{section.text}" for section in sections)
