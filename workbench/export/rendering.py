"""An answer's Markdown and citations -> HTML that is safe to show; placeholders stand for markers meanwhile.

The way through: markers -> placeholders -> Markdown -> coloured code -> sanitised HTML -> placeholders become chips.

A marker is replaced *before* the Markdown is read, by one character of a private plane, so that no Markdown rule can
take it for a link or an emphasis; and it becomes HTML *after* sanitising, so that chips are the only links which an
answer cannot write itself. Only what the checked citations list is ever a chip: an invented number stays flagged text.

What an answer may not do, whatever a model or a document put into it: run a script, load an image, point at a local
file or at any address but http, https and mailto, bring its own HTML or styles.

Markdown is read with python-markdown, after markdown_source.py settled which block contains which: python-markdown
alone reads neither a list right after a line of text nor a fence inside a list nor one that is open while streaming.

A marker is replaced before the Markdown is read, so that no Markdown rule can take it for a link or an emphasis.
"""

import functools
import html
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import nh3

from workbench.export.markdown_source import MarkdownBlock, blocks
from workbench.language import mark, said
from workbench.model.hit import Citation
from workbench.model.visible import replace_invisible

if TYPE_CHECKING:
    from workbench.export.markdown_reader import MarkdownAnswerReader


# One character each, so that neither Markdown nor Pygments can split a placeholder; plane 15 holds 65,534 of them.
_FIRST = 0xF0000
_MOST = 0xFFFD
# Both planes of private characters, for what is set aside while reading stands in plane 16.
_PRIVATE = re.compile("[\U000f0000-\U0010ffff]")
_TAG = re.compile(r"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")


@dataclass(frozen=True, slots=True)
class AnswerWithPlaceholders:
    """An answer with placeholders.

    Attributes:
        text: Its Markdown, one private character a marker, every line ended by a line feed.
        sources: What was written where a placeholder stands.
        citations: What a placeholder cites: several where they share a marker.
    """

    text: str
    sources: dict[str, str]
    citations: dict[str, tuple[Citation, ...]]


def mark_citations(
    text: str, citations: Sequence[Citation], *, start: int = 0, number: int = 0
) -> AnswerWithPlaceholders:
    """Return an answer with placeholders for its citations, or its rest from a place with so many before it.

    Citations with the same span share a placeholder, and an empty span is one too ([1-3] names 2 without a character
    of its own); one that overlaps another or lies outside the text is left out.
    """
    text = _PRIVATE.sub("\ufffd", replace_invisible(text[start:]))
    spans: dict[tuple[int, int], list[Citation]] = {}
    for citation in citations:
        if citation.answer_start >= start:
            span = (citation.answer_start - start, citation.answer_end - start)
            spans.setdefault(span, []).append(citation)
    pieces: list[str] = []
    sources: dict[str, str] = {}
    groups: dict[str, tuple[Citation, ...]] = {}
    position = 0
    for (start, end), group in sorted(spans.items(), key=lambda item: item[0])[: _MOST - number]:
        if not position <= start <= end <= len(text):
            continue
        placeholder = chr(_FIRST + number + len(sources))
        sources[placeholder] = text[start:end]
        groups[placeholder] = tuple(group)
        pieces += [text[position:start], placeholder]
        position = end
    pieces.append(text[position:])
    return AnswerWithPlaceholders("".join(pieces).replace("\r\n", "\n").replace("\r", "\n"), sources, groups)


def placeholders_in(text: str) -> list[str]:
    """Return the placeholders of a text in their order."""
    return [] if text.isascii() else _PRIVATE.findall(text)


def with_chips(safe: str, sources: Mapping[str, str], chips: Mapping[str, str]) -> str:
    """Return the HTML with chips for placeholders; inside a link or a tag they go back to what was written."""
    pieces: list[str] = []
    position = 0
    in_link = False
    for match in _TAG.finditer(safe):
        pieces.append(
            restore_placeholders(safe[position : match.start()], sources if in_link else chips, escape=in_link)
        )
        tag = match.group()
        pieces.append(restore_placeholders(tag, sources, escape=True))
        in_link = tag.startswith("<a ") or (in_link and tag != "</a>")
        position = match.end()
    pieces.append(restore_placeholders(safe[position:], chips, escape=False))
    return "".join(pieces)


def restore_placeholders(text: str, replacements: Mapping[str, str], *, escape: bool) -> str:
    """Return a text with replacements for its placeholders."""
    # Between two tags there is seldom a placeholder: a tenth of the time of a long answer.
    if text.isascii():
        return text

    def put_back(match: re.Match[str]) -> str:
        value = replacements.get(match.group(), "")
        return html.escape(value) if escape else value

    return _PRIVATE.sub(put_back, text)


LIGHT_CODE = "friendly"
DARK_CODE = "github-dark"

Chip = Callable[[Citation, str], str]
"""Makes the HTML of one marker, trusted as it is; the text is empty for an invalid citation, else the link."""

_THREAD = threading.local()
_FIRST_LEXER = threading.Lock()
"""Pygments makes a lexer's rules when it is first wanted, on its class, where two threads get in each other's way."""
# Beyond this a fence is shown without colours: a lexer may take seconds for what nobody reads in a chat.
_LONGEST_COLOURED = 40_000

_TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "em", "strong", "s"),
    *("code", "pre", "div", "span", "sup", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {
    "a": {"href"},
    "ol": {"start"},
    "span": {"class", "style"},
    "th": {"style"},
    "td": {"style"},
}


def html_chip(citation: Citation, href: str) -> str:
    """Return the chip of a web page: a link with class "citation", or struck text with class "citation-invalid"."""
    if not citation.valid:
        return (
            f'<s class="citation-invalid" title="{html.escape(said(invalid_title(citation)))}">[{citation.marker}]</s>'
        )
    title = html.escape(f"{citation_place(citation)}\n{citation.quote}".strip())
    return f'<a class="citation" href="{html.escape(href)}" title="{title}">{citation.marker}</a>'


def invalid_title(citation: Citation) -> str:
    """Return the sentence that says what is wrong with a marker that points at nothing."""
    return mark(f"Nothing was found under the number {citation.marker}: this source does not exist.")


def citation_place(citation: Citation) -> str:
    """Return where a citation stands, for people: document, page, heading."""
    parts = [citation.document_name]
    if citation.place:
        parts.append(said(citation.place))
    if citation.headings:
        parts.append(citation.headings[-1])
    return " · ".join(part for part in parts if part)


def answer_html(
    markdown_text: str,
    citations: Sequence[Citation] = (),
    *,
    link: Callable[[Citation], str],
    chip: Chip = html_chip,
    code_style: str = "",
) -> str:
    """Return the body of an answer as safe HTML; a pure function, fit to be called for every piece of a stream.

    Args:
        markdown_text: The answer so far; an open fence, table or formula is fine.
        citations: Every marker of it, checked; their answer_start and answer_end say where they stand. What is not
            listed stays plain text, and so does a marker inside code or a formula.
        link: Gives the address of a valid citation; never asked about an invalid one.
        chip: Makes the HTML of one marker; the default is for web pages.
        code_style: Name of a Pygments style to write into the code inline (LIGHT_CODE, DARK_CODE); empty for classes,
            to be used with code_css.
    """
    answer = mark_citations(markdown_text, citations)
    read = blocks(answer.text)
    chips = chips_of(answer, link, chip)
    return blocks_html(read.children, read.references, answer.sources, chips, code_style=code_style)


def chips_of(answer: AnswerWithPlaceholders, link: Callable[[Citation], str], chip: Chip) -> dict[str, str]:
    """Return the HTML of each placeholder."""
    return {
        placeholder: "".join(chip(citation, link(citation) if citation.valid else "") for citation in group)
        for placeholder, group in answer.citations.items()
    }


def blocks_html(
    children: Sequence[MarkdownBlock],
    references: Mapping[str, str],
    sources: Mapping[str, str],
    chips: Mapping[str, str],
    *,
    code_style: str,
) -> str:
    """Return some blocks of an answer as safe HTML.

    Args:
        children: The blocks.
        references: The addresses that the answer defines, by their folded label.
        sources: What was written where a placeholder stands.
        chips: The HTML of each placeholder.
        code_style: As for answer_html.
    """
    raw = _reader().write(
        children,
        references,
        as_written=functools.partial(restore_placeholders, replacements=sources, escape=False),
        coloured=functools.partial(coloured, style=code_style),
    )
    return with_chips(_cleaner().clean(raw), sources, chips)


def load_readers() -> None:
    """Load python-markdown and what colours code, for which the first answer would hold the window up."""
    answer_html("```python\npass\n```", link=str, code_style=LIGHT_CODE)


@functools.cache
def code_css(style: str = LIGHT_CODE, selector: str = ".code") -> str:
    """Return the rules that colour code written with classes; the code stands in <div class="code"><pre>."""
    # Imported here: the window's start must not pay for Pygments.
    from pygments.formatters.html import HtmlFormatter

    rules: str = HtmlFormatter(style=style).get_style_defs(selector)  # type: ignore[no-untyped-call]
    # A box around what the lexer did not understand would flag every half-written line of a stream.
    unwanted = (f"{selector} .err", f"{selector} .hll")
    return "\n".join(
        rule for rule in rules.splitlines() if rule.startswith(f"{selector} .") and not rule.startswith(unwanted)
    )


@functools.cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes={"div": {"code", "formula"}},
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        filter_style_properties={"color", "font-weight", "font-style", "text-align"},
    )


def _reader() -> "MarkdownAnswerReader":
    """Return this thread's Markdown reader: it keeps state while it reads, and exports run beside the window."""
    # Imported here: python-markdown costs the window's start what no answer has asked for yet.
    from workbench.export.markdown_reader import MarkdownAnswerReader

    reader: MarkdownAnswerReader | None = getattr(_THREAD, "reader", None)
    if reader is None:
        reader = _THREAD.reader = MarkdownAnswerReader()
    return reader


@functools.lru_cache(maxsize=256)
def coloured(code: str, language: str, style: str) -> str:
    """Return code as HTML, coloured where the language is known; kept, for a stream renders its old fences again."""
    if not language or len(code) > _LONGEST_COLOURED:
        return html.escape(code)
    # Imported here: the window's start must not pay for Pygments.
    from pygments import highlight
    from pygments.formatters.html import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        with _FIRST_LEXER:
            lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return html.escape(code)
    formatter = HtmlFormatter(nowrap=True, noclasses=bool(style), style=style or LIGHT_CODE)
    return str(highlight(code, lexer, formatter)).rstrip("\n")
