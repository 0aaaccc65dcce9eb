"""The parts of an HTML export that hold what documents and tools said: all of it escaped."""

import base64
from collections.abc import Sequence
from typing import Protocol

from workbench.export.base import PageImage
from workbench.export.escaping import html_line, html_text
from workbench.export.pictures import drawn
from workbench.export.transcript import (
    Footnote,
    Step,
    columns,
    place_of_text,
    prompts,
    search_figures,
    step_time,
    steps,
)
from workbench.language import said, tr
from workbench.model.hit import Citation, Hit, Reference
from workbench.model.prompt import PromptSection
from workbench.model.run import Run

_PROSE_LINE = 45
_SCORES = 4
"""So many of the columns of a table of hits are scores, the last ones."""


class PageImages(Protocol):
    """Gives the images of cited pages by their addresses."""

    def address(self, citation: Citation) -> str:
        """Return the address of the page with the passage marked; empty where there is no page to show."""
        ...


class EmbeddedImages:
    """Gives them as data: addresses, drawing each passage once."""

    def __init__(self, draw: PageImage) -> None:
        self._draw = draw
        self._drawn: dict[tuple[int | None, int | None, int, int], str] = {}

    def address(self, citation: Citation) -> str:
        """Return the address of the page with the passage marked; empty where there is no page to show."""
        key = (citation.document, citation.page, citation.start, citation.end)
        if key not in self._drawn:
            self._drawn[key] = self._encoded(citation)
        return self._drawn[key]

    def _encoded(self, citation: Citation) -> str:
        png = drawn(self._draw, citation)
        return "data:image/png;base64," + base64.b64encode(png).decode("ascii") if png else ""


def source_cards(notes: Sequence[Footnote], images: PageImages) -> str:
    """Return one card a cited passage: where it stands, the quote, and the page with the quote marked."""
    if not notes:
        return ""
    cards = "\n".join(_card(note, images) for note in notes)
    title = html_line(tr("Sources"))
    return f'<section class="sources">\n<h3>{title}</h3>\n<ol class="sources">\n{cards}\n</ol>\n</section>'


def folded_steps(run: Run) -> str:
    """Return the steps of a run as a folded list; empty when nothing was recorded."""
    told = steps(run)
    return _folded(tr("Steps ({n})", n=len(told)), step_list(told)) if told else ""


def folded_searches(run: Run) -> str:
    """Return the searches of a run with their hits and scores, folded; empty when there was none."""
    if not run.references:
        return ""
    return _folded(tr("Searches ({n})", n=len(run.references)), search_tables(run))


def folded_prompts(run: Run) -> str:
    """Return what the model was told, folded; empty when it is not to be shown, or nobody was told anything."""
    told = prompts(run)
    return _folded(tr("Prompts ({n})", n=len(told)), prompt_texts(told)) if told else ""


def step_list(told: Sequence[Step]) -> str:
    """Return steps as a list."""
    items = "\n".join(_step(step) for step in told)
    return f'<ol class="steps">\n{items}\n</ol>'


def search_tables(run: Run) -> str:
    """Return each search of a run with its hits and scores."""
    return "\n".join(_search(reference) for reference in run.references)


def prompt_texts(told: Sequence[PromptSection]) -> str:
    """Return the parts of what a model was told under their names."""
    return "\n".join(
        f'<h4>{html_line(part.label)}</h4>\n<pre class="data">{html_text(part.text)}</pre>' for part in told
    )


def _folded(title: str, body: str) -> str:
    return f"<details>\n<summary>{html_line(title)}</summary>\n{body}\n</details>"


def _card(note: Footnote, images: PageImages) -> str:
    citation = note.citation
    place = said(citation.place)
    page = html_line(f", {place}") if place else ""
    # What is no document of the library has no headings; where it came from stands in their place.
    about = citation.path if citation.is_outside else " › ".join(citation.headings)
    headings = f'<p class="meta">{html_line(about)}</p>' if about else ""
    address = images.address(citation)
    name = html_line(citation.document_name)
    back = f'<a class="back" href="#{note.label}-ref" title="{html_line(tr("Back to the answer"))}">↩</a>'
    label = html_line(tr("{place}, with the passage marked", place=place.capitalize() or tr("The page")))
    pictured = tr("{place}, with the passage marked", place=f"{name}{page}")
    image = (
        f'<details>\n<summary>{label}</summary>\n<img src="{address}" alt="{pictured}">\n</details>' if address else ""
    )
    parts = (
        f'<li id="{note.label}">',
        f'<p class="where"><span class="tag">{citation.marker}</span>{name}{page}{back}</p>',
        headings,
        f'<blockquote class="{quote_class(citation.quote)}">{html_text(citation.quote.strip())}</blockquote>',
        f'<p class="meta">{html_line(place_of_text(citation))}</p>',
        image,
        "</li>",
    )
    return "\n".join(part for part in parts if part)


def quote_class(quote: str) -> str:
    """Return the style of a quote, by whether its lines may flow anew."""
    # Full lines are those of a page of prose and may flow anew; short ones are a table, a list or code.
    *full, _last = quote.strip().splitlines() or [""]
    return "quote flowing" if full and min(map(len, full)) >= _PROSE_LINE else "quote"


def _step(step: Step) -> str:
    name = f"<strong>{step.kind}</strong> " if step.kind in ("think", "analyze", "tool", "plan") else ""
    failed = f' <span class="invalid">{html_line(tr("failed"))}</span>' if step.failed else ""
    parts = [f'<li>{name}{html_line(step.title)}{failed} <span class="time">{html_line(step_time(step))}</span>']
    if step.arguments:
        parts.append(f'<pre class="data">{html_text(step.arguments)}</pre>')
    if step.fields:
        fields = "\n".join(
            f"<dt>{html_line(label)}</dt><dd>{html_text(text.strip())}</dd>" for label, text in step.fields
        )
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
        html_line(said(hit.place)),
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
