"""Sentence boundaries in English, Chinese, Japanese and Korean, as offsets into the text.

"." ends a sentence only if a new one can start after it: not in 3.14, a.txt or a URL, not after "e.g." or "Dr.". Text
without capitals, as in a chat or a transcript, has sentence ends, too: see `_is_lowercase_writing`.
"""

import re
from itertools import groupby

_CLOSERS = "\"'”’»)\\]}）】》」』〉〕］｝*_"
_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"

BULLETS = "•·▪‣\uf000-\uf0ff"
"""List markers, for use in a character class; the last range has those of Symbol and Wingdings, as found in PDFs."""

# A line that starts a list item ends the sentence before it; any other single line break does not.
_NUMERAL = "[一二三四五六七八九十]{1,3}"
_ITEM = rf"(?:[-*+{BULLETS}–—]|\(?\d{{1,3}}[.)、．]|[（(](?:\d{{1,3}}|{_NUMERAL})[）)]|{_NUMERAL}、)"

# A footnote reference directly after a full stop belongs to its sentence: [7] [2–4] [a] ［1］ [^note] [note 3] ²
_NOTE = (
    r"(?:[\[［〔](?:\d{1,3}(?:[,–-]\s?\d{1,3}){0,4}|[a-z]|\^[\w-]{1,20}|(?:note|nb) \d{1,3}|citation needed)[\]］〕]"
    r"|[¹²³⁴-⁹⁰])"
)


def _words(spaced: str) -> frozenset[str]:
    return frozenset(spaced.split())


# Never the end of a sentence: followed by a name, a number or an example.
_NEVER = _words(
    "e.g i.e eg ie dr mr mrs ms mx prof st vs viz cf al fig figs eq eqs tab ref refs rev hon gov sen rep gen col capt "
    "lt sgt cmdr maj pres ca approx resp incl excl dept univ assn ave blvd mt ft ste "
    "bzw vgl inkl exkl evtl ggf zzgl geb sog mme mlle av sra srta dra avda sig dott avv им ул проф акад см"
)

# Not the end of a sentence before a number: No. 5, p. 7, Jan. 3.
_BEFORE_NUMBER = _words(
    "no nos p pp vol vols ch chap sec secs art ed eds para par pt app nr op v vers max min tel fax ext "
    "jan feb mar apr jun jul aug sep sept oct nov dec nr abs abb kap bd str núm pág рис табл стр"
)

# The end of a sentence only if the next word often starts sentences: "in the U.S. The law", not "the U.S. Army".
_PERHAPS = _words("etc inc ltd co corp jr sr bros llc plc esq lit")


def _usual_end() -> str:
    """Return a pattern for the place between a lowercase word with its full stop and white space with a capital.

    For words that no rule of _ends_sentence() excludes: not a listed one, an initial, or a Roman numeral, which may be
    the number of an item. With it, the sentences of generated prose are found in 0.15 s instead of 0.32 (4 MB).
    """
    lower = "a-zß-öø-ÿа-яёά-ώ"
    listed = sorted(_NEVER | _PERHAPS, key=lambda word: (len(word), word))
    excluded = (
        rf"(?<!{' ' * (length < _USUAL_LENGTH)}(?:{'|'.join(map(re.escape, words))})\.)"
        for length, words in groupby(listed, key=len)
    )
    return (
        rf"(?:(?<=[{lower}]{{{_USUAL_LENGTH - 1}}}(?![ivx])[{lower}]\.)|(?<= [{lower}]{{3}}\.)|(?<= [{lower}]{{2}}\.))"
        rf"(?<! [ivx]{{2}}\.)(?<! [ivx]{{3}}\.){''.join(excluded)}(?=[ \n][A-ZÀ-ÖØ-ÞА-ЯЁΑ-Ω])"
    )


_USUAL_LENGTH = 4
"""Number of letters at the end of a longer word that are checked."""

# The pattern starts with one character set, because re skips to its members three times faster than it tries four
# branches at every character. A run of dots is tried only at its start: 20,000 leaders would otherwise each be tried.
_CANDIDATE = re.compile(
    rf"[\n.!?…。！？；｡।॥؟۔](?:(?P<usual>{_usual_end()})|"
    rf"(?<=\n)(?:(?P<blank>[^\S\n]*\n)|(?P<item>)(?=[^\S\n]*{_ITEM}[^\S\n]*\S))"
    rf"|(?<=[。！？；｡।॥؟۔])(?P<full>[。！？；｡！？!?…]*[{_CLOSERS}]*{_NOTE}{{0,9}})"
    rf"|(?<=[.!?…])(?<![.!?…].)(?P<ascii>[.!?…]*+[{_CLOSERS}]*{_NOTE}{{0,9}})(?=\s|$|[{_CJK}]))"
)

