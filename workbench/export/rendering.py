"""An answer's Markdown and its citations -> HTML that is safe to show; shared by the chat pane and the HTML export.

The way through: markers -> placeholders -> Markdown -> coloured code -> sanitised HTML -> placeholders become chips.

A marker is replaced *before* the Markdown is read, by one character of a private plane, so that no Markdown rule can
take it for a link or an emphasis; and it becomes HTML *after* sanitising, so that chips are the only links which an
answer cannot write itself. Only what the checked citations list is ever a chip: an invented number stays flagged text.

What an answer may not do, whatever a model or a document put into it: run a script, load an image, point at a local
file or at any address but http, https and mailto, bring its own HTML or styles.

Markdown is read with markdown-it-py: CommonMark reads a list right after a line of text, a fence inside a list, and a
fence that is still open while the answer streams; Python-Markdown reads none of the three.
"""

import functools
import html
import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from workbench.model.hit import Citation

LIGHT_CODE = "friendly"
DARK_CODE = "github-dark"

Chip = Callable[[Citation, str], str]
"""Makes the HTML of one marker, trusted as it is; the text is empty for an invalid citation, else the link."""

# One character each, so that neither Markdown nor Pygments can split a placeholder; plane 15 holds 65,534 of them.
_FIRST = 0xF0000
_MOST = 0xFFFD
_PRIVATE = re.compile("[\U000f0000-\U000fffff]")
_ENCODED = "%F3%B"
_TAG = re.compile(r"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")
_LINE_BREAK = re.compile(r"&lt;br\s*/?&gt;", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
# A single dollar before a blank or an amount is money: "US$ 3.2 million", "from $5 to $6, or CA$ 7".
_FORMULA = re.compile(
    r"\$\$(?P<double>.+?)\$\$|\\\[(?P<bracket>.+?)\\\]|\\\((?P<round>.+?)\\\)"
    r"|\$(?P<number>\d[^\s$]*[\\^_=a-zA-Z][^\s$]*)\$(?!\w)|\$(?P<dollar>(?![\s\d])(?:[^$\n\\]|\\.)*?[^\s\\$])\$(?!\w)",
    re.DOTALL,
)
# Beyond this a fence is shown without colours: a lexer may take seconds for what nobody reads in a chat.
_LONGEST_COLOURED = 40_000

_TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "em", "strong", "s"),
    *("code", "pre", "div", "span", "a", "table", "thead", "tbody", "tr", "th", "td"),
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
        return f'<s class="citation-invalid" title="{html.escape(invalid_title(citation))}">[{citation.marker}]</s>'
    title = html.escape(f"{citation_place(citation)}\n{citation.quote}".strip())
    return f'<a class="citation" href="{html.escape(href)}" title="{title}">{citation.marker}</a>'


def invalid_title(citation: Citation) -> str:
    """Return the sentence that says what is wrong with a marker that points at nothing."""
    return f"Nothing was found under the number {citation.marker}: this source does not exist."


def citation_place(citation: Citation) -> str:
    """Return where a citation stands, for people: document, page, heading."""
    parts = [citation.document_name]
    if citation.page is not None:
        parts.append(f"page {citation.page}")
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
    text, markers = _with_placeholders(_PRIVATE.sub("\ufffd", markdown_text), citations)
    sources = {placeholder: source for placeholder, (source, _) in markers.items()}
    raw = _markdown().render(text, {"sources": sources, "code_style": code_style})
    safe = _cleaner().clean(raw)
    chips = {
        placeholder: "".join(chip(citation, link(citation) if citation.valid else "") for citation in group)
        for placeholder, (_, group) in markers.items()
    }
    return _with_chips(safe, sources, chips)


@functools.cache
def code_css(style: str = LIGHT_CODE, selector: str = ".code") -> str:
    """Return the rules that colour code written with classes; the code stands in <div class="code"><pre>."""
    rules: str = HtmlFormatter(style=style).get_style_defs(selector)  # type: ignore[no-untyped-call]
    # A box around what the lexer did not understand would flag every half-written line of a stream.
    unwanted = (f"{selector} .err", f"{selector} .hll")
    return "\n".join(
        rule for rule in rules.splitlines() if rule.startswith(f"{selector} .") and not rule.startswith(unwanted)
    )


def _with_placeholders(
    text: str, citations: Sequence[Citation]
) -> tuple[str, dict[str, tuple[str, tuple[Citation, ...]]]]:
    """Return the text with one private character a marker, and what each stands for: its source and its citations.

    Citations with the same span share a placeholder, and an empty span is one too ([1-3] names 2 without a character
    of its own); one that overlaps another or lies outside the text is left out.
    """
    spans: dict[tuple[int, int], list[Citation]] = {}
    for citation in citations:
        spans.setdefault((citation.answer_start, citation.answer_end), []).append(citation)
    pieces: list[str] = []
    markers: dict[str, tuple[str, tuple[Citation, ...]]] = {}
    position = 0
    for (start, end), group in sorted(spans.items(), key=lambda item: item[0])[:_MOST]:
        if not position <= start <= end <= len(text):
            continue
        placeholder = chr(_FIRST + len(markers))
        markers[placeholder] = (text[start:end], tuple(group))
        pieces += [text[position:start], placeholder]
        position = end
    return "".join([*pieces, text[position:]]), markers


