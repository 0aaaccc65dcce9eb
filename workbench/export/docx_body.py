"""Body of an exported Word document: sanitised HTML to WordprocessingML."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from workbench.export.base import TITLE, ExportContext, document_list
from workbench.export.cited_pages import CitedPage, CitedPages
from workbench.export.docx_package import (
    DocxPackage,
    link,
    link_within,
    note_bookmark,
    note_mark,
    note_mark_again,
    page_bookmark,
    page_mark,
    paragraph,
    picture_table,
    run,
    table,
)
from workbench.export.escaping import html_text, one_line
from workbench.export.formulas import set_formulas
from workbench.export.rendering import LIGHT_CODE, answer_html, table_size
from workbench.export.run_transcript import (
    Footnote,
    TranscriptStep,
    argument_fields,
    columns,
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
    search_figures,
    step_time,
    steps,
    when,
    without_repeated_prompts,
)
from workbench.export.text_lines import flowing_quote
from workbench.language import tr, translate
from workbench.model.hit import Citation, Hit, Reference
from workbench.model.run import Run
from workbench.model.session import Session

_COLUMNS = 2
"""Pictures of pages beside each other."""
_SOFT = "5C6570"


class DocxBody:
    """Writer of one document; each footnote is written once, however often its passage is cited."""

    def __init__(self, context: ExportContext) -> None:
        self._context = context
        self._package = DocxPackage()
        self._answers = AnswerWriter(DocxReferences(self._note, self._package.address, self._package.new_list))
        self._waiting: dict[str, tuple[int, Footnote]] = {}
        self._numbers: dict[str, int] = {}
        self._pages: list[CitedPage] = []
        self._page_of: dict[str, int] = {}
        self._is_technical = True

    def finished(self, session: Session) -> bytes:
        """Return the bytes of the file."""
        session = without_repeated_prompts(session)
        title = one_line(session.info.title) or tr("Session")
        self._is_technical = is_technical(session)
        self._pages = list(CitedPages(session, self._context.page_image))
        self._page_of = {
            note.label: number for number, page in enumerate(self._pages, start=1) for _, note in page.sources
        }
        parts = (self._head(session, title), self._read(session), self._cited_pages(), self._documents())
        body = "".join(chain(*parts, self._details(session)))
        return self._package.finished(body, title, self._context.version, self._context.exported)

    def _head(self, session: Session, title: str) -> Iterator[str]:
        about = tr("{questions}. {exported}", questions=counted(session), exported=provenance(self._context))
        yield paragraph(run(title), "Title")
        yield paragraph(run(one_line(about)), "Meta")

    def _read(self, session: Session) -> Iterator[str]:
        for number, answered in enumerate(session.runs, start=1):
            notes = footnotes(answered, number=number)
            self._waiting |= {note.label: (number, note) for note in notes}
            meta = (when(answered.started), translate(answered.mode) or answered.profile, f"{answered.seconds:.1f} s")
            yield paragraph(run(f"{number}. {answered.question.strip()}"), "Heading1")
            yield paragraph(run(one_line(" · ".join((*meta, ending(answered))))), "Meta")
            yield self._answer(answered, notes)
            yield from (paragraph(run(one_line(remark)), "Remark") for remark in remarks(answered))

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
        return self._answers.write(set_formulas(made))

    def _note(self, label: str) -> str:
        """Return the mark of a footnote; add its text to the package at the first mark."""
        if label in self._numbers:
            return note_mark_again(self._numbers[label], label)
        number, note = self._waiting[label]
        text = _note_text(note, number, page=self._page_of.get(label), technical=self._is_technical)
        self._numbers[label] = self._package.add_note(text)
        return note_mark(self._numbers[label], label)

    def _cited_pages(self) -> Iterator[str]:
        """Yield the cited pages, two beside each other, each once, above the footnotes that cite it."""
        cells = [self._cited_page(page, number) for number, page in enumerate(self._pages, start=1)]
        if cells:
            yield paragraph(run(tr("Cited pages")), "Heading1")
            yield picture_table([cells[first : first + _COLUMNS] for first in range(0, len(cells), _COLUMNS)])

    def _cited_page(self, page: CitedPage, number: int) -> str:
        picture = self._package.picture(page.png, tr("{place}, with the passage marked", place=page.name))
        labels = [note.label for _, note in page.sources if note.label in self._numbers]
        marks = run(", ").join(
            link_within(note_bookmark(label), run(str(self._numbers[label]), style="Hyperlink")) for label in labels
        )
        cited = f"{run(chr(10) + tr('Footnotes') + ' ')}{marks}" if labels else ""
        name = run(one_line(page.name), bold=True, colour="1D2127")
        return paragraph(page_mark(number, picture), stays_with_next=True) + paragraph(f"{name}{cited}", "Caption")

    def _documents(self) -> Iterator[str]:
        listed = document_list(self._context, is_technical=self._is_technical)
        if listed:
            yield paragraph(run(tr(TITLE)), "Heading1")
        for name, about in listed:
            # The technical details are long.
            about = run(f"{chr(10) if self._is_technical else ' · '}{about}", colour=_SOFT) if about else ""
            yield paragraph(run(one_line(name), bold=True) + about, is_whole=True)

    def _details(self, session: Session) -> Iterator[str]:
        is_first = True
        for number, answered in enumerate(session.runs, start=1):
            shown_steps, shown_prompts = steps(answered), prompts(answered)
            if not (shown_steps or shown_prompts or answered.references):
                continue
            if is_first:
                yield paragraph(run(tr("How the answers were made")), "Heading1")
            is_first = False
            yield paragraph(
                run(tr("Question {n}: {question}", n=number, question=one_line(answered.question))), "Heading2"
            )
            if shown_steps:
                yield paragraph(run(tr("Steps")), "Heading3")
                numbering = (self._package.new_list(True, 1), 0)
                yield from (part for step in shown_steps for part in _step(step, numbering))
            if answered.references:
                yield paragraph(run(tr("Searches")), "Heading3")
                yield from (part for reference in answered.references for part in _search(reference))
            if shown_prompts:
                yield paragraph(run(tr("Prompts")), "Heading3")
            for part in shown_prompts:
                yield paragraph(run(one_line(part.label), bold=True), stays_with_next=True)
                yield paragraph(run(part.text.strip()), "Code")


def _chip(citation: Citation, label: str) -> str:
    if not citation.valid:
        return f'<span class="{WRONG}">[{citation.marker}] {html_text(not_a_source())}</span>'
    return f'<sup class="{NOTE}" title="{html_text(label)}"></sup>'


def _note_text(note: Footnote, question: int, *, page: int | None, technical: bool) -> str:
    """Return a footnote: the document, the place with a link to the picture of the page, and the quote."""
    citation = note.citation
    about = one_line(citation.path if citation.is_outside else " › ".join(citation.headings)).rstrip(".:。：")
    place = one_line(translate(citation.place))
    linked = link_within(page_bookmark(page), run(place, style="Hyperlink")) if page and place else run(place)
    mark = '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r>'
    parts = [mark, run(" "), run(one_line(citation.document_name), bold=True)]
    parts += [run(", "), linked] if place else []
    parts += [run(f", {about}")] if about else []
    quote = flowing_quote(citation.quote)
    # One paragraph, because LibreOffice joins several paragraphs of a footnote.
    parts += [run(f":{chr(10) if chr(10) in quote else ' '}“{quote}”")] if quote else []
    if technical:
        source = tr("Source {source} of question {question}", source=citation.marker, question=question)
        parts.append(run(f"\n{source} · {place_of_text(citation)}", colour=_SOFT))
    return paragraph("".join(parts), "FootnoteText")


def _step(step: TranscriptStep, numbering: tuple[int, int]) -> Iterator[str]:
    name = run(f"{step.kind} ", bold=True) if step.kind in ("think", "analyze", "tool") else ""
    failed = run(f" {tr('failed')}", style="Wrong") if step.failed else ""
    at = run(f" {step_time(step)}", colour=_SOFT)
    yield paragraph(f"{name}{run(one_line(step.title))}{failed}{at}", "ListNumber", numbering=numbering)
    yield from (
        paragraph(run(f"{one_line(label)}: ", colour=_SOFT) + run(text.strip()), "ListContinue")
        for label, text in (*argument_fields(step.arguments), *step.fields)
    )


def _search(reference: Reference) -> Iterator[str]:
    figures = f" {search_figures(reference)}"
    yield paragraph(run(one_line(reference.query), bold=True) + run(figures, colour=_SOFT), stays_with_next=True)
    if reference.hits:
        rows = [_cells(numbered.number, numbered.hit) for numbered in reference.hits]
        style = _table_style(len(columns()))
        head = [paragraph(run(name, bold=True), style, stays_with_next=True) for name in columns()]
        yield table([head, *rows])


_TABLE_STYLES = {"few": "TableText", "many": "TableTextMany", "most": "TableTextMost"}


def _table_style(columns: int) -> str:
    """Return the style of the text of a table: the more columns, the smaller."""
    return _TABLE_STYLES[table_size(columns)]


def _cells(number: int, hit: Hit) -> list[str]:
    scores = hit.scores
    words = (str(number), hit.document_name, translate(hit.place), " › ".join(hit.headings))
    figures = (
        "" if scores.dense is None else f"{scores.dense:.3f}",
        "" if scores.keyword is None else f"{scores.keyword:.2f}",
        f"{scores.fused:.4f}",
        f"{scores.relevance:.2f}",
    )
    style = _table_style(len(words) + len(figures))
    cells = [paragraph(run(one_line(word)), style) for word in words]
    return cells + [paragraph(run(figure), style, align="right") for figure in figures]


NOTE = "note"
"""Class of the placeholder element of a marker; its title is the footnote's label."""
WRONG = "invalid"
"""Class of an invalid marker."""

