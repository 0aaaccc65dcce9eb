"""Target: the chunker on documents with arbitrary blocks and pages, and the terms of a text for the keyword index."""

import json
from collections.abc import Sequence
from itertools import pairwise

from fuzz_documents import check_chunks
from fuzz_target import Kind, Target, text_of
from fuzz_texts import MARKDOWN, as_json

from workbench.model.document import Block, BlockKind, Metadata, Page, ParsedDocument
from workbench.store.segmentation import question_words, segment

_KINDS = tuple(BlockKind)
_LONGEST = 20_000


def _chunk(data: bytes) -> None:
    """Cut a document given as JSON: [[kind, level, text, gap], ...], or as text with one page per sheet."""
    text, blocks = "", []
    for kind, level, prose, gap in _described(data):
        if prose.strip():
            is_heading = kind is BlockKind.HEADING
            blocks.append(Block(kind, len(text), len(text) + len(prose), level if is_heading else 0))
        text += (prose if prose.strip() else "") + gap
    borders = sorted({0, len(text), *(len(text) * part // 3 for part in range(len(data) % 3))})
    pages = [Page(number, start, end, 600, 800) for number, (start, end) in enumerate(pairwise(borders), 1)]
    check_chunks(ParsedDocument(text, tuple(blocks), tuple(pages), Metadata("A title"), "text"))


def _described(data: bytes) -> list[tuple[BlockKind, int, str, str]]:
    """Return the blocks that an input describes; any other input is one paragraph."""
    whole = text_of(data)[:_LONGEST]
    try:
        given = json.loads(whole)
    except (ValueError, RecursionError):
        given = None
    described = []
    for one in given if isinstance(given, list) else ():
        kind, level, prose, gap = (*one, "", "", "", "")[:4] if isinstance(one, list) else ("", "", str(one), "")
        number = level if isinstance(level, int) and not isinstance(level, bool) else 1
        blank = "".join(sign for sign in str(gap) if sign.isspace())
        described.append((_KINDS[len(str(kind)) % len(_KINDS)], max(1, min(number, 9)), str(prose)[:_LONGEST], blank))
    return described or [(BlockKind.PARAGRAPH, 0, whole, "\n")]


def _segment(data: bytes) -> None:
    text = text_of(data)
    assert "\n" not in segment(text)
    for word in question_words(text[:5000]):
        assert word


def _seeds() -> Sequence[bytes]:
    kinds = [
        [kind.value, number, f"{kind.value} of some words. And more of them, 3.14 e.g. 中文。", "\n\n"]
        for number, kind in enumerate(BlockKind, 1)
    ]
    table = [["table", 0, "| a | b |\n|---|---|\n" + "| one | two |\n" * 40, "\n"]]
    return as_json(kinds), as_json(table), MARKDOWN.encode(), ("word " * 800).encode(), ("很长的句子，" * 200).encode()


_WORDS = (
    "\n\n",
    ". ",
    "。",
    "e.g. ",
    "\u3000",
    "x" * 400,
    "https://a.b/c?d=e.",
    "“Yes.” ",
    "- ",
    "1. ",
    "|",
    "…",
    "；",
    "🙂",
)

PASSAGES: tuple[Target, ...] = (
    Target("chunker", _chunk, _seeds, Kind.JSON, _WORDS),
    Target("segmentation", _segment, lambda: (MARKDOWN.encode(), "iPhone手机 C++ e-mail don’t".encode()), words=_WORDS),
)
