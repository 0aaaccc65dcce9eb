"""PDF exporter: a session as pieces of HTML for MuPDF.

MuPDF lays out the pages from HTML generated here, in which only http, https and mailto addresses are links. Nothing is
loaded during layout, and the file contains no script, no form and no attachment.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from workbench.export.base import READING, TITLE, ExportContext, PageImage, document_list, drawn
from workbench.export.escaping import html_line, html_text
from workbench.export.html import prompt_texts, quote_class, search_tables, step_list
from workbench.export.rendering import LIGHT_CODE, answer_html
from workbench.export.run_transcript import (
    Footnote,
    counted,
    ending,
    footnotes,
    not_a_source,
    passage_of,
    place_of_text,
    prompts,
    provenance,
    remarks,
    steps,
    when,
)
from workbench.language import mark, tr, translate
from workbench.model.hit import Citation
from workbench.model.run import Run
from workbench.model.session import Part, Parts, Session


class PdfExporter:
    """Exporter of PDF files."""

    format: ClassVar[str] = "pdf"
    suffix: ClassVar[str] = ".pdf"
    title: ClassVar[str] = "PDF"
    description: ClassVar[str] = mark("Pages to print and keep, with the cited pages.")
    offered: ClassVar[Parts] = READING | {Part.PAGES, Part.PROMPTS}
    usual: ClassVar[Parts] = READING | {Part.PAGES}

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file; the same session and time give the same bytes."""
        # Imported here, because it takes 0.2 s and 40 MB and the window's process does not need it.
        from workbench.export.pdf_layout import PdfPages

        pages = PdfPages()
        for piece in pieces(session, context):
            pages.add(piece)
        return pages.finished(session.info.title.strip() or tr("Session"), context.version, context.exported)


_HEADING = re.compile(r"<(/?)h[1-6]>")
"""Headings in sanitised HTML; an answer's headings are set below its question, whatever their level."""


@dataclass(slots=True)
class PdfPiece:
    """Piece of the document that is laid out at once.

    Attributes:
        html: Body of the piece.
        pictures: PNGs by the name by which the body refers to them.
        new_page: True if the piece begins on a new page.
    """

    html: str
    pictures: dict[str, bytes] = field(default_factory=dict)
    new_page: bool = False


def pieces(session: Session, context: ExportContext) -> Iterator[PdfPiece]:
    """Yield the pieces of a session: title with the first answer, other answers, documents, steps and searches."""
    before = _head(session, context)
    for number, run in enumerate(session.runs, start=1):
        piece = _answered(run, number, context.page_image)
        piece.html = before + piece.html
        before = ""
        yield piece
    if before:
        yield PdfPiece(before)
    if listed := document_list(context):
        items = "\n".join(f"<p><b>{html_line(name)}</b><br/>{html_line(about)}</p>" for name, about in listed)
        yield PdfPiece(f"<h2>{html_line(tr(TITLE))}</h2>\n{items}")
    first = True
    for number, run in enumerate(session.runs, start=1):
        made = _appendix(run)
        if made:
            title = f"<h2>{html_line(tr('How the answers were made'))}</h2>" if first else ""
            name = html_line(tr("Question {n}: {question}", n=number, question=run.question))
            yield PdfPiece(f"{title}\n<h3>{name}</h3>\n{made}", new_page=first)
            first = False


def _head(session: Session, context: ExportContext) -> str:
    about = tr("{questions}. {exported}", questions=counted(session), exported=provenance(context))
    title = html_line(session.info.title) or html_line(tr("Session"))
    return f'<h1>{title}</h1>\n<p class="meta">{html_line(about)}</p>\n'


def _answered(run: Run, number: int, page_image: PageImage) -> PdfPiece:
    notes = footnotes(run, number=number)
    answered_by = html_line(translate(run.mode)) or html_line(run.profile)
    meta = f"{html_line(when(run.started))} · {answered_by} · {run.seconds:.1f} s · {html_line(ending(run))}"
    pictures: dict[str, bytes] = {}
    cards = [_card(note, pictures, page_image) for note in notes]
    parts = [
        f'<h2 id="q{number}">{number}. {html_text(run.question.strip())}</h2>',
        f'<p class="meta">{meta}</p>',
        f'<div class="answer">\n{_answer(run, notes)}\n</div>',
        *(f'<p class="remark">{html_line(remark)}</p>' for remark in remarks(run)),
        *([f"<h4>{html_line(tr('Sources'))}</h4>", *cards] if cards else []),
    ]
    return PdfPiece("\n".join(parts), pictures)


def _answer(run: Run, notes: tuple[Footnote, ...]) -> str:
    if not run.answer.strip():
        return f'<p class="meta">{html_line(tr("No answer was given."))}</p>'
    labels = {passage_of(note.citation): note.label for note in notes}

    def link(citation: Citation) -> str:
        return "#" + labels[passage_of(citation)]

    made = answer_html(run.answer, run.citations, link=link, chip=_chips(set()), code_style=LIGHT_CODE)
    return _HEADING.sub(r"<\1h5>", made)


def _chips(anchored: set[str]) -> Callable[[Citation, str], str]:
    def chip(citation: Citation, href: str) -> str:
        if not citation.valid:
            return f'<span class="invalid">[{citation.marker}] {html_line(not_a_source())}</span>'
        label = href.removeprefix("#")
        anchor = "" if label in anchored else f' id="{label}-ref"'
        anchored.add(label)
        return f'<sup class="cite"{anchor}><a href="{href}">[{citation.marker}]</a></sup>'

    return chip


def _card(note: Footnote, pictures: dict[str, bytes], page_image: PageImage) -> str:
    citation = note.citation
    place = html_line(f", {translate(citation.place)}") if citation.place else ""
    about = citation.path if citation.is_outside else " › ".join(citation.headings)
    back = f'<a class="back" href="#{note.label}-ref">{html_line(tr("back to the answer"))}</a>'
    quote = html_text(citation.quote.strip())
    if "flowing" not in quote_class(citation.quote):
        quote = quote.replace("\n", "<br/>")
    parts = [
        f'<p class="where" id="{note.label}"><b>[{citation.marker}] {html_line(citation.document_name)}</b>{place}</p>',
        f'<p class="meta">{html_line(about)}</p>' if about else "",
        f"<blockquote>{quote}</blockquote>",
        f'<p class="meta">{html_line(place_of_text(citation))} · {back}</p>',
    ]
    if png := drawn(page_image, citation):
        pictures[f"{note.label}.png"] = png
        parts.append(f'<p class="page"><img src="{note.label}.png"/></p>')
    return "\n".join(part for part in parts if part)


def _appendix(run: Run) -> str:
    shown_steps, shown_prompts = steps(run), prompts(run)
    parts = [
        _titled(tr("Steps"), step_list(shown_steps)) if shown_steps else "",
        _titled(tr("Searches"), search_tables(run)) if run.references else "",
        _titled(tr("Prompts"), prompt_texts(shown_prompts)) if shown_prompts else "",
    ]
    return "\n".join(part for part in parts if part)


def _titled(title: str, body: str) -> str:
    return f"<h4>{html_line(title)}</h4>\n{body}"
