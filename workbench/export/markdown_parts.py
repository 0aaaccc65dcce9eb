"""The parts of a Markdown export that hold what documents and tools said: all of it escaped."""

from collections.abc import Sequence

from workbench.export.escaping import code_block, code_span, html_line, markdown_quote, markdown_text
from workbench.export.transcript import SHORT_HASH, Footnote, Step, columns, prompts, step_time, steps
from workbench.language import said, tr
from workbench.model.hit import Citation, Hit, Reference
from workbench.model.run import Run

_INDENT = "    "


def footnote_definitions(notes: Sequence[Footnote]) -> str:
    """Return one definition a footnote: where the passage stands, what its text hashes to, and the text itself."""
    return "\n\n".join(_definition(note) for note in notes)


def folded_steps(run: Run) -> str:
    """Return the steps of a run as a folded list; empty when nothing was recorded."""
    told = steps(run)
    lines = [_step(number, step) for number, step in enumerate(told, start=1)]
    return _folded(tr("Steps ({n})", n=len(told)), "\n\n".join(lines)) if told else ""


def folded_searches(run: Run) -> str:
    """Return the searches of a run with their hits and scores, folded; empty when there was none."""
    if not run.references:
        return ""
    title = tr("Searches ({n})", n=len(run.references))
    return _folded(title, "\n\n".join(_search(found) for found in run.references))


def folded_prompts(run: Run) -> str:
    """Return what the model was told, folded; empty when it is not to be shown, or nobody was told anything."""
    told = prompts(run)
    parts = [f"**{markdown_text(part.label)}**\n\n{code_block(part.text)}" for part in told]
    return _folded(tr("Prompts ({n})", n=len(told)), "\n\n".join(parts)) if told else ""


def where(citation: Citation) -> list[str]:
    """Return where a passage stands, in words: document, page, heading path; not escaped yet."""
    parts = (citation.document_name, said(citation.place), " › ".join(citation.headings))
    return [part for part in parts if part]


def _definition(note: Footnote) -> str:
    citation = note.citation
    name, *rest = [markdown_text(part) for part in where(citation)]
    address = [markdown_text(citation.path)] if citation.is_outside and citation.path else []
    stands = ", ".join([f"**{name}**", *rest, *address])
    text = [tr("characters {start}–{end}", start=citation.start, end=citation.end)]
    text += [tr("chunk {n}", n=citation.chunk_ordinal + 1)] if citation.chunk_ordinal is not None else []
    text += [f"sha256 {code_span(citation.sha256[:SHORT_HASH])}"] if citation.sha256 else []
    return f"[^{note.label}]: {stands} ({', '.join(text)})\n\n{markdown_quote(citation.quote, indent=_INDENT)}"


def _step(number: int, step: Step) -> str:
    failed = f" — {tr('failed')}" if step.failed else ""
    name = step.kind if step.kind in ("think", "analyze", "tool", "plan") else ""
    title = f"**{name}** {markdown_text(step.title)}" if name else markdown_text(step.title)
    lines = [f"{number}. {title}{failed} ({step_time(step)})"]
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
    head = tr(
        "Query: {query}, {ms:.1f} ms, {n} hits",
        query=code_span(reference.query),
        ms=reference.time * 1000,
        n=len(reference.hits),
    )
    head = tr("{found}, below the floor: not offered to the answerer", found=head) if reference.withheld else head
    if not reference.hits:
        return head
    rows = [_row(numbered.number, numbered.hit) for numbered in reference.hits]
    table = f"| {' | '.join(columns())} |\n| --: | --- | --: | --- "
    return f"{head}\n\n{table}| --: | --: | --: | --: |\n" + "\n".join(rows)


def _row(number: int, hit: Hit) -> str:
    scores = hit.scores
    cells = (
        str(number),
        markdown_text(hit.document_name),
        markdown_text(said(hit.place)),
        markdown_text(" › ".join(hit.headings)),
        "" if scores.dense is None else f"{scores.dense:.3f}",
        "" if scores.keyword is None else f"{scores.keyword:.2f}",
        f"{scores.fused:.4f}",
        f"{scores.relevance:.2f}",
    )
    return f"| {' | '.join(cells)} |"


def _folded(title: str, body: str) -> str:
    return f"<details>\n<summary>{html_line(title)}</summary>\n\n{body}\n\n</details>"
