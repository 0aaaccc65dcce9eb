r"""Inline parser: blocks of an answer to unsanitised HTML, with python-markdown.

Imported only when an answer is rendered, because importing python-markdown would slow down the window's start.

Python-Markdown produces the paragraphs, tables, emphasis and line breaks. Spans that emphasis must not affect (code,
formulas, escapes, addresses) are replaced first, by one pattern from left to right, so that the span that begins first
wins: each is represented by one private character until the HTML is written. Python-Markdown's own patterns scan the
text one after the other, and copy it for every match.
"""

import html
import re
import xml.etree.ElementTree as etree
from collections.abc import Callable, Mapping, Sequence
from math import isqrt
from urllib.parse import quote

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor, ParagraphProcessor
from markdown.extensions.tables import TableProcessor
from markdown.inlinepatterns import DelimiterProcessor
from markdown.treeprocessors import InlineProcessor, Treeprocessor
from markdown.util import AtomicString, Registry

from workbench.export.markdown_source import MarkdownBlock, MarkdownBlockKind, reference_label
from workbench.model.visible import replace_invisible
from workbench.model.web_address import distinguishing_site

# Plane 16 is used here, plane 15 for the markers' placeholders; both are removed from answers beforehand.
_FIRST = 0x100000
_MOST = 0xFFFD
_ASIDE = re.compile("[\U00100000-\U0010ffff]")
_PRIVATE = re.compile("[\U000f0000-\U0010ffff]")
# Budget for one answer. Python-Markdown compares each delimiter of a block with the following ones, which takes
# 1.5 microseconds a pair; 16 KB in one paragraph took 3.5 s. Delimiters beyond the budget stay text.
_MOST_PAIRS = 500_000
_LONGEST_RUN = 12
_DELIMITERS = re.compile(r"[*_~]++")

_LABEL = r"(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.|\[[^\[\]]*+\])*+\])"
_LINK = (
    rf"(?P<link>!?\[(?P<label>{_LABEL}*+)\]\(\s*+(?:<(?=https?://|mailto:)(?P<angled>[^<>\n]*+)>"
    r"|(?P<plain>(?=https?://|mailto:)(?:[^\s()<\\]|\\.|\([^\s()]*+\))*+))"
    r"(?:\s++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?+\s*+\))"
)
_REFERENCE = rf"|(?P<shortcut>!?\[(?P<name>{_LABEL}*+)\](?:\[(?P<reference>[^\[\]]*+)\])?+)"
# Every alternative is bounded or possessive (no backtracking), so that matching takes linear time for any text.
# A single dollar before a blank or an amount is money: "US$ 3.2 million", "from $5 to $6, or CA$ 7".
_SPAN = (
    r"(?P<code>(?<!`)(?P<ticks>`++)(?P<inside>.{1,4000}?)(?<!`)(?P=ticks)(?!`))|(?P<run>`++)"
    r"|(?P<formula>\$\$(?:(?!\$\$).){1,4000}+\$\$|\\\[(?:(?!\\[\[\]]).){1,4000}+\\\]|\\\((?:(?!\\[()]).){1,4000}+\\\))"
    r"|(?P<number>(?<!\w)\$(?=\d[^\s$]*+\$(?!\w))\d[^\s$\\^_=a-z]*+[\\^_=a-z][^\s$]*+\$)"
    r"|(?P<dollar>(?<!\w)\$(?![\s\d])(?:[^$\n\\]|\\[^\n])++(?<!\s)\$(?!\w))"
    r"|(?P<break>\\\n|[ ]{2,}+\n|<br\s*+/?>)|(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|<(?P<auto>(?:https?://|mailto:)[^\s<>]++)>|<(?P<mail>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})>"
    r"|\[\^(?P<note>[\w-]{1,20})\]:?"
    rf"|(?P<entity>&(?:\#x?[0-9a-f]++|[a-z0-9]++);)|{_LINK}"
)
_KINDS = ("code", "run", "formula", "number", "dollar", "break", "escape", "auto", "mail", "note", "entity", "link")
_SPANS = re.compile(_SPAN, re.DOTALL | re.IGNORECASE)
_SPANS_AND_REFERENCES = re.compile(_SPAN + _REFERENCE, re.DOTALL | re.IGNORECASE)
_IMAGE = re.compile(r"!\[([^\[\]]*+)\]\([^()]*+\)")
_BLOCKS = frozenset(
    (
        "p",
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
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
    )
)

