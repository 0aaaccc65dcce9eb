"""A reading of every passage -> Markdown: what was asked, how much was read, the table, every quote with its place."""

from collections.abc import Iterator

from workbench.export.escaping import markdown_quote, markdown_text
from workbench.export.exhaustive_csv import verdict_word
from workbench.model.exhaustive import DocumentReading, Reading


def reading_markdown(reading: Reading) -> bytes:
    """Return the whole file."""
    return ("\n".join(_lines(reading)).strip() + "\n").encode()


def _lines(reading: Reading) -> Iterator[str]:
    info = reading.info
    yield f"# {markdown_text(info.name)}"
    yield ""
    yield f"Asked of every passage: **{markdown_text(info.question)}**"
    yield ""
    within = [f"knowledge base {markdown_text(info.knowledge_base)}"] if info.knowledge_base else []
    within += [f"filter {markdown_text(info.filter)}"] if info.filter else []
    yield f"- {info.meter.sentence}."
    if within:
        yield f"- Only {', '.join(within)}"
    yield f"- {markdown_text(info.mode)}"
    if info.thrown_out:
        yield f"- Quotes thrown out because they stand nowhere in their passage: {info.thrown_out:,}"
    if not info.is_complete:
        yield f"- Not finished: {markdown_text(info.reason)}"
    for note in reading.notes:
        yield f"- {markdown_text(note)}"
    yield ""
    if reading.conclusion:
        yield "## Conclusion"
        yield ""
        # Plain text: what a model wrote could hold anything, and its numbers are explained below.
        for paragraph in reading.conclusion.split("\n"):
            yield markdown_text(paragraph)
        yield ""
        for number, citation in {one.marker: one for one in reading.citations}.items():
            where = ", ".join(part for part in (citation.document_name, citation.place) if part)
            yield f"- \\[{number}\\] {markdown_text(where) if citation.valid else 'is not a finding of this reading'}"
        yield ""
    yield "## Documents"
    yield ""
    yield "| Document | Verdict | Answer | Passages read |"
    yield "|---|---|---|---|"
    for one in reading.documents:
        cells = (one.name, verdict_word(one, offline=info.is_offline), one.answer, f"{one.read:,} of {one.passages:,}")
        yield f"| {' | '.join(map(markdown_text, cells))} |"
    for one in reading.documents:
        yield from _quotes(one)


def _quotes(one: DocumentReading) -> Iterator[str]:
    if not one.citations and not one.problem:
        return
    yield ""
    yield f"### {markdown_text(one.name)}"
    if one.problem:
        yield ""
        yield f"Unreadable passages: {one.unreadable:,}. {markdown_text(one.problem)}"
    for citation in one.citations:
        yield ""
        yield markdown_quote(citation.quote)
        if citation.place:
            yield ">"
            yield f"> — {markdown_text(citation.place)}"
