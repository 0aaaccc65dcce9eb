"""A session -> the body of a Word document: first what is read, then how the answers were made."""

from collections.abc import Iterator

from workbench.export.base import ExportContext
from workbench.export.document_list import TITLE, document_list
from workbench.export.docx_answer import NOTE, WRONG, AnswerWriter, Linked
from workbench.export.docx_package import DocxPackage
from workbench.export.docx_xml import note_mark, note_mark_again, paragraph, run, table
from workbench.export.escaping import html_text, one_line
from workbench.export.pictures import drawn
from workbench.export.rendering import LIGHT_CODE, answer_html
from workbench.export.transcript import (
    Footnote,
    Step,
    columns,
    counted,
    ending,
    footnotes,
    not_a_source,
    passage_of,
    place_of_text,
    prompts,
    provenance,
    remarks,
    search_figures,
    step_time,
    steps,
    when,
)
from workbench.language import said, tr
from workbench.model.hit import Citation, Hit, Reference
from workbench.model.run import Run
from workbench.model.session import Session


class DocxBody:
    """Writes one document; each footnote once, however often its passage is cited."""

    def __init__(self, context: ExportContext) -> None:
        self._context = context
        self._package = DocxPackage()
        self._answers = AnswerWriter(Linked(self._note, self._package.address, self._package.new_list))
        self._waiting: dict[str, tuple[int, Footnote]] = {}
        self._numbers: dict[str, int] = {}

    def finished(self, session: Session) -> bytes:
        """Return the file."""
        title = one_line(session.info.title) or tr("Session")
        body = "".join([*self._head(session, title), *self._read(session), *self._documents(), *self._made(session)])
        return self._package.finished(body, title, self._context.version, self._context.exported)

    def _head(self, session: Session, title: str) -> Iterator[str]:
        about = tr("{questions}. {exported}", questions=counted(session), exported=provenance(self._context))
        yield paragraph(run(title), "Title")
        yield paragraph(run(one_line(about)), "Meta")

    def _read(self, session: Session) -> Iterator[str]:
        for number, answered in enumerate(session.runs, start=1):
            notes = footnotes(answered, number=number)
            self._waiting |= {note.label: (number, note) for note in notes}
            meta = (when(answered.started), said(answered.mode) or answered.profile, f"{answered.seconds:.1f} s")
            yield paragraph(run(f"{number}. {answered.question.strip()}"), "Heading1")
            yield paragraph(run(one_line(" · ".join((*meta, ending(answered))))), "Meta")
            yield self._answer(answered, notes)
            yield from (paragraph(run(one_line(remark)), "Remark") for remark in remarks(answered))
            yield from self._pictures(notes)

    def _answer(self, answered: Run, notes: tuple[Footnote, ...]) -> str:
        if not answered.answer.strip():
            return paragraph(run(tr("No answer was given.")), "Meta")
        labels = {passage_of(note.citation): note.label for note in notes}
        made = answer_html(
            answered.answer,
            answered.citations,
            link=lambda citation: labels[passage_of(citation)],
            chip=_chip,
            code_style=LIGHT_CODE,
        )
        return self._answers.write(made)

    def _note(self, label: str) -> str:
        """Return the mark of a footnote; its text is kept at its first."""
        if label in self._numbers:
            return note_mark_again(self._numbers[label], label)
        number, note = self._waiting[label]
        self._numbers[label] = self._package.add_note(_note_text(note, number))
        return note_mark(self._numbers[label], label)

    def _pictures(self, notes: tuple[Footnote, ...]) -> Iterator[str]:
        shown: list[bytes] = []
        for note in notes:
            png = drawn(self._context.page_image, note.citation)
            if png is None or png in shown:
                continue
            if not shown:
                yield paragraph(run(tr("Cited pages")), "Heading2")
            shown.append(png)
            name = ", ".join(part for part in (note.citation.document_name, said(note.citation.place)) if part)
            yield paragraph(self._package.picture(png, tr("{place}, with the passage marked", place=name)))
            yield paragraph(run(one_line(name)), "Meta")

    def _documents(self) -> Iterator[str]:
        listed = document_list(self._context)
        if listed:
            yield paragraph(run(tr(TITLE)), "Heading1")
        for name, about in listed:
            yield paragraph(run(f"{one_line(name)}\n", bold=True) + run(about, colour="5C6570"))

    def _made(self, session: Session) -> Iterator[str]:
        is_first = True
        for number, answered in enumerate(session.runs, start=1):
            told, asked = steps(answered), prompts(answered)
            if not (told or asked or answered.references):
                continue
            if is_first:
                yield paragraph(run(tr("How the answers were made")), "Heading1")
            is_first = False
            yield paragraph(
                run(tr("Question {n}: {question}", n=number, question=one_line(answered.question))), "Heading2"
            )
            if told:
                yield paragraph(run(tr("Steps")), "Heading3")
                numbering = (self._package.new_list(True, 1), 0)
                yield from (part for step in told for part in _step(step, numbering))
            if answered.references:
                yield paragraph(run(tr("Searches")), "Heading3")
                yield from (part for reference in answered.references for part in _search(reference))
            if asked:
                yield paragraph(run(tr("Prompts")), "Heading3")
            for part in asked:
                yield paragraph(run(one_line(part.label), bold=True))
                yield paragraph(run(part.text), "Code")