_HEADINGS = {"h1": "Heading2", "h2": "Heading2", "h3": "Heading3", "h4": "Heading4", "h5": "Heading5", "h6": "Heading5"}
"""Styles of the headings of an answer, below that of its question."""
_INTRODUCED = ("table", "ul", "ol", "pre")
"""Elements that stay with the paragraph before them."""
_COLOUR = re.compile(r"(?<![-\w])color:\s*#([0-9a-fA-F]{6})")
_ALIGN = re.compile(r"text-align:\s*(left|right|center)")
_BLANKS = re.compile(r"[ \t\r\n]+")
_INLINE = {"a", "b", "br", "code", "em", "i", "s", "span", "strong", "sub", "sup"}
_DEEPEST = 8
_LISTS = ("ListBullet", "ListNumber")
"""Styles of the items of lists: not counted, and counted."""


@dataclass(frozen=True, slots=True)
class DocxReferences:
    """Callbacks into the package: footnote mark by label, relationship of a link by address, number of a new list."""

    note: Callable[[str], str]
    address: Callable[[str], str]
    new_list: Callable[[bool, int], int]


@dataclass(frozen=True, slots=True)
class _Look:
    bold: bool = False
    italic: bool = False
    struck: bool = False
    style: str = ""
    colour: str = ""
    raised: str = ""
    keeps_lines: bool = False