# Matches up to the last separator before a word: a search from the left tried a word at each of its characters.
_TO_LAST_WORD = re.compile(r".*[\s(\[“\"'‘（「]", re.DOTALL)
_NEXT_WORD = re.compile(r"[\W_]*(\w+)")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
_WORD_END = re.compile(r"[^\W_]|[%)\]”’»]")
_LETTER = re.compile(r"[^\W\d_]")
_ITEM_NUMBER = re.compile(r"(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})(?:\.\d{1,3})*")

# Number of characters before and after a full stop that are checked for capitals.
_AROUND = 60


_STARTERS = _words(
    "the a an this that these those it its he she they we you i in on at for from by with to of as if when while "
    "after before since because although though however but and or so yet then there here what who how why where "
    "our their his her my your all some many most each every no not one two"
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each sentence in order; only white space lies between them."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _CANDIDATE.finditer(text):
        kind = match.lastgroup
        if kind == "usual" and not text[start].isspace():
            # One character of white space follows, then the next sentence.
            spans.append((start, match.end()))
            start = match.end() + 1
            continue
        if kind == "ascii" and not _ends_sentence(text, start, match):
            continue
        end = match.start() if kind in ("blank", "item") else match.end()
        _append(spans, text, start, end)
        start = end
    _append(spans, text, start, len(text))
    return spans


def first_sentences(text: str, longest: int) -> str:
    """Return the sentences at the beginning of a text that end within a number of characters.

    Empty if they are so few that they say little: less than a third of that number.
    """
    spans = sentence_spans(text[: longest + _FOLLOWING])
    ends = [end for _, end in spans if longest / 3 <= end <= longest and _ENDED.search(text[:end])]
    return text[: ends[-1]].lstrip() if ends else ""


# Characters after a full stop that show whether it ends a sentence.
_FOLLOWING = 40
# The end of a sentence, rather than that of a heading or a list item.
_ENDED = re.compile(rf"[.!?…。！？][{_CLOSERS}]*\Z")


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    sentence = text[start:end]
    bare = sentence.lstrip()
    if bare:
        start += len(sentence) - len(bare)
        spans.append((start, start + len(bare.rstrip())))


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    """Return True if the ".", "!", "?" or "…" of the match ends a sentence that began at start."""
    following = text[match.end() : match.end() + 40]
    first = following.lstrip()[:1]
    if not first:
        return True
    lowercase = first.islower()
    if lowercase and not _is_lowercase_writing(text, start, match):
        return False
    mark = match.group()
    if mark[0] != ".":
        # “really?” he said.
        return not lowercase or mark[-1] in ".!?…"
    glued = first == following[0]
    if glued and text[match.start() - 1].isdigit():
        # "3.系统" numbers an item.
        return False
    if mark.startswith(".."):
        return not lowercase
    # Search no further back than start: in a line of 5 MB that caused 160,000 searches of the whole line.
    line = text.rfind("\n", start, match.start()) + 1 or start
    before = text[line : match.start()]
    if _ITEM_NUMBER.fullmatch(before.strip()):
        # "1. First item": the number belongs to the text after it.
        return False
    last = before[-40:]
    ahead = _TO_LAST_WORD.match(last)
    return _word_ends_sentence(last[ahead.end() :] if ahead else last, following, first)


def _is_lowercase_writing(text: str, start: int, match: re.Match[str]) -> bool:
    """Return True if the sentence that began at start seems to be written without capitals.

    It begins with a lowercase letter, ends in a word, and has no capitals around its end: after an abbreviation that is
    not listed here, a sentence in a text with capitals continues ("Section 2, subsec. three").
    """
    opening = _LETTER.search(text, start, min(match.start(), start + _AROUND))
    if opening is None or not opening.group().islower() or not _WORD_END.match(text[match.start() - 1]):
        return False
    around = text[max(start, match.start() - _AROUND) : match.end() + _AROUND]
    return around == around.lower()


def _word_ends_sentence(word: str, following: str, first: str) -> bool:
    """Return True if a full stop after the word ends a sentence, given the text after it."""
    lowered = word.lower()
    if lowered in _NEVER:
        return False
    if lowered in _BEFORE_NUMBER and (first.isdigit() or first.islower()):
        return False
    initial = len(word) == 1 and word.isalpha() and (word.isascii() or word.isupper()) and word != "I"
    if initial or lowered in _PERHAPS or _DOTTED.fullmatch(word):
        next_word = _NEXT_WORD.match(following)
        return next_word is not None and next_word.group(1).lower() in _STARTERS
    return True
