"""Names of documents: the words in a file's name, and the name prepended to a document's chunks.

"AMEX_FY2022-10K.pdf" yields "AMEX FY 2022 10K", which its title may not contain: twelve very similar annual reports
(tests/benchmarks/filings.py) all have the title "United States Securities and Exchange Commission". With the name
prepended to each chunk, the page of the answer is among the first ten by meaning for 0.70 of 40 questions (0.30
without), 0.73 fused (0.38), 0.75 reranked (0.45); if the question's names are matched as well, for 0.88 (0.90), with a
MRR of 0.67 (0.62). After the title instead of before it: 0.68, 0.65, 0.65. In 24 dissimilar reports nothing changes.
Names unrelated to the text cost little: for 300 questions of xquad en, with ten such names distributed over 240
documents, nDCG@10 is 0.935 by meaning (0.949), 0.971 fused (0.971), 0.977 reranked (0.977).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import PurePath

_ENDING = re.compile(r"(?<=.)\.[A-Za-z][A-Za-z0-9]{0,7}$")
_JOINTS = re.compile(r"[\W_]+")
# "AnnualReport" and "FY2022Q3" are two and three words; "10K" is one.
_SEAMS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])(?=(?:19|20)\d\d(?!\d))|(?<=(?<!\d)(?:19|20)\d\d)(?=[^\W\d_])")

_UUID = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])")
# A hash, a time to the second, the number of an article.
_CODE = re.compile(r"(?=\D*\d)[0-9A-Fa-f]{9,}|(?:[A-Za-z]+\d+){3,}[A-Za-z]*|(?:\d+[A-Za-z]+){3,}\d*")
_COUNTED = re.compile(r"\d+$")
_WORD = re.compile(r"[^\W\d_]{2}")

_PART = re.compile(r", part \d{3}, (lines|rows|messages) ([\d,]+) to ([\d,]+)(?=(?:\.[\w+~-]+)?\Z)")
"""Suffix that parsing/long_files.py appends to the name of a file that it divides, before the extension."""


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Names that programs, scanners and cameras give to files, and words that people add to distinguish versions of a file.
_USUAL = _word_set(
    """
    and at attachment attachments camscanner clean copy default doc docs document documents download downloads draft dsc
    dscf dscn edited export file files final fixed image images img index latest main merged mvi new newest of old
    output page pages pdf photo photos pic picture print printed printout pxl revised saved scan scanned scans screen
    screenshot shot temp text the tmp unnamed untitled upload version vid video whats app
    anhang ausdruck bild bildschirmfoto datei dokument endfassung entwurf foto kopie neu neue neues seite unbenannt
    archivo capture copia copie document documento ecran fichier fichero imagen nouveau nuevo numérisé sans titre
    sin titulo título ohne titel
    扫描 扫描件 文档 文件 新建 新建文档 新建文本文档 无标题 未命名 副本 最终版 图片 照片 截图 微信图片
    """
)

_MOST_WORDS = 12
"""Maximum number of words, and of characters: a longer name adds no information and takes space from the text."""
_MOST_CHARACTERS = 80

# Maximum number of joined words: "AMERICANEXPRESS" is contained in a title with "American Express".
_MOST_GLUED = 4


def stem(name: str) -> str:
    """Return a file name without its extension."""
    return _ENDING.sub("", name)


def readable(name: str) -> str:
    """Return a file name in readable form: without its extension, with spaces."""
    return " ".join(_JOINTS.split(stem(name))).strip()


@lru_cache(maxsize=256)
def whole_name(name: str) -> str:
    """Return the name of the whole file for the name of a part; any other name is returned unchanged.

    “server.log” is returned for “server, part 002, lines 73 to 141.log”.
    """
    return _PART.sub("", name)


@dataclass(frozen=True, slots=True)
class PartSpan:
    """Range of the whole file that the name of a part states.

    Attributes:
        unit: Counted unit: "lines", "rows" or "messages".
        first: First line, row or message of this part, 1-based.
        last: Last one of this part, inclusive.
    """

    unit: str
    first: int
    last: int


def part_span(name: str) -> PartSpan | None:
    """Return the range stated in the name of a part; None if the name is not that of a part."""
    match = _PART.search(name)
    if match is None:
        return None
    first, last = (int(match[group].replace(",", "") or 0) for group in (2, 3))
    return PartSpan(match[1], first, last)


def called(name: str, title: str) -> tuple[str, ...]:
    """Return the names prepended to a document's chunks for rerankers: words of its file name, its title; or either.

    Words of the file name that the title contains are left out. A title that equals the file name, as in a document
    without a title, is treated as a file name, too.
    """
    if title in (name, stem(name), PurePath(name).stem):
        words = file_words(name)
        return (title if words and " " in title else words,)
    return file_words(name, excluding=title), title


def file_words(name: str, *, excluding: str = "") -> str:
    """Return the meaningful words of a file name, separated by spaces; most names have some.

    Empty if it has no words that a person would have given: for a hash, an id, a date alone, "scan0001", "IMG_2021",
    "document (3)". A long name is cut.

    Args:
        name: With or without its extension.
        excluding: A title; words that it contains, separated or joined, are left out.
    """
    words = list(_words(name))
    if not any(_WORD.search(word) and not _is_usual(word) for word in words):
        return ""
    left = [word for word in words if not _contains(excluding, word)]
    if all(len(word) == 1 or _is_usual(word) for word in left):
        return ""
    ends = accumulate(len(word) + 1 for word in left)
    fitting = [word for word, end in zip(left, ends, strict=True) if end <= _MOST_CHARACTERS + 1]
    return " ".join(fitting[:_MOST_WORDS]) or left[0][:_MOST_CHARACTERS]


def _words(name: str) -> Iterator[str]:
    for part in _JOINTS.split(_UUID.sub(" ", stem(whole_name(name)))):
        if not _CODE.fullmatch(part):
            yield from filter(None, _SEAMS.split(part))


def _is_usual(word: str) -> bool:
    """Return whether a word, ignoring a final number, is a generic part of file names."""
    return _COUNTED.sub("", word).casefold() in _USUAL


def _contains(title: str, word: str) -> bool:
    """Return whether a title contains a word, also as adjacent words; a word of an unspaced script matches anywhere."""
    return word.casefold() in (_forms(title) if word.isascii() else title.casefold())


@lru_cache(maxsize=256)
def _forms(title: str) -> frozenset[str]:
    words = [word.casefold() for word in _JOINTS.split(title) if word]
    starts, lengths = range(len(words)), range(1, _MOST_GLUED + 1)
    return frozenset("".join(words[start : start + length]) for start in starts for length in lengths)


@dataclass(frozen=True, slots=True)
class DocumentNameWords:
    """Words of a document's name, title and author, as made by store/name_words.py.

    Attributes:
        document: Id of the document.
        name: Words of its file name; initials begin with "#".
        title: Words of its title.
        author: Words of its author.
    """

    document: int
    name: frozenset[str]
    title: frozenset[str]
    author: frozenset[str]

    @property
    def names(self) -> tuple[frozenset[str], ...]:
        """Words of the file name, and its initials with the numbers of the name; either set identifies the document."""
        with_digits = frozenset(word for word in self.name if any(character.isdigit() for character in word))
        initials = (with_digits | {word} for word in self.name if word[0] == "#")
        return _non_empty(frozenset(word for word in self.name if word[0] != "#"), *initials)

    @property
    def titles(self) -> tuple[frozenset[str], ...]:
        """The words of the title, and those of the author."""
        return _non_empty(*(frozenset(word for word in alias if word[0] != "#") for alias in (self.title, self.author)))

    @property
    def aliases(self) -> tuple[frozenset[str], ...]:
        """All sets of words; each one is sufficient to identify the document."""
        return self.names + self.titles


def _non_empty(*aliases: frozenset[str]) -> tuple[frozenset[str], ...]:
    return tuple(alias for alias in aliases if alias)
