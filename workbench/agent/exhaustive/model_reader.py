"""The passage reader that asks a model: it parses the answer, checks its quotes, and asks again where it is unusable.

The prompt requests one JSON object per line. Models wrap the objects in lists and code fences, use other field names,
write numbers as strings, write their reasoning first, and stop in the middle. All of that is parsed if it is clear.

Models straighten quotation marks and dashes, join words that are hyphenated at the end of a line, and omit Markdown
marks. The search for quotes ignores such differences, but not a different letter, digit or sign.
"""

import json
import re
import unicodedata
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from workbench.agent.base import ModelProvider
from workbench.agent.exhaustive.passage_batches import (
    Batch,
    CallCapacity,
    PassageReadingResult,
    PassageToRead,
    Span,
    batch_request,
    pieces_of,
    repair_request,
)
from workbench.agent.token_budget import TokenEstimate
from workbench.egress.gate import carrying
from workbench.errors import ModelStreamCut
from workbench.language import mark
from workbench.model.exhaustive import PassageVerdict
from workbench.model.message import ModelEvent, ModelRequest, TextDelta, TurnEnd, Usage

NO_ANSWER = mark("The model's answer for this passage could not be read.")
NO_QUOTE = mark("The model found something, but its quote is not in the passage.")
_NO_ANSWER = "nothing was said of it that can be read"
_NO_QUOTE = "none of its quotes is in it word for word"
_MOST_QUOTES = 3
"""Maximum number of quotes that are kept of a passage."""


@dataclass(frozen=True, slots=True)
class PassageAnswer:
    """A model's answer on one passage; its quotes are not checked yet."""

    says: PassageVerdict
    finding: str = ""
    quotes: tuple[str, ...] = ()


class TokenSpending:
    """Counts the tokens of calls: the server's counts, or an estimate if it reports none."""

    def __init__(self) -> None:
        self.estimate = TokenEstimate()

    def of(self, request: ModelRequest, said: str, usage: Usage) -> tuple[int, int]:
        """Return the numbers of tokens that a call read and wrote."""
        self.estimate.learn(request, usage.input_tokens)
        read = usage.input_tokens
        written = usage.output_tokens
        return (
            read if read is not None else round(self.estimate.count_request(request)),
            written if written is not None else round(self.estimate.count(said)),
        )


async def spoken(provider: ModelProvider, request: ModelRequest) -> tuple[str, Usage]:
    """Return a model's answer; if the connection ends before the first token, the request is repeated once.

    Raises:
        ModelError: The request failed, or the answer was cut off.
    """
    try:
        return await _collect_text(provider, request)
    except _EmptyStreamCut:
        return await _collect_text(provider, request)


class _EmptyStreamCut(ModelStreamCut):
    """The connection ended before the first token."""


async def _collect_text(provider: ModelProvider, request: ModelRequest) -> tuple[str, Usage]:
    parts: list[str] = []
    try:
        stream = cast(AsyncGenerator[ModelEvent, None], provider.stream(request))
        async with aclosing(stream) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    parts.append(event.text)
                elif isinstance(event, TurnEnd):
                    return "".join(parts), event.usage
    except ModelStreamCut as error:
        if parts:
            raise
        raise _EmptyStreamCut(error.message, error.hint) from error
    raise ModelStreamCut("The model stopped before its answer was complete.", "Choose “Continue” to ask again.")


