"""Tokenizer of the model: token counts, token ids, and start offsets of the tokens of a text.

TokenStarts is a fast path for BERT tokenizers, which tokenise each word independently: they split a text at white space
and at each punctuation mark. 16 MB of prose take 0.4 s instead of 8, and a tenth of the memory.
"""

import random
import re
import threading
from array import array
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

_SPACE, _LETTER, _MARK, _REMOVED = range(4)
# Kinds of ASCII characters, and at 128 of other letters. The tokenizer removes control characters before it splits a
# text, so that two words may become one.
_KINDS = np.full(129, _MARK, np.uint8)
_KINDS[[*range(32), 127]] = _REMOVED
_KINDS[[9, 10, 13, 32]] = _SPACE
_KINDS[[*map(ord, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), 128]] = _LETTER

# Punctuation marks and Chinese characters are one token each, like "!".
_MARKS = "¡§«¶·»¿‐‑‒–—―‖‘’‚“”„†‡•…‰′″‹›、。〃〈〉《》「」『』【】〔〕！＂＃％＆＇（）＊，－．／：；？＠［＼］＿｛｝｡"
_CODES = np.full(0x10001, 128, np.uint8)
_CODES[:128] = range(128)
_CODES[[*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000), *map(ord, _MARKS)]] = ord("!")
_CODES[[0xA0, 0x202F, 0x3000, *range(0x2000, 0x200B)]] = ord(" ")

_Offsets = NDArray[np.int64]
_Keys = tuple[NDArray[np.uint64], NDArray[np.uint64]]
"""First and second half of the key of each word."""


def divides_into_words(tokenizer: Tokenizer) -> bool:
    """Return True for a BERT tokenizer, which tokenises each word independently."""
    kinds = (tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.model)
    if [type(kind).__name__ for kind in kinds] != ["BertNormalizer", "BertPreTokenizer", "WordPiece"]:
        return False
    if not (tokenizer.normalizer.clean_text and tokenizer.normalizer.handle_chinese_chars):
        return False
    added = tokenizer.get_added_tokens_decoder().values()
    return all(not (token.lstrip or token.rstrip or token.normalized or " " in token.content) for token in added)


