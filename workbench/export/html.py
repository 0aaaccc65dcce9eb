"""HTML exporter: one self-contained page with its style sheet.

The page contains answers, source cards, steps and searches. Its content security policy allows only images from data:
addresses and the page's own style sheet.
"""

import base64
from collections.abc import Sequence
from typing import ClassVar, Protocol

from workbench.export.base import PRINTED, READING, TITLE, ExportContext, document_list
from workbench.export.cited_pages import CitedPages
from workbench.export.escaping import html_line, html_text
from workbench.export.formulas import set_formulas
from workbench.export.rendering import DARK_CODE, LIGHT_CODE, answer_html, code_css, invalid_title
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
from workbench.language import language, mark, tr, translate
from workbench.model.hit import Citation, Hit, Reference
from workbench.model.message import PromptSection
from workbench.model.run import Run
from workbench.model.session import Part, Parts, Session

_SCORES = 4
"""Number of score columns of a table of hits; they are the last ones."""


class PageImages(Protocol):
    """Protocol of a provider of page images by address."""

    def address(self, note: Footnote) -> str:
        """Return the address of the page with the passage highlighted, or the anchor of the card that shows it.

        An anchor begins with "#". The address is empty if there is no page to show.
        """
        ...


class EmbeddedImages:
    """Page images as data: addresses; each page is shown once, with all passages that are cited on it."""

    def __init__(self, pages: CitedPages) -> None:
        self._pages = pages

    def address(self, note: Footnote) -> str:
        """Return the data: address at the first card of a page, the anchor of that card at the others."""
        page = self._pages.of(note.citation)
        if page is None:
            return ""
        first = page.sources[0][1].label
        if note.label != first:
            return f"#{first}"
        return "data:image/png;base64," + base64.b64encode(page.png).decode("ascii")


def source_cards(notes: Sequence[Footnote], images: PageImages, *, technical: bool = True) -> str:
    """Return a card for each cited passage: its place, the quote, and the page with the quote highlighted.

    With technical, the card also has the position in the text of the document and its hash.
    """
    if not notes:
        return ""
    cards = "\n".join(_card(note, images, technical=technical) for note in notes)
    title = html_line(tr("Sources"))
    return f'<section class="sources">\n<h3>{title}</h3>\n<ol class="sources">\n{cards}\n</ol>\n</section>'


def folded_steps(run: Run) -> str:
    """Return the steps of a run as a folded list; empty if nothing was recorded."""
    shown = steps(run)
    return _fold(tr("Steps ({n})", n=len(shown)), step_list(shown)) if shown else ""


def folded_searches(run: Run) -> str:
    """Return the searches of a run with their hits and scores, folded; empty if there was none."""
    if not run.references:
        return ""
    return _fold(tr("Searches ({n})", n=len(run.references)), search_tables(run))


def folded_prompts(run: Run) -> str:
    """Return the prompts of a run, folded; empty if there was none or prompts are left out."""
    shown = prompts(run)
    return _fold(tr("Prompts ({n})", n=len(shown)), prompt_texts(shown)) if shown else ""


def step_list(told: Sequence[TranscriptStep]) -> str:
    """Return steps as a list."""
    items = "\n".join(_step(step) for step in told)
    return f'<ol class="steps">\n{items}\n</ol>'


def search_tables(run: Run) -> str:
    """Return each search of a run with its hits and scores."""
    return "\n".join(_search(reference) for reference in run.references)


def prompt_texts(told: Sequence[PromptSection]) -> str:
    """Return the sections of prompts, each under its name."""
    return "\n".join(
        f'<h4>{html_line(part.label)}</h4>\n<pre class="data">{html_text(part.text)}</pre>' for part in told
    )


def _fold(title: str, body: str) -> str:
    return f"<details>\n<summary>{html_line(title)}</summary>\n{body}\n</details>"