class ModelReader:
    """PassageReader that asks a model; several batches may be read concurrently.

    Args:
        provider: The model's provider.
        room: Passages and tokens that fit into one call.
        spending: Counts the tokens of the calls.
        mode: Sentence that describes the reader; empty for that of the provider.
        asks_again: True to ask a second time about the passages for which the answer cannot be used.
    """

    def __init__(
        self,
        provider: ModelProvider,
        room: CallCapacity,
        spending: TokenSpending,
        *,
        mode: str = "",
        asks_again: bool = True,
    ) -> None:
        self._mode = mode
        self._asks_again = asks_again
        self._provider = provider
        self._room = room
        self._spending = spending

    @property
    def mode(self) -> str:
        return self._mode or self._provider.mode

    async def read(self, question: str, passages: Sequence[PassageToRead]) -> Batch:
        """Return the result for each passage; a single passage that does not fit into a call is read in pieces."""
        count = self._spending.estimate.count
        if len(passages) != 1 or len(pieces := pieces_of(passages[0], self._room, count)) == 1:
            return await self._read(question, passages)
        batches = [(start, await self._read(question, [piece])) for start, piece in pieces]
        found = _join_pieces(passages[0], [_shift(batch.found[0], start) for start, batch in batches])
        return Batch(
            (found,),
            sum(batch.calls for _, batch in batches),
            sum(batch.input_tokens for _, batch in batches),
            sum(batch.output_tokens for _, batch in batches),
        )

    async def _read(self, question: str, passages: Sequence[PassageToRead]) -> Batch:
        with carrying(chunks=(passage.chunk.id for passage in passages)):
            return await self._read_at_once(question, passages)

    async def _read_at_once(self, question: str, passages: Sequence[PassageToRead]) -> Batch:
        request = batch_request(question, passages)
        numbered = dict(enumerate(passages, start=1))
        answer, read, written = await self._ask(request)
        results = {number: _check(one, numbered[number]) for number, one in read_answer(answer, numbered).items()}
        problems = _describe(numbered, results)
        calls = 1
        if problems and self._asks_again:
            again = repair_request(request, answer, problems)
            repaired, more_read, more_written = await self._ask(again)
            calls, read, written = 2, read + more_read, written + more_written
            for number, one in read_answer(repaired, problems).items():
                results[number] = _replace_result(results.get(number), _check(one, numbered[number]))
        found = tuple(results.get(number) or _make_unreadable(one) for number, one in numbered.items())
        return Batch(tuple(_reject_unproven(one) for one in found), calls, read, written)

    async def _ask(self, request: ModelRequest) -> tuple[str, int, int]:
        answer, usage = await spoken(self._provider, request)
        return answer, *self._spending.of(request, answer, usage)


def _check(answered: PassageAnswer, passage: PassageToRead) -> PassageReadingResult:
    """Return the answer on a passage with the quotes that occur in it; the others are counted."""
    if answered.says is PassageVerdict.NOTHING:
        return PassageReadingResult(passage.chunk.id, PassageVerdict.NOTHING)
    found = [find_quote(quote, passage.chunk.text) for quote in answered.quotes]
    spans = _remove_nested([span for span in found if span is not None])
    thrown_out = sum(span is None for span in found)
    return PassageReadingResult(passage.chunk.id, answered.says, answered.finding, spans[:_MOST_QUOTES], thrown_out)


