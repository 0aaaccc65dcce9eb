"""Reports of exhaustive readings as Markdown and CSV."""

from collections.abc import Iterator

from workbench.export.escaping import MARK, cell, markdown_quote, markdown_text, row
from workbench.export.text_lines import flowing_quote
from workbench.language import mark, tr, translate, trn
from workbench.model.exhaustive import DocumentReading, DocumentVerdict, Reading, ReadingInfo, ReadingMeter
from workbench.model.hit import Citation

_VERDICTS = {
    DocumentVerdict.YES: mark("yes"),
    DocumentVerdict.NO: mark("no"),
    DocumentVerdict.NOT_SAID: mark("not said"),
    DocumentVerdict.UNREADABLE: mark("unreadable"),
    DocumentVerdict.UNFINISHED: mark("unfinished"),
}
_OFFLINE = {DocumentVerdict.YES: mark("found"), DocumentVerdict.NOT_SAID: mark("not found")}


def reading_markdown(reading: Reading) -> bytes:
    """Return the report of a reading as a Markdown file."""
    return ("\n".join(_lines(reading)).strip() + "\n").encode()


def coverage_words(meter: ReadingMeter) -> str:
    """Return the coverage in words: "Read 812 of 812 passages, 14 of 14 documents, 3 unreadable"."""
    numbers = {"read": meter.read, "documents": meter.documents_read}
    passages = trn("{read:,} of {n:,} passage", "{read:,} of {n:,} passages", meter.passages, **numbers)
    documents = trn("{documents:,} of {n:,} document", "{documents:,} of {n:,} documents", meter.documents, **numbers)
    if not meter.unreadable:
        return tr("Read {passages}, {documents}", passages=passages, documents=documents)
    return tr(
        "Read {passages}, {documents}, {n:,} unreadable",
        passages=passages,
        documents=documents,
        n=meter.unreadable,
    )


def _lines(reading: Reading) -> Iterator[str]:
    info = reading.info
    yield f"# {markdown_text(info.name)}"
    yield ""
    yield tr("Asked of every passage: {question}", question=f"**{markdown_text(info.question)}**")
    yield ""
    within = _describe_scope(info)
    yield f"- {tr('{read}.', read=coverage_words(info.meter))}"
    if within:
        yield f"- {within}"
    yield f"- {markdown_text(translate(info.mode))}"
    if info.thrown_out:
        number = info.thrown_out
        yield f"- {tr('Quotes discarded because their passage does not contain them: {n:,}', n=number)}"
    if not info.is_complete:
        yield f"- {tr('Not finished: {reason}', reason=markdown_text(translate(info.reason)))}"
    for note in reading.notes:
        yield f"- {markdown_text(translate(note))}"
    yield ""
    if reading.conclusion:
        yield f"## {tr('Conclusion')}"
        yield ""
        # Escaped as plain text, because a model may have written anything; its source numbers are explained below.
        for paragraph in reading.conclusion.split("\n"):
            yield markdown_text(translate(paragraph) if info.is_offline else paragraph)
        yield ""
        for number, citation in {one.marker: one for one in reading.citations}.items():
            place = ", ".join(part for part in (citation.document_name, translate(citation.place)) if part)
            description = markdown_text(place) if citation.valid else tr("is not a finding of this reading")
            yield f"- \\[{number}\\] {description}"
        yield ""
    yield f"## {tr('Documents')}"
    yield ""
    yield f"| {' | '.join((tr('Document'), tr('Verdict'), tr('Answer'), tr('Passages read')))} |"
    yield "|---|---|---|---|"
    for one in reading.documents:
        read = tr("{read:,} of {n:,}", read=one.read, n=one.passages)
        cells = (one.name, _verdict(one, offline=info.is_offline), one.answer, read)
        yield f"| {' | '.join(map(markdown_text, cells))} |"
    for one in reading.documents:
        yield from _quotes(one)


def _describe_scope(info: ReadingInfo) -> str:
    base, filter = markdown_text(info.knowledge_base or ""), markdown_text(info.filter)
    if base and filter:
        return tr("Only knowledge base {knowledge_base}, filter {filter}", knowledge_base=base, filter=filter)
    if base:
        return tr("Only knowledge base {knowledge_base}", knowledge_base=base)
    return tr("Only filter {filter}", filter=filter) if filter else ""


def _verdict(one: DocumentReading, *, offline: bool) -> str:
    word = _VERDICTS[one.verdict]
    return tr(_OFFLINE.get(one.verdict, word) if offline else word)


def _quotes(one: DocumentReading) -> Iterator[str]:
    if not one.citations and not one.problem:
        return
    yield ""
    yield f"### {markdown_text(one.name)}"
    if one.problem:
        yield ""
        problem = markdown_text(translate(one.problem))
        yield tr("Unreadable passages: {n:,}. {problem}", n=one.unreadable, problem=problem)
    for citation in one.citations:
        yield ""
        yield markdown_quote(flowing_quote(citation.quote))
        if citation.place:
            yield ">"
            yield f"> — {markdown_text(translate(citation.place))}"


_COLUMNS = (
    *("document", "verdict", "answer", "quote", "place", "passages", "read", "unreadable", "relevant", "differs"),
    "path",
)


def reading_csv(reading: Reading) -> bytes:
    """Return the report of a reading as a CSV file with one row for each quote."""
    rows = [row(_COLUMNS)]
    for one in reading.documents:
        for citation in one.citations or (None,):
            rows.append(row(cell(value) for value in _row(one, citation, offline=reading.info.is_offline)))
    return (MARK + "".join(rows)).encode("utf-8")


def verdict_word(one: DocumentReading, *, offline: bool) -> str:
    """Return a verdict in words; the offline reader's verdicts are "found" and "not found"."""
    if offline:
        return {"yes": "found", "not said": "not found"}.get(one.verdict.value, one.verdict.value)
    return one.verdict.value


def _row(one: DocumentReading, citation: Citation | None, *, offline: bool) -> tuple[str, ...]:
    quote, place, path = (citation.quote, citation.place, citation.path) if citation else ("", "", "")
    numbers = (one.passages, one.read, one.unreadable, one.relevant)
    verdict = verdict_word(one, offline=offline)
    differs = "yes" if one.differs else ""
    return (one.name, verdict, one.answer, quote, place, *map(str, numbers), differs, path)
