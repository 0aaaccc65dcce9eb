"""The spans of a passage that may be quoted: its sentences, and its lines where it has no sentences."""

import re
from dataclasses import dataclass

from workbench.chunking.sentences import sentence_spans

# A longer "sentence" is a table, a listing or code: its lines are quoted instead.
LONGEST_SENTENCE = 500

_LINE = re.compile(r"[^\s][^\n]*")
_ENDS = re.compile(r"[.!?。！？;；:：…|`)\]\"'”’」』]\s*$")
_QUESTION = re.compile(r"[?？][\"'”’」』）)]*\s*$")
_MARKS = re.compile(r"^\s*(?:#{1,6}\s|[-=|:\s]+$)")
_WORD = re.compile(r"[^\W_]+")
_PAIR = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Quotable:
    """text[start:end] of a passage.

    Attributes:
        is_statement: Whether it may stand as an answer: headings, rulers and questions only introduce what follows.
    """

    start: int
    end: int
    text: str
    is_statement: bool


def quotables(text: str) -> list[Quotable]:
    """Return the quotable spans of a passage, in order, with true offsets."""
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        if end - start <= LONGEST_SENTENCE:
            spans.append((start, end))
        else:
            spans.extend((start + line.start(), start + line.end()) for line in _LINE.finditer(text[start:end]))
    last = len(spans) - 1
    return [
        Quotable(start, end, text[start:end], _is_statement(text, start, end, is_last=index == last))
        for index, (start, end) in enumerate(spans)
    ]


def _is_statement(text: str, start: int, end: int, *, is_last: bool) -> bool:
    sentence = text[start:end]
    if _MARKS.match(sentence) or _QUESTION.search(sentence):
        return False
    words = len(_WORD.findall(sentence)) + len(_PAIR.findall(sentence)) // 2
    if words < 3:
        return False
    # A short line without an end, with an empty line behind it, is a heading.
    return bool(_ENDS.search(sentence)) or is_last or words > 10 or not text[end : end + 2].startswith("\n\n")