def _remove_nested(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans without those that lie within another."""
    distinct = list(dict.fromkeys(spans))
    return tuple(one for one in distinct if not any(o != one and o[0] <= one[0] and one[1] <= o[1] for o in distinct))


def _describe(numbered: Mapping[int, PassageToRead], results: Mapping[int, PassageReadingResult]) -> dict[int, str]:
    missing = {number: _NO_ANSWER for number in numbered if number not in results}
    return missing | {number: _NO_QUOTE for number, one in results.items() if _is_unproven(one)}


def _is_unproven(found: PassageReadingResult) -> bool:
    return found.says in (PassageVerdict.YES, PassageVerdict.NO) and not found.spans


def _replace_result(before: PassageReadingResult | None, now: PassageReadingResult) -> PassageReadingResult:
    thrown_out = now.thrown_out + (before.thrown_out if before else 0)
    return PassageReadingResult(now.chunk, now.says, now.finding, now.spans, thrown_out)


def _make_unreadable(passage: PassageToRead) -> PassageReadingResult:
    return PassageReadingResult(passage.chunk.id, PassageVerdict.UNREADABLE, problem=NO_ANSWER)


def _reject_unproven(found: PassageReadingResult) -> PassageReadingResult:
    """Return a finding without a quote as unreadable, since nobody can check it."""
    if not _is_unproven(found):
        return found
    return PassageReadingResult(found.chunk, PassageVerdict.UNREADABLE, thrown_out=found.thrown_out, problem=NO_QUOTE)


def _shift(found: PassageReadingResult, by: int) -> PassageReadingResult:
    spans = tuple((start + by, end + by) for start, end in found.spans)
    return PassageReadingResult(found.chunk, found.says, found.finding, spans, found.thrown_out, found.problem)


def _join_pieces(passage: PassageToRead, pieces: Sequence[PassageReadingResult]) -> PassageReadingResult:
    """Return the combined result of the pieces of one passage: yes before no, and no before unreadable."""
    thrown_out = sum(one.thrown_out for one in pieces)
    for says in (PassageVerdict.YES, PassageVerdict.NO, PassageVerdict.UNREADABLE):
        alike = [one for one in pieces if one.says is says]
        if alike:
            spans = tuple(span for one in alike for span in one.spans)[:_MOST_QUOTES]
            return PassageReadingResult(passage.chunk.id, says, alike[0].finding, spans, thrown_out, alike[0].problem)
    return PassageReadingResult(passage.chunk.id, PassageVerdict.NOTHING, thrown_out=thrown_out)


_LONGEST_FINDING = 600
_LONGEST_ANSWER = 200_000
_MOST_TRIES = 4000
_MOST_QUOTES_READ = 5

_NUMBER = ("passage", "number", "n", "id", "no", "index")
_VERDICT = ("says", "verdict", "answer", "relevant", "is_relevant", "result")
_FINDING = ("finding", "summary", "reason", "explanation", "text")
_QUOTES = ("quotes", "quote", "evidence", "citations", "verbatim")

_WORDS = {
    **dict.fromkeys(
        ("yes", "true", "relevant", "y", "answer", "answered", "partly", "partially", "是", "有"), PassageVerdict.YES
    ),
    **dict.fromkeys(("no", "n", "否", "不是"), PassageVerdict.NO),
    **dict.fromkeys(
        (
            "nothing",
            "none",
            "false",
            "irrelevant",
            "not relevant",
            "not said",
            "not stated",
            "n/a",
            "null",
            "无",
            "没有",
        ),
        PassageVerdict.NOTHING,
    ),
}
_THOUGHT = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)
# Possessive quantifiers prevent backtracking, and the part before the number matches no line break: without this,
# 20,000 empty lines took 20 s.
_LINE = re.compile(
    r"^(?:[^\S\n]|[>*#(\[-])*+(?:passage\s*+)?(?P<number>\d{1,4})[\s*.:)\]|–—-]++"
    r"(?P<says>yes|no|nothing|none|irrelevant)\b[\s*.:;,|–—-]*+(?P<rest>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
# A quote contains no second opening mark: without this, 200,000 of them took minutes.
_QUOTED = re.compile(r"“([^“”\n]+)”|\"([^\"\n]+)\"|「([^「」\n]+)」")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def read_answer(said: str, numbers: Collection[int]) -> dict[int, PassageAnswer]:
    """Return the answers on the passages with these numbers; the first answer on a passage counts."""
    text = _THOUGHT.sub("", said)[:_LONGEST_ANSWER]
    found: dict[int, PassageAnswer] = {}
    for value in _decode_values(text):
        for number, answered in _parse_answers(value, None, 4):
            if number in numbers:
                found.setdefault(number, answered)
    if not found:
        for match in _LINE.finditer(text):
            number = int(match["number"])
            if number in numbers:
                found.setdefault(number, _parse_line(match))
    return found


def _decode_values(text: str) -> Iterator[Any]:
    """Yield the JSON objects of a text, one after another."""
    decoder = json.JSONDecoder()
    place, tries = text.find("{"), 0
    while place >= 0 and tries < _MOST_TRIES:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place = text.find("{", place + 1)
            continue
        yield value
        place = text.find("{", end)


def _parse_answers(value: Any, key: str | None, depth: int) -> Iterator[tuple[int, PassageAnswer]]:
    """Yield the answers in a value, which is one or contains some; in {"3": {...}} the key is the number."""
    if isinstance(value, list) and depth:
        for one in value:
            yield from _parse_answers(one, None, depth - 1)
    if not isinstance(value, dict):
        return
    fields = {str(name).strip().casefold(): one for name, one in value.items()}
    number = _parse_number(_first(fields, _NUMBER))
    if number is None and key is not None:
        number = _parse_number(key)
    says = _parse_verdict(_first(fields, _VERDICT))
    if number is not None and says is not None:
        yield number, PassageAnswer(says, _clean(_first(fields, _FINDING)), _parse_quotes(_first(fields, _QUOTES)))
    elif depth:
        for name, one in value.items():
            yield from _parse_answers(one, str(name), depth - 1)


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if name in fields), None)


def _parse_number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    match = re.fullmatch(r"\D{0,12}(\d{1,6})\D{0,3}", value) if isinstance(value, str) else None
    return int(match[1]) if match else None


def _parse_verdict(value: Any) -> PassageVerdict | None:
    if isinstance(value, bool):
        return PassageVerdict.YES if value else PassageVerdict.NOTHING
    if not isinstance(value, str):
        return None
    word = value.strip().strip(".!\"'* ").casefold()
    return _WORDS.get(word) or _WORDS.get(re.split(r"[\s,.:;—–-]", word, maxsplit=1)[0])


def _clean(value: Any) -> str:
    text = " ".join(_CONTROL.sub(" ", value).split()) if isinstance(value, str) else ""
    return text if len(text) <= _LONGEST_FINDING else f"{text[: _LONGEST_FINDING - 1]}…"


def _parse_quotes(value: Any) -> tuple[str, ...]:
    several = value if isinstance(value, list) else [value]
    # Some models return {"text": "..."} for each quote.
    texts = [_first(one, ("text", "quote")) if isinstance(one, dict) else one for one in several]
    return tuple(text for text in texts if isinstance(text, str) and text.strip())[:_MOST_QUOTES_READ]


def _parse_line(match: "re.Match[str]") -> PassageAnswer:
    rest = match["rest"]
    quotes = tuple("".join(one.groups(default="")) for one in _QUOTED.finditer(rest))[:_MOST_QUOTES_READ]
    says = _parse_verdict(match["says"]) or PassageVerdict.NOTHING
    return PassageAnswer(says, _clean(_QUOTED.sub("", rest).strip(" ,;:-–—()")), quotes)


_LONGEST_QUOTE = 1500
"""Maximum number of characters of a quote; a longer one is a whole passage and does not show where to look."""

_ELLIPSIS = re.compile(r"\s*(?:\[(?:…|\.\.\.)\]|…|\.\.\.)\s*")
_VARIANTS = str.maketrans({
    **dict.fromkeys("“”„‟«»＂「」『』", '"'),
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
})  # fmt: skip
_IGNORED = frozenset("*_|\\\u00ad\u200b\u200c\u200d\ufeff")
_AROUND = " \t\r\n\"'“”‘’「」『』.,;:。，；：…"


def find_quote(quote: str, text: str) -> Span | None:
    """Return the span of a quote in a text; a quote with “…” matches if all its parts occur in order."""
    if not quote.strip() or len(quote) > _LONGEST_QUOTE:
        return None
    parts = [part for part in _ELLIPSIS.split(quote.strip()) if part.strip(_AROUND)]
    first: int | None = None
    last = 0
    for part in parts:
        span = _find(part, text, last)
        if span is None:
            return None
        first = span[0] if first is None else first
        last = span[1]
    return None if first is None else (first, last)


def _find(part: str, text: str, after: int) -> Span | None:
    plain, origins = _normalise(text)
    for wanted in dict.fromkeys((_normalise(part)[0], _normalise(part.strip(_AROUND))[0])):
        if not any(character.isalnum() for character in wanted):
            continue
        place = plain.find(wanted)
        while place >= 0:
            start, end = origins[place], origins[place + len(wanted) - 1] + 1
            if start >= after and _is_whole(text, start, end):
                return start, end
            place = plain.find(wanted, place + 1)
    return None


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether a span begins and ends between words: “no” does not match in “note”, nor “5” in “15”."""
    begins = start == 0 or not (_is_word_character(text[start - 1]) and _is_word_character(text[start]))
    ends = end == len(text) or not (_is_word_character(text[end - 1]) and _is_word_character(text[end]))
    return begins and ends and not _cuts_number(text, start, end)


def _is_word_character(character: str) -> bool:
    # Scripts without spaces have no word boundaries.
    return character.isalnum() and ord(character) < 0x2E80


def _cuts_number(text: str, start: int, end: int) -> bool:
    """Return whether a span begins or ends within a number: “5 %” does not match in “1.5 %”."""
    before = re.search(r"\d[.,]\Z", text[max(0, start - 2) : start]) and text[start].isdigit()
    after = re.match(r"[.,]\d", text[end : end + 2]) and text[end - 1].isdigit()
    return bool(before or after)


@lru_cache(maxsize=64)
def _normalise(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text in the form in which quotes are compared, and the original offset of each of its characters."""
    characters: list[str] = []
    origins: list[int] = []
    for place, character in enumerate(text):
        if character.isspace() or character in _IGNORED or _is_line_end_hyphen(text, place):
            continue
        for one in unicodedata.normalize("NFKC", character.translate(_VARIANTS)).translate(_VARIANTS).casefold():
            if not one.isspace():
                characters.append(one)
                origins.append(place)
    return "".join(characters), tuple(origins)


def _is_line_end_hyphen(text: str, place: int) -> bool:
    """Return whether a hyphen divides a word at the end of a line."""
    if text[place] not in "-‐":
        return False
    return bool(
        place and text[place - 1].isalpha() and re.match(r"[^\S\n]*\n\s*[^\W\d_A-Z]", text[place + 1 : place + 40])
    )
