"""Tokenizer of the model: token counts, token ids, and start offsets of the tokens of a text.

TokenStarts is a fast path for BERT tokenizers, which tokenise each word independently: they split a text at white space
and at each punctuation mark. 16 MB of prose take 1 s instead of 8, and a tenth of the memory.
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

# A run of ASCII letters, digits and all non-ASCII characters, or one ASCII punctuation mark.
_WORD = re.compile(r"[0-9A-Za-z\x80-\U0010ffff]+|[!-/:-@\[-`{-~]")
# The tokenizer removes these characters before it splits a text, so that two words may become one.
_REMOVED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LONGEST_WORD = 40
_MOST_WORDS = 200_000
"""Maximum number of cached words: 40 MB with their offsets. Logs contain millions of numbers."""

_SPACE, _LETTER, _MARK = 0, 1, 2
_KINDS = np.full(129, _MARK, np.uint8)
_KINDS[[*range(33), 127]] = _SPACE
_KINDS[[*map(ord, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), 128]] = _LETTER

_Starts = tuple[int, ...]


def divides_into_words(tokenizer: Tokenizer) -> bool:
    """Return True for a BERT tokenizer, which tokenises each word independently."""
    kinds = (tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.model)
    if [type(kind).__name__ for kind in kinds] != ["BertNormalizer", "BertPreTokenizer", "WordPiece"]:
        return False
    added = tokenizer.get_added_tokens_decoder().values()
    return all(not (token.lstrip or token.rstrip or token.normalized or " " in token.content) for token in added)


class TokenStarts:
    """Finds the start offsets of tokens from the words of a text."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Store a tokenizer that divides_into_words()."""
        self._tokenizer = tokenizer
        self._added = tuple(token.content for token in tokenizer.get_added_tokens_decoder().values())
        self._known: dict[str, _Starts] = {}

    def of(self, text: str) -> "NDArray[np.int32] | None":
        """Return the start offsets of the tokens; None if a text has to be tokenised as a whole."""
        if _REMOVED.search(text) or any(token in text for token in self._added):
            return None
        words = _WORD.findall(text)
        found = list(map(self._known.get, words))
        if None in found:
            found = self._add_unknown(words, found)
        counts = np.fromiter(map(len, found), np.int32, len(found))  # type: ignore[arg-type]
        within = np.fromiter(chain.from_iterable(found), np.int32, int(counts.sum()))  # type: ignore[arg-type]
        return np.repeat(_word_starts(text), counts) + within

    def _add_unknown(self, words: Sequence[str], found: "list[_Starts | None]") -> "list[_Starts | None]":
        places = [place for place, starts in enumerate(found) if starts is None]
        unknown = list({words[place] for place in places})
        encodings = self._tokenizer.encode_batch(unknown, add_special_tokens=False)
        new = {
            word: tuple(start for start, end in encoding.offsets if end > start)
            for word, encoding in zip(unknown, encodings, strict=True)
        }
        if len(self._known) > _MOST_WORDS:
            self._known.clear()
        self._known.update((word, starts) for word, starts in new.items() if len(word) <= _LONGEST_WORD)
        for place in places:
            found[place] = new[words[place]]
        return found


def _word_starts(text: str) -> "NDArray[np.int32]":
    if text.isascii():
        kinds = _KINDS[np.frombuffer(text.encode("ascii"), np.uint8)]
    else:
        kinds = _KINDS[np.minimum(np.frombuffer(text.encode("utf-32-le"), np.uint32), 128)]
    begins = kinds == _LETTER
    begins[1:] &= kinds[:-1] != _LETTER
    return np.flatnonzero(begins | (kinds == _MARK)).astype(np.int32)


# A window repeats this many tokens of the previous one, so that a sentence across the border is complete in one of
# them.
WINDOW_OVERLAP = 32

# Special tokens that users of TokenCounter allow for: one in front and one at the end.
USUAL_SPECIAL_TOKENS = 2


_SURROGATE = re.compile(r"[\ud800-\udfff]")

# Marks with which tokenizers denote that a token begins or continues a word.
_WORD_PART = re.compile(r"^(?:##|\u2581|\u0120)|</w>$")

# Texts are tokenised in pieces on all cores: 6 MB/s on two, compared with 1.7 MB/s for a whole megabyte at once.
_PIECE_CHARACTERS = 20_000
_PIECES = 16
"""Pieces per batch: tokenising all of 16 MB at once took 1 GB of memory."""


