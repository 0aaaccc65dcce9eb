"""An answer -> what it claims, sentence by sentence, each with the numbers of the passages that it rests on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.agent.markers import Marker, blanked, find_markers
from workbench.retrieval.quotable_spans import QuotableSpan, quotables

_BLOCK_END = re.compile(r"\n[^\S\n]*\n|\n(?=[^\S\n]*(?:[-*+•·▪‣|>#]|\d{1,3}[.)])[^\S\n]*\S)")
_ITEM = re.compile(r"(?:[-*+•·▪‣>]\s+|\(?\d{1,3}[.)、]\s+|\(?[a-z]\)\s+|#{1,6}\s+)+")
_LEAD_IN = re.compile(r"[:：][*_\s]*$")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_QUESTION = re.compile(r"[?？][\"'”’」』）)*_\s]*$")
_WORD = re.compile(r"[^\W_]")
# A marker stood before it.
_LOOSE_END = re.compile(r"(?<!\s)\s++(?=[.,;:!?。，；：！？])")
# What an answerer says about itself, the user or what it was given, rather than about the subject.
_ASIDE = re.compile(
    r"[\s*_>\"“-]*(?:I |I'|I’|let me\b|please\b|sorry\b|here (?:is|are)\b|if you (?:need|want|would|have)\b|hope\b"
    r"|抱歉|对不起|對不起|希望|如果您|如需|如有|请|請|我)",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"\b(?:documents?|passages?|sources?|texts?|excerpts?|references?|knowledge base|information|context)\b[^.]{0,60}"
    r"\b(?:does not|do not|doesn['’]t|don['’]t|did not|not|hold nothing|no)\b[^.]{0,30}"
    r"\b(?:mention|say|state|contain|hold|provide|specify|include|cover|give|about|information)"
    r"|\b(?:no|not any) (?:information|mention|details?)\b"
    r"|(?:文档|文檔|文件|资料|資料|段落|知识库|原文|文中).{0,12}(?:没有|沒有|未|并未|並未|无|無)"
    r"|(?:没有|沒有|未|无法|無法|暂无|暫無).{0,8}(?:找到|提到|提及|说明|說明|相关|相關|信息|資訊)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """answer[start:end], which claims something.

    Attributes:
        text: As it reads, without markers and the marks around it.
        numbers: Of the passages that it rests on: its own markers, else those of its paragraph; none where there are
            none.
    """

    start: int
    end: int
    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    text: str
    block: int
    is_statement: bool
    numbers: tuple[int, ...] = ()


def statements(answer: str) -> list[Statement]:
    """Return what an answer claims; headings, code, questions, lead-ins and asides claim nothing."""
    bare = blanked(answer)
    sentences = _with_numbers(list(_sentences(bare)), find_markers(answer), bare)
    found = []
    for index, sentence in enumerate(sentences):
        if _claims(sentence):
            numbers = sentence.numbers or _inherited(sentences, index)
            found.append(Statement(sentence.start, sentence.end, sentence.text, numbers))
    return found


def _sentences(bare: str) -> Iterator[_Sentence]:
    ends = [match.end() for match in _BLOCK_END.finditer(bare)]
    block = 0
    for span in quotables(bare):
        while block < len(ends) and ends[block] <= span.start:
            block += 1
        start = span.start
        if item := _ITEM.match(span.text):
            start += item.end()
        text = _reads(span, bare[start : span.end])
        if start < span.end and not span.is_code:
            is_heading = _HEADING.match(bare, bare.rfind("\n", 0, span.start) + 1) is not None
            yield _Sentence(start, span.end, text, block, span.is_statement and not is_heading)


def _reads(span: QuotableSpan, text: str) -> str:
    """Return what a sentence says without marks; of a table's row the cells with the names of their columns."""
    if span.cells:
        return "; ".join(f"{name}: {value}" if name else value for name, value in span.cells if value)
    plain = span.reads or text
    item = _ITEM.match(plain)
    return " ".join(_LOOSE_END.sub("", plain[item.end() if item else 0 :].replace("**", "")).split())


def _with_numbers(sentences: list[_Sentence], markers: Sequence[Marker], bare: str) -> list[_Sentence]:
    """Return the sentences with the numbers of their own markers: each belongs to the sentence that it closes."""
    own: dict[int, list[int]] = {}
    for marker in markers:
        before = [index for index, one in enumerate(sentences) if one.start <= marker.start]
        last = before[-1] if before else None
        if last is None or (_BLOCK_END.search(bare, sentences[last].end, marker.start) and last + 1 < len(sentences)):
            last = 0 if last is None else last + 1
        own.setdefault(last, []).append(marker.number)
    return [replace(one, numbers=tuple(dict.fromkeys(own.get(index, ())))) for index, one in enumerate(sentences)]


def _inherited(sentences: Sequence[_Sentence], index: int) -> tuple[int, ...]:
    """Return the numbers that a sentence without its own rests on: the next in its paragraph, else those before.

    A list without any rests on those of the line that introduces it.
    """
    block = sentences[index].block
    beside = [*sentences[index + 1 :], *reversed(sentences[:index])]
    for other in beside:
        if other.block == block and other.numbers:
            return other.numbers
    for other in reversed(sentences[:index]):
        if other.block != block and _LEAD_IN.search(other.text):
            return other.numbers
    return ()


def _claims(sentence: _Sentence) -> bool:
    text = sentence.text
    if not _WORD.search(text) or _QUESTION.search(text) or _SAYS_NOTHING.search(text):
        return False
    if sentence.numbers:
        return not _LEAD_IN.search(text)
    return sentence.is_statement and not _LEAD_IN.search(text) and not _ASIDE.match(text)
