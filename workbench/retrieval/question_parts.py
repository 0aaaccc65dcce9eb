"""A question that asks for several things -> a question for each of them, by rules.

"What is X, and who founded Y?" gives both questions. "Which is older, A or B?" gives the question with A alone and with
B alone: a passage about A has half of the words of the whole question, and all of its own.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from workbench.store.segmentation import says_something

_MOST = 4
_LONGEST = 400

_ASKS = "who|whom|whose|what|when|where|which|why|how"
_SENTENCE = re.compile(r"(?<=[?？])\s*")
_NEXT_QUESTION = re.compile(rf"[,;]?\s+(?:and|but|or)\s+(?:also\s+)?(?=(?:in |at |to |by |of )?(?:{_ASKS})\b)", re.I)
_NEXT_IN_CHINESE = re.compile("[，,；;]\\s*(?:以及|并且|並且|而且|还有|還有|又|而)?(?=[\u4e00-\u9fff])")
_IS_ASKED = re.compile(
    rf"\b(?:{_ASKS}|is|are|was|were|does|do|did)\b|谁|誰|什么|甚麼|什麼|何时|何時|何处|何處|为何|為何|哪|多少|多久|怎|吗|嗎",
    re.I,
)

# A name: words with a capital or a digit, with little words between.
_WORD = r"(?:\d*[A-Z][\w.'’&()-]*|\"[^\"]+\"|“[^”]+”)"
_NAME = rf"(?:the\s+)?{_WORD}(?:\s+(?:(?:of|for|the|de|von|van|ap|in|from|to|la|le)\s+){{0,2}}{_WORD})*"
_TWO_NAMES = re.compile(rf"(?P<one>{_NAME})\s*,?\s+(?:and|or|versus|vs\.?|with)\s+(?P<other>{_NAME})")
_ASKS_FOR_BOTH = re.compile(
    r"^\s*(?:are|were|is|was|do|does|did|have|has|can|compare)\b|\b(?:both|between|compared?|comparison|differ\w*|same|"
    r"common|respective\w*|versus|vs|or|older|oldest|younger|first|connected|each)\b",
    re.I,
)
_THING = r"[\w'-]+(?:\s[\w'-]+){0,3}?"
_TWO_THINGS = re.compile(
    rf"\b(?:differences? between|compare|comparison (?:of|between))\s+(?:(?:[\w'-]+\s+){{0,4}}?(?:of|for|in)\s+)?"
    rf"(?P<one>{_THING})\s+(?:and|with|to|versus|vs\.?)\s+(?P<other>{_THING})(?=[?.,]|$|\s(?:in|of|for|at|on)\b)",
    re.I,
)
_TWO_IN_CHINESE = re.compile(
    "(?P<one>[^，。；？、和与與跟及比较較]{2,12})[和与與跟及](?P<other>[^，。；？、和与與跟及分区區有各]{2,12}?)"
    "(?=的?(?:分别|分別|各自|区别|區別|差别|差別|异同|異同|有什么不同|有甚麼不同|有何不同|哪个更|哪個更))"
)


def parts_of(question: str) -> tuple[str, ...]:
    """Return a question for each thing that is asked for; none where it is one."""
    if len(question) > _LONGEST:
        return ()
    parts = [part for asked in _questions(question) for part in _of_two(asked)]
    wanted = tuple(dict.fromkeys(part for part in parts if says_something(part)))
    return wanted[:_MOST] if len(wanted) > 1 else ()


def _questions(question: str) -> Iterator[str]:
    """Yield each question of several in a row."""
    sentences = _SENTENCE.split(question)
    if len(sentences) > 1:
        sentences = [one for one in sentences if _IS_ASKED.search(one)]
    for sentence in sentences:
        pieces = [one.strip() for asked in _NEXT_QUESTION.split(sentence) for one in _NEXT_IN_CHINESE.split(asked)]
        # "In 1066, who was king?" is one question: only one half of it asks.
        yield from pieces if all(_IS_ASKED.search(one) for one in pieces) else filter(None, (sentence.strip(),))


def _of_two(question: str) -> tuple[str, ...]:
    """Return the question for one of two things, and for the other; or as it is."""
    match = _TWO_IN_CHINESE.search(question) or _TWO_THINGS.search(question)
    if _ASKS_FOR_BOTH.search(question):
        match = _TWO_NAMES.search(question) or match
    if match is None:
        return (question,)
    one, other = match.group("one").strip(), match.group("other").strip()
    owner, of, thing = one.rpartition("的")  # what both are of: "公司的营收和利润"
    before, after = question[: match.start("one")] + owner + of, question[match.end("other") :]
    return f"{before}{thing}{after}", f"{before}{other}{after}"


def first_with(ids: Sequence[int], wanted: Collection[int], k: int) -> list[int]:
    """Return the places of the first k, of which the last give way to those wanted that stand further down."""
    first = list(range(min(k, len(ids))))
    missing = [place for place in range(k, len(ids)) if ids[place] in wanted]
    giving_way = [place for place in first if ids[place] not in wanted][::-1][: len(missing)]
    return [place for place in first if place not in giving_way] + missing[: len(giving_way)]