class ModelTokenizer:
    """Tokenizer read from a tokenizer.json; implements TokenCounter and cuts texts into the model's windows."""

    def __init__(self, path: Path, *, max_tokens: int, prompt: str = "") -> None:
        """Read the file.

        Args:
            path: A tokenizer.json.
            max_tokens: Token limit of the model, special tokens included.
            prompt: Prefix that the embedder adds to each document; its tokens are not available for text.
        """
        self._recipe = (path, max_tokens, prompt)
        self._seen = max_tokens
        self._whole = _read_file(path)
        special = self._whole.num_special_tokens_to_add(False)
        self._max_tokens = max_tokens - self.count(prompt) - max(0, special - USUAL_SPECIAL_TOKENS)

    @cached_property
    def _cutting(self) -> Tokenizer:
        # A second instance, because truncation is a state of the object. It takes 7 MB and is rarely needed.
        cutting = _read_file(self._recipe[0])
        cutting.enable_truncation(self._seen, stride=min(WINDOW_OVERLAP, self._seen // 4))
        return cutting

    def __reduce__(self) -> "tuple[Callable[..., ModelTokenizer], tuple[Path, int, str]]":
        # Pickle the path instead of 1.4 MB of vocabulary; a parser process reads the file once.
        return _shared_tokenizer, self._recipe

    @property
    def max_tokens(self) -> int:
        """Maximum number of tokens of a document, including two special tokens and without the prompt."""
        return self._max_tokens

    def count(self, text: str) -> int:
        """Return the number of tokens of a text without special tokens."""
        return len(self._whole.encode(_encodable(text), add_special_tokens=False)) if text else 0

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """Return the (start, end) offsets of each token of a text, without special tokens."""
        starts = _piece_starts(text)
        pieces = [_encodable(text[start:end]) for start, end in pairwise([*starts, len(text)])]
        offsets: list[tuple[int, int]] = []
        for start, encoding in zip(starts, self._whole.encode_batch(pieces, add_special_tokens=False), strict=True):
            found = encoding.offsets
            offsets.extend([(start + a, start + b) for a, b in found] if start else found)
        return offsets

    def starts(self, text: str) -> Sequence[int]:
        """Return the start offset of each token of a text, equal to those of offsets(); 4 bytes each instead of 100."""
        found = array("i")
        borders = [*_piece_starts(text), len(text)]
        for first in range(0, len(borders) - 1, _PIECES):
            some = borders[first : first + _PIECES + 1]
            for start, places in zip(some, self._starts_in([text[a:b] for a, b in pairwise(some)]), strict=False):
                found.frombytes((places + np.int32(start)).tobytes())
        return found

    def _starts_in(self, pieces: Sequence[str]) -> list[NDArray[np.int32]]:
        """Return the token starts of each piece; pieces that cannot be tokenised by words are encoded together."""
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
        """Return the token ids of a text's first window, with the (start, end) offsets of each token.

        Special tokens are included, with empty spans.
        """
        encoding = self._cutting.encode(_encodable(text))
        return encoding.ids, encoding.offsets

    @cached_property
    def is_word(self) -> NDArray[np.bool_]:
        """True for each token id whose token has a letter or digit; False for special tokens. bool [vocabulary]."""
        special = self._whole.get_added_tokens_decoder()
        vocabulary = self._whole.get_vocab(with_added_tokens=True)
        found = np.zeros(max(vocabulary.values()) + 1, np.bool_)
        found[[number for token, number in vocabulary.items() if number not in special and _has_letter(token)]] = True
        return found

    def vocabulary_texts(self, texts: int, *, words: int) -> list[str]:
        """Return texts made of the vocabulary's words, in any script of the model, in a reproducible random order.

        Args:
            texts: Number of texts; fewer if the vocabulary is smaller.
            words: Number of words per text.
        """
        known = sorted(self._whole.get_vocab(with_added_tokens=False))
        chosen = [_WORD_PART.sub("", token) for token in known if _has_letter(token)]
        random.Random(0).shuffle(chosen)
        return [" ".join(chosen[start : start + words]) for start in range(0, min(len(chosen), texts * words), words)]

    def windows(self, texts: Sequence[str]) -> list[list[list[int]]]:
        """Return, for each text, the token ids of its windows: one for most texts, several for a long one."""
        stripped = [_encodable(text.strip()) for text in texts]
        windows = [[encoding.ids] for encoding in self._whole.encode_batch(stripped)]
        long = [number for number, (ids,) in enumerate(windows) if len(ids) > self._seen]
        for number in long:
            first = self._cutting.encode(stripped[number])
            windows[number] = [first.ids, *(more.ids for more in first.overflowing)]
        return windows


@lru_cache(maxsize=4)
def _shared_tokenizer(path: Path, max_tokens: int, prompt: str) -> ModelTokenizer:
    return ModelTokenizer(path, max_tokens=max_tokens, prompt=prompt)


def _read_file(path: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _has_letter(token: str) -> bool:
    return any(character.isalnum() for character in _WORD_PART.sub("", token))


def _piece_starts(text: str) -> list[int]:
    """Return the offsets at which to cut a long text, between words if possible."""
    starts = [0]
    while len(text) - starts[-1] > _PIECE_CHARACTERS:
        earliest = starts[-1] + _PIECE_CHARACTERS // 2
        latest = starts[-1] + _PIECE_CHARACTERS
        cut = max(text.rfind("\n", earliest, latest), text.rfind(" ", earliest, latest))
        starts.append(cut if cut > 0 else latest)
    return starts


def _encodable(text: str) -> str:
    """Return the text without lone surrogates, which tokenizers reject; the length does not change."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
