"""Question -> the other forms of its abbreviations and long forms, as documents of the library define them.

"What does FCFC say" finds "free cash flow conversion", and "emissions trading schemes" finds "ETS".
"""

import re
from collections.abc import Collection, Iterator
from typing import Protocol

from workbench.model.filter import ChunkFilter
from workbench.store.definitions import MOST_WORDS, Definition, phrase_of, short_form, stems_of

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9&./-]*")
_CHINESE = re.compile(r"[\u3400-\u9fff·]{2,}")
# Characters of a Chinese form: longer ones are not asked for in full.
_CHINESE_LENGTHS = range(2, 17)
# A pasted text is no question about a term: 80 words have 900 runs of words.
_MOST_ASKED = 80


class AbbreviationSource(Protocol):
    """What documents define; store/abbreviations.py."""

    def defined(self, forms: Collection[str], filter: ChunkFilter) -> list[Definition]:
        """Return the usual definitions of those forms that are defined."""
        ...


def defined_forms(question: str, source: AbbreviationSource | None, filter: ChunkFilter) -> tuple[str, ...]:
    """Return the other forms of what a question names, those that it has itself left out.

    Args:
        question: As searched.
        source: What documents define; without it there are none.
        filter: What may be found; other documents define nothing.

    Raises:
        NotFound: The filter names a knowledge base that is not there.
    """
    forms = set(_forms(question))
    if source is None or not forms:
        return ()
    others: dict[str, None] = {}
    for definition in source.defined(forms, filter):
        has_short, has_long = definition.short in forms, phrase_of(definition.long) in forms
        if not (has_short and has_long):
            others[definition.long if has_short else definition.short] = None
    return tuple(others)


def _forms(question: str) -> Iterator[str]:
    """Yield what can be a short form, or a long one as it is compared; with many that are none."""
    yield from filter(None, map(short_form, _TOKEN.findall(question)[:_MOST_ASKED]))
    words = stems_of(question)[:_MOST_ASKED]
    for start in range(len(words)):
        for end in range(start + 2, min(len(words), start + MOST_WORDS) + 1):
            yield " ".join(words[start:end])
    for match in _CHINESE.finditer(question):
        run = match[0][:_MOST_ASKED]
        for start in range(len(run)):
            for length in _CHINESE_LENGTHS:
                yield run[start : start + length]
