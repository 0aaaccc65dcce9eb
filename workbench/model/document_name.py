"""Names of documents: the words in a file's name, and what a document is called in front of its chunks.

"AMEX_FY2022-10K.pdf" says "AMEX FY 2022 10K", which its title need not: of twelve annual reports that are nearly alike
(tests/benchmarks/filings.py) all have the title "United States Securities and Exchange Commission". With the name in
front of each chunk, the page of the answer is among the first ten by meaning for 0.70 of 40 questions (0.30 without),
0.73 fused (0.38), 0.75 reranked (0.45); where the question's names are matched as well, for 0.88 (0.90), with a MRR of
0.67 (0.62). Behind the title it is 0.68, 0.65, 0.65. In 24 reports that are unlike, nothing changes. Names that have
nothing to do with the text cost little: of 300 questions to xquad en, with ten such names dealt out to 240 documents,
nDCG@10 is 0.935 by meaning (0.949), 0.971 fused (0.971), 0.977 reranked (0.977).
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
# A hash, a time to the second, an article's number.
_CODE = re.compile(r"(?=\D*\d)[0-9A-Fa-f]{9,}|(?:[A-Za-z]+\d+){3,}[A-Za-z]*|(?:\d+[A-Za-z]+){3,}\d*")
_COUNTED = re.compile(r"\d+$")
_WORD = re.compile(r"[^\W\d_]{2}")

_PART = re.compile(r", part \d{3}, (lines|rows|messages) ([\d,]+) to ([\d,]+)(?=(?:\.[\w+~-]+)?\Z)")
"""What long_files.py of the parsing room puts behind the name of a file that it divides."""


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What programs, scanners and cameras call a file, and what people add to tell one state of it from the next.
_USUAL = _listed(
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
"""And characters: a longer name says no more of what the document is about, and takes room from its text."""
_MOST_CHARACTERS = 80

# "AMERICANEXPRESS" is held by a title that says "American Express".
_MOST_GLUED = 4


def stem(name: str) -> str:
    """Return a file's name without its ending."""
    return _ENDING.sub("", name)


def readable(name: str) -> str:
    """Return a file name as a person would say it: without its ending, with spaces."""
    return " ".join(_JOINTS.split(stem(name))).strip()


@lru_cache(maxsize=256)
def whole_name(name: str) -> str:
    """Return the name of the file that a file is a part of, “server.log” of “server, part 002, lines 73 to 141.log”.

    The name as it is where it is not that of a part.
    """
    return _PART.sub("", name)


@dataclass(frozen=True, slots=True)
class PartSpan:
    """What the name of a part says of its place in the whole file.

    Attributes:
        unit: What is counted: "lines", "rows" or "messages".
        first: 1-based.
        last: Of this part, included.
    """

    unit: str
    first: int
    last: int


def part_span(name: str) -> PartSpan | None:
    """Return where a part stands in the whole file by its name, or None where the name is not that of a part."""
    match = _PART.search(name)
    if match is None:
        return None
    first, last = (int(match[group].replace(",", "") or 0) for group in (2, 3))
    return PartSpan(match[1], first, last)


def called(name: str, title: str) -> tuple[str, ...]:
    """Return what a document is called in front of its chunks: the words of its file's name, its title; or either.

    The name says only what the title does not. A title that is no more than the name itself, as a document without one
    has, is read as a name, too.

    A renamed file keeps its vectors, which say its old name until its chunks are embedded anew: to embed thousands of
    documents because a folder was put in order would help few questions, and the new name is matched to a question's
    at once (store/document_names.py) and seen by rerankers.
    """
    if title in (name, stem(name), PurePath(name).stem):
        words = file_words(name)
        return (title if words and " " in title else words,)
    return file_words(name, beside=title), title


def file_words(name: str, *, beside: str = "") -> str:
    """Return the words of a file's name that say something, with a space between; most names have some.

    Nothing where it has none that a person would have given: of a hash, an id, a date alone, "scan0001", "IMG_2021",
    "document (3)". A long name is cut.

    Args:
        name: With its ending or without.
        beside: A title; words that it holds, apart or together, are left out.
    """
    words = list(_words(name))
    if not any(_WORD.search(word) and not _is_usual(word) for word in words):
        return ""
    left = [word for word in words if not _holds(beside, word)]
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
    """Whether a word, numbered or not, is one that any file may be called by."""
    return _COUNTED.sub("", word).casefold() in _USUAL


def _holds(title: str, word: str) -> bool:
    """Whether a title holds a word, be it in words that stand next to one another; of an unspaced script anywhere."""
    return word.casefold() in (_forms(title) if word.isascii() else title.casefold())


@lru_cache(maxsize=256)
def _forms(title: str) -> frozenset[str]:
    words = [word.casefold() for word in _JOINTS.split(title) if word]
    starts, lengths = range(len(words)), range(1, _MOST_GLUED + 1)
    return frozenset("".join(words[start : start + length]) for start in starts for length in lengths)


@dataclass(frozen=True, slots=True)
class DocumentNameWords:
    """The words of a document's name, title and author, as store/name_words.py makes them.

    Attributes:
        document: Its id.
        name: Of its file's name; initials begin with "#".
        title: Of its title.
        author: Of its author.
    """

    document: int
    name: frozenset[str]
    title: frozenset[str]
    author: frozenset[str]

    @property
    def names(self) -> tuple[frozenset[str], ...]:
        """The words of the file's name, and its initials with the numbers of the name; either means the document."""
        told_apart = frozenset(word for word in self.name if any(character.isdigit() for character in word))
        initials = (told_apart | {word} for word in self.name if word[0] == "#")
        return _kept(frozenset(word for word in self.name if word[0] != "#"), *initials)

    @property
    def titles(self) -> tuple[frozenset[str], ...]:
        """The words of the title, and those of the author."""
        return _kept(*(frozenset(word for word in alias if word[0] != "#") for alias in (self.title, self.author)))

    @property
    def aliases(self) -> tuple[frozenset[str], ...]:
        """All sets of words of which one is enough to mean the document."""
        return self.names + self.titles


def _kept(*aliases: frozenset[str]) -> tuple[frozenset[str], ...]:
    return tuple(alias for alias in aliases if alias)
