"""The text of a filter that is being typed -> what may stand at the cursor."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.model.filter_keys import FILTER_KEYS, canonical_key, custom_keys
from workbench.retrieval.filters.writing import quoted

MOST = 12
_FARTHEST = 1000
"""Characters before the cursor that are looked at: to look through a filter of 10,000 takes 0.7 s a letter."""
# The word that ends at the cursor: a key and its sign, values that are done, and one that is begun.
_BEGUN = re.compile(
    r"(?:(?P<key>[^\W\d]\w*)(?:!=|>=|<=|[:：=<>])(?:(?:\"[^\"]*\"|[^\s()\",，]*)[,，])*)?"
    r"(?P<begun>\"[^\"]*|[^\s()\",，:：=<>]*)\Z"
)


@dataclass(frozen=True, slots=True)
class Completion:
    """The options that may replace text[start:cursor]."""

    start: int
    options: tuple[str, ...] = ()

    def applied(self, text: str, cursor: int, option: str) -> tuple[str, int]:
        """Return the text with an option in its place, and where the cursor stands then."""
        # A value is done: the next condition follows. After a key's colon its value does.
        is_key = option.endswith(":")
        done = option if is_key else f"{option} "
        rest = text[cursor:] if is_key else text[cursor:].lstrip()
        return text[: self.start] + done + rest, self.start + len(done)


def completion(text: str, cursor: int, values: Mapping[str, Sequence[str]]) -> Completion:
    """Return what may stand at the cursor: keys, or values of the key before the colon.

    Args:
        text: The filter so far.
        cursor: Where one types.
        values: The values in use, by key.
    """
    match = _BEGUN.search(text, max(0, cursor - _FARTHEST), cursor)
    assert match is not None  # its last part may be empty
    begun = match["begun"].lstrip('"').casefold()
    start = match.start("begun")
    if match["key"]:
        known = values.get(canonical_key(match["key"]), ())
        first = [value for value in known if value.casefold().startswith(begun)]
        then = [value for value in known if begun in value.casefold() and value not in first]
        return Completion(start, tuple(quoted(value) for value in (*first, *then)[:MOST]))
    bare = begun.lstrip("-")
    if not bare or match["begun"].startswith('"'):
        return Completion(start)
    return Completion(
        start + begun.index(bare),
        tuple(f"{key}:" for key in (*FILTER_KEYS, *custom_keys(values)) if key != "called" and key.startswith(bare)),
    )
