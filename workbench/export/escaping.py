"""Text that a document or a model controls, made safe to put into Markdown or HTML.

A quote or a file name may hold anything: tags, pipes, back-ticks, line ends, characters that turn the direction of
the text around. What stands here keeps it readable and inside its place.
"""

import html
import re

from workbench.language import tr
from workbench.model.visible import visible

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&#^])")
_LINE_START = re.compile(r"^(\s*\d*)([-+=](?!\d)|(?<=\d)[.)](?=\s|$))")
_BLANK_RUN = re.compile(r"\s+")
_BACKTICKS = re.compile(r"`+")


def one_line(text: str) -> str:
    """Return the text on one line, runs of white space as one space."""
    return _BLANK_RUN.sub(" ", visible(text)).strip()


def shortened(text: str, limit: int) -> str:
    """Return the text on one line, cut after limit characters with the length that it had."""
    line = one_line(text)
    if len(line) <= limit:
        return line
    return tr("{text} … ({n:,} characters)", text=line[:limit].rstrip(), n=len(line))


def markdown_text(text: str) -> str:
    """Return the text on one line, so that Markdown shows it as it is."""
    return _escaped_line(one_line(text))


def markdown_quote(text: str, *, indent: str = "") -> str:
    """Return the text as a Markdown block quote that shows it line by line as it is."""
    lines = visible(text).strip("\n").split("\n")
    return "\n".join(f"{indent}> {_escaped_line(line.strip())}".rstrip() for line in lines)


def code_span(text: str) -> str:
    """Return the text, on one line, as a Markdown code span."""
    line = one_line(text) or " "
    ticks = "`" * (_longest_backticks(line) + 1)
    return f"{ticks} {line} {ticks}" if "`" in line else f"{ticks}{line}{ticks}"


def code_block(text: str, *, language: str = "", indent: str = "") -> str:
    """Return the text as a fenced Markdown block whose fence is longer than any that stands in it."""
    shown = visible(text).strip("\n")
    fence = "`" * max(3, _longest_backticks(shown) + 1)
    return "\n".join(f"{indent}{line}".rstrip() for line in (fence + language, *shown.split("\n"), fence))


def html_text(text: str) -> str:
    """Return the text for HTML, in an element or in a quoted attribute."""
    return html.escape(visible(text), quote=True)


def html_line(text: str) -> str:
    """Return the text on one line for HTML."""
    return html.escape(one_line(text), quote=True)


def _escaped_line(line: str) -> str:
    return _LINE_START.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", line))


def _longest_backticks(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)