Text = Callable[[str], str]


class MarkdownAnswerReader:
    """Renderer of answers, one at a time; not thread-safe, because python-markdown keeps state."""

    def __init__(self) -> None:
        self._markdown = Markdown(output_format="html")
        self._markdown.preprocessors = Registry()
        parser = self._markdown.parser
        parser.blockprocessors = Registry()
        self._blocks = _AnswerBlocks(parser)
        parser.blockprocessors.register(self._blocks, "answer", 100)
        parser.blockprocessors.register(TableProcessor(parser, {"use_align_attribute": False}), "table", 75)
        parser.blockprocessors.register(ParagraphProcessor(parser), "paragraph", 10)
        self._markdown.inlinePatterns = Registry()
        emphasis = _Emphasis("*", "strong,em", self._markdown)
        emphasis.add("_", "strong,em", smart=True)
        emphasis.add("~", "s", double=True)
        self._markdown.inlinePatterns.register(emphasis, "em_strong", 60)
        # Created after the patterns, because InlineProcessor keeps a reference to them.
        self._markdown.treeprocessors = Registry()
        self._markdown.treeprocessors.register(InlineProcessor(self._markdown), "inline", 20)
        self._markdown.treeprocessors.register(_LineBreaks(self._markdown), "lines", 10)

    def write(
        self,
        children: Sequence[MarkdownBlock],
        references: Mapping[str, str],
        *,
        as_written: Text,
        coloured: Callable[[str, str], str],
    ) -> str:
        """Return blocks of an answer as HTML.

        Args:
            children: The blocks, with placeholders of plane 15 for markers and nothing of plane 16.
            references: The addresses that the answer defines, by their folded label.
            as_written: Restores markers in text in which they are not citations: code, formulas, addresses.
            coloured: Returns code of a language as HTML.
        """
        if not children:
            return "\n"
        aside = _Aside(as_written, references)
        self._blocks.prepare(children, aside, coloured)
        self._markdown.reset()
        # If an error interrupted the previous answer inside a list, the parser would still be in that state.
        self._markdown.parser.state.clear()
        # The block processor already has the blocks; the converted text is ignored but must not be blank.
        return aside.restored(self._markdown.convert("answer")) + "\n"


