"""A run and its citations -> the sentences, groups and footnotes that are shown and copied; knows no Qt."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from workbench.agent.markers import without_markers
from workbench.export.rendering import citation_place
from workbench.model.hit import Citation
from workbench.model.message import ModelProfile
from workbench.model.run import RunStatus
from workbench.ui.chat.transcript import StepKind, Transcript

OFFLINE_HINT = "Offline: quotes from your documents. Nothing leaves this machine."
# Icon, title and sentence of the empty chat.
READY_TO_ASK = (
    "chat",
    "Ask about your documents",
    "Every claim of an answer carries its source. Press a number to see the passage on its page.",
)
NO_DOCUMENTS = (
    "file-plus",
    "Add documents first",
    "Drop files or folders anywhere on this window: PDF, Markdown, text or HTML. Then ask about them here.",
)
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_QUOTE = 280
SUGGESTIONS = (
    "Use words that stand in the documents: names, dates, technical terms.",
    "Check in the library that the document is there, and that it is ready.",
    "Ask about one thing at a time.",
)


@dataclass(frozen=True, slots=True)
class Source:
    """A document with the citations of an answer that point into it, each number once."""

    document_name: str
    path: str
    citations: tuple[Citation, ...]

    @property
    def pages(self) -> str:
        """Which pages are cited ("page 3", "pages 3, 7"), empty where the format has none."""
        numbers = sorted({citation.page for citation in self.citations if citation.page is not None})
        if not numbers:
            return ""
        return f"page{'s' if len(numbers) > 1 else ''} {', '.join(str(number) for number in numbers)}"


def stays_here(profile: ModelProfile) -> bool:
    """Return whether nothing leaves the machine with this profile."""
    return profile.is_offline or urlsplit(profile.base_url).hostname in _THIS_MACHINE


def where_it_goes(profile: ModelProfile, knowledge_base: str | None) -> str:
    """Return the line below the question field: who answers, where the question goes, what is searched."""
    if profile.is_offline:
        text = OFFLINE_HINT
    elif stays_here(profile):
        text = f"{profile.model} answers on this machine."
    else:
        host = urlsplit(profile.base_url).hostname or profile.base_url
        text = f"{profile.model} answers at {host}: your question and the passages found are sent there."
    return f"{text} Searching in “{knowledge_base}”." if knowledge_base else text


def sources(citations: Sequence[Citation]) -> list[Source]:
    """Return the cited documents in the order in which the answer first names them; invalid markers are left out."""
    grouped: dict[tuple[int | None, str], dict[int, Citation]] = {}
    for citation in citations:
        if citation.valid:
            key = (citation.document, citation.document_name)
            grouped.setdefault(key, {}).setdefault(citation.marker, citation)
    return [
        Source(name, next(iter(group.values())).path, tuple(group[marker] for marker in sorted(group)))
        for (_, name), group in grouped.items()
    ]


def invalid_markers(citations: Sequence[Citation]) -> list[int]:
    """Return the numbers that point at nothing, each once."""
    return sorted({citation.marker for citation in citations if not citation.valid})


def duration(seconds: float) -> str:
    """Return a time for people: "0.4 s", "3.2 s", "1 min 5 s"."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def milliseconds(value: float) -> str:
    """Return the time of a step: "12 ms", "1.4 s"."""
    return f"{value:.0f} ms" if value < 1000 else duration(value / 1000)


def steps_title(transcript: Transcript) -> str:
    """Return the header of the steps panel."""
    if transcript.running and not transcript.answer:
        return f"Working… {duration(transcript.seconds)}"
    count = len(transcript.steps)
    return f"{count} step{'' if count == 1 else 's'} · {duration(transcript.seconds)}"


def status_line(transcript: Transcript) -> str:
    """Return who answered and how it went, in a few words."""
    mode = transcript.mode or transcript.profile
    parts = [mode]
    if transcript.status is RunStatus.CANCELLED:
        parts.append("stopped by you")
    elif transcript.status is RunStatus.COMPLETED:
        parts.append(duration(transcript.seconds))
    return " · ".join(part for part in parts if part)


def searched_for(transcript: Transcript) -> str:
    """Return what a refused run looked for: "Searched for “a” and “b”; 12 passages came close."""
    queries = list(dict.fromkeys(reference.query for reference in transcript.references))
    if not queries:
        queries = [step.title for step in transcript.steps if step.kind is StepKind.SEARCH]
    if not queries:
        return ""
    quoted = [f"“{query}”" for query in queries]
    named = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    chunks = {hit.hit.chunk.id for reference in transcript.references for hit in reference.hits}
    if not chunks:
        return f"Searched for {named}; no passage matched."
    passages = "1 passage was" if len(chunks) == 1 else f"{len(chunks)} passages were"
    return f"Searched for {named}; {passages} looked at, and none answers it."


def with_footnotes(answer: str, citations: Sequence[Citation]) -> str:
    """Return the answer as text with a footnote for each source: number, document, page, quote."""
    notes = []
    for source in sources(citations):
        notes += [
            f"[{citation.marker}] {citation_place(citation)}: “{shortened(citation.quote)}”"
            for citation in source.citations
        ]
    notes.sort(key=lambda note: int(note[1 : note.index("]")]))
    notes += [f"[{number}] No such source was found." for number in invalid_markers(citations)]
    return "\n\n".join([answer.rstrip(), *(["\n".join(notes)] if notes else [])])


def without_citations(answer: str) -> str:
    """Return the answer without its markers."""
    return without_markers(answer).rstrip()


def shortened(text: str, limit: int = _QUOTE) -> str:
    """Return text on one line, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).rstrip() + "…"