class AnswerWriter:
    """Converter of answers from HTML to body XML."""

    def __init__(self, linked: DocxReferences) -> None:
        self._linked = linked

    def write(self, answer_html: str) -> str:
        """Return the body XML of an answer."""
        # Imported here, because the other formats do not need lxml.
        from lxml import html

        root = html.fragment_fromstring(answer_html, create_parent="div")
        return "".join(self._blocks(root, "Normal", None))

    def _blocks(self, parent: Any, style: str, level: tuple[int, int] | None) -> Iterator[str]:
        """Yield the blocks in an element; text between them becomes separate paragraphs."""
        waiting = _text(parent.text, is_first=True)
        for child in parent:
            if child.tag in _INLINE:
                waiting += self._runs(child, _Look()) + _text(child.tail)
                continue
            if waiting:
                yield self._paragraph(parent, waiting, style, level)
                level = None
            for block in self._block(child, style, level):
                yield block
                level = None
            waiting = _text(child.tail, is_first=True)
        if waiting:
            yield self._paragraph(parent, waiting, style, level)

    def _paragraph(
        self, parent: Any, runs: str, style: str, level: tuple[int, int] | None, *, introduces: bool = False
    ) -> str:
        """Return a paragraph of an element; only the first paragraph of an item has its number or bullet."""
        if style in _LISTS and level is None:
            depth = _list_depth(parent)
            return paragraph(runs, "ListContinue", indent=depth, stays_with_next=introduces)
        return paragraph(runs, style, numbering=level, stays_with_next=introduces)

    def _block(self, element: Any, style: str, level: tuple[int, int] | None) -> Iterator[str]:
        match element.tag:
            case "p":
                following = element.getnext()
                introduces = following is not None and following.tag in _INTRODUCED and not (element.tail or "").strip()
                yield self._paragraph(element, self._runs(element, _Look()), style, level, introduces=introduces)
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                yield paragraph(self._runs(element, _Look()), _HEADINGS[element.tag])
            case "ul" | "ol":
                yield from self._list(element, style)
            case "table":
                yield self._table(element)
            case "pre":
                yield paragraph(self._runs(element, _Look(keeps_lines=True)), "Code", indent=_list_depth(element))
            case "blockquote":
                yield from self._blocks(element, "Quote", None)
            case "hr":
                yield paragraph("", "Rule")
            case "div" if element.get("class") == "formula":
                yield paragraph(self._runs(element, _Look()), style, align="center")
            case _:
                yield from self._blocks(element, style, level)

    def _list(self, element: Any, style: str) -> Iterator[str]:
        depth = min(sum(parent.tag in ("ul", "ol") for parent in element.iterancestors()), _DEEPEST)
        is_ordered = element.tag == "ol"
        start = element.get("start", "1")
        first = int(start) if start.isdecimal() and len(start) < 6 else 1
        number = self._linked.new_list(is_ordered, first)
        named = _LISTS[is_ordered]
        for item in element:
            yield from self._blocks(item, named if style != "Quote" else style, (number, depth))

    def _table(self, element: Any) -> str:
        rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in element.iter("tr")]
        style = _table_style(max(map(len, rows), default=0))
        return table([[self._cell(cell, style) for cell in row] for row in rows if row])

    def _cell(self, cell: Any, style: str) -> str:
        align = _ALIGN.search(cell.get("style", ""))
        runs = self._runs(cell, _Look(bold=cell.tag == "th"))
        side = align[1] if align and align[1] != "left" else ""
        return paragraph(runs, style, align=side, stays_with_next=cell.tag == "th")

    def _runs(self, element: Any, look: _Look) -> str:
        """Return the runs of an element and its children, with its formatting, without its tail."""
        match element.tag:
            case "br":
                return "<w:r><w:br/></w:r>"
            case "sup" if element.get("class") == NOTE:
                return self._linked.note(element.get("title", ""))
            case "strong" | "b":
                look = replace(look, bold=True)
            case "em" | "i":
                look = replace(look, italic=True)
            case "s":
                look = replace(look, struck=True)
            case "sup" | "sub":
                look = replace(look, raised="superscript" if element.tag == "sup" else "subscript")
            case "code" if not look.keeps_lines:
                look = replace(look, style="CodeText")
            case "span":
                look = _style_span(look, element)
            case "a":
                look = replace(look, style="Hyperlink")
        inside = [run(_collapse_blanks(element.text, look), **_as_arguments(look))]
        for child in element:
            inside += [self._runs(child, look), run(_collapse_blanks(child.tail, look), **_as_arguments(look))]
        text = "".join(inside)
        if element.tag != "a" or not text:
            return text
        return link(self._linked.address(element.get("href", "")), text)


def _list_depth(element: Any) -> int:
    """Return the number of list items that contain an element, or are it."""
    return sum(one.tag == "li" for one in (element, *element.iterancestors()))


def _text(text: str | None, *, is_first: bool = False) -> str:
    flowing = _collapse_blanks(text, _Look())
    return run(flowing.lstrip() if is_first else flowing)


def _style_span(look: _Look, element: Any) -> _Look:
    if element.get("class") == WRONG:
        return replace(look, style="Wrong")
    style = element.get("style", "")
    colour = _COLOUR.search(style)
    bold, italic = look.bold or "font-weight: bold" in style, look.italic or "font-style: italic" in style
    return replace(look, bold=bold, italic=italic, colour=colour[1].upper() if colour else look.colour)


def _as_arguments(look: _Look) -> dict[str, Any]:
    return {name: getattr(look, name) for name in ("bold", "italic", "struck", "style", "colour", "raised")}


def _collapse_blanks(text: str | None, look: _Look) -> str:
    if not text or look.keeps_lines:
        return text or ""
    return _BLANKS.sub(" ", text)