class TokenStarts:
    """Finds the start offsets of tokens from the words of a text: runs of letters and digits, or single marks.

    ASCII words of up to 16 characters, nearly all words of Western texts, are looked up all at once with numpy: 4 MB
    take 0.1 s instead of 0.5 with a dictionary.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Store a tokenizer that divides_into_words()."""
        self._tokenizer = tokenizer
        self._model, self._is_lower = tokenizer.model, tokenizer.normalizer.lowercase
        self._added = tuple(token.content for token in tokenizer.get_added_tokens_decoder().values())
        # Threads share the tokenizer of an embedder.
        self._lock = threading.Lock()
        self._short = _ShortWords()
        self._other: dict[str, tuple[int, ...]] = {}

    def of(self, text: str) -> "NDArray[np.int32] | None":
        """Return the start offsets of the tokens; None if a text has to be tokenised as a whole.

        Args:
            text: At most 60,000 characters, because the hash table has room for the words of one more such text.
        """
        if any(token in text for token in self._added):
            return None
        codes = _ascii_codes(text)
        kinds = _KINDS.take(codes)
        if (kinds == _REMOVED).any():
            return None
        begins, ends = _word_spans(kinds)
        low, high = _keys(codes, begins, ends)
        is_other = (ends - begins > _SHORT) | ((low | high) & _NOT_ASCII != 0)
        other = np.flatnonzero(is_other)
        with self._lock:
            bits = self._bits_of_short(text, begins, ends, (low, high), is_other)
            of_other = self._in_other_words(text, begins[other], ends[other]) if other.size else None
        is_start = np.zeros(len(text), np.bool_)
        is_start[begins] = True
        several = np.flatnonzero(bits > 1)
        word, offset = np.unpackbits(bits[several].view(np.uint8), bitorder="little").reshape(-1, _SHORT).nonzero()
        is_start[begins[several][word] + offset] = True
        is_start[begins[other]] = False
        found = np.flatnonzero(is_start).astype(np.int32)
        return found if of_other is None else np.sort(np.concatenate([found, of_other]))

    def _bits_of_short(
        self, text: str, begins: "_Offsets", ends: "_Offsets", keys: "_Keys", is_other: "NDArray[np.bool_]"
    ) -> "NDArray[np.uint16]":
        """Return the token starts of each short word as bits, 1 << offset; 0 for other words. uint16 [words]."""
        self._short.make_room()
        places = self._short.find(keys)
        places[is_other] = 0
        unknown = np.flatnonzero((places == 0) & ~is_other)
        if unknown.size:
            spans = zip(begins[unknown].tolist(), ends[unknown].tolist(), strict=True)
            words = {text[begin:end]: number for number, (begin, end) in zip(unknown.tolist(), spans, strict=True)}
            bits = [self._bits_of(word) for word in words]
            chosen = np.array([*words.values()])
            self._short.add((keys[0][chosen], keys[1][chosen]), np.array(bits, np.uint16))
            places[unknown] = self._short.find((keys[0][unknown], keys[1][unknown]))
        return self._short.starts.take(places)

    def _bits_of(self, word: str) -> int:
        # The normalizer changes nothing but the case of an ASCII word; encode_batch() takes twice as long.
        tokens = self._model.tokenize(word.lower() if self._is_lower else word)
        return sum(1 << token.offsets[0] for token in tokens)

    def _in_other_words(self, text: str, begins: "_Offsets", ends: "_Offsets") -> "NDArray[np.int32]":
        """Return the start offsets of the tokens of words that are long or not ASCII."""
        words = [text[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
        unknown = [word for word in dict.fromkeys(words) if word not in self._other]
        encodings = self._tokenizer.encode_batch(unknown, add_special_tokens=False) if unknown else ()
        new = {
            word: tuple(start for start, end in encoding.offsets if end > start)
            for word, encoding in zip(unknown, encodings, strict=True)
        }
        found = [new[word] if word in new else self._other[word] for word in words]
        if len(self._other) > _MOST_OTHER_WORDS:
            self._other.clear()
        self._other.update((word, starts) for word, starts in new.items() if len(word) <= _LONGEST_OTHER_WORD)
        counts = np.fromiter(map(len, found), np.int32, len(found))
        within = np.fromiter(chain.from_iterable(found), np.int32, int(counts.sum()))
        return np.repeat(begins.astype(np.int32), counts) + within


_LONGEST_OTHER_WORD = 40
_MOST_OTHER_WORDS = 50_000
"""Maximum number of cached words that are not short: 10 MB with their offsets."""

_SHORT = 16
"""Maximum length in characters of a word that is looked up by a key of two 64-bit numbers."""

_NOT_ASCII = np.uint64(0x8080808080808080)
_FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
"""Masks of the first 0 to 8 bytes of a little-endian number."""


class _ShortWords:
    """Hash table with open addressing of ASCII words of up to 16 characters; find() looks up all words of a text.

    Attributes:
        starts: Token starts of each known word as bits: 1 << offset. uint16 [capacity]; index 0 is no word.
    """

    _BITS = 18
    _MOST_WORDS = 100_000
    """Maximum number of words, 3 MB. Logs contain millions of numbers."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._slots = np.zeros(1 << self._BITS, np.int32)
        self._count = 1
        self._low, self._high = np.zeros((2, 1 << (self._BITS - 1)), np.uint64)
        self.starts = np.zeros(1 << (self._BITS - 1), np.uint16)

    def make_room(self) -> None:
        """Remove all words if there are too many; call it before find() and add() for another text."""
        if self._count > self._MOST_WORDS:
            self._clear()

    def find(self, keys: _Keys) -> NDArray[np.int32]:
        """Return the index in starts of each word of _keys(); 0 for those that are not known. int32 [words]."""
        low, high = keys
        at = _first_slots(keys, self._BITS)
        found = self._slots.take(at)
        left = np.flatnonzero((self._low.take(found) != low) | (self._high.take(found) != high))
        left = left[found[left] > 0]
        while left.size:
            at[left] = self._next_slots(at[left])
            some = found[left] = self._slots[at[left]]
            left = left[((self._low[some] != low[left]) | (self._high[some] != high[left])) & (some > 0)]
        return found

    def add(self, keys: _Keys, starts: NDArray[np.uint16]) -> None:
        """Add words that are not known, each once."""
        first, self._count = self._count, self._count + starts.size
        self._low[first : self._count], self._high[first : self._count] = keys
        self.starts[first : self._count] = starts
        numbers = np.arange(first, self._count, dtype=np.int32)
        at = _first_slots(keys, self._BITS)
        while numbers.size:
            free = self._slots[at] == 0
            # Of several words for one slot, the last one gets it.
            self._slots[at[free]] = numbers[free]
            left = self._slots[at] != numbers
            numbers, at = numbers[left], self._next_slots(at[left])

    def _next_slots(self, at: _Offsets) -> _Offsets:
        return (at + 1) & ((1 << self._BITS) - 1)


def _ascii_codes(text: str) -> NDArray[np.uint8]:
    """Return an ASCII character for each character that is tokenised like one, and 128 for others. uint8 [n]."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return _CODES.take(np.frombuffer(text.encode("utf-32-le"), np.uint32), mode="clip")


def _word_spans(kinds: NDArray[np.uint8]) -> tuple[_Offsets, _Offsets]:
    """Return the start and end offsets of each word. int64 [words] each."""
    is_letter, is_mark = kinds == _LETTER, kinds == _MARK
    begins, ends = is_letter | is_mark, is_letter | is_mark
    begins[1:] ^= is_letter[:-1] & is_letter[1:]
    ends[:-1] ^= is_letter[:-1] & is_letter[1:]
    return np.flatnonzero(begins), np.flatnonzero(ends) + 1


def _keys(codes: NDArray[np.uint8], begins: _Offsets, ends: _Offsets) -> _Keys:
    """Return the first 16 characters of each word as two little-endian numbers. uint64 [words] each."""
    padded = np.concatenate([codes, np.zeros(16, np.uint8)])
    eights = np.ndarray((codes.size + 9,), "<u8", padded, strides=(1,))
    lengths = ends - begins
    low = eights[begins] & _FIRST_BYTES.take(lengths, mode="clip")
    high = np.zeros(begins.size, np.uint64)
    long = np.flatnonzero(lengths > 8)
    high[long] = eights[begins[long] + 8] & _FIRST_BYTES.take(lengths[long] - 8, mode="clip")
    return low, high


def _first_slots(keys: _Keys, bits: int) -> _Offsets:
    # Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
    mixed = (keys[0] ^ (keys[1] * np.uint64(0xC2B2AE3D27D4EB4F))) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(64 - bits)).astype(np.int64)


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
_MOST_CHARACTERS = 3 * _PIECE_CHARACTERS
"""Characters whose token starts are found at once: tokenising all of 16 MB at once took 1 GB of memory."""


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
        self._prompt = prompt
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
        starts = _piece_starts(text, _PIECE_CHARACTERS)
        pieces = [_encodable(text[start:end]) for start, end in pairwise([*starts, len(text)])]
        offsets: list[tuple[int, int]] = []
        for start, encoding in zip(starts, self._whole.encode_batch(pieces, add_special_tokens=False), strict=True):
            found = encoding.offsets
            offsets.extend([(start + a, start + b) for a, b in found] if start else found)
        return offsets

    def starts(self, text: str) -> Sequence[int]:
        """Return the start offset of each token of a text, equal to those of offsets(); 4 bytes each instead of 100."""
        found = array("i")
        for start, end in pairwise([*_piece_starts(text, _MOST_CHARACTERS), len(text)]):
            found.frombytes((self._starts_in(_encodable(text[start:end])) + np.int32(start)).tobytes())
        return found

    def _starts_in(self, text: str) -> NDArray[np.int32]:
        """Return the token starts of a text of at most _MOST_CHARACTERS."""
        found = self._words.of(text) if self._words is not None else None
        if found is None:
            found = np.array([start for start, end in self.offsets(text) if end > start], np.int32)
        return found

    @cached_property
    def _words(self) -> TokenStarts | None:
        return TokenStarts(self._whole) if divides_into_words(self._whole) else None

    def first_window(self, text: str) -> tuple[list[int], list[tuple[int, int]], bool]:
        """Return the token ids of a text's first window, their (start, end) offsets, and whether it is the only window.

        Special tokens are included, with empty spans.
        """
        encoding = self._cutting.encode(_encodable(text))
        return encoding.ids, encoding.offsets, not encoding.overflowing

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
        return [[window.ids for window in windows] for windows in self._encode_windows(texts)]

    def word_starts(self, text: str, count: int) -> NDArray[np.int32]:
        """Return the start of each token of a document that has a letter or digit; see Vocabulary.word_starts()."""
        starts = self._starts_in(text) if len(text) <= _MOST_CHARACTERS else np.empty(0, np.int32)
        starts = starts[[text[start].isalnum() for start in starts.tolist()]]
        if len(starts) == count:
            return starts
        # It has several windows, a prompt, or a letter that the vocabulary does not contain.
        prompted = self._prompt + text
        (windows,) = self._encode_windows([prompted])
        ids = np.concatenate([np.array(window.ids, np.int32) for window in windows])
        starts = np.array([start for window in windows for start, _ in window.offsets], np.int32)
        stripped = len(prompted) - len(prompted.lstrip())
        word_starts: NDArray[np.int32] = starts[self.is_word[ids]] + np.int32(stripped - len(self._prompt))
        return word_starts

    def _encode_windows(self, texts: Sequence[str]) -> list[list[Encoding]]:
        stripped = [_encodable(text.strip()) for text in texts]
        windows = [[encoding] for encoding in self._whole.encode_batch(stripped)]
        for number, (encoding,) in enumerate(windows):
            if len(encoding.ids) > self._seen:
                first = self._cutting.encode(stripped[number])
                windows[number] = [first, *first.overflowing]
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


def _piece_starts(text: str, most: int) -> list[int]:
    """Return the offsets at which to cut a long text, between words if possible."""
    starts = [0]
    while len(text) - starts[-1] > most:
        earliest, latest = starts[-1] + most // 2, starts[-1] + most
        cut = max(text.rfind("\n", earliest, latest), text.rfind(" ", earliest, latest))
        starts.append(cut if cut > 0 else latest)
    return starts


def _encodable(text: str) -> str:
    """Return the text without lone surrogates, which tokenizers reject; the length does not change."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
