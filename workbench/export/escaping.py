"""Escaping of untrusted text for Markdown, HTML, spreadsheets and file names.

A quote or a file name may contain anything: tags, pipes, back-ticks, line ends, bidirectional control characters. The
functions here keep the text readable and stop it from leaving its element, cell or path component.

A spreadsheet evaluates a cell that begins like a formula. In locales with a decimal comma it splits rows at semicolons,
even inside a cell; so text after a semicolon is treated like the start of a cell, and every cell is quoted.
"""

import csv
import html
import io
import re
import unicodedata
from collections.abc import Iterable

from workbench.language import tr
from workbench.model.visible import replace_invisible, visible

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&#^])")
_LINE_START = re.compile(r"^(\s*\d*)([-+=](?!\d)|(?<=\d)[.)](?=\s|$))")
_BLANK_RUN = re.compile(r"\s+")
_BACKTICKS = re.compile(r"`+")


def one_line(text: str) -> str:
    """Return the text on one line, runs of white space as one space."""
    return _BLANK_RUN.sub(" ", visible(text)).strip()


def shorten_line(text: str, limit: int) -> str:
    """Return the text on one line, truncated after limit characters with the original length appended."""
    line = one_line(text)
    if len(line) <= limit:
        return line
    return tr("{text} … ({n:,} characters)", text=line[:limit].rstrip(), n=len(line))


def markdown_text(text: str) -> str:
    """Return the text on one line, escaped so that Markdown shows it unchanged."""
    return _escape_line(one_line(text))


def markdown_quote(text: str, *, indent: str = "") -> str:
    """Return the text as a Markdown block quote that shows each line unchanged."""
    lines = visible(text).strip("\n").split("\n")
    return "\n".join(f"{indent}> {_escape_line(line.strip())}".rstrip() for line in lines)


def code_span(text: str) -> str:
    """Return the text, on one line, as a Markdown code span."""
    line = one_line(text) or " "
    ticks = "`" * (_longest_backticks(line) + 1)
    return f"{ticks} {line} {ticks}" if "`" in line else f"{ticks}{line}{ticks}"


def code_block(text: str, *, language: str = "", indent: str = "") -> str:
    """Return the text as a fenced Markdown block whose fence is longer than any run of back-ticks in the text."""
    shown = visible(text).strip("\n")
    fence = "`" * max(3, _longest_backticks(shown) + 1)
    return "\n".join(f"{indent}{line}".rstrip() for line in (fence + language, *shown.split("\n"), fence))


def html_text(text: str) -> str:
    """Return the text escaped for an HTML element or a quoted attribute."""
    return html.escape(visible(text), quote=True)


def html_line(text: str) -> str:
    """Return the text on one line, escaped for HTML."""
    return html.escape(one_line(text), quote=True)


def _escape_line(line: str) -> str:
    return _LINE_START.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", line))


def _longest_backticks(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


_LONGEST = 120
"""Bytes before the suffix. File systems allow 255; the rest is for " (2)" of a copy and ".part" of a partial file."""
_HARMFUL = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f\ufffd]+')
_RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)")
_UNTITLED = "session"


def safe_file_name(title: str, suffix: str) -> str:
    """Return the title as a file name with the suffix, which begins with a dot."""
    text = unicodedata.normalize("NFC", one_line(replace_invisible(title)))
    # Bidirectional control characters can make a name appear to have another extension.
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cf", "Cc", "Cs", "Co", "Cn"))
    text = " ".join(_HARMFUL.sub(" ", text).split())
    text = text.encode("utf-8")[:_LONGEST].decode("utf-8", "ignore")
    text = text.strip(" .~-")
    if _RESERVED.match(text):
        text = f"_{text}"
    return (text or _UNTITLED) + suffix


def number_file_names(names: list[str]) -> list[str]:
    """Append " (2)", " (3)" to names that would collide on a case-insensitive file system."""
    taken: set[str] = set()
    result = []
    for name in names:
        stem, dot, suffix = name.rpartition(".")
        number, made = 1, name
        while made.casefold() in taken:
            number += 1
            made = f"{stem} ({number}){dot}{suffix}"
        taken.add(made.casefold())
        result.append(made)
    return result


# The full-width characters come from Chinese and Japanese keyboards; some spreadsheets treat them like ASCII.
_BEGINS_FORMULA = re.compile(r"^(?=[=+\-@\t\r＝＋－＠])|(?<=;)([\s\"']*)(?=[=+\-@＝＋－＠])")
MARK = "\ufeff"
"""Byte order mark before the first row, by which spreadsheets detect UTF-8."""


def cell(text: str) -> str:
    """Return a text for a spreadsheet cell: on one line, and never a formula."""
    # Spreadsheets themselves mark a text by an apostrophe.
    return _BEGINS_FORMULA.sub(r"\1'", one_line(text))


def row(values: Iterable[str]) -> str:
    """Return a CSV row with its line end; the caller passes untrusted values through cell first."""
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow(values)
    return text.getvalue()