class _Aside:
    """Pieces of an answer that are already HTML, each represented by one private character."""

    def __init__(self, as_written: Text, references: Mapping[str, str]) -> None:
        self.as_written = as_written
        self.references = references
        self._in_table = False
        self._pieces: list[str] = []
        self._pairs_left = _MOST_PAIRS

    def put(self, piece: str) -> str:
        """Store a piece of HTML and return its private character."""
        if len(self._pieces) >= _MOST:
            # No real answer has 65,533 formulas; beyond that, pieces become readable plain text.
            return re.sub(r"<[^>]*>", "", piece)
        self._pieces.append(piece)
        return chr(_FIRST + len(self._pieces) - 1)

    def restored(self, text: str) -> str:
        """Return HTML with the private characters replaced by their pieces."""
        return _ASIDE.sub(lambda match: self._pieces[ord(match.group()) - _FIRST], text)

    def spans(self, text: str, *, in_table: bool = False) -> str:
        """Return the text of a block with code, formulas, escapes and links replaced by private characters."""
        self._in_table = in_table
        pattern = _SPANS_AND_REFERENCES if self.references else _SPANS
        text = pattern.sub(self._span, text)
        # The rows of a table are limited separately, because its cells are parsed one by one.
        return "\n".join(map(self._limit_delimiters, text.split("\n"))) if in_table else self._limit_delimiters(text)

    def _limit_delimiters(self, text: str) -> str:
        """Escape delimiters beyond the budget, for which python-markdown would take seconds."""
        most = isqrt(self._pairs_left)
        count = 0

        def kept(match: re.Match[str]) -> str:
            nonlocal count
            count += 1
            calm = len(match.group()) <= _LONGEST_RUN and count <= most
            return match.group() if calm else "".join(f"&#{ord(character)};" for character in match.group())

        text = _DELIMITERS.sub(kept, text)
        self._pairs_left -= min(count, most) ** 2
        return text

    def _span(self, match: re.Match[str]) -> str:
        text = match.group()
        for kind in _KINDS:
            if match[kind] is not None:
                return str(getattr(self, f"_{kind}")(match, text))
        return self._shortcut(match, text)

    def _code(self, match: re.Match[str], _text: str) -> str:
        code = match["inside"].replace("\n", " ")
        if self._in_table:
            # A pipe in a cell can only be written as "\|".
            code = code.replace("\\|", "|")
        if code.strip() and code[0] == code[-1] == " ":
            code = code[1:-1]
        return self.put(f"<code>{html.escape(self.as_written(code))}</code>")

    def _run(self, _match: re.Match[str], text: str) -> str:
        return text

    def _formula(self, _match: re.Match[str], text: str) -> str:
        return self.put(f'<span class="formula">{html.escape(self.as_written(text).strip())}</span>')

    def _number(self, match: re.Match[str], text: str) -> str:
        return self._dollar(match, text)

    def _dollar(self, match: re.Match[str], text: str) -> str:
        # Two amounts of money with a citation between them; the text between them is parsed like any other.
        if _PRIVATE.search(text) and re.search(r"\s", text):
            return "$" + self.spans_after(text[1:])
        return self._formula(match, text)

    def spans_after(self, text: str) -> str:
        """Return text after a rejected opening character, with its own spans replaced by private characters."""
        return (_SPANS_AND_REFERENCES if self.references else _SPANS).sub(self._span, text)

    def _break(self, _match: re.Match[str], _text: str) -> str:
        return self.put("<br>")

    def _escape(self, _match: re.Match[str], text: str) -> str:
        return self.put(html.escape(text[1]))

    def _note(self, match: re.Match[str], text: str) -> str:
        """Return a footnote's number as superscript, linked if the answer defines an address for it."""
        raised = self.put(f"<sup>{html.escape(match['note'])}</sup>")
        if (address := self.references.get(reference_label(f"^{match['note']}"))) is not None:
            return self._link_to(address, raised, match["note"]) + text.partition("]")[2]
        return raised

    def _entity(self, _match: re.Match[str], text: str) -> str:
        meant = html.unescape(text) if len(text) <= 34 else text
        return self.put(html.escape(_PRIVATE.sub("\ufffd", replace_invisible(meant))))

    def _auto(self, match: re.Match[str], _text: str) -> str:
        return self._link_to(match["auto"], self.put(html.escape(self.as_written(match["auto"]))))

    def _mail(self, match: re.Match[str], _text: str) -> str:
        return self._link_to(f"mailto:{match['mail']}", self.put(html.escape(match["mail"])))

    def _link(self, match: re.Match[str], text: str) -> str:
        """Return a link; an image also becomes a link, so that nothing is loaded before a click."""
        written = match["angled"] if match["angled"] is not None else match["plain"]
        address = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", written)
        return self._link_to(address, self._label(match["label"], text, address), match["label"])

    def _shortcut(self, match: re.Match[str], text: str) -> str:
        address = self.references.get(reference_label(match["reference"] or match["name"]))
        if address is None:
            opening = "![" if text[0] == "!" else "["
            return opening + self.spans_after(text[len(opening) :])
        return self._link_to(address, self._label(match["name"], text, address), match["name"])

    def _label(self, label: str, text: str, address: str) -> str:
        if text.startswith("!"):
            return self.put(html.escape(self.as_written(label or address)))
        # Links cannot be nested: a link inside a label is replaced by its own label.
        return _SPANS.sub(
            lambda match: match["label"] if match["link"] else self._span(match), _IMAGE.sub(r"\1", label)
        )

    def _link_to(self, address: str, label: str, words: str | None = None) -> str:
        """Return a link; append the target site if the label could be mistaken for another address."""
        meant = self.as_written(html.unescape(address))
        site = distinguishing_site(html.unescape(words), meant) if words is not None else ""
        behind = self.put(html.escape(f" ({site})" if label else site)) if site else ""
        safe = quote(meant, safe="%/:?#@!$&'()*+,;=~-._")
        return f'{self.put(f"""<a href="{html.escape(safe)}">""")}{label}{behind}{self.put("</a>")}'


