"""Words of a file name, title or author, by which a question can name a document."""

import re
from collections.abc import Iterator
from functools import lru_cache

from workbench.model.document_name import readable
from workbench.store.segmentation import SEGMENTATION, STOP_WORDS, segment
from workbench.store.stored_values import loaded_text

NAMING = f"{SEGMENTATION}/2"
"""Version of the words made by name_words(); the name index is rebuilt at the next start if it differs."""

INITIALS = "#"
"""Prefix of a word that consists of initials: "#jj" for "Johnson & Johnson"."""

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_QUARTERS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "一": "1", "二": "2", "三": "3", "四": "4"}
# "Q2 2023", "Q2'2023", "Q22023", "2023Q2", "2Q23", "second quarter of 2023", "2023年第二季度".
_PERIOD = re.compile(
    r"(?<![^\W_])(?:Q(?P<quarter1>[1-4])[\s_'’,-]{0,2}(?:FY|of)?\s?(?P<year1>(?:19|20)\d\d|\d\d)"
    r"|(?P<year2>(?:19|20)\d\d)[\s_-]?Q(?P<quarter2>[1-4])"
    r"|(?P<quarter3>[1-4])Q[\s_'’]?(?P<year3>(?:19|20)\d\d|\d\d)"
    r"|(?P<quarter4>first|second|third|fourth)[\s-]quarter(?:\sof)?(?:\sfiscal)?(?:\syear)?\s(?P<year4>(?:19|20)\d\d)"
    r"|FY[\s_'’]?(?P<year5>(?:19|20)\d\d|\d\d))(?!\d)"
    r"|(?P<year6>(?:19|20)\d\d)\s?年?第?(?P<quarter6>[一二三四1-4])季",
    re.IGNORECASE,
)
# Two initials are too ambiguous ("IT", "US"): at least three, or two words joined by "&" in the question.
_MOST_INITIALS = 5
_CAPITALISED = re.compile(r"[A-Z][^\W\d_]+")


def name_words(said: str | bytes) -> str:
    """Return the distinct words of a name, separated by spaces; also called by database triggers.

    A year attached to letters ("FY2022", "2023Q2") is a separate word, a quarter is "2023q2" in every spelling, and the
    initials of the capitalised words that begin the name are added after INITIALS.
    """
    return _words(loaded_text(said))


def periods_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield (word, start, end) of each year and quarter in a text: "2021" for "FY21", "2023q2" and "2023" for "Q2'23".

    Two-digit years are from 2000 on.
    """
    for match in _PERIOD.finditer(text):
        found = {name[:-1]: value for name, value in match.groupdict().items() if value}
        year = found["year"] if len(found["year"]) == 4 else f"20{found['year']}"
        yield (year, *match.span())
        if quarter := found.get("quarter", ""):
            yield (f"{year}q{_QUARTERS.get(quarter.lower(), quarter)}", *match.span())


@lru_cache(maxsize=1024)
def _words(said: str) -> str:
    text = readable(said)
    found = dict.fromkeys(
        (*segment(text).split(), *_YEAR.findall(text), *(word for word, *_ in periods_in(text)), *_initials(text))
    )
    # Unspaced scripts use pairs; a single final character would occur in too many names.
    distinctive = [word for word in found if word not in STOP_WORDS and (len(word) > 1 or word.isascii())]
    return " ".join(distinctive or found)


def _initials(text: str) -> Iterator[str]:
    """Yield the initials of the first two, three, four and five capitalised words; a digit ends them."""
    letters = ""
    for word in text.split():
        if word.lower() in STOP_WORDS:
            continue
        if not _CAPITALISED.fullmatch(word) or len(letters) == _MOST_INITIALS:
            break
        letters += word[0].lower()
        if len(letters) > 1:
            yield INITIALS + letters
