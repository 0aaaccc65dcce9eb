"""Texts about a run and its citations: sentences, groups and footnotes that are shown and copied; without Qt."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agent.markers import without_markers
from workbench.language import mark, tr, translate, trn
from workbench.model.agent import BUILT_IN_NAME
from workbench.model.document import places
from workbench.model.hit import Citation
from workbench.model.run import Certainty, RunStatus
from workbench.ui.chat.run_progress import ENDED
from workbench.ui.chat.transcript import StepKind, Transcript
from workbench.ui.library.document_wording import join_with_commas

_BREAK = re.compile("[;；]")
_QUOTE = 280
_FILTER = 120
SUGGESTIONS = (
    mark("Use words from the documents: names, dates, terms."),
    mark("Check in the library that the document is there and ready."),
    mark("Ask one thing at a time."),
)

_LOOKED_AT = (
    mark("{n} passage was read, and it does not answer the question."),
    "{n} passages were read, and none answers the question.",
)
_SEARCHED = (
    mark("Searched for {queries}; {n} passage was read, and it does not answer the question."),
    "Searched for {queries}; {n} passages were read, and none answers the question.",
)


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A document with the citations of an answer that refer to it, each number once."""

    document_name: str
    path: str
    citations: tuple[Citation, ...]

    @property
    def pages(self) -> str:
        """The cited pages ("page 3", "slides 3, 7"), empty if the format has no pages."""
        numbers = sorted({citation.page for citation in self.citations if citation.page is not None})
        return translate(places(self.citations[0].page_kind, numbers))


def sources(citations: Sequence[Citation]) -> list[CitedSource]:
    """Return the cited documents in the order of their first citation; invalid markers are left out."""
    grouped: dict[tuple[int | None, str], dict[int, Citation]] = {}
    for citation in citations:
        if citation.valid:
            key = (citation.document, citation.document_name)
            grouped.setdefault(key, {}).setdefault(citation.marker, citation)
    return [
        CitedSource(name, next(iter(group.values())).path, tuple(group[marker] for marker in sorted(group)))
        for (_, name), group in grouped.items()
    ]


def citation_location(citation: Citation) -> str:
    """Return the location of a citation: document, page, heading."""
    parts = (citation.document_name, translate(citation.place), citation.headings[-1] if citation.headings else "")
    return " · ".join(part for part in parts if part)


def invalid_markers(citations: Sequence[Citation]) -> list[int]:
    """Return the numbers that refer to no source, each once."""
    return sorted({citation.marker for citation in citations if not citation.valid})


def duration(seconds: float) -> str:
    """Return a time in readable form: "0.4 s", "3.2 s", "1 min 5 s"."""
    if seconds < 60:
        return tr("{seconds:.1f} s", seconds=seconds)
    minutes, rest = divmod(round(seconds), 60)
    return tr("{minutes} min {seconds} s", minutes=minutes, seconds=rest)


def milliseconds(value: float) -> str:
    """Return the time of a step: "12 ms", "1.4 s"."""
    return tr("{n:.0f} ms", n=value) if value < 1000 else duration(value / 1000)


def steps_title(transcript: Transcript) -> str:
    """Return the header of the steps panel."""
    if transcript.running and not transcript.answer:
        return tr("Working… {time}", time=duration(transcript.seconds))
    time, plan = duration(transcript.seconds), transcript.plan.standing.plan
    if transcript.spending.ended is not None:
        time = f"{time} · {tr(ENDED[transcript.spending.ended])}"
    if plan is not None:
        return trn("Plan of {n} step · {time}", "Plan of {n} steps · {time}", len(plan.steps), time=time)
    return trn("{n} step · {time}", "{n} steps · {time}", len(transcript.steps), time=time)


def status_line(transcript: Transcript) -> str:
    """Return a short summary of the answerer, the outcome and the scope of a run."""
    # The data sent to a model is stated next to the question field, and not repeated below each answer.
    mode = _BREAK.split(translate(transcript.mode) or transcript.profile, maxsplit=1)[0].rstrip(".。")
    parts = [mode]
    if transcript.agent not in ("", BUILT_IN_NAME):
        parts.append(tr("agent: {agent}", agent=transcript.agent))
    if transcript.status is RunStatus.CANCELLED:
        parts.append(tr("stopped by you"))
    elif transcript.status is RunStatus.COMPLETED:
        parts.append(duration(transcript.seconds))
    if transcript.knowledge_base:
        parts.append(tr("only in “{base}”", base=transcript.knowledge_base))
    if transcript.filter:
        parts.append(tr("only {filter}", filter=shortened(transcript.filter, _FILTER)))
    if transcript.coverage is not None and transcript.coverage.is_complete:
        parts.append(translate(transcript.coverage.sentence).rstrip(".。").lower())
    return " · ".join(part for part in parts if part)


_INSTEAD = mark("You asked this instead of an earlier question. That question and its answer are still above.")


def notices(transcript: Transcript) -> list[str]:
    """Return the sentences below an answer, each once; the first names what was not searched, unless a banner does."""
    coverage = transcript.coverage
    is_in_banner = transcript.certainty in (Certainty.UNKNOWN, Certainty.NOT_FOUND)
    unseen = [coverage.sentence] if coverage is not None and not coverage.is_complete and not is_in_banner else []
    run = transcript.run
    instead = [_INSTEAD] if run is not None and run.parent is not None and run.parent_event == 0 else []
    return list(dict.fromkeys(map(translate, [*instead, *unseen, *transcript.notices])))


def searched_for(transcript: Transcript) -> str:
    """Return the queries of a run that found no answer: "Searched for “a” and “b”; 12 passages were read, ..."."""
    queries = list(dict.fromkeys(reference.query for reference in transcript.references))
    if not queries:
        queries = [step.title for step in transcript.steps if step.kind is StepKind.SEARCH]
    if not queries:
        return ""
    found = {hit.hit.chunk.id for reference in transcript.references for hit in reference.hits}
    if queries == [transcript.question]:
        if not found:
            return tr("No passage matched.")
        one, several = _LOOKED_AT
        return trn(one, several, len(found))
    named = _join_queries([f"“{query}”" for query in queries])
    if not found:
        return tr("Searched for {queries}; no passage matched.", queries=named)
    one, several = _SEARCHED
    return trn(one, several, len(found), queries=named)


def _join_queries(quoted: Sequence[str]) -> str:
    *others, last = quoted
    return tr("{others} and {last}", others=join_with_commas(others), last=last) if others else last


def with_footnotes(answer: str, citations: Sequence[Citation]) -> str:
    """Return the answer as text with a footnote for each source: number, document, page, quote."""
    notes = []
    for source in sources(citations):
        notes += [
            tr(
                "[{number}] {place}: “{quote}”",
                number=citation.marker,
                place=citation_location(citation),
                quote=shortened(citation.quote),
            )
            for citation in source.citations
        ]
    notes.sort(key=lambda note: int(note[1 : note.index("]")]))
    notes += [tr("[{number}] No such source was found.", number=number) for number in invalid_markers(citations)]
    return "\n\n".join([answer.rstrip(), *(["\n".join(notes)] if notes else [])])


def without_citations(answer: str) -> str:
    """Return the answer without its citation markers."""
    return without_markers(answer).rstrip()


def shortened(text: str, limit: int = _QUOTE) -> str:
    """Return text on one line, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).rstrip() + "…"
