"""Parser for a model's answers on passages (JSON or lines), and the search for its quotes in their passages.

The prompt requests one JSON object per line. Models wrap the objects in lists and code fences, use other field names,
write numbers as strings, write their reasoning first, and stop in the middle. All of that is parsed if it is clear.

Models straighten quotation marks and dashes, join words that are hyphenated at the end of a line, and omit Markdown
marks. The search for quotes ignores such differences, but not a different letter, digit or sign.
"""

import json
import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workbench.agent.exhaustive.passage_batches import Span
from workbench.model.exhaustive import PassageVerdict

LONGEST_FINDING = 600
_LONGEST = 200_000
_MOST_TRIES = 4000
_MOST_QUOTES = 5

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


@dataclass(frozen=True, slots=True)
class PassageAnswer:
    """A model's answer on one passage; its quotes are not checked yet."""

    says: PassageVerdict
    finding: str = ""
    quotes: tuple[str, ...] = ()


def read_answer(said: str, numbers: Collection[int]) -> dict[int, PassageAnswer]:
    """Return the answers on the passages with these numbers; the first answer on a passage counts."""
    text = _THOUGHT.sub("", said)[:_LONGEST]
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
    return text if len(text) <= LONGEST_FINDING else f"{text[: LONGEST_FINDING - 1]}…"


def _parse_quotes(value: Any) -> tuple[str, ...]:
    several = value if isinstance(value, list) else [value]
    # Some models return {"text": "..."} for each quote.
    texts = [_first(one, ("text", "quote")) if isinstance(one, dict) else one for one in several]
    return tuple(text for text in texts if isinstance(text, str) and text.strip())[:_MOST_QUOTES]


def _parse_line(match: "re.Match[str]") -> PassageAnswer:
    rest = match["rest"]
    quotes = tuple("".join(one.groups(default="")) for one in _QUOTED.finditer(rest))[:_MOST_QUOTES]
    says = _parse_verdict(match["says"]) or PassageVerdict.NOTHING
    return PassageAnswer(says, _clean(_QUOTED.sub("", rest).strip(" ,;:-–—()")), quotes)


LONGEST = 1500
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
    if not quote.strip() or len(quote) > LONGEST:
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
