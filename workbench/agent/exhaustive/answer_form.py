"""What a model says of passages -> what it says of each: JSON wherever it stands, else lines.

Anything else is nothing.

Asked for is one JSON object a line. Models wrap them in lists and fences, name the fields otherwise, write numbers as
texts, think aloud before, and stop in the middle; all that is read as far as it is plain.
"""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from workbench.model.exhaustive import Says

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
        ("yes", "true", "relevant", "y", "answer", "answered", "partly", "partially", "是", "有"), Says.YES
    ),
    **dict.fromkeys(("no", "n", "否", "不是"), Says.NO),
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
        Says.NOTHING,
    ),
}
_THOUGHT = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)
# Nothing is tried twice, and no line reads into the next before its number: 20,000 empty lines took 20 s.
_LINE = re.compile(
    r"^(?:[^\S\n]|[>*#(\[-])*+(?:passage\s*+)?(?P<number>\d{1,4})[\s*.:)\]|–—-]++"
    r"(?P<says>yes|no|nothing|none|irrelevant)\b[\s*.:;,|–—-]*+(?P<rest>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
# An opening mark ends what one before it opened: 200,000 of them took minutes.
_QUOTED = re.compile(r"“([^“”\n]+)”|\"([^\"\n]+)\"|「([^「」\n]+)」")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model said of one passage; its quotes are not checked yet."""

    says: Says
    finding: str = ""
    quotes: tuple[str, ...] = ()


def read_answer(said: str, numbers: Collection[int]) -> dict[int, Answered]:
    """Return what was said of the passages of these numbers; what was said first of a passage counts."""
    text = _THOUGHT.sub("", said)[:_LONGEST]
    found: dict[int, Answered] = {}
    for value in _values(text):
        for number, answered in _answers(value, None, 4):
            if number in numbers:
                found.setdefault(number, answered)
    if not found:
        for match in _LINE.finditer(text):
            number = int(match["number"])
            if number in numbers:
                found.setdefault(number, _of_line(match))
    return found


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON objects and lists of objects that stand in a text, one behind another."""
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


def _answers(value: Any, key: str | None, depth: int) -> Iterator[tuple[int, Answered]]:
    """Yield the answers in a value: it is one, or holds some; in {"3": {...}} the key is the number."""
    if isinstance(value, list) and depth:
        for one in value:
            yield from _answers(one, None, depth - 1)
    if not isinstance(value, dict):
        return
    fields = {str(name).strip().casefold(): one for name, one in value.items()}
    number = _number(_first(fields, _NUMBER))
    if number is None and key is not None:
        number = _number(key)
    says = _says(_first(fields, _VERDICT))
    if number is not None and says is not None:
        yield number, Answered(says, _sentence(_first(fields, _FINDING)), _texts(_first(fields, _QUOTES)))
    elif depth:
        for name, one in value.items():
            yield from _answers(one, str(name), depth - 1)


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if name in fields), None)


def _number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    match = re.fullmatch(r"\D{0,12}(\d{1,6})\D{0,3}", value) if isinstance(value, str) else None
    return int(match[1]) if match else None


def _says(value: Any) -> Says | None:
    if isinstance(value, bool):
        return Says.YES if value else Says.NOTHING
    if not isinstance(value, str):
        return None
    word = value.strip().strip(".!\"'* ").casefold()
    return _WORDS.get(word) or _WORDS.get(re.split(r"[\s,.:;—–-]", word, maxsplit=1)[0])


def _sentence(value: Any) -> str:
    text = " ".join(_CONTROL.sub(" ", value).split()) if isinstance(value, str) else ""
    return text if len(text) <= LONGEST_FINDING else f"{text[: LONGEST_FINDING - 1]}…"


def _texts(value: Any) -> tuple[str, ...]:
    several = value if isinstance(value, list) else [value]
    # Some give {"text": "..."} for each.
    texts = [_first(one, ("text", "quote")) if isinstance(one, dict) else one for one in several]
    return tuple(text for text in texts if isinstance(text, str) and text.strip())[:_MOST_QUOTES]


def _of_line(match: "re.Match[str]") -> Answered:
    rest = match["rest"]
    quotes = tuple("".join(one.groups(default="")) for one in _QUOTED.finditer(rest))[:_MOST_QUOTES]
    says = _says(match["says"]) or Says.NOTHING
    return Answered(says, _sentence(_QUOTED.sub("", rest).strip(" ,;:-–—()")), quotes)
