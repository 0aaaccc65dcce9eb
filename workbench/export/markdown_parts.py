"""The parts of a Markdown export that hold what documents and tools said: all of it escaped."""

from collections.abc import Sequence

from workbench.export.escaping import code_block, code_span, html_line, markdown_quote, markdown_text
from workbench.export.transcript import Footnote, Step, prompts, steps
from workbench.model.hit import Hit, Reference
from workbench.model.run import Run

_INDENT = "    "
_SHORT_HASH = 12


def footnote_definitions(notes: Sequence[Footnote]) -> str:
    """Return one definition a footnote: where the passage stands, what its text hashes to, and the text itself."""
    return "\n\n".join(_definition(note) for note in notes)


def folded_steps(run: Run) -> str:
    """Return the steps of a run as a folded list; empty when nothing was recorded."""
    told = steps(run)
    lines = [_step(number, step) for number, step in enumerate(told, start=1)]
    return _folded(f"Steps ({len(told)})", "\n\n".join(lines)) if told else ""


def folded_searches(run: Run) -> str:
    """Return the searches of a run with their hits and scores, folded; empty when there was none."""
    if not run.references:
        return ""
    return _folded(f"Searches ({len(run.references)})", "\n\n".join(_search(found) for found in run.references))


def folded_prompts(run: Run) -> str:
    """Return what the model was told, folded; empty when it is not to be shown, or nobody was told anything."""
    told = prompts(run)
    parts = [f"**{markdown_text(part.label)}**\n\n{code_block(part.text)}" for part in told]
    return _folded(f"Prompts ({len(told)})", "\n\n".join(parts)) if told else ""


def where(name: str, place: str, headings: Sequence[str]) -> list[str]:
    """Return where a passage stands, in words: document, page, heading path; not escaped yet."""
    return [part for part in (name, place, " › ".join(headings)) if part]


def _definition(note: Footnote) -> str:
    citation = note.citation
    name, *rest = [markdown_text(part) for part in where(citation.document_name, citation.place, citation.headings)]
    address = [markdown_text(citation.path)] if citation.is_outside and citation.path else []
    stands = ", ".join([f"**{name}**", *rest, *address])
    chunk = f", chunk {citation.chunk_ordinal + 1}" if citation.chunk_ordinal is not None else ""
    hashed = f", sha256 {code_span(citation.sha256[:_SHORT_HASH])}" if citation.sha256 else ""
    span = f"characters {citation.start}–{citation.end}"
    return f"[^{note.label}]: {stands} ({span}{chunk}{hashed})\n\n{markdown_quote(citation.quote, indent=_INDENT)}"


def _step(number: int, step: Step) -> str:
    took = f", {step.milliseconds:.0f} ms" if step.milliseconds is not None else ""
    failed = " — failed" if step.failed else ""
    name = step.kind if step.kind in ("think", "analyze", "tool", "plan") else ""
    title = f"**{name}** {markdown_text(step.title)}" if name else markdown_text(step.title)
    lines = [f"{number}. {title}{failed} (at {step.seconds:.2f} s{took})"]
    if step.arguments:
        lines.append(code_block(step.arguments, language="json", indent=_INDENT))
    lines += [
        f"{_INDENT}{label}: {markdown_text(text)}"
        if "\n" not in text.strip()
        else f"{_INDENT}{label}:\n\n{markdown_quote(text, indent=_INDENT)}"
        for label, text in step.fields
    ]
    return "\n\n".join(lines)


def _search(reference: Reference) -> str:
    head = f"Query: {code_span(reference.query)}, {reference.time * 1000:.1f} ms, {len(reference.hits)} hits"
    head += ", below the floor: not offered to the answerer" if reference.withheld else ""
    if not reference.hits:
        return head
    rows = [_row(numbered.number, numbered.hit) for numbered in reference.hits]
    table = "| No. | Document | Place | Heading | Dense | Keyword | Fused | Relevance |\n| --: | --- | --: | --- "
    return f"{head}\n\n{table}| --: | --: | --: | --: |\n" + "\n".join(rows)


def _row(number: int, hit: Hit) -> str:
    scores = hit.scores
    cells = (
        str(number),
        markdown_text(hit.document_name),
        markdown_text(hit.place),
        markdown_text(" › ".join(hit.chunk.headings)),
        "" if scores.dense is None else f"{scores.dense:.3f}",
        "" if scores.keyword is None else f"{scores.keyword:.2f}",
        f"{scores.fused:.4f}",
        f"{scores.relevance:.2f}",
    )
    return f"| {' | '.join(cells)} |"


def _folded(title: str, body: str) -> str:
    return f"<details>\n<summary>{html_line(title)}</summary>\n\n{body}\n\n</details>"
