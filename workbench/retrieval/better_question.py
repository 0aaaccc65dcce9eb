"""A passage -> the words that would find it: rare ones of its own, which the question lacks."""

import re

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
    """
    asked = set(terms(question))
    written: dict[str, str] = {}
    for piece in _WRITTEN.findall(text)[:_LOOKED_AT]:
        for word in terms(piece):
            if word not in asked and not word.endswith("*"):
                written.setdefault(word, word if is_unspaced(word) else piece)
    frequencies = counts.document_frequency(written)
    most = max(2, counts.count // 20)
    known = [word for word in written if 0 < frequencies.get(word, 0) <= most]
    known.sort(key=lambda word: (frequencies[word] == 1, frequencies[word]))
    return list(dict.fromkeys(written[word] for word in known))