def _card(note: Footnote, images: PageImages, *, technical: bool) -> str:
    citation = note.citation
    place = translate(citation.place)
    page = html_line(f", {place}") if place else ""
    # A source outside the library has no headings; its path or address is shown instead.
    about = citation.path if citation.is_outside else " › ".join(citation.headings)
    headings = f'<p class="meta">{html_line(about)}</p>' if about else ""
    address = images.address(note)
    name = html_line(citation.document_name)
    back = f'<a class="back" href="#{note.label}-ref" title="{html_line(tr("Back to the answer"))}">↩</a>'
    label = html_line(tr("{place}, with the passage marked", place=place.capitalize() or tr("The page")))
    pictured = tr("{place}, with the passage marked", place=f"{name}{page}")
    if address.startswith("#"):
        image = f'<p class="meta"><a href="{address}">{label}</a></p>'
    else:
        shown = f'<details>\n<summary>{label}</summary>\n<img src="{address}" alt="{pictured}">\n</details>'
        image = shown if address else ""
    parts = (
        f'<li id="{note.label}">',
        f'<p class="where"><span class="tag">{citation.marker}</span>{name}{page}{back}</p>',
        headings,
        f'<blockquote class="quote">{html_text(flowing_quote(citation.quote))}</blockquote>',
        f'<p class="meta">{html_line(place_of_text(citation))}</p>' if technical else "",
        image,
        "</li>",
    )
    return "\n".join(part for part in parts if part)


def _step(step: TranscriptStep) -> str:
    name = f"<strong>{step.kind}</strong> " if step.kind in ("think", "analyze", "tool", "plan") else ""
    failed = f' <span class="invalid">{html_line(tr("failed"))}</span>' if step.failed else ""
    parts = [f'<li>{name}{html_line(step.title)}{failed} <span class="time">{html_line(step_time(step))}</span>']
    shown = (*argument_fields(step.arguments), *step.fields)
    if shown:
        fields = "\n".join(f"<dt>{html_line(label)}</dt><dd>{html_text(text.strip())}</dd>" for label, text in shown)
        parts.append(f"<dl>\n{fields}\n</dl>")
    return "\n".join([*parts, "</li>"])


def _search(reference: Reference) -> str:
    head = (
        f'<p><span class="query">{html_line(reference.query)}</span> '
        f'<span class="meta">{html_line(search_figures(reference))}</span></p>'
    )
    if not reference.hits:
        return head
    rows = "\n".join(_row(numbered.number, numbered.hit) for numbered in reference.hits)
    names = list(map(html_line, columns()))
    heads = "".join(f"<th>{name}</th>" for name in names[:-_SCORES])
    heads += "".join(f'<th class="score">{name}</th>' for name in names[-_SCORES:])
    table = f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    return f'{head}\n<div class="scroll">{table}</div>'


def _row(number: int, hit: Hit) -> str:
    scores = hit.scores
    words = (
        str(number),
        html_line(hit.document_name),
        html_line(translate(hit.place)),
        html_line(" › ".join(hit.headings)),
    )
    figures = (
        "" if scores.dense is None else f"{scores.dense:.3f}",
        "" if scores.keyword is None else f"{scores.keyword:.2f}",
        f"{scores.fused:.4f}",
        f"{scores.relevance:.2f}",
    )
    cells = "".join(f"<td>{word}</td>" for word in words) + "".join(f'<td class="score">{f}</td>' for f in figures)
    return f"<tr>{cells}</tr>"


POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


class HtmlExporter:
    """Exporter of self-contained HTML pages."""

    format: ClassVar[str] = "html"
    suffix: ClassVar[str] = ".html"
    title: ClassVar[str] = mark("Web page")
    description: ClassVar[str] = mark("One page for any browser, with the cited pages.")
    offered: ClassVar[Parts] = READING | {Part.PAGES, Part.PROMPTS}
    usual: ClassVar[Parts] = PRINTED

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole page, UTF-8."""
        return page_of(session, context, EmbeddedImages(CitedPages(session, context.page_image)))


def page_of(session: Session, context: ExportContext, images: PageImages, *, policy: str = POLICY) -> bytes:
    """Return the page of a session.

    Args:
        session: The session.
        context: Program version, time and library of the export.
        images: Provider of the page images.
        policy: Content security policy of the page.
    """
    session = without_repeated_prompts(session)
    title = html_line(session.info.title) or html_line(tr("Session"))
    technical = is_technical(session)
    runs = "\n".join(_run(run, number, images, technical=technical) for number, run in enumerate(session.runs, start=1))
    page = f"""<!DOCTYPE html>
