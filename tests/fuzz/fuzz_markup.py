"""Targets: rendering of an answer's Markdown. The answer can add no markup of its own."""

import re
from collections.abc import Sequence

from fuzz_target import Kind, Target, text_of
from fuzz_texts import MARKDOWN, PAGE
from hypothesis import strategies as st
from lxml import etree
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from workbench.agent.markers import find_markers
from workbench.export.answer_pieces import AnswerPieces, HtmlPiece
from workbench.export.docx_body import NOTE, AnswerWriter, DocxReferences
from workbench.export.docx_package import paragraph, run
from workbench.export.escaping import (
    code_block,
    code_span,
    html_line,
    html_text,
    markdown_quote,
    markdown_text,
    safe_file_name,
    visible,
)
from workbench.export.formulas import formula_html
from workbench.export.markdown import contain_markdown
from workbench.export.rendering import DARK_CODE, answer_html
from workbench.model.hit import Citation

_TAGS = frozenset(
    [
        "p",
        "br",
        "hr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "blockquote",
        "ul",
        "ol",
        "li",
        "em",
        "strong",
        "s",
        "code",
        "pre",
        "div",
        "span",
        "sup",
        "sub",
        "i",
        "b",
        "a",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "html",
        "head",
        "body",
    ]
)
_ATTRIBUTES = frozenset(("href", "start", "class", "style", "rel", "title"))
_ADDRESS = re.compile(r"(?:https?://|mailto:|#c\d)", re.IGNORECASE)
_STYLE = re.compile(r"(?:\s*(?:color|font-weight|font-style|text-align|text-decoration)\s*:[^:;()\\]*;?)*\s*")
_NAMES = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="urn:r"'
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
_LOUD = "<script>alert(1)</script><img src=x onerror=alert(1)>"

_WORDS = (
    *(
        "```",
        "~~~",
        "```python\n",
        "$$",
        "$",
        "\\[",
        "\\]",
        "\\(",
        "\\)",
        "> ",
        "- ",
        "1. ",
        "# ",
        "---",
        "===",
        "| a |",
    ),
    *(
        "|---|",
        "[1]",
        "[2]",
        "[1, 3]",
        "[1-3]",
        "【1】",
        "[x](",
        "](javascript:alert(1))",
        "](data:text/html,x)",
        "![",
        "\\",
    ),
    *("](file:///etc/passwd)", "](https://example.org)", "[x]: https://example.org", "[x]", "<script>", "<img src=x>"),
    *(
        "<a href=x onclick=y>",
        "<style>",
        "</div>",
        "<!--",
        "-->",
        "&lt;script&gt;",
        "&#60;",
        "&colon;",
        "\ue000",
        "\uf8ff",
    ),
    *(
        "\U000f0000",
        "\U000f0001",
        "\U000ffffd",
        "\U00100000",
        "\\frac{1}{2}",
        "\\begin{matrix}",
        "x_1^2",
        "**",
        "__",
        "~~",
    ),
    *("[^1]", "[^1]: x", "<https://example.org>", "https://example.org", "mailto:a@b", "JaVaScRiPt:", "\tx", "    x"),
)
_LINES = st.sampled_from(
    (
        *("", "", "text [1] of *some* **kind**", "    code", "```", "```python", "~~~", "> quote", "> > deep", ">"),
        *("- a", "  - b", "    - c", "1. x", "2) y", "* z", "# Head", "Head\n---", "***", "| a | b |", "|---|--:|"),
        *("| 1 [2] | `x` |", "$$", "a = b", "\\[", "\\]", "[x]: https://example.org", "see [x] and [y][x]", "- [ ] t"),
        *(
            "[l](javascript:x) ![i](http://x/y.png)",
            "<script>alert(1)</script>",
            "<b>x</b>",
            "<!-- c",
            "-->",
            "&lt;b&gt;",
        ),
        *("`open", "$x_1$ and \\(y\\)", "\tx", "x\\", "中文 [1]。", "[1](x)", "[^1]", "\U000f0000", "http://x.example"),
    )
)
_ANSWERS = st.lists(st.tuples(st.sampled_from(("", "", " ", "  ", "> ", "- ", "    ")), _LINES), max_size=30).map(
    lambda lines: "\n".join(before + line for before, line in lines)
)


