"""A passage -> the words that would find it: rare ones of its own, which the question lacks."""

import re
from collections.abc import Iterator, Mapping
from itertools import groupby

from workbench.retrieval.base import WordCounts
from workbench.retrieval.question import is_unspaced
from workbench.store.keywords import terms

# Not what follows a backslash: the commands of a formula are no words.
_WRITTEN = re.compile(r"(?<![\\\w])[^\W\d_]{4,}")
# Of a passage of a page only so much is looked at: each word is one look into the index.
_LOOKED_AT = 300


def rare_words(text: str, question: str, counts: WordCounts) -> list[str]:
    """Return words of a passage that hardly another one has and that the question lacks, the rarest first.

    Words that are in this passage alone come after those that a few share: they are mostly slips of the pen or of OCR.
    Of a script without spaces runs of characters are returned whose pairs all recur: a pair alone may lie across words.
    """
    asked = set(terms(question))
    pieces = _WRITTEN.findall(text)[:_LOOKED_AT]
    words = {word: piece for piece in reversed(pieces) for word in terms(piece) if not word.endswith("*")}
    frequencies = counts.document_frequency(words.keys() - asked)
    most = max(2, counts.count // 20)
    known = {word: frequency for word, frequency in frequencies.items() if 0 < frequency <= most}
    found = {words[word]: frequency for word, frequency in known.items() if not is_unspaced(word)}
    found |= {run: rarest for piece in pieces for run, rarest in _recurring_runs(piece, known)}
    return sorted(found, key=lambda word: (found[word] == 1, found[word], text.find(word)))


def _recurring_runs(piece: str, known: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield each longest run of three characters or more whose pairs are known and recur, with the rarest's count."""
    pairs = [piece[place : place + 2] for place in range(len(piece) - 1)]
    recurring = [is_unspaced(pair) and known.get(pair, 0) > 1 for pair in pairs]
    for is_run, places in groupby(range(len(pairs)), key=recurring.__getitem__):
        run = list(places)
        if is_run and len(run) > 1:
            yield piece[run[0] : run[-1] + 2], min(known[pairs[place]] for place in run)