<html lang="{language().replace("_", "-")}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Knowledge Workbench {html_line(context.version)}">
<title>{title}</title>
<style>{style_sheet()}</style>
</head>
<body>
<header class="page">
<h1>{title}</h1>
<p class="meta">{html_line(counted(session))}</p>
</header>
<main>
{runs}
{_documents(context, technical=technical)}
</main>
<footer class="page">
<p>{html_line(tr("{exported} This page loads nothing from anywhere.", exported=provenance(context)))}</p>
</footer>
</body>
</html>
"""
    return page.encode("utf-8")


def _documents(context: ExportContext, *, technical: bool) -> str:
    listed = "\n".join(
        f"<li><strong>{html_line(name)}</strong><br>{html_line(about)}</li>"
        for name, about in document_list(context, is_technical=technical)
    )
    return (
        f'<section class="documents">\n<h3>{html_line(tr(TITLE))}</h3>\n<ul>\n{listed}\n</ul>\n</section>'
        if listed
        else ""
    )


def _run(run: Run, number: int, images: PageImages, *, technical: bool) -> str:
    notes = footnotes(run, number=number)
    answered_by = html_line(translate(run.mode)) or html_line(run.profile)
    meta = f"{html_line(when(run.started))} · {answered_by} · {run.seconds:.1f} s · {html_line(ending(run))}"
    parts = [
        f'<article id="q{number}">',
        f'<h2><span class="number">{number}</span>{html_text(run.question.strip())}</h2>',
        f'<p class="meta">{meta}</p>',
        f'<div class="answer">\n{_answer(run, notes)}\n</div>',
        *(f'<p class="remark">{html_line(remark)}</p>' for remark in remarks(run)),
        source_cards(notes, images, technical=technical),
        folded_steps(run),
        folded_searches(run),
        folded_prompts(run),
        "</article>",
    ]
    return "\n".join(part for part in parts if part)


def _answer(run: Run, notes: tuple[Footnote, ...]) -> str:
    labels = {passage_of(note.citation): note.label for note in notes}
    anchored: set[str] = set()

    def link(citation: Citation) -> str:
        return "#" + labels[passage_of(citation)]

    def chip(citation: Citation, href: str) -> str:
        if not citation.valid:
            title = html_line(translate(invalid_title(citation)))
            wrong = html_line(not_a_source())
            return f'<span class="invalid" title="{title}">[{citation.marker}] {wrong}</span>'
        # Only the first marker of a passage gets the anchor to which its card links back.
        label = href.removeprefix("#")
        anchor = "" if label in anchored else f' id="{label}-ref"'
        anchored.add(label)
        name = html_line(citation.document_name)
        return f'<sup class="cite"><a href="{href}"{anchor} title="{name}">{citation.marker}</a></sup>'

    if not run.answer.strip():
        return f'<p class="meta">{html_line(tr("No answer was given."))}</p>'
    return set_formulas(answer_html(run.answer, run.citations, link=link, chip=chip))


_STYLE = """
:root {
  color-scheme: light dark;
  --ground: #fbfbfa; --paper: #ffffff; --ink: #1d2127; --soft: #5c6570; --line: #e1e4e8;
  --accent: #1f6f78; --accent-soft: #e3f0f1; --mark: #fff4cf; --warn: #a4401f; --warn-soft: #fbeae4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16191d; --paper: #1d2126; --ink: #e6e8eb; --soft: #9ba4af; --line: #333a42;
    --accent: #6cc3cb; --accent-soft: #1f3a3d; --mark: #3d3720; --warn: #f0a184; --warn-soft: #40261d;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.62 "Inter", "Segoe UI", system-ui, -apple-system, "Noto Sans", "Noto Sans CJK SC", sans-serif;
}
main, header.page, footer.page { max-width: 54rem; margin: 0 auto; padding: 0 1.5rem; }
header.page { padding-top: 3rem; }
header.page h1 { font-size: 1.9rem; line-height: 1.25; margin: 0 0 .4rem; letter-spacing: -.01em; }
footer.page { padding-bottom: 3rem; color: var(--soft); font-size: .85rem; }
.meta { color: var(--soft); font-size: .88rem; margin: 0; }
article {
  background: var(--paper); border: 1px solid var(--line); border-radius: 12px;
  padding: 1.6rem 1.9rem; margin: 1.6rem 0;
}
article > h2 { font-size: 1.2rem; line-height: 1.4; margin: 0 0 .3rem; white-space: pre-wrap; }
.number { color: var(--accent); margin-right: .5rem; }
.answer { margin: 1.1rem 0 .6rem; overflow-wrap: anywhere; }
.answer h1, .answer h2, .answer h3, .answer h4 { font-size: 1.05rem; margin: 1.2em 0 .4em; }
.answer blockquote { margin: .8em 0; padding: .1em 1em; border-left: 3px solid var(--line); color: var(--soft); }
.answer a { color: var(--accent); }
.code pre, pre.data {
  background: var(--ground); border: 1px solid var(--line); border-radius: 8px;
  padding: .8rem 1rem; overflow-x: auto; font-size: .86rem; line-height: 1.5;
}
code, pre { font-family: "JetBrains Mono", "Cascadia Code", "SF Mono", "DejaVu Sans Mono", monospace; }
pre.data { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; margin: .6rem 0 1rem; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
.answer table { overflow-wrap: break-word; }
.answer table:has(tr > :nth-child(7)) { display: block; overflow-x: auto; }
td.score, th.score { text-align: right; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
sup.cite { line-height: 0; margin: 0 .12em; white-space: nowrap; }
sup.cite a, .tag {
  display: inline-block; min-width: 1.5em; padding: .32em .42em; border-radius: 6px; line-height: 1;
  background: var(--accent-soft); color: var(--accent); font-size: .74rem; font-weight: 600;
  text-align: center; text-decoration: none; font-variant-numeric: tabular-nums;
}
sup.cite a:hover, sup.cite a:focus-visible { background: var(--accent); color: var(--paper); }
.invalid { color: var(--warn); background: var(--warn-soft); border-radius: 6px; padding: 0 .35em; font-size: .84em; }
.remark { color: var(--warn); background: var(--warn-soft); border-radius: 8px; padding: .6rem .9rem; margin: .8rem 0; }
section.documents { font-size: .85rem; color: var(--soft); overflow-wrap: anywhere; }
section.documents strong { color: var(--ink); }
section.sources h3, section.documents h3 {
  font-size: .82rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft);
}
ol.sources { list-style: none; padding: 0; margin: 0; display: grid; gap: .8rem; }
ol.sources > li { border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1.1rem; scroll-margin: 1rem; }
ol.sources > li:target { border-color: var(--accent); box-shadow: 0 0 0 3px var(--accent-soft); }
.where { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.where .tag { margin-right: .5rem; vertical-align: .1em; }
.back { color: var(--soft); text-decoration: none; font-weight: 400; margin-left: .4rem; }
blockquote.quote {
  margin: .6rem 0; padding: .55rem .9rem; background: var(--mark); border-radius: 6px;
  white-space: pre-wrap; overflow-wrap: anywhere;
}
.sources img { display: block; max-width: 100%; border: 1px solid var(--line); border-radius: 6px; background: #fff; }
details { border-top: 1px solid var(--line); padding: .6rem 0 0; margin-top: .8rem; }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
summary:hover { color: var(--ink); }
.sources details { border: 0; padding: 0; margin-top: .4rem; }
.sources details img { margin-top: .6rem; }
ol.steps { padding-left: 1.4rem; font-size: .92rem; overflow-wrap: anywhere; }
ol.steps li { margin: .7rem 0; }
ol.steps .time { color: var(--soft); font-size: .82rem; margin-left: .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; margin: .3rem 0; }
dt { color: var(--soft); }
dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.query { font-weight: 600; }
@media print {
  :root { --ground: #fff; --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --accent: #14545b;
    --accent-soft: #eef5f5; --mark: #fbf6e3; --warn: #7c2d12; --warn-soft: #fff; }
  html { font-size: 9.5pt; }
  body { font-size: 1rem; line-height: 1.45; }
  .remark { padding: 0; margin: .2rem 0; }
  ol.sources > li { padding: .4rem .7rem; }
  main, header.page, footer.page { max-width: none; padding: 0; }
  article { border: 0; border-top: 1px solid #999; border-radius: 0; padding: 1rem 0; }
  ol.steps li, tr, blockquote, img { break-inside: avoid; }
  h2, h3, summary, .where { break-after: avoid; }
  .back { display: none; }
  .sources img { max-height: 9cm; width: auto; }
  .answer table:has(tr > :nth-child(7)) { display: table; overflow-wrap: anywhere; }
  table:has(tr > :nth-child(7)) { font-size: 7.5pt; }
  .answer table:has(tr > :nth-child(11)) { font-size: 6.5pt; }
  table:has(tr > :nth-child(7)) :is(th, td) { padding: .2rem .3rem; }
  thead { display: table-header-group; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""


def style_sheet() -> str:
    """Return the whole style sheet, including the colours of code."""
    return f"{_STYLE}{code_css(LIGHT_CODE)}\n@media (prefers-color-scheme: dark) {{\n{code_css(DARK_CODE)}\n}}\n"