def cited(text: str) -> tuple[Citation, ...]:
    """Return a citation for every marker; every third is invalid."""
    return tuple(
        Citation(
            marker.number,
            marker.number % 3 != 0,
            document_name=f'a"><b>{_LOUD}.pdf',
            page=1,
            quote=_LOUD,
            answer_start=marker.start,
            answer_end=marker.end,
        )
        for marker in find_markers(text)
    )


def check_html(html: str) -> None:
    """Assert that HTML contains only the tags, attributes, addresses and styles that an answer may have."""
    html.encode("utf-8")
    for node in LexborHTMLParser(html).css("*"):
        assert node.tag in _TAGS, f"<{node.tag}> came out"
        for name, value in node.attributes.items():
            assert name in _ATTRIBUTES, f"{name}= came out"
            if name == "href":
                assert _ADDRESS.match(value or ""), f"an address came out: {value}"
            if name == "style":
                assert _STYLE.fullmatch(value or ""), f"a style came out: {value}"


def _link(citation: Citation) -> str:
    return f"#c{citation.marker}"


def _render(data: bytes) -> None:
    text = text_of(data)
    check_html(answer_html(text, cited(text), link=_link, code_style=DARK_CODE if len(text) % 2 else ""))


def _stream(data: bytes) -> None:
    """Render a growing answer: its blocks equal those of the complete answer."""
    text = text_of(data)[:3000]
    reader = AnswerPieces(link=_link)
    for end in sorted({len(text), *(len(text) * part // 7 for part in range(1, 7))}):
        beginning = text[:end]
        pieces = reader.read(beginning, cited(beginning))
        assert pieces == _at_once(beginning), "a stream shows something else than the whole"
        check_html("".join(piece.html for piece in pieces))


def _at_once(text: str) -> list[HtmlPiece]:
    return AnswerPieces(link=_link).read(text, cited(text))


def _contain(data: bytes) -> None:
    """Embed an answer in a larger Markdown file: it adds no HTML, picture or top-level heading, and is closed."""
    kept = contain_markdown(text_of(data), below=3)
    tokens = _MARKDOWN.parse(f"{kept}\n\nEND")
    inside = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in (*tokens, *inside)}
    assert not kinds & {"html_block", "html_inline", "image"}, f"{kinds} came out"
    assert all(int(token.tag[1:]) > 3 for token in tokens if token.type == "heading_open"), "a heading of ours"
    assert tokens[-1].type not in ("fence", "html_block"), "something stays open"
    for child in inside:
        if child.type == "link_open":
            assert not re.match(r"\s*(javascript|vbscript|data|file):", str(child.attrGet("href")), re.I)


def _document(data: bytes) -> None:
    """Write an answer for Word: the result is well-formed XML."""
    text = text_of(data)

    def chip(citation: Citation, _href: str) -> str:
        return f'<span class="{NOTE}" title="q{citation.marker}">{citation.marker}</span>'

    linked = DocxReferences(lambda label: run(label), lambda _address: "rId1", lambda _ordered, _start: 1)
    html = answer_html(visible(text), cited(visible(text)), link=_link, chip=chip)
    etree.fromstring(f"<w:x {_NAMES}>{AnswerWriter(linked).write(html)}</w:x>", etree.XMLParser(huge_tree=True))
    etree.fromstring(f"<w:x {_NAMES}>{paragraph(run(text))}</w:x>")


def _escape(data: bytes) -> None:
    """Embed text controlled by a document in Markdown and HTML: it is shown without any effect."""
    text = text_of(data)[:20_000]
    for html in (html_text(text), html_line(text)):
        html.encode("utf-8")
        body = LexborHTMLParser(f'<p title="{html}">{html}</p>').css_first("p")
        assert body is not None
        assert set(body.attributes) == {"title"}
        assert not body.css("p *"), "markup came out"
    for written in (f"x {markdown_text(text)} y", markdown_quote(text), f"x {code_span(text)} y"):
        kinds = {child.type for token in _MARKDOWN.parse(written) for child in token.children or ()}
        assert kinds <= {"text", "softbreak", "hardbreak", "code_inline", "text_special"}, f"{kinds} came out"
    blocks = [token for token in _MARKDOWN.parse(f"{code_block(text)}\n\nEND") if token.level == 0]
    assert [token.type for token in blocks] == ["fence", "paragraph_open", "paragraph_close"]
    name = safe_file_name(text, ".html")
    assert name.endswith(".html")
    assert "/" not in name
    assert "\x00" not in name
    assert len(name.encode()) < 256


def _formula(data: bytes) -> None:
    # A shown answer contains no lone surrogates at this point.
    check_html(formula_html(text_of(data).encode("utf-8", "replace").decode()))


def _sources(*texts: str) -> Sequence[bytes]:
    return tuple(text.encode() for text in texts)


_SAMPLE = (
    "Sales **rose**[1], see [2, 3] and `a[1]`.\n\n| a | b |\n|---|--:|\n| 1 [1] | `x\\|y` |\n\n- a\n- b [2]\n  1. c\n\n"
    "```python\ndef f(x):\n    return '''x'''\n```\n\n$$\na = \\frac{1}{2}\n$$\n\n> quote [1-3]\n\n[here]: https://example.org\n\n"
    "See [here] and \\(x_1\\), <b>bold</b> ![p](https://example.org/x.png) 【2】 https://example.org\n"
)
_LINKS = "[a](javascript:alert(1)) [b](data:text/html,x) ![c](//x/y)"
_HOSTILE = f"{_LOUD}\n\n{_LINKS}\n\n<div onclick=x>\n\n[d]: javascript:x\n\n[d]\n"
_LATEX = "$\\frac{a}{b} + x_1^2 \\sqrt[3]{y} \\begin{pmatrix} 1 & 2 \\\\ 3 \\end{pmatrix} \\text{a <b>} \\alpha$"
_LATEX_WORDS = (
    *(
        "\\frac",
        "{",
        "}",
        "_",
        "^",
        "\\sqrt[",
        "]",
        "\\begin{matrix}",
        "\\end{matrix}",
        "\\left(",
        "\\right)",
        "\\text{",
    ),
    *(
        "\\",
        "&",
        "\\\\",
        "%",
        "$",
        "\\href{javascript:x}{y}",
        "\\unicode{x}",
        "'",
        "\\overline{",
        "\\sum_{i=1}^n",
        "<b>",
    ),
)
_FORMULAS = st.lists(st.sampled_from(_LATEX_WORDS) | st.sampled_from("abx12+ "), max_size=40).map("".join)


MARKUP: tuple[Target, ...] = (
    Target("rendering", _render, lambda: _sources(_SAMPLE, _HOSTILE, MARKDOWN), words=_WORDS, grammar=_ANSWERS),
    Target("streaming", _stream, lambda: _sources(_SAMPLE, _HOSTILE), words=_WORDS, grammar=_ANSWERS, slow=True),
    Target("answer-markdown", _contain, lambda: _sources(_SAMPLE, _HOSTILE, PAGE), words=_WORDS, grammar=_ANSWERS),
    Target("answer-word", _document, lambda: _sources(_SAMPLE, _HOSTILE), words=_WORDS, grammar=_ANSWERS),
    Target("escaping", _escape, lambda: _sources(_SAMPLE, _HOSTILE, PAGE), words=_WORDS, grammar=_ANSWERS),
    Target("formulas", _formula, lambda: _sources(_LATEX), Kind.TEXT, _LATEX_WORDS, _FORMULAS),
)
