"""PDF exporter: a session as pieces of HTML for MuPDF.

MuPDF lays out the pages from HTML generated here, in which only http, https and mailto addresses are links. Nothing is
loaded during layout, and the file contains no script, no form and no attachment.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from workbench.export.base import PRINTED, READING, TITLE, ExportContext, document_list
from workbench.export.cited_pages import CitedPage, CitedPages
from workbench.export.divided_tables import PdfTable, divide_at_tables
from workbench.export.escaping import html_line, html_text
from workbench.export.formulas import set_formulas
from workbench.export.html import prompt_texts, search_tables, step_list
from workbench.export.rendering import LIGHT_CODE, answer_html
from workbench.export.run_transcript import (
    Footnote,
    counted,
    ending,
    footnotes,
    is_technical,
    not_a_source,
    passage_of,
    place_of_text,
    prompts,
    provenance,
    remarks,
    steps,
    when,
    without_repeated_prompts,
)
from workbench.export.text_lines import flowing_quote
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
    usual: ClassVar[Parts] = PRINTED

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
        is_whole: True if the piece begins on the next page rather than being divided between two, if it fits on one.
        table: Table below the body, which stays together with the beginning of the table.
        columns: Pieces that are laid out beside each other below the body.
    """

    html: str = ""
    pictures: dict[str, bytes] = field(default_factory=dict)
    new_page: bool = False
    is_whole: bool = False
    table: PdfTable | None = None
    columns: tuple["PdfPiece", ...] = ()


def pieces(session: Session, context: ExportContext) -> Iterator[PdfPiece]:
    """Yield the pieces of a session: title and answers, the cited pages, documents, and the steps and searches."""
    session = without_repeated_prompts(session)
    technical = is_technical(session)
    pages = CitedPages(session, context.page_image)
    numbers = {(page.name, page.sources): number for number, page in enumerate(pages, start=1)}
    before = _head(session, context)
    for number, run in enumerate(session.runs, start=1):
        notes = footnotes(run, number=number)
        anchors = {
            note.label: f"page-{numbers[page.name, page.sources]}"
            for note in notes
            if (page := pages.of(note.citation)) is not None
        }
        yield from _answered(run, number, notes, before)
        before = ""
        if notes:
            cards = [_card(note, anchors.get(note.label, ""), technical=technical) for note in notes]
            cards[0] = f"<h4>{html_line(tr('Sources'))}</h4>\n{cards[0]}"
            yield from (PdfPiece(card, is_whole=len(card) < _SHORT_CARD) for card in cards)
    if before:
        yield PdfPiece(before)
    yield from _page_pieces(pages)
    if listed := document_list(context, is_technical=technical):
        items = "\n".join(f"<p><b>{html_line(name)}</b><br/>{html_line(about)}</p>" for name, about in listed)
        yield PdfPiece(f"<h2>{html_line(tr(TITLE))}</h2>\n{items}")
    first = True
    for number, run in enumerate(session.runs, start=1):
        made = _appendix(run)
        if made:
            title = f"<h2>{html_line(tr('How the answers were made'))}</h2>" if first else ""
            name = html_line(tr("Question {n}: {question}", n=number, question=run.question))
            yield from _pieces_of(f"{title}\n<h3>{name}</h3>\n{made}", new_page=first)
            first = False


def _head(session: Session, context: ExportContext) -> str:
    about = tr("{questions}. {exported}", questions=counted(session), exported=provenance(context))
    title = html_line(session.info.title) or html_line(tr("Session"))
    return f'<h1>{title}</h1>\n<p class="meta">{html_line(about)}</p>\n'


_SHORT = 400
"""Characters of HTML above a table that are not separated from it."""
_SHORT_CARD = 1200
"""Characters of HTML of a source that is not divided between two pages."""
_COLUMNS = 2
_WIDTH = 215
_TALLEST = 262
"""Width and height of the picture of a page in points: two beside each other, two rows on a page."""
FRAMED = "framed-"
"""Beginning of the id of a paragraph with a picture that gets a frame; the width of the picture follows."""


def _answered(run: Run, number: int, notes: tuple[Footnote, ...], before: str) -> Iterator[PdfPiece]:
    """Yield an answer: its head with the beginning of its text, its tables, and the text between them."""
    answered_by = html_line(translate(run.mode)) or html_line(run.profile)
    meta = f"{html_line(when(run.started))} · {answered_by} · {run.seconds:.1f} s · {html_line(ending(run))}"
    head = f'{before}<h2 id="q{number}">{number}. {html_text(run.question.strip())}</h2>\n<p class="meta">{meta}</p>'
    yield from _pieces_of(f'{head}\n<div class="answer">\n{_answer(run, notes)}\n</div>')
    if told := remarks(run):
        yield PdfPiece("\n".join(f'<p class="remark">{html_line(remark)}</p>' for remark in told))


