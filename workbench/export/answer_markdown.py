"""The answer's Markdown, made to stay inside its section of a larger Markdown file.

The answer is the model's text, and offline it is made of the documents' own sentences. Put as it is into a file it
could load an image from elsewhere, close a <details>, leave a code fence open over all that follows, or fake a heading.
The text is read by a CommonMark parser and only what does one of these is changed.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

from workbench.export.escaping import visible

_PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
_DEEPEST_HEADING = 6
_UNSAFE_LINK = re.compile(r"\]\((?=\s*<?\s*(?:javascript|vbscript|data|file)\s*:)", re.IGNORECASE)
_DEFINITION = re.compile(r"^(\s{0,3}(?:>\s*)*)\[(?=[^\]]*\]:)", re.MULTILINE)
_END = "END-OF-ANSWER"
_ROUNDS = 8


def contained(answer: str, *, below: int) -> str:
    """Return the answer without raw HTML, images, footnotes or an open fence, its headings deeper than level below."""
    text = visible(answer).strip("\n")
    for _ in range(_ROUNDS):
        safer = _without_html_and_images(text)
        if safer == text:
            break
        text = safer
    else:
        # Markup that grows back in each round is no prose any more; then nothing in it is held to be markup.
        text = text.replace("<", "&lt;").replace("![", "!&#91;")
    text = _deeper_headings(text, below)
    return _closed(text)


def _without_html_and_images(text: str) -> str:
    tokens = _PARSER.parse(text)
    code = _code_lines(tokens)
    lines = text.split("\n")
    for token in tokens:
        if token.map is None:
            continue
        changes = _changes(token)
        for number in range(token.map[0], min(token.map[1], len(lines))):
            for old, new in changes:
                lines[number] = lines[number].replace(old, new)
    for number, line in enumerate(lines):
        if number not in code:
            # Entities, not back-slashes: the text may have a back-slash of its own right before.
            lines[number] = _UNSAFE_LINK.sub("]&#40;", _DEFINITION.sub(r"\1&#91;", line.replace("[^", "&#91;^")))
    return "\n".join(lines)


def _changes(token: Token) -> list[tuple[str, str]]:
    if token.type == "html_block":
        return [("<", "&lt;")]
    kinds = {child.type for child in token.children or ()}
    changes = []
    if "html_inline" in kinds:
        changes.append(("<", "&lt;"))
    if "image" in kinds:
        changes.append(("![", "!&#91;"))
    return changes


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
