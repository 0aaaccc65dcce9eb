"""@document and #tag mentions in a question: completion, the filter made of them, and the remaining text."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from workbench.model.filter import AnyOf, ChunkFilter, Condition, Expression, Operator, conditions_of


class MentionSign(StrEnum):
    """First character of a mention."""

    DOCUMENT = "@"
    TAG = "#"


# A sign inside a word is not a mention: someone@example.org, C#. Ideographs need no spaces: 看@报告.pdf.
_BEFORE = r"(?<![^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af_])"
_TYPED = re.compile(rf'{_BEFORE}(?P<mark>[@#])(?:"(?P<quoted>[^"\n]{{0,200}})|(?P<plain>[^\s"@#]{{0,200}}))$')
_WRITTEN = re.compile(rf'{_BEFORE}(?P<mark>[@#])(?:"(?P<quoted>[^"\n]+)"|(?P<plain>[^\s"@#]+))')
_NEEDS_QUOTES = re.compile(r"[\s@#]")


@dataclass(frozen=True, slots=True)
class TypedMention:
    """Mention that is being typed.

    Attributes:
        mark: Sign of the mention.
        start: Offset of the sign in the text.
        name: Text between the sign and the cursor, without a quotation mark.
    """

    mark: MentionSign
    start: int
    name: str


@dataclass(frozen=True, slots=True)
class Mention:
    """Mention of an existing name in a question, from start (the sign) to end."""

    mark: MentionSign
    name: str
    start: int
    end: int


def typed_at(text: str, cursor: int) -> TypedMention | None:
    """Return the mention that ends at the cursor, whether or not its name exists."""
    found = _TYPED.search(text, 0, cursor)
    if found is None:
        return None
    return TypedMention(MentionSign(found["mark"]), found.start(), found["quoted"] or found["plain"] or "")


def written(mark: MentionSign, name: str) -> str:
    """Return the mention of a name; see can_be_mentioned()."""
    return f'{mark}"{name}"' if _NEEDS_QUOTES.search(name) else f"{mark}{name}"


def can_be_mentioned(name: str) -> bool:
    """Return True if a name can be mentioned; one with a quotation mark in it needs a filter instead."""
    return bool(name) and '"' not in name and "\n" not in name


def mentions_in(text: str, known: Callable[[MentionSign, str], bool]) -> Iterator[Mention]:
    """Yield the mentions of existing names.

    Without quotation marks, the longest existing name counts: “@报告.pdf里说了什么”, “(see @report.pdf)”.

    Args:
        text: The question.
        known: Returns True if a document, or a tag, of that name exists, ignoring case.
    """
    for found in _WRITTEN.finditer(text):
        mark, quoted, plain = MentionSign(found["mark"]), found["quoted"], found["plain"]
        if quoted is not None:
            if known(mark, quoted):
                yield Mention(mark, quoted, found.start(), found.end())
            continue
        for length in range(len(plain), 0, -1):
            if known(mark, plain[:length]):
                yield Mention(mark, plain[:length], found.start(), found.start() + 1 + length)
                break


def restriction(mentions: Iterator[Mention]) -> tuple[Expression, ...]:
    """Return the conditions that the mentions express: any of the documents, and all of the tags."""
    named = list(mentions)
    documents = dict.fromkeys(one.name for one in named if one.mark is MentionSign.DOCUMENT)
    tags = dict.fromkeys(one.name for one in named if one.mark is MentionSign.TAG)
    exact = [Condition("name", Operator.EQ, (name,)) for name in documents]
    either: tuple[Expression, ...] = (AnyOf(tuple(exact)),) if len(exact) > 1 else tuple(exact)
    return (*either, *(Condition("tag", Operator.EQ, (tag,)) for tag in tags))


def without_mentions(text: str, filter: ChunkFilter) -> str:
    """Return a question without the mentions that a filter was made of.

    The filter replaces them: as words of the question, a file name would find every passage that contains its words.
    """
    conditions = [one for expression in filter.where for one in conditions_of(expression)]
    named = {(one.key, value.casefold()) for one in conditions if one.operator is Operator.EQ for value in one.values}

    def known(mark: MentionSign, name: str) -> bool:
        return ("name" if mark is MentionSign.DOCUMENT else "tag", name.casefold()) in named

    kept, place = [], 0
    for mention in mentions_in(text, known) if named else ():
        kept.append(text[place : mention.start])
        place = mention.end
    left = " ".join("".join((*kept, text[place:])).split()) if kept else text
    return left if any(letter.isalnum() for letter in left) else text
