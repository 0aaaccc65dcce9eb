"""Instructions of a manual: the section whose heading is what a question of the kind "How do I …?" asks for.

The sentence that repeats most words of such a question is seldom a step: "Initializing the headset to restore factory
settings" stands in tables of contents and below "Related topics", and the steps are in the section of that name.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, groupby
from operator import itemgetter

from workbench.agent.offline.conversation import FoundPassage
from workbench.agent.offline.passage_structure import PassageSpans
from workbench.agent.offline.quotes import Quote
from workbench.retrieval.question_words import words_of
from workbench.retrieval.quotable_spans import PATH_SEPARATOR

_ASKS_HOW = re.compile(
    r"\bhow\s+(?:do|does|can|could|should|would|to|may|must)\b|\bsteps?\s+(?:to|for|of)\b|怎么(?!样的)|怎麼|怎样|怎樣|如何"
    r"|步骤|步驟",
    re.IGNORECASE,
)
_LEAST_SHARE, _LEAST_WITH_TEXT = 0.5, 0.95
"""Shares of the question's weight that the heading, and the heading with the section, must have.

"Removing the freezer baskets" has most of "How do I remove the freezer door?", but its section does not know a door.
"""
_OPPOSITES = (("on", "off"), ("up", "down"), ("in", "out"), ("with", "without"), ("before", "after"), ("开", "关"))
"""Words that carry no weight, or none of their own, and make "Turning off the headset" another section."""
_WORD = re.compile(r"[^\W\d_]+")
_CONSIDERED = 6
"""Number of passages, best first, whose headings are compared."""
_MOST_LINES, _MOST_CHARACTERS = 10, 1_500
_FEWEST_LINES = 2
_FIRST_STEP = re.compile(r"\(?1[.)、]?\s+\S|第一步|步骤\s?[1一]")


def asks_how(question: str) -> bool:
    """Return whether a question asks for instructions."""
    return _ASKS_HOW.search(question) is not None


def quote_instructions(
    question: str, passages: Sequence[FoundPassage], share_of: Callable[[str], float]
) -> list[Quote]:
    """Return the beginning of the section whose heading fits a question best; empty if none fits.

    It begins with the first step if the section has numbered ones.

    Args:
        question: The question.
        passages: Passages found, best first.
        share_of: Returns the share of the question's weight that a text has, 0 to 1.
    """
    sections = [
        (share_of(heading), -place, path)
        for place, passage in enumerate(passages[:_CONSIDERED])
        for heading, path in _headings(passage.heading)
        if not _is_opposite(question, heading)
    ]
    share, place, path = max(sections, default=(0.0, 0, ""))
    if share < _LEAST_SHARE:
        return []
    best = passages[-place]
    section = [
        one
        for one in passages
        if (one.document, one.file) == (best.document, best.file) and _is_below(one.heading, path)
    ]
    if share_of(" ".join((best.document, path, *(one.text for one in section)))) < _LEAST_WITH_TEXT:
        return []
    # A heading among the lines is the section's own, or a link to another one.
    titles = {words_of(heading) for one in passages for heading, _ in _headings(one.heading)}
    lines = [(one.number, line) for one in section for line in _lines(one) if words_of(line) not in titles]
    steps = [place for place, (_, line) in enumerate(lines) if _FIRST_STEP.match(line)]
    first = steps[0] if steps else 0
    lengths = accumulate(len(line) for _, line in lines[first:])
    shown = [line for line, length in zip(lines[first:], lengths, strict=False) if length <= _MOST_CHARACTERS]
    by_passage = groupby(shown[:_MOST_LINES], key=itemgetter(0))
    quotes = [Quote(number, items=tuple(line for _, line in group)) for number, group in by_passage]
    return quotes if steps or len(shown) >= _FEWEST_LINES else []


def _is_opposite(question: str, heading: str) -> bool:
    """Return whether a heading has the opposite of a word of the question: "off" for "on"."""
    asked, named = ({*_WORD.findall(text.lower()), *text} for text in (question, heading))
    return any(
        one in asked and other in named and other not in asked
        for pair in _OPPOSITES
        for one, other in (pair, pair[::-1])
    )


def _is_below(path: str, section: str) -> bool:
    return f"{path}{PATH_SEPARATOR}".startswith(f"{section}{PATH_SEPARATOR}")


def _headings(path: str) -> Iterator[tuple[str, str]]:
    """Yield each heading of a path, with the path down to it; column names of a table are none."""
    parts = path.split(PATH_SEPARATOR)
    for place, heading in enumerate(parts):
        if heading and "|" not in heading:
            yield heading, PATH_SEPARATOR.join(parts[: place + 1])


def _lines(passage: FoundPassage) -> Iterator[str]:
    """Yield the paragraphs and items of a passage as lines."""
    spans = PassageSpans(passage.text, passage.heading)
    chosen = spans.statements
    while chosen:
        run = spans.run_with(chosen[0], chosen)
        yield spans.reads(run[0], run[-1])
        chosen = [start for start in chosen if start > run[-1]]
