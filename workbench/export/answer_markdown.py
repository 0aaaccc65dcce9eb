"""The answer's Markdown, made to stay inside its section of a larger Markdown file.

The answer is the model's text, and offline it is made of the documents' own sentences. Put as it is into a file it
could load an image from elsewhere, close a <details>, leave a code fence open over all that follows, or fake a heading;
and programs that read such files do more than CommonMark says: they run code of a fence, embed other files, hand HTML
and TeX on as they are. The text is read by a CommonMark parser and only what does one of these is changed.
"""

import re
from collections.abc import Callable
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from workbench.model.visible import visible
from workbench.model.web_address import may_be_opened


class _Parser(MarkdownIt):
    """Reads every link as one, wherever it leads: other readers do."""

    def validateLink(self, _url: str) -> bool:
        return True


_PARSER = _Parser("commonmark", {"html": True}).enable("table")
_DEEPEST_HEADING = 6
_DEFINITION = re.compile(r"^(\s{0,3}(?:>\s*)*)\[(?=[^\]]*\]:)", re.MULTILINE)
_IMAGE = re.compile(r"(?<!\\)!\[")
# Pandoc hands TeX on as it is, and with these commands TeX reads and writes files and runs programs; "^^5c" is one of
# its ways to write a back-slash.
_TEX = re.compile(
    r"(?<!\\)(\\(?:\\\\)*+)(?=(?:input|include|read|write|open|close|new(?:read|write)|immediate|special|catcode|csname"
    r"|usepackage|import|lstinput|verbatiminput|def\b|edef|let\b|loop\b|url|href|directlua|luaexec|pdf))",
    re.IGNORECASE,
)
_END = "END-OF-ANSWER"
_ROUNDS = 8


def contained(answer: str, *, below: int) -> str:
    """Return the answer without raw HTML, images, footnotes or an open fence, its headings deeper than level below.

    An image becomes a link to it. A link stays where it leads to the web or writes a mail.
    """
    text = visible(answer).strip("\n")
    for _ in range(_ROUNDS):
        safer = _calmed(text)
        if safer == text:
            break
        text = safer
    else:
        # Markup that grows back in each round is no prose any more; then nothing in it is held to be markup.
        text = text.replace("<", "&lt;").replace("![", "!&#91;").replace("](", "]&#40;").replace("]:", "]&#58;")
    text = _deeper_headings(text, below)
    return _closed(text)


def _calmed(text: str) -> str:
    known: dict[str, Any] = {}
    tokens = _PARSER.parse(text, known)
    code = _code_lines(tokens)
    lines = text.split("\n")
    for token in tokens:
        if token.map is None:
            continue
        changed = _change(token)
        for number in range(token.map[0], min(token.map[1], len(lines))):
            lines[number] = changed(lines[number])
        if token.type == "fence":
            head, ticks, _info = lines[token.map[0]].partition(token.markup)
            lines[token.map[0]] = f"{head}{ticks}{_language(token.info)}"
    for number, line in enumerate(lines):
        if number not in code:
            # Entities, not back-slashes: the text may have a back-slash of its own right before.
            line = line.replace("![[", "!&#91;&#91;").replace("[^", "&#91;^").replace("`{=", "`&#123;=")
            line = _TEX.sub(r"\1\\", _DEFINITION.sub(r"\1&#91;", line)).replace("^^", "^&#94;")
            lines[number] = line.replace("]:", "]&#58;") if known.get("references") else line
    return "\n".join(lines)


def _change(token: Token) -> Callable[[str], str]:
    """Return what takes out of a line of a block what it may not be."""
    children = token.children or []
    pictures = [str(child.attrGet("src") or "") for child in children if child.type == "image"]
    links = [child for child in children if child.type == "link_open"]
    foreign = [link for link in links if not may_be_opened(str(link.attrGet("href") or ""))]
    has_tags = token.type == "html_block" or any(child.type == "html_inline" for child in children)
    has_tags = has_tags or any(link.markup == "autolink" for link in foreign)
    picture = "[" if all(map(may_be_opened, pictures)) else "!&#91;"

    def changed(line: str) -> str:
        line = line.replace("<", "&lt;") if has_tags else line
        line = _IMAGE.sub(picture, line) if pictures else line
        return line.replace("](", "]&#40;") if foreign else line

    return changed


def _language(info: str) -> str:
    """Return the language of a fence where it names one; programs run what others say: “dataviewjs”, “{=html}”."""
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    word = info.split()[0] if info.split() else ""
    try:
        return word if word.isascii() and find_lexer_class_by_name(word) else ""
    except ClassNotFound:
        return ""


def _code_lines(tokens: list[Token]) -> set[int]:
    maps = [token.map for token in tokens if token.type in ("fence", "code_block") and token.map]
    return {number for first, end in maps for number in range(first, end)}


def _deeper_headings(text: str, below: int) -> str:
    lines = text.split("\n")
    for token in reversed(_PARSER.parse(text)):
        if token.type != "heading_open" or token.map is None:
            continue
        first, end = token.map
        marks = "#" * min(_DEEPEST_HEADING, below + int(token.tag[1:]))
        if token.markup.startswith("#"):
            lines[first] = re.sub(r"#+", marks, lines[first], count=1)
        else:
            lines[first:end] = [f"{marks} {' '.join(line.strip() for line in lines[first : end - 1])}"]
    return "\n".join(lines)


def _closed(text: str) -> str:
    tokens = _PARSER.parse(f"{text}\n\n{_END}")
    if tokens and tokens[-1].type == "fence":
        return f"{text}\n{tokens[-1].markup}"
    return text
