"""A session as one HTML page that needs nothing but itself: no script, no request, page images inside it.

The content security policy in the page says the same to the browser: only images out of data: addresses and the style
sheet of the page itself.
"""

from typing import ClassVar

from workbench.export.base import READING, ExportContext
from workbench.export.document_list import TITLE, document_list
from workbench.export.escaping import html_line, html_text
from workbench.export.html_parts import (
    EmbeddedImages,
    PageImages,
    folded_prompts,
    folded_searches,
    folded_steps,
    source_cards,
)
from workbench.export.html_style import style_sheet
from workbench.export.rendering import answer_html, invalid_title
from workbench.export.transcript import (
    Footnote,
    counted,
    ending,
    footnotes,
    not_a_source,
    passage_of,
    provenance,
    remarks,
    when,
)
from workbench.language import language, mark, said, tr
from workbench.model.export import Part, Parts
from workbench.model.hit import Citation
from workbench.model.run import Run
from workbench.model.session import Session

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


class HtmlExporter:
    """Writes a session as one self-contained HTML page."""

    format: ClassVar[str] = "html"
    suffix: ClassVar[str] = ".html"
    title: ClassVar[str] = mark("Web page")
    description: ClassVar[str] = mark("One page for any browser, with the cited pages.")
    offered: ClassVar[Parts] = READING | {Part.PAGES, Part.PROMPTS}
    usual: ClassVar[Parts] = READING | {Part.PAGES}

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole page, UTF-8."""
        return page_of(session, context, EmbeddedImages(context.page_image))


def page_of(session: Session, context: ExportContext, images: PageImages, *, policy: str = POLICY) -> bytes:
    """Return the page, its images where images has them; policy tells the browser what it may load."""
    title = html_line(session.info.title) or html_line(tr("Session"))
    runs = "\n".join(_run(run, number, images) for number, run in enumerate(session.runs, start=1))
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
{_documents(context)}
</main>
<footer class="page">
<p>{html_line(tr("{exported} This page loads nothing from anywhere.", exported=provenance(context)))}</p>
</footer>
</body>
</html>
"""
    return page.encode("utf-8")


def _documents(context: ExportContext) -> str:
    listed = "\n".join(
        f"<li><strong>{html_line(name)}</strong><br>{html_line(about)}</li>" for name, about in document_list(context)
    )
    return (
        f'<section class="documents">\n<h3>{html_line(tr(TITLE))}</h3>\n<ul>\n{listed}\n</ul>\n</section>'
        if listed
        else ""
    )


def _run(run: Run, number: int, images: PageImages) -> str:
    notes = footnotes(run, number=number)
    answered_by = html_line(said(run.mode)) or html_line(run.profile)
    meta = f"{html_line(when(run.started))} · {answered_by} · {run.seconds:.1f} s · {html_line(ending(run))}"
    parts = [
        f'<article id="q{number}">',
        f'<h2><span class="number">{number}</span>{html_text(run.question.strip())}</h2>',
        f'<p class="meta">{meta}</p>',
        f'<div class="answer">\n{_answer(run, notes)}\n</div>',
        *(f'<p class="remark">{html_line(remark)}</p>' for remark in remarks(run)),
        source_cards(notes, images),
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
            title = html_line(said(invalid_title(citation)))
            wrong = html_line(not_a_source())
            return f'<span class="invalid" title="{title}">[{citation.marker}] {wrong}</span>'
        # Only the first marker of a passage gets the anchor to which its card leads back.
        label = href.removeprefix("#")
        anchor = "" if label in anchored else f' id="{label}-ref"'
        anchored.add(label)
        name = html_line(citation.document_name)
        return f'<sup class="cite"><a href="{href}"{anchor} title="{name}">{citation.marker}</a></sup>'

    if not run.answer.strip():
        return f'<p class="meta">{html_line(tr("No answer was given."))}</p>'
    return answer_html(run.answer, run.citations, link=link, chip=chip)