def _with_chips(safe: str, sources: dict[str, str], chips: dict[str, str]) -> str:
    """Return the HTML with chips for placeholders; inside a link or a tag they go back to what was written."""
    pieces: list[str] = []
    position = 0
    in_link = False
    for match in _TAG.finditer(safe):
        pieces.append(_restore(safe[position : match.start()], sources if in_link else chips, escape=in_link))
        tag = match.group()
        pieces.append(_restore_address(tag, sources))
        in_link = tag.startswith("<a ") or (in_link and tag != "</a>")
        position = match.end()
    pieces.append(_restore(safe[position:], chips, escape=False))
    return "".join(pieces)


def _restore_address(tag: str, sources: dict[str, str]) -> str:
    """Return a tag with the markers of its address as written; the Markdown reader percent-encoded them."""
    if _ENCODED in tag:
        for placeholder, source in sources.items():
            tag = tag.replace(quote(placeholder), quote(source))
    return _restore(tag, sources, escape=True)


def _restore(text: str, replacements: dict[str, str], *, escape: bool) -> str:
    def replaced(match: re.Match[str]) -> str:
        value = replacements.get(match.group(), "")
        return html.escape(value) if escape else value

    return _PRIVATE.sub(replaced, text)


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


@functools.cache
def _markdown() -> MarkdownIt:
    """Return the one Markdown reader; it keeps no state between calls, what a call needs travels in its env."""
    reader = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    reader.block.ruler.before("fence", "formula", _formula_block, {"alt": ["paragraph", "blockquote", "list"]})
    reader.inline.ruler.before("escape", "formula", _formula)
    reader.validateLink = lambda url: bool(_ADDRESS.match(url))  # type: ignore[method-assign]
    reader.add_render_rule("text", _render_text)
    reader.add_render_rule("image", _render_image)
    reader.add_render_rule("code_inline", _render_code_inline)
    reader.add_render_rule("fence", _render_code)
    reader.add_render_rule("code_block", _render_code)
    reader.add_render_rule("formula", _render_formula)
    return reader


def _formula(state: StateInline, silent: bool) -> bool:
    r"""Read $...$, $$...$$, \(...\) and \[...\] inside a line, before any other rule takes a character of them."""
    match = _FORMULA.match(state.src, state.pos)
    if match is None:
        return False
    kind = match.lastgroup or ""
    content = match.group(kind)
    if kind in ("dollar", "number") and not _is_formula(state.src[max(0, state.pos - 1) : state.pos], content):
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content = match.group()
    state.pos = match.end()
    return True


def _is_formula(before: str, content: str) -> bool:
    """Tell a formula between single dollars from two amounts of money, between which a citation may stand."""
    return not before[-1:].isalnum() and not (_PRIVATE.search(content) and re.search(r"\s", content))


def _formula_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    r"""Read $$...$$ and \[...\] that begin a line and end one, whatever stands on the lines between."""
    begin = state.bMarks[first] + state.tShift[first]
    closing = {"$$": "$$", "\\[": "\\]"}.get(state.src[begin : begin + 2])
    if closing is None or state.is_code_block(first):
        return False
    for line in range(first, end):
        outside = line > first and state.sCount[line] < state.blkIndent and not state.isEmpty(line)
        text = state.src[begin + 2 if line == first else state.bMarks[line] : state.eMarks[line]].rstrip()
        if outside or (closing in text and not text.endswith(closing)):
            return False
        if not text.endswith(closing):
            continue
        if not silent:
            token = state.push("formula", "", 0)
            token.block = True
            token.content = state.src[begin : state.eMarks[line]]
            token.map = [first, line + 1]
            state.line = line + 1
        return True
    return False


def _as_written(text: str, env: EnvType) -> str:
    """Return text with its markers as they were written: for code, formulas and addresses."""
    return _restore(text, env["sources"], escape=False)


def _render_text(
    _renderer: RendererProtocol, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    # Models break lines inside table cells with <br>, the one tag that is taken for what it is meant to be.
    return _LINE_BREAK.sub("<br>", html.escape(tokens[index].content))


def _render_image(
    _renderer: RendererProtocol, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
) -> str:
    """Render an image as a link to it: nothing is loaded before somebody clicks."""
    address = html.escape(_as_written(str(tokens[index].attrs.get("src", "")), env))
    name = html.escape(_as_written(tokens[index].content, env)) or address
    return f'<a href="{address}">{name}</a>'


def _render_code_inline(
    _renderer: RendererProtocol, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
) -> str:
    return f"<code>{html.escape(_as_written(tokens[index].content, env))}</code>"


def _render_code(
    _renderer: RendererProtocol, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
) -> str:
    code = _as_written(tokens[index].content, env).rstrip("\n")
    language = (tokens[index].info.split() or [""])[0]
    return f'<div class="code"><pre>{_coloured(code, language, env["code_style"])}</pre></div>\n'


@functools.lru_cache(maxsize=64)
def _coloured(code: str, language: str, style: str) -> str:
    """Return code as HTML, coloured where the language is known; kept, for a stream renders its old fences again."""
    if not language or len(code) > _LONGEST_COLOURED:
        return html.escape(code)
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return html.escape(code)
    formatter = HtmlFormatter(nowrap=True, noclasses=bool(style), style=style or LIGHT_CODE)
    return str(highlight(code, lexer, formatter)).rstrip("\n")


def _render_formula(
    _renderer: RendererProtocol, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
) -> str:
    """Render a formula as its own source: readable, and copied as it was written."""
    source = html.escape(_as_written(tokens[index].content, env).strip())
    if tokens[index].block:
        return f'<div class="formula">{source}</div>\n'
    return f'<span class="formula">{source}</span>'
