"""Model -> words for people at a terminal."""

from collections.abc import Iterable

from workbench.model.claim import summary
from workbench.model.document import Document
from workbench.model.hit import Citation, Hit, SearchResult
from workbench.model.plan_standing import PlanStanding
from workbench.model.progress import FileFinished, FileOutcome
from workbench.model.run import CERTAINTY_WORDS, Notice, Run, RunStatus


def size_words(document: Document) -> str:
    """Return a document's size: pages and chunks."""
    kind = document.page_kind
    pages = f"{document.pages} {kind.value if document.pages == 1 else kind.plural}, " if document.pages else ""
    return f"{pages}{_count(document.chunks, 'chunk')}"


def finished_words(file: FileFinished) -> str:
    """Return what became of a file in one line."""
    pages = f" from {_count(file.pages, 'page')}" if file.pages else ""
    size = f"{_count(file.chunks, 'chunk')}{pages}"
    if file.outcome is FileOutcome.READY and file.reason:
        return f"{file.outcome.value:<10} {file.path}: {size}. {file.reason}"
    return f"{file.outcome.value:<10} {file.path}: {file.reason or size}"


def hit_words(hit: Hit, beside: Iterable[Hit] = ()) -> str:
    """Return one hit: where it stands, and below it how it and those beside it begin, in the document's order."""
    place = f", {hit.place}" if hit.place else ""
    on_page = sorted([hit, *beside], key=lambda one: one.chunk.start)
    lines = [f"{hit.rank:>3}. {hit.document_name}{place} (relevance {hit.scores.relevance:.2f})"]
    lines += [f"     {' '.join(one.chunk.text.split())[:160]}" for one in on_page]
    return "\n".join(lines)


def doubt_words(result: SearchResult) -> list[str]:
    """Return that nothing found reaches the user's floor, or that the search is not sure of it, if that is so."""
    if result.is_relevant:
        return [] if result.is_sure else ["the search is not sure that these passages answer the question"]
    return [f"below the floor: none has a relevance of {result.floor:.2f}, so an answerer is offered none of them"]


def answer_words(run: Run, *, with_claims: bool = False) -> str:
    """Return an answer with its citations listed below, and what it claims where that is wanted."""
    lines = [f"? {run.question}", "", *_plan_words(run), run.answer]
    if run.status is RunStatus.FAILED:
        lines += [f"Failed: {run.error} {run.hint}".rstrip()]
    shown: set[int] = set()
    for citation in run.citations:
        if citation.marker not in shown:
            shown.add(citation.marker)
            lines.append(_citation_words(citation))
    lines += [f"    {claim.sentence}" for claim in run.claims if with_claims]
    noticed = dict.fromkeys(timed.event.text for timed in run.events if isinstance(timed.event, Notice))
    checked = [*noticed, *([summary(run.claims)] if run.claims else [])]
    seen = [*checked, *([run.coverage.sentence] if run.coverage else [])]
    base = [f"only in “{run.knowledge_base}”"] if run.knowledge_base else []
    base += [f"only {run.filter}"] if run.filter else []
    sure = [CERTAINTY_WORDS[run.certainty]] if run.certainty in CERTAINTY_WORDS else []
    ended = " · ".join([run.mode, *sure, f"{run.seconds:.2f} s", *base, f"session {run.session}"])
    return "\n".join([*lines, *(f"    {line}" for line in (*seen, ended)), ""])


def _plan_words(run: Run) -> list[str]:
    """Return the steps of an answer's plan, each with how it stands."""
    standing = PlanStanding.of(timed.event for timed in run.events)
    if standing.plan is None:
        return []
    steps = zip(standing.steps, standing.plan.steps, strict=True)
    return [*(f"    {one.step}. {' '.join(text.split())} ({one.state.value})" for one, text in steps), ""]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _citation_words(citation: Citation) -> str:
    if not citation.valid:
        return f"    [{citation.marker}] is not a source of this answer: do not trust what it stands behind"
    place = f", {citation.place}" if citation.place else ""
    quote = " ".join(citation.quote.split())
    return f"    [{citation.marker}] {citation.document_name}{place}: “{quote[:200]}”"