def _chip(citation: Citation, label: str) -> str:
    if not citation.valid:
        return f'<span class="{WRONG}">[{citation.marker}] {html_text(not_a_source())}</span>'
    return f'<sup class="{NOTE}" title="{html_text(label)}"></sup>'


def _note_text(note: Footnote, question: int) -> str:
    citation = note.citation
    about = citation.path if citation.is_outside else " › ".join(citation.headings)
    place = "".join(f", {one_line(part)}" for part in (said(citation.place), about) if part)
    mark = '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r>'
    named = f"{mark}{run(' ')}{run(one_line(citation.document_name), bold=True)}{run(place)}"
    source = tr("Source {source} of question {question}", source=citation.marker, question=question)
    # One paragraph: LibreOffice runs several of a footnote together.
    quote = run(f"\n“{citation.quote.strip()}”\n")
    return paragraph(named + quote + run(f"{source} · {place_of_text(citation)}", colour="5C6570"), "FootnoteText")


def _step(step: Step, numbering: tuple[int, int]) -> Iterator[str]:
    name = run(f"{step.kind} ", bold=True) if step.kind in ("think", "analyze", "tool") else ""
    failed = run(f" {tr('failed')}", style="Wrong") if step.failed else ""
    at = run(f" {step_time(step)}", colour="5C6570")
    yield paragraph(f"{name}{run(one_line(step.title))}{failed}{at}", "ListNumber", numbering=numbering)
    if step.arguments:
        yield paragraph(run(step.arguments), "Code")
    yield from (
        paragraph(run(f"{label}: ", colour="5C6570") + run(text.strip()), "ListContinue") for label, text in step.fields
    )


def _search(reference: Reference) -> Iterator[str]:
    figures = f" {search_figures(reference)}"
    yield paragraph(run(one_line(reference.query), bold=True) + run(figures, colour="5C6570"))
    if reference.hits:
        rows = [_cells(numbered.number, numbered.hit) for numbered in reference.hits]
        head = [paragraph(run(name, bold=True), "TableText") for name in columns()]
        yield table([head, *rows])


def _cells(number: int, hit: Hit) -> list[str]:
    scores = hit.scores
    words = (str(number), hit.document_name, said(hit.place), " › ".join(hit.headings))
    figures = (
        "" if scores.dense is None else f"{scores.dense:.3f}",
        "" if scores.keyword is None else f"{scores.keyword:.2f}",
        f"{scores.fused:.4f}",
        f"{scores.relevance:.2f}",
    )
    cells = [paragraph(run(one_line(word)), "TableText") for word in words]
    return cells + [paragraph(run(figure), "TableText", align="right") for figure in figures]
