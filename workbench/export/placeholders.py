"""One private character for each citation marker of an answer, while its Markdown is read; chips in their place after.

A marker is replaced before the Markdown is read, so that no Markdown rule can take it for a link or an emphasis.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.model.hit import Citation
from workbench.model.visible import replaced

# One character each, so that neither Markdown nor Pygments can split a placeholder; plane 15 holds 65,534 of them.
_FIRST = 0xF0000
_MOST = 0xFFFD
# Both planes of private characters, for what is set aside while reading stands in plane 16.
_PRIVATE = re.compile("[\U000f0000-\U0010ffff]")
_TAG = re.compile(r"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")


@dataclass(frozen=True, slots=True)
class Marked:
    """An answer with placeholders.

    Attributes:
        text: Its Markdown, one private character a marker, every line ended by a line feed.
        sources: What was written where a placeholder stands.
        citations: What a placeholder cites: several where they share a marker.
    """

    text: str
    sources: dict[str, str]
    citations: dict[str, tuple[Citation, ...]]


def marked(text: str, citations: Sequence[Citation], *, start: int = 0, number: int = 0) -> Marked:
    """Return an answer with placeholders for its citations, or its rest from a place with so many before it.

    Citations with the same span share a placeholder, and an empty span is one too ([1-3] names 2 without a character
    of its own); one that overlaps another or lies outside the text is left out.
    """
    text = _PRIVATE.sub("\ufffd", replaced(text[start:]))
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
    return Marked("".join(pieces).replace("\r\n", "\n").replace("\r", "\n"), sources, groups)


def placeholders_in(text: str) -> list[str]:
    """Return the placeholders of a text in their order."""
    return [] if text.isascii() else _PRIVATE.findall(text)


def with_chips(safe: str, sources: Mapping[str, str], chips: Mapping[str, str]) -> str:
    """Return the HTML with chips for placeholders; inside a link or a tag they go back to what was written."""
    pieces: list[str] = []
    position = 0
    in_link = False
    for match in _TAG.finditer(safe):
        pieces.append(restored(safe[position : match.start()], sources if in_link else chips, escape=in_link))
        tag = match.group()
        pieces.append(restored(tag, sources, escape=True))
        in_link = tag.startswith("<a ") or (in_link and tag != "</a>")
        position = match.end()
    pieces.append(restored(safe[position:], chips, escape=False))
    return "".join(pieces)


def restored(text: str, replacements: Mapping[str, str], *, escape: bool) -> str:
    """Return a text with replacements for its placeholders."""
    # Between two tags there is seldom a placeholder: a tenth of the time of a long answer.
    if text.isascii():
        return text

    def put_back(match: re.Match[str]) -> str:
        value = replacements.get(match.group(), "")
        return html.escape(value) if escape else value

    return _PRIVATE.sub(put_back, text)