class _AnswerBlocks(BlockProcessor):
    """Block processor that builds the elements of a whole answer; python-markdown adds tables and paragraphs."""

    def __init__(self, parser: BlockParser) -> None:
        super().__init__(parser)
        self._children: Sequence[MarkdownBlock] = ()
        self._aside = _Aside(str, {})
        self._coloured: Callable[[str, str], str] = lambda code, _language: html.escape(code)

    def prepare(self, children: Sequence[MarkdownBlock], aside: _Aside, coloured: Callable[[str, str], str]) -> None:
        """Set the blocks of the next answer, its private characters and its highlighter."""
        self._children = children
        self._aside = aside
        self._coloured = coloured

    def test(self, _parent: etree.Element, _block: str) -> bool:
        """Return True for the whole answer, False for the text of one of its blocks."""
        return not self.parser.state

    def run(self, parent: etree.Element, source: list[str]) -> None:
        """Build the whole answer."""
        source.clear()
        self._build(parent, self._children, tight=False)

    def _build(self, parent: etree.Element, children: Sequence[MarkdownBlock], *, tight: bool) -> None:
        for block in children:
            if block.kind in (MarkdownBlockKind.TEXT, MarkdownBlockKind.TABLE):
                self._read_text(parent, block, tight=tight)
            elif block.kind is MarkdownBlockKind.QUOTE:
                self._build(etree.SubElement(parent, "blockquote"), block.children, tight=False)
            elif block.kind is MarkdownBlockKind.LIST:
                self._build_list(parent, block)
            elif block.kind is MarkdownBlockKind.HEADING:
                etree.SubElement(parent, f"h{block.number}").text = self._aside.spans(block.text)
            elif block.kind is MarkdownBlockKind.RULE:
                etree.SubElement(parent, "hr")
            elif block.kind is MarkdownBlockKind.CODE:
                self._build_code(parent, block)
            elif block.kind is MarkdownBlockKind.FORMULA:
                formula = etree.SubElement(parent, "div", {"class": "formula"})
                formula.text = AtomicString(self._put(html.escape(self._aside.as_written(block.text).strip())))

    def _build_list(self, parent: etree.Element, block: MarkdownBlock) -> None:
        made = etree.SubElement(parent, "ol" if block.mark in (".", ")") else "ul")
        if block.number != 1:
            made.set("start", str(block.number))
        for item in block.children:
            self._build(etree.SubElement(made, "li"), item.children, tight=not block.loose)

    def _build_code(self, parent: etree.Element, block: MarkdownBlock) -> None:
        code = self._aside.as_written(block.text).rstrip("\n")
        box = etree.SubElement(parent, "div", {"class": "code"})
        etree.SubElement(box, "pre").text = AtomicString(self._put(self._coloured(code, block.mark)))

    def _put(self, piece: str) -> str:
        return self._aside.put(piece)

    def _read_text(self, parent: etree.Element, block: MarkdownBlock, *, tight: bool) -> None:
        # The state determines whether python-markdown wraps the text of an item in a paragraph.
        self.parser.state.set("list" if tight else "block")
        text = self._aside.spans(block.text, in_table=block.kind is MarkdownBlockKind.TABLE)
        self.parser.parseBlocks(parent, [text])
        self.parser.state.reset()


class _Emphasis(DelimiterProcessor):
    """Emphasis processor; overlapping emphasis, whose text python-markdown 3.11 would duplicate, stays unchanged."""

    def handleMatch(  # type: ignore[override]
        self, m: re.Match[str], data: str
    ) -> tuple[etree.Element | str | None, int | None, int | None]:
        """Return the element, or the source text if the text of the element differs from it."""
        node, start, end = super().handleMatch(m, data)
        if node is None or start is None or end is None:
            return node, start, end
        text = "".join(node.itertext())
        if _DELIMITERS.sub("", text) == _DELIMITERS.sub("", data[start:end]):
            return node, start, end
        self.reset()
        return data[start:end], start, end


class _LineBreaks(Treeprocessor):
    """Tree processor that ends every block with a line break.

    It runs after the inline patterns, which would take quadratic time for such tails.
    """

    def run(self, root: etree.Element) -> None:
        """Add the line breaks."""
        for element in root.iter():
            if element.tag in _BLOCKS and not element.tail:
                element.tail = "\n"
