"""Token counter of the kill tests; parser processes import it, so it has no other imports."""

import re
from collections.abc import Sequence


class Words:
    """Counts words, as a tokenizer counts tokens."""

    max_tokens = 256

    def count(self, text: str) -> int:
        return len(text.split())

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\S+", text)]