def _pieces_of(body: str, *, new_page: bool = False) -> Iterator[PdfPiece]:
    """Yield a body divided at its tables, on a new page if wanted; a short text above a table stays with it."""
    for piece in _divided(body):
        yield replace(piece, new_page=new_page)
        new_page = False


def _divided(body: str) -> Iterator[PdfPiece]:
    lead = ""
    for part in divide_at_tables(body):
        if isinstance(part, PdfTable):
            yield PdfPiece(lead, table=part)
            lead = ""
            continue
        if lead:
            yield _text_piece(lead)
        lead = part if len(part) < _SHORT else ""
        if not lead:
            yield _text_piece(part)
    if lead:
        yield _text_piece(lead)


def _text_piece(text: str) -> PdfPiece:
    """Return a piece without a table of its own; a table that could not be taken out of the text is not divided."""
    return PdfPiece(text, is_whole="<table" in text)


def _page_pieces(pages: CitedPages) -> Iterator[PdfPiece]:
    """Yield the cited pages, two beside each other, each above the sources that are on it."""
    shown = [_page_piece(page, number) for number, page in enumerate(pages, start=1)]
    title = f"<h2>{html_line(tr('Cited pages'))}</h2>"
    for first in range(0, len(shown), _COLUMNS):
        yield PdfPiece("" if first else title, columns=tuple(shown[first : first + _COLUMNS]))


def _page_piece(page: CitedPage, number: int) -> PdfPiece:
    by_question: dict[int, dict[int, str]] = {question: {} for question, _ in page.sources}
    for question, note in page.sources:
        # A source of which several passages are cited is linked once.
        marker = note.citation.marker
        by_question[question].setdefault(marker, f'<a href="#{note.label}">[{marker}]</a>')
    cited = "; ".join(
        f"{html_line(tr('question {n}', n=question))} {', '.join(links.values())}"
        for question, links in by_question.items()
    )
    width = min(_WIDTH, round(_TALLEST / page.shape))
    name = f"page-{number}.png"
    caption = f'<p class="where" id="page-{number}"><b>{html_line(page.name)}</b></p>'
    picture = f'<p class="page" id="{FRAMED}{width}"><img src="{name}" width="{width}"/></p>'
    # The sources are below the picture, because there may be more of them than fit on one page.
    return PdfPiece(f'{caption}\n{picture}\n<p class="meta">{cited}</p>', {name: page.png})


def _answer(run: Run, notes: tuple[Footnote, ...]) -> str:
    if not run.answer.strip():
        return f'<p class="meta">{html_line(tr("No answer was given."))}</p>'
    labels = {passage_of(note.citation): note.label for note in notes}

    def link(citation: Citation) -> str:
        return "#" + labels[passage_of(citation)]

    made = answer_html(run.answer, run.citations, link=link, chip=_chips(set()), code_style=LIGHT_CODE)
    return _HEADING.sub(r"<\1h5>", set_formulas(made))


def _chips(anchored: set[str]) -> Callable[[Citation, str], str]:
    def chip(citation: Citation, href: str) -> str:
        if not citation.valid:
            return f'<span class="invalid">[{citation.marker}] {html_line(not_a_source())}</span>'
        label = href.removeprefix("#")
        anchor = "" if label in anchored else f' id="{label}-ref"'
        anchored.add(label)
        return f'<sup class="cite"{anchor}><a href="{href}">[{citation.marker}]</a></sup>'

    return chip


def _card(note: Footnote, page: str, *, technical: bool) -> str:
    """Return a source: where it is, with a link to the picture of its page, its quote, and its technical details."""
    citation = note.citation
    place = html_line(translate(citation.place))
    linked = f'<a href="#{page}">{place}</a>' if page and place else place
    about = citation.path if citation.is_outside else " › ".join(citation.headings)
    back = f'<a class="back" href="#{note.label}-ref">{html_line(tr("back to the answer"))}</a>'
    quote = html_text(flowing_quote(citation.quote)).replace("\n", "<br/>")
    details = [html_line(place_of_text(citation))] if technical else []
    name = f"<b>[{citation.marker}] {html_line(citation.document_name)}</b>{f', {linked}' if place else ''}"
    parts = [
        f'<p class="where" id="{note.label}">{name}</p>',
        f'<p class="meta">{" · ".join([*([html_line(about)] if about else []), back])}</p>',
        f"<blockquote>{quote}</blockquote>",
        *(f'<p class="meta">{one}</p>' for one in details),
    ]
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
