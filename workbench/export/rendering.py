"""Rendering of an answer's Markdown and citations as safe HTML.

Pipeline: markers -> placeholders -> Markdown -> coloured code -> sanitised HTML -> placeholders become chips.

A marker is replaced *before* the Markdown is parsed, by one private-use character, so that no Markdown rule can take it
for a link or an emphasis. It becomes HTML *after* sanitising, so that an answer cannot forge a chip. Only markers in
the list of checked citations become chips: an invented number stays flagged text.

An answer cannot run a script, load an image, link to a local file or to any address but http, https and mailto, or
bring its own HTML or styles, whatever a model or a document put into it.

Markdown is rendered with python-markdown, after markdown_source.py has determined the nesting of blocks. Alone,
python-markdown supports neither a list right after a line of text nor a fence inside a list nor one still open while
streaming.
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
from workbench.language import mark, translate
from workbench.model.hit import Citation
from workbench.model.visible import replace_invisible

if TYPE_CHECKING:
    from workbench.export.markdown_reader import MarkdownAnswerReader


# One character each, so that neither Markdown nor Pygments can split a placeholder; plane 15 holds 65,534 of them.
_FIRST = 0xF0000
_MOST = 0xFFFD
# Both planes of private characters: plane 16 is used for the pieces that markdown_reader.py replaces.
_PRIVATE = re.compile("[\U000f0000-\U0010ffff]")
_TAG = re.compile(r"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")


@dataclass(frozen=True, slots=True)
class AnswerWithPlaceholders:
    """Answer with placeholders for its markers.

    Attributes:
        text: Markdown with one private character for each marker; lines end with line feeds.
        sources: Original text of each placeholder.
        citations: Citations of each placeholder; several if they share a marker.
    """

    text: str
    sources: dict[str, str]
    citations: dict[str, tuple[Citation, ...]]


def mark_citations(
    text: str, citations: Sequence[Citation], *, start: int = 0, number: int = 0
) -> AnswerWithPlaceholders:
    """Return an answer with placeholders for its citations.

    With start and number, only the rest of the answer from offset start is processed, and number placeholders precede
    it. Citations with the same span share a placeholder. An empty span gets one, too: [1-3] cites 2 without a character
    for it. A span that overlaps another or lies outside the text is left out.
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
    """Return the placeholders of a text in order of occurrence."""
    return [] if text.isascii() else _PRIVATE.findall(text)


def with_chips(safe: str, sources: Mapping[str, str], chips: Mapping[str, str]) -> str:
    """Return the HTML with chips for placeholders; inside a link or a tag, the original text is restored."""
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
    """Return a text with its placeholders replaced."""
    # Text between two tags seldom has a placeholder; this check reduces the time for a long answer to a tenth.
    if text.isascii():
        return text

    def put_back(match: re.Match[str]) -> str:
        value = replacements.get(match.group(), "")
        return html.escape(value) if escape else value

    return _PRIVATE.sub(put_back, text)


LIGHT_CODE = "friendly"
DARK_CODE = "github-dark"

Chip = Callable[[Citation, str], str]
"""Callable that returns the trusted HTML of one marker; its string is the link, empty for an invalid citation."""

_THREAD = threading.local()
_FIRST_LEXER = threading.Lock()
"""Lock: Pygments compiles a lexer's rules at its first use and stores them on its class, which is not thread-safe."""
# Longer code is shown without colours: a lexer may take seconds for it.
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
    """Return a chip for web pages: a link of class "citation", or struck-out text of class "citation-invalid"."""
    if not citation.valid:
        problem = html.escape(translate(invalid_title(citation)))
        return f'<s class="citation-invalid" title="{problem}">[{citation.marker}]</s>'
    title = html.escape(f"{citation_place(citation)}\n{citation.quote}".strip())
    return f'<a class="citation" href="{html.escape(href)}" title="{title}">{citation.marker}</a>'


def invalid_title(citation: Citation) -> str:
    """Return the explanation of a marker that refers to no source."""
    return mark(f"Nothing was found under the number {citation.marker}: this source does not exist.")


def citation_place(citation: Citation) -> str:
    """Return the place of a citation for display: document, page, heading."""
    parts = [citation.document_name]
    if citation.place:
        parts.append(translate(citation.place))
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
    """Return the body of an answer as safe HTML; a pure function that can be called for every piece of a stream.

    Args:
        markdown_text: The answer so far; an open fence, table or formula is allowed.
        citations: Checked citations, located by answer_start and answer_end. A marker that is not listed stays plain
            text, and so does a marker inside code or a formula.
        link: Returns the address of a valid citation; not called for an invalid one.
        chip: Returns the HTML of one marker; the default is for web pages.
        code_style: Name of a Pygments style for inline styles of code (LIGHT_CODE, DARK_CODE); empty for classes,
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
    """Return blocks of an answer as safe HTML.

    Args:
        children: The blocks.
        references: The addresses that the answer defines, by their folded label.
        sources: The original text of each placeholder.
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


TABLE_SIZES = ("few", "many", "most")
"""Names of the sizes of type of printed tables, from large to small."""
_FEW, _MANY = 6, 10
"""Largest numbers of columns for the first two sizes; html.py has them in its style sheet."""


def table_size(columns: int) -> str:
    """Return the size of type for a table with so many columns, one of TABLE_SIZES."""
    return TABLE_SIZES[(columns > _FEW) + (columns > _MANY)]


def load_readers() -> None:
    """Import python-markdown and Pygments in advance; otherwise the first answer would block the window."""
    answer_html("```python\npass\n```", link=str, code_style=LIGHT_CODE)


@functools.cache
def code_css(style: str = LIGHT_CODE, selector: str = ".code") -> str:
    """Return the CSS rules for code highlighted with classes inside <div class="code"><pre>."""
    # Imported here, because importing Pygments would slow down the window's start.
    from pygments.formatters.html import HtmlFormatter

    rules: str = HtmlFormatter(style=style).get_style_defs(selector)  # type: ignore[no-untyped-call]
    # A box around tokens that the lexer rejects would flag every half-written line of a stream.
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
    """Return this thread's Markdown reader: it keeps state, and exports run while the window renders answers."""
    # Imported here, because importing python-markdown would slow down the window's start.
    from workbench.export.markdown_reader import MarkdownAnswerReader

    reader: MarkdownAnswerReader | None = getattr(_THREAD, "reader", None)
    if reader is None:
        reader = _THREAD.reader = MarkdownAnswerReader()
    return reader


@functools.lru_cache(maxsize=256)
def coloured(code: str, language: str, style: str) -> str:
    """Return code as HTML, highlighted if the language is known; cached, because a stream renders old fences again."""
    if not language or len(code) > _LONGEST_COLOURED:
        return html.escape(code)
    # Imported here, because importing Pygments would slow down the window's start.
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
