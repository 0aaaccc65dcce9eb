"""Where the tokens of a text start, word by word: texts repeat their words, and what a word comes to is kept.

Of BERT's tokenizers only, which look at nothing beyond a word: they divide a text at white space, make a word of each
mark, and cut each word by itself. 16 MB of prose take 1 s instead of 8, and a tenth of the memory.
"""

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

# A run of letters and digits, with all that is not ASCII in it, or one mark of ASCII.
_WORD = re.compile(r"[0-9A-Za-z\x80-\U0010ffff]+|[!-/:-@\[-`{-~]")
# They are taken out before a text is divided, so that two words become one.
_REMOVED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LONGEST_WORD = 40
_MOST_WORDS = 200_000
"""Kept: 40 MB with what they come to. Logs have millions of numbers in them."""

_SPACE, _LETTER, _MARK = 0, 1, 2
_KINDS = np.full(129, _MARK, np.uint8)
_KINDS[[*range(33), 127]] = _SPACE
_KINDS[[*map(ord, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), 128]] = _LETTER

_Starts = tuple[int, ...]


def divides_into_words(tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer is one of BERT's, of which each word is cut by itself."""
    kinds = (tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.model)
    if [type(kind).__name__ for kind in kinds] != ["BertNormalizer", "BertPreTokenizer", "WordPiece"]:
        return False
    added = tokenizer.get_added_tokens_decoder().values()
    return all(not (token.lstrip or token.rstrip or token.normalized or " " in token.content) for token in added)


class TokenStarts:
    """Finds the starts of tokens by the words that a text is made of."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Take a tokenizer that divides_into_words()."""
        self._tokenizer = tokenizer
        self._added = tuple(token.content for token in tokenizer.get_added_tokens_decoder().values())
        self._known: dict[str, _Starts] = {}

    def of(self, text: str) -> "NDArray[np.int32] | None":
        """Return where the tokens start, or None where a text has to be looked at as a whole."""
        if _REMOVED.search(text) or any(token in text for token in self._added):
            return None
        words = _WORD.findall(text)
        found = list(map(self._known.get, words))
        if None in found:
            found = self._with_unknown(words, found)
        counts = np.fromiter(map(len, found), np.int32, len(found))  # type: ignore[arg-type]
        within = np.fromiter(chain.from_iterable(found), np.int32, int(counts.sum()))  # type: ignore[arg-type]
        return np.repeat(_word_starts(text), counts) + within

    def _with_unknown(self, words: Sequence[str], found: "list[_Starts | None]") -> "list[_Starts | None]":
        unknown = list({word for word, starts in zip(words, found, strict=True) if starts is None})
        encodings = self._tokenizer.encode_batch(unknown, add_special_tokens=False)
        new = {
            word: tuple(start for start, end in encoding.offsets if end > start)
            for word, encoding in zip(unknown, encodings, strict=True)
        }
        if len(self._known) > _MOST_WORDS:
            self._known.clear()
        self._known.update((word, starts) for word, starts in new.items() if len(word) <= _LONGEST_WORD)
        return [new[word] if starts is None else starts for word, starts in zip(words, found, strict=True)]


def _word_starts(text: str) -> "NDArray[np.int32]":
    if text.isascii():
        kinds = _KINDS[np.frombuffer(text.encode("ascii"), np.uint8)]
    else:
        kinds = _KINDS[np.minimum(np.frombuffer(text.encode("utf-32-le"), np.uint32), 128)]
    begins = kinds == _LETTER
    begins[1:] &= kinds[:-1] != _LETTER
    return np.flatnonzero(begins | (kinds == _MARK)).astype(np.int32)
