"""A run and its citations -> the sentences, groups and footnotes that are shown and copied; knows no Qt."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agent.markers import without_markers
from workbench.export.rendering import citation_place
from workbench.model.agent import BUILT_IN_NAME
from workbench.model.hit import Citation
from workbench.model.place import places
from workbench.model.run import RunStatus
from workbench.ui.chat.transcript import StepKind, Transcript

_QUOTE = 280
_FILTER = 120
SUGGESTIONS = (
    "Use words of the documents: names, dates, terms.",
    "See in the library whether the document is there and ready.",
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
        """Which pages are cited ("page 3", "slides 3, 7"), empty where the format has none."""
        numbers = sorted({citation.page for citation in self.citations if citation.page is not None})
        return places(self.citations[0].page_kind, numbers)


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
    plan = transcript.plan.standing.plan
    if plan is not None:
        return f"Plan of {len(plan.steps)} step{'' if len(plan.steps) == 1 else 's'} · {duration(transcript.seconds)}"
    count = len(transcript.steps)
    return f"{count} step{'' if count == 1 else 's'} · {duration(transcript.seconds)}"


def status_line(transcript: Transcript) -> str:
    """Return who answered and how it went, in a few words."""
    # What is sent to a model is said where one asks; here it would be said again below each answer.
    mode = (transcript.mode or transcript.profile).partition(";")[0].rstrip(".")
    parts = [mode]
    if transcript.agent not in ("", BUILT_IN_NAME):
        parts.append(f"asked: {transcript.agent}")
    if transcript.status is RunStatus.CANCELLED:
        parts.append("stopped by you")
    elif transcript.status is RunStatus.COMPLETED:
        parts.append(duration(transcript.seconds))
    if transcript.knowledge_base:
        parts.append(f"only in “{transcript.knowledge_base}”")
    if transcript.filter:
        parts.append(f"only {shortened(transcript.filter, _FILTER)}")
    if transcript.coverage is not None and transcript.coverage.is_complete:
        parts.append(transcript.coverage.sentence.rstrip(".").lower())
    return " · ".join(part for part in parts if part)


def notices(transcript: Transcript) -> list[str]:
    """Return the sentences below an answer, each once: first how much of the library it could not see."""
    coverage = transcript.coverage
    unseen = [coverage.sentence] if coverage is not None and not coverage.is_complete else []
    return list(dict.fromkeys([*unseen, *transcript.notices]))


def searched_for(transcript: Transcript) -> str:
    """Return what a refused run looked for: "Searched for “a” and “b”; 12 passages came close."""
    queries = list(dict.fromkeys(reference.query for reference in transcript.references))
    if not queries:
        queries = [step.title for step in transcript.steps if step.kind is StepKind.SEARCH]
    if not queries:
        return ""
    passages = _looked_at(transcript)
    if queries == [transcript.question]:
        return f"{passages[:1].upper()}{passages[1:]}."
    quoted = [f"“{query}”" for query in queries]
    named = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    return f"Searched for {named}; {passages}."


def _looked_at(transcript: Transcript) -> str:
    chunks = {hit.hit.chunk.id for reference in transcript.references for hit in reference.hits}
    if not chunks:
        return "no passage matched"
    passages = "1 passage was" if len(chunks) == 1 else f"{len(chunks)} passages were"
    return f"{passages} looked at, and none answers it"


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
