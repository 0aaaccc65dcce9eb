"""Abbreviations defined in documents: extraction from text, storage, and lookup by short or long form.

Each word of a long form begins with a letter of the short form; the remaining letters occur inside these words. This is
a stricter variant of the method of Schwartz and Hearst ("A simple algorithm for identifying abbreviation definitions in
biomedical text", PSB 2003), because a search for a wrong long form would be worse than none.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from workbench.errors import LibraryDamaged
from workbench.model.filter import ChunkFilter
from workbench.store.filtering import by_page, conditions
from workbench.store.segmentation import stem
from workbench.store.sql import Connection, DocumentDatabase
from workbench.store.stored_values import forget_state, put_state, state, unpacked_text

MOST_WORDS = 12
"""Maximum number of words in a long form."""

MOST_DEFINITIONS = 2_000
"""Maximum number of definitions per document; a book with a glossary has some hundreds."""

MOST_CHARACTERS = 10
"""Maximum number of characters in a short form."""

# Maximum number of characters examined per document: 700 pages. The worst-case text takes 2 s per million.
_MOST_TEXT = 2_000_000
# Number of characters examined before a bracket.
_BEFORE = 160
_BRACKET = re.compile(r"[(（]([^()（）]{2,120})[)）]")
_INTRODUCTION = re.compile(
    r"\s*(?:(?:the|an?|or|collectively|together|hereinafter|referred to as|known as|i\.e\."
    r"|以下|下|英文|简称|统称|缩写|称|为|即)(?![a-z])[\s,，:：]*)+",
    re.IGNORECASE,
)
_QUOTES = "\"'“”‘’„«»「」『』《》"
_PART_END = re.compile(r"[,;，；、]")
# A long form begins after the end of a sentence, a table cell, a heading or a bracket.
_SENTENCE_END = re.compile(r"[.!?;:]\s|[|。！？；：\t()（）\[\]{}<>*=]|\n\s*\n")
_SHORT = re.compile(r"[A-Za-z0-9](?:[&./-]?[A-Za-z0-9])+\.?")
_SHORT_AT_END = re.compile(r"(?<![^\s“”‘’\"'|])[A-Za-z0-9&./-]{2,14}$")
_GLOSSARY_LINE = re.compile(
    r"^(?:[|*•–-][ \t]?)?\**([A-Za-z0-9&./-]{2,14})\**[ \t]?(?:[|:=–—\t]|-[ \t])[ \t]?([^\W\d_][^|\n:=\t]{3,100})",
    re.MULTILINE,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_MINOR_WORDS = "a an and as at by for from in into of on or over per the to under with"
_MINOR = frozenset(_MINOR_WORDS.split())
_CHINESE_AT_END = re.compile(r"[\u3400-\u9fff·]+$")
_CHINESE_LENGTHS = range(3, 25)
# Words that introduce a Chinese name and are no part of it.
_CHINESE_MINOR = re.compile(
    r"建立|采用|使用|利用|通过|根据|基于|关于|以及|我国|其中|[的了在和与及或由为是将对被把从向于]"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """Short form and long form of an abbreviation, both as written.

    Attributes:
        short: Without periods and without the "s" of a plural: "ETF" for "E.T.F.s".
        long: Words separated by single spaces.
    """

    short: str
    long: str


def definitions_in(text: str) -> list[Definition]:
    """Return the distinct definitions in a text, at most MOST_DEFINITIONS.

    Takes 0.1 ms per page; the time is linear in the length of any text.
    """
    text = text[:_MOST_TEXT]
    found: dict[tuple[str, str], Definition] = {}
    for definition in (*_find_in_brackets(text), *_find_in_glossaries(text)):
        found.setdefault((definition.short, phrase_of(definition.long)), definition)
    return list(found.values())[:MOST_DEFINITIONS]


def phrase_of(long: str) -> str:
    """Return the comparison key of a long form: the stems of its words, ignoring case, plural and hyphens."""
    return " ".join(stems_of(long))


def stems_of(text: str) -> list[str]:
    """Return the stemmed words of a text as used by phrase_of()."""
    return [stem(word) for word in _WORD.findall(text.casefold().replace("’", "'"))]


def short_form(written: str) -> str:
    """Return a short form as in Definition; empty if it has too few capitals or a wrong length."""
    if not _SHORT.fullmatch(written):
        return ""
    plain = written.replace(".", "")
    if plain[-1] == "s" and plain[-2:-1].isupper():
        plain = plain[:-1]
    capitals = sum(map(str.isupper, plain))
    is_short_form = capitals >= 2 and 2 * capitals >= sum(map(str.isalpha, plain)) and len(plain) <= MOST_CHARACTERS
    return plain if is_short_form else ""


def _find_in_brackets(text: str) -> Iterator[Definition]:
    for match in _BRACKET.finditer(text):
        parts = [_strip_introduction(part) for part in _PART_END.split(match[1])]
        before = text[max(0, match.start() - _BEFORE) : match.start()].rstrip(_QUOTES + " \n")
        second = short_form(parts[1]) if len(parts) > 1 else ""
        if short := short_form(parts[0]):
            yield from _defined_before(short, before)
        elif second and (long := _long_form(second, parts[0], is_whole=True)):
            # "碳排放交易体系(Emissions Trading Scheme, ETS)"
            yield Definition(second, long)
            yield from _defined_before(second, before)
        elif "称" in match[1] and (long := _chinese_long_form(parts[0], before)):
            yield Definition(parts[0], long)
        elif (
            (written := _SHORT_AT_END.search(before[-16:]))
            and (short := short_form(written[0]))
            and (long := _long_form(short, _strip_introduction(match[1]), is_whole=True))
        ):
            yield Definition(short, long)


def _find_in_glossaries(text: str) -> Iterator[Definition]:
    for match in _GLOSSARY_LINE.finditer(text):
        if (short := short_form(match[1])) and (long := _long_form(short, match[2], is_whole=True)):
            yield Definition(short, long)


def _strip_introduction(part: str) -> str:
    introduction = _INTRODUCTION.match(part)
    return part[introduction.end() if introduction else 0 :].strip().strip(_QUOTES)


def _defined_before(short: str, before: str) -> Iterator[Definition]:
    """Yield the definition of a short form if the words that end before it are its long form."""
    if chinese := _CHINESE_AT_END.search(before):
        # Chinese has no letters to compare: take the whole name, as far as its beginning can be determined.
        long = _CHINESE_MINOR.split(chinese[0])[-1]
        if len(long) in _CHINESE_LENGTHS:
            yield Definition(short, long)
    elif long := _long_form(short, _SENTENCE_END.split(before)[-1]):
        yield Definition(short, long)


def _long_form(short: str, text: str, *, is_whole: bool = False) -> str:
    """Return the last words of a text, or all of them, if a short form abbreviates them; otherwise an empty string."""
    letters = "".join(filter(str.isalnum, short.casefold()))
    found = list(_WORD.finditer(text))
    words = [word[0].casefold() for word in found]
    latest = min(0, len(words) - 2) if is_whole else len(words) - 2
    # Try the most words first, so that as few letters as possible fall inside words. A single word alone could be any.
    for first in range(max(0, len(words) - MOST_WORDS), latest + 1):
        if words[first] not in _MINOR and _abbreviates(letters, words[first:]):
            long = " ".join(text[found[first].start() : found[-1].end()].split())
            return long if short.casefold() not in words[first:] and long.isprintable() else ""
    return ""


def _abbreviates(letters: str, words: Sequence[str]) -> bool:
    """Return whether each word except minor ones begins with the next letter; other letters may occur inside words."""
    reached = {0}
    for word in words:
        after = {end for start in reached for end in _read_to(letters, start, word)}
        reached = after | reached if word in _MINOR else after
    return len(letters) in reached


def _read_to(letters: str, start: int, word: str) -> Iterator[int]:
    """Yield the possible numbers of letters read after a word whose initial is the next letter."""
    place = 0 if word[0] == letters[start : start + 1] else -1
    while place >= 0:
        start += 1
        yield start
        place = word.find(letters[start], place + 1) if start < len(letters) else -1


def _chinese_long_form(short: str, before: str) -> str:
    """Return the end of a Chinese name that has the characters of its short form in order, or an empty string."""
    name = _CHINESE_AT_END.search(before)
    if name is None or not 2 <= len(short) <= MOST_CHARACTERS or short in name[0]:
        return ""
    place = len(name[0])
    for character in reversed(short):
        place = name[0].rfind(character, 0, max(place, 0))
    return name[0][place:] if place >= 0 and len(name[0]) - place in _CHINESE_LENGTHS else ""


# State: the highest number of a document that has not been scanned yet; migration 0013 sets it.
_TO_FILL_IN = "documents without abbreviations"

# Maximum number of rows counted to find the usual meaning of a form: "SEC" is defined in every filing.
_MOST_ROWS = 500

# Maximum number of definitions returned per short form: "PE" is physical education in one document and price to
# earnings in another.
_MOST_MEANINGS = 2


class AbbreviationTable:
    """Table of the definitions in all documents; rows are replaced, copied and deleted with their document."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database

    def defined(self, forms: Collection[str], filter: ChunkFilter) -> list[Definition]:
        """Return the most frequent definitions of the given forms, as far as they are defined.

        A short form yields the two definitions that occur in most documents, a long form one.

        Args:
            forms: Short forms as in Definition, and long forms as returned by phrase_of().
            filter: Restricts the documents whose definitions are used.

        Raises:
            NotFound: The filter names a knowledge base that does not exist.
        """
        with self._database.read() as connection:
            short = _find_definitions(connection, "short", "phrase", forms, filter, _MOST_MEANINGS)
            return short + _find_definitions(connection, "phrase", "short", forms, filter, 1)

    def of_document(self, document: int) -> list[Definition]:
        """Return the definitions of a document in reading order."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT short, long FROM abbreviations WHERE document = ? ORDER BY id", (document,)
            )
            return [Definition(short, long) for short, long in rows]

    def fill_in(self, stop: Callable[[], bool]) -> None:
        """Scan the documents of earlier versions until stop() is true; blocking, 0.1 ms per page, for idle time."""
        while not stop() and self._fill_in_next():
            pass

    def _fill_in_next(self) -> bool:
        """Scan one document; return False if none is left."""
        with self._database.read() as connection:
            highest = state(connection, _TO_FILL_IN)
            if highest is None:
                return False
            row = connection.execute(
                "SELECT document, text FROM contents WHERE document <= ? ORDER BY document DESC LIMIT 1",
                (int(highest),),
            ).fetchone()
        if row is None:
            with self._database.write() as connection:
                forget_state(connection, _TO_FILL_IN)
            return False
        document, packed = row
        definitions = _definitions_in(packed)
        with self._database.write() as connection:
            # The text may have been replaced since it was read, together with its definitions.
            is_same = "SELECT 1 FROM contents WHERE document = ? AND text = ?"
            if connection.execute(is_same, (document, packed)).fetchone():
                replace_definitions(connection, document, definitions)
            put_state(connection, _TO_FILL_IN, str(document - 1))
        return True


def fill_in_later(connection: Connection) -> None:
    """Schedule all documents for fill_in(); within a transaction, in a library of any version."""
    (highest,) = connection.execute("SELECT MAX(document) FROM contents").fetchone()
    if highest is not None:
        put_state(connection, _TO_FILL_IN, str(highest))


def replace_definitions(connection: Connection, document: int, definitions: Sequence[Definition]) -> None:
    """Replace the definitions of a document; within a transaction."""
    connection.execute("DELETE FROM abbreviations WHERE document = ?", (document,))
    connection.executemany(
        "INSERT INTO abbreviations (document, short, long, phrase) VALUES (?, ?, ?, ?)",
        ((document, one.short, one.long, phrase_of(one.long)) for one in definitions),
    )


def _definitions_in(packed: bytes) -> list[Definition]:
    try:
        return definitions_in(unpacked_text(packed))
    except LibraryDamaged:  # the integrity check reports it; other documents are still scanned
        return []


def _find_definitions(
    connection: Connection, column: str, other: str, forms: Collection[str], filter: ChunkFilter, most: int
) -> list[Definition]:
    """Return the definitions for each form in a column, with the most frequent values of the other column."""
    defined_forms = connection.execute(
        "SELECT j.value FROM json_each(CAST(? AS TEXT)) j"
        f" WHERE EXISTS (SELECT 1 FROM abbreviations a WHERE a.{column} = j.value)",
        (json.dumps(list(forms)),),
    ).fetchall()
    if not defined_forms:
        return []
    passes, parameters = conditions(connection, filter)
    if by_page(filter):
        passes = f"EXISTS (SELECT 1 FROM chunks c WHERE c.document = d.id AND {passes})"
    definitions: list[Definition] = []
    for (form,) in defined_forms:
        rows = connection.execute(
            "SELECT MIN(short), MIN(long) FROM (SELECT a.* FROM abbreviations a JOIN documents d ON d.id = a.document"
            f" WHERE a.{column} = ? AND {passes} LIMIT ?) f GROUP BY {other} ORDER BY COUNT(*) DESC, {other} LIMIT ?",
            (form, *parameters, _MOST_ROWS, most),
        )
        definitions += (Definition(short, long) for short, long in rows)
    return definitions
