"""The model's own tokenizer: token counts, token numbers, and where the tokens of a text start.

Of BERT's tokenizers only, which look at nothing beyond a word: they divide a text at white space, make a word of each
mark, and cut each word by itself. 16 MB of prose take 1 s instead of 8, and a tenth of the memory.
"""

import random
import re
from array import array
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from pathlib import Path

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


# A window repeats this many tokens of the one before, so that a sentence across the border is seen whole once.
WINDOW_OVERLAP = 32

# What TokenCounter's users reckon with: one token in front and one behind.
USUAL_SPECIAL_TOKENS = 2


_SURROGATE = re.compile(r"[\ud800-\udfff]")

# How the kinds of tokenizers mark that a token begins a word, or goes on with one.
_WORD_PART = re.compile(r"^(?:##|\u2581|\u0120)|</w>$")

# Tokenised in pieces on all cores: 6 MB/s on two, against 1.7 MB/s for a whole megabyte at once.
_PIECE_CHARACTERS = 20_000
_PIECES = 16
"""Tokenised in one go: all of 16 MB at once took 1 GB of memory."""


class ModelTokenizer:
    """A tokenizer read from a tokenizer.json; implements TokenCounter and cuts texts into the model's windows."""

    def __init__(self, path: Path, *, max_tokens: int, prompt: str = "") -> None:
        """Read the file.

        Args:
            path: A tokenizer.json.
            max_tokens: How many tokens the model sees, special tokens included.
            prompt: What the embedder puts in front of each document; its tokens are not free for text.
        """
        self._recipe = (path, max_tokens, prompt)
        self._seen = max_tokens
        self._whole = _read(path)
        special = self._whole.num_special_tokens_to_add(False)
        self._max_tokens = max_tokens - self.count(prompt) - max(0, special - USUAL_SPECIAL_TOKENS)

    @cached_property
    def _cutting(self) -> Tokenizer:
        # Another one, because truncation is a state of the object. 7 MB, which no reader and hardly any library needs.
        cutting = _read(self._recipe[0])
        cutting.enable_truncation(self._seen, stride=min(WINDOW_OVERLAP, self._seen // 4))
        return cutting

    def __reduce__(self) -> "tuple[Callable[..., ModelTokenizer], tuple[Path, int, str]]":
        # To a parser process travels where the file is, not 1.4 MB of vocabulary; and it is read there once.
        return _shared, self._recipe

    @property
    def max_tokens(self) -> int:
        """How many tokens a document may have, two special tokens included and the prompt taken off."""
        return self._max_tokens

    def count(self, text: str) -> int:
        """Return how many tokens the text is, special tokens left out."""
        return len(self._whole.encode(_encodable(text), add_special_tokens=False)) if text else 0

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """Return the (start, end) characters of each token of the text, special tokens left out."""
        starts = _piece_starts(text)
        pieces = [_encodable(text[start:end]) for start, end in pairwise([*starts, len(text)])]
        offsets: list[tuple[int, int]] = []
        for start, encoding in zip(starts, self._whole.encode_batch(pieces, add_special_tokens=False), strict=True):
            found = encoding.offsets
            offsets.extend([(start + a, start + b) for a, b in found] if start else found)
        return offsets

    def starts(self, text: str) -> Sequence[int]:
        """Return where each token of the text starts, as the offsets say; 4 bytes each instead of 100."""
        found = array("i")
        borders = [*_piece_starts(text), len(text)]
        for first in range(0, len(borders) - 1, _PIECES):
            some = borders[first : first + _PIECES + 1]
            for start, places in zip(some, self._starts_in([text[a:b] for a, b in pairwise(some)]), strict=False):
                found.frombytes((places + np.int32(start)).tobytes())
        return found

    def _starts_in(self, pieces: Sequence[str]) -> list[NDArray[np.int32]]:
        """Return where the tokens of each piece start; those that cannot be told word by word are encoded together."""
        pieces = [_encodable(piece) for piece in pieces]
        found = [self._words.of(piece) if self._words is not None else None for piece in pieces]
        whole = [piece for piece, places in zip(pieces, found, strict=True) if places is None]
        encoded = iter(self._whole.encode_batch(whole, add_special_tokens=False) if whole else ())
        return [
            np.array([start for start, end in next(encoded).offsets if end > start], np.int32)
            if places is None
            else places
            for places in found
        ]

    @cached_property
    def _words(self) -> TokenStarts | None:
        return TokenStarts(self._whole) if divides_into_words(self._whole) else None

    def first_window(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the token numbers of what the model sees first of a text, with the characters of each token.

        Special tokens are there, too, and stand for no character.
        """
        encoding = self._cutting.encode(_encodable(text))
        return encoding.ids, encoding.offsets

    @cached_property
    def is_word(self) -> NDArray[np.bool_]:
        """Whether each token has a letter or digit in it, by its number; special tokens have not. bool [vocabulary]."""
        special = self._whole.get_added_tokens_decoder()
        vocabulary = self._whole.get_vocab(with_added_tokens=True)
        found = np.zeros(max(vocabulary.values()) + 1, np.bool_)
        found[[number for token, number in vocabulary.items() if number not in special and _has_letter(token)]] = True
        return found

    def vocabulary_texts(self, texts: int, *, words: int) -> list[str]:
        """Return texts of the vocabulary's words in a random order that is always the same: any script the model knows.

        Args:
            texts: How many; fewer where the vocabulary is smaller.
            words: How many words a text has.
        """
        known = sorted(self._whole.get_vocab(with_added_tokens=False))
        chosen = [_WORD_PART.sub("", token) for token in known if _has_letter(token)]
        random.Random(0).shuffle(chosen)
        return [" ".join(chosen[start : start + words]) for start in range(0, min(len(chosen), texts * words), words)]

    def windows(self, texts: Sequence[str]) -> list[list[list[int]]]:
        """Return for each text the token numbers of its windows: one for most texts, more for a long one."""
        stripped = [_encodable(text.strip()) for text in texts]
        windows = [[encoding.ids] for encoding in self._whole.encode_batch(stripped)]
        long = [number for number, (ids,) in enumerate(windows) if len(ids) > self._seen]
        for number in long:
            first = self._cutting.encode(stripped[number])
            windows[number] = [first.ids, *(more.ids for more in first.overflowing)]
        return windows


@lru_cache(maxsize=4)
def _shared(path: Path, max_tokens: int, prompt: str) -> ModelTokenizer:
    return ModelTokenizer(path, max_tokens=max_tokens, prompt=prompt)


def _read(path: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _has_letter(token: str) -> bool:
    return any(character.isalnum() for character in _WORD_PART.sub("", token))


def _piece_starts(text: str) -> list[int]:
    """Return where to cut a long text, between words where there are any."""
    starts = [0]
    while len(text) - starts[-1] > _PIECE_CHARACTERS:
        earliest = starts[-1] + _PIECE_CHARACTERS // 2
        latest = starts[-1] + _PIECE_CHARACTERS
        cut = max(text.rfind("\n", earliest, latest), text.rfind(" ", earliest, latest))
        starts.append(cut if cut > 0 else latest)
    return starts


def _encodable(text: str) -> str:
    """Return the text with the same length and without lone surrogates, which tokenizers refuse."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
