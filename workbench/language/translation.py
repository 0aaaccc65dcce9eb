"""Translation of the texts that people read.

The catalogue of a language, single texts, and sentences with values in them.

A room without a window says f"{name} could not be read: {reason}". Its template "{0} could not be read: {1}" stands in
the file of translations; here the sentence is recognised as one of that template, and its values are put into the
translation. So sentences that were kept in a library years ago are read in the language of today.

A value can be a sentence of ours itself, as a reason is, and is translated too; but what a translation puts between
“ ” is the name of something, and names stay as they are. Where numbers alone can stand, a template says {0:d}: of
"page {0:d}" are "page 3" and "page 3–5", and not "page of contents".
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from types import MappingProxyType

from workbench.resources import resource

LANGUAGES: Mapping[str, str] = MappingProxyType({"en": "English", "zh_CN": "简体中文"})
"""Every language of the window, by its code: its name in itself. English needs no file."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The texts of one language.

    Attributes:
        code: Its language.
        texts: The translation of each text, under the text and the comment that tells two uses of it apart.
    """

    code: str
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def get(self, text: str, comment: str = "") -> str | None:
        """Return the translation of a text, that without a comment where there is none for this use; None for none."""
        found = self.texts.get((text, comment))
        return found if found is not None or not comment else self.texts.get((text, ""))


def read_catalogue(code: str) -> Catalogue:
    """Return the translations of a language; what nobody has translated is not among them.

    Raises:
        FileNotFoundError: There is no such language.
    """
    # Not on the way to an English window.
    from xml.etree import ElementTree

    texts: dict[tuple[str, str], str] = {}
    for message in ElementTree.parse(resource(f"translations/workbench_{code}.ts")).iter("message"):
        translation = message.find("translation")
        if translation is None or translation.get("type") is not None:
            continue
        form = translation.find("numerusform")
        translated = (translation if form is None else form).text
        if translated:
            texts[message.findtext("source", ""), message.findtext("comment", "")] = translated
    return Catalogue(code, texts)


_VALUE = re.compile(r"\{(\d+)(:d)?\}")
_PLACE = re.compile(r"(“?)\{(\d+)\}(”?)")
_NUMBERS = re.compile(r"[-−]?\d[\d,.–…% ]*(?:(?:, | and )\d[\d,.–…% ]*)*")
_ORDINAL = re.compile(r"([\d,]+)(?:st|nd|rd|th)")
_NAME = re.compile(r"“[^“”]*”|\.[\w.]+")
_END = re.compile(r"[.?!]”? ")
_COMMA = re.compile(r"(, | and )")
_POINTS = re.compile(r"( · )")
_ALSO = re.compile(r"(, and )")
_DEEP = 3
"""How deep a value is taken for a sentence of its own: a reason within a reason."""
_LONGEST_MEMBER = 3
"""Parts of a list that can be one member of it."""
_MOST = 5
"""Ends of sentences that are looked at in a text."""
_KEY = 6
"""Letters at the beginning or the end of a text by which the templates are found that it may be of."""
_LONGEST = 2000
"""Characters of what can be a sentence of ours; a document's text is not held against 1,000 templates."""
_POINT, _BETWEEN, _MOREOVER = "。", "、", "，而且"
"""How Chinese ends a sentence and parts the members of a list, and clauses: the one language beside English so far."""


class SentenceTranslator:
    """What translates sentences from one language's catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._known: _Templates | None = None

    def translated(self, text: str) -> str:
        """Return a text in the catalogue's language, as it is where no template is its."""
        return self._of_text(text, 0) or text

    def _of_text(self, text: str, depth: int) -> str | None:
        exact = self._catalogue.get(text)
        if exact is not None or len(text) > _LONGEST:
            return exact
        return self._of_several(text, depth) or self._of_one(text, depth) or self._of_list(text, depth)

    def _of_several(self, text: str, depth: int) -> str | None:
        """Return the translation of a message with its hint behind it, where all its sentences are ours."""
        ends = [end.end() - 1 for end in islice(_END.finditer(text), _MOST)]
        found, start = "", 0
        for end in (*ends, len(text)) if ends else ():
            known = self._of_one(text[start:end], depth)
            if known:
                found, start = _joined(found, known), end + 1
        return found if start > len(text) else None

    def _of_one(self, text: str, depth: int) -> str | None:
        """Return the translation of one sentence; other rooms make sentences of phrases, and phrases of sentences."""
        found = self._catalogue.get(text) or self._of_template(text, depth)
        if found:
            return found
        if text.endswith("."):
            phrase = text[:-1]
            for one in (phrase, phrase[:1].lower() + phrase[1:]):
                found = self._catalogue.get(one) or self._of_template(one, depth)
                if found:
                    return found + _POINT
        elif found := self._catalogue.get(f"{text}."):
            return found.removesuffix(_POINT)
        # "a.zip: the archive is damaged"; of single words behind a colon nobody knows whose they are.
        name, _, reason = text.partition(": ")
        known = self._catalogue.get(reason) or self._of_template(reason, depth) if " " in reason else None
        return f"{name}：{known}" if known else None

    def _of_list(self, text: str, depth: int) -> str | None:
        """Return the translation of “a”, “b” and 3 more; or of phrases with points between."""
        for split, between in ((_POINTS, " · "), (_ALSO, _MOREOVER), (_COMMA, _BETWEEN)):
            found = self._members(split.split(text), depth)
            if len(found) > 1:
                return between.join(found)
        return None

    def _members(self, parts: Sequence[str], depth: int) -> list[str]:
        """Return the members of a list that parts and what stands between them alternate in; none if one is not ours.

        A member can have a comma of its own: Word, PowerPoint and Excel.
        """
        found: list[str] = []
        start = 0
        while start < len(parts):
            for end in range(min(start + 2 * _LONGEST_MEMBER - 1, len(parts)), start, -2):
                member = "".join(parts[start:end])
                known = member if _NAME.fullmatch(member) else self._of_one(member, depth)
                if known:
                    found.append(known)
                    start = end + 1
                    break
            else:
                return []
        return found

    def _of_template(self, text: str, depth: int) -> str | None:
        for template in self._templates().like(text):
            values = template.values(text)
            if values is not None:
                return self._filled(template.translation, values, depth)
        return None

    def _filled(self, translation: str, values: Sequence[str], depth: int) -> str:
        def put(place: re.Match[str]) -> str:
            before, number, after = place.groups()
            value = values[int(number)]
            return before + (value if before and after else self._value(value, depth)) + after

        return _PLACE.sub(put, translation)

    def _value(self, value: str, depth: int) -> str:
        if ordinal := _ORDINAL.fullmatch(value):
            return ordinal[1]
        if _NUMBERS.fullmatch(value):
            return _COMMA.sub(_BETWEEN, value)
        return (self._of_text(value, depth + 1) if depth < _DEEP else None) or value

    def _templates(self) -> "_Templates":
        if self._known is None:
            pairs = self._catalogue.texts.items()
            self._known = _Templates(
                Template(source, translated) for (source, _), translated in pairs if _VALUE.search(source)
            )
        return self._known


class Template:
    """A sentence with numbered places for values, and its translation.

    Attributes:
        translation: In which every number stands too.
        length: Characters of its own.
        first: Its words before the first value; may be empty.
        last: Those behind the last.
    """

    __slots__ = ("_middle", "_numbers", "_order", "first", "last", "length", "translation")

    def __init__(self, source: str, translation: str) -> None:
        parts = _VALUE.split(source)
        words = parts[::3]
        self.translation = translation
        self.length = sum(map(len, words))
        self._order = [int(number) for number in parts[1::3]]
        self._numbers = [place for place, kind in enumerate(parts[2::3]) if kind]
        self.first, *self._middle, self.last = words

    def values(self, text: str) -> list[str] | None:
        """Return what stands in a sentence at the places; None where it is not of this template.

        Each value is as short as can be, from the first on.
        """
        if not text.startswith(self.first) or not text.endswith(self.last):
            return None
        start, end = len(self.first), len(text) - len(self.last)
        found = []
        for words in self._middle:
            place = text.find(words, start, end)
            if place < 0:
                return None
            found.append(text[start:place])
            start = place + len(words)
        if start > end:
            return None
        found.append(text[start:end])
        if any(_NUMBERS.fullmatch(found[place]) is None for place in self._numbers):
            return None
        return [found[self._order.index(number)] for number in sorted(self._order)]


class _Templates:
    """Finds the templates that a text may be of: by its beginning, by its end, or by neither."""

    def __init__(self, templates: Iterable[Template]) -> None:
        self._by_first: dict[str, list[Template]] = defaultdict(list)
        self._by_last: dict[str, list[Template]] = defaultdict(list)
        self._others: list[Template] = []
        for one in templates:
            if len(one.first) >= _KEY:
                self._by_first[one.first[:_KEY]].append(one)
            elif len(one.last) >= _KEY:
                self._by_last[one.last[-_KEY:]].append(one)
            else:
                self._others.append(one)

    def like(self, text: str) -> list[Template]:
        """Return them, those of most words first: they say most exactly what they are."""
        found = [*self._by_first.get(text[:_KEY], ()), *self._by_last.get(text[-_KEY:], ()), *self._others]
        return sorted(found, key=lambda template: -template.length)


def _joined(first: str, rest: str) -> str:
    """Return two sentences as one text; behind a full-width point stands no space."""
    return first + rest if not first or first[-1] in "。？！：；”" else f"{first} {rest}"


_ENGLISH = Catalogue("en")
_spoken = _ENGLISH
_sentences = SentenceTranslator(_ENGLISH)


def speak(catalogue: Catalogue | None) -> None:
    """Say everything from now on in another language; None is English."""
    global _spoken, _sentences
    _spoken = catalogue or _ENGLISH
    _sentences = SentenceTranslator(_spoken)
    _remembered.cache_clear()


def language() -> str:
    """Return the code of the language that is spoken."""
    return _spoken.code


def tr(text: str, comment: str = "", /, **values: object) -> str:
    """Return a text of the window in its language.

    Args:
        text: The English text, written out; or a constant that was marked.
        comment: What tells this use from another of the same text: tr("Open", "verb").
        values: What stands at the braces: tr("{n:,} passages of {name}", n=12, name="a.pdf").
    """
    if _spoken is not _ENGLISH:
        text = _spoken.get(text, comment) or text
    return text.format(**values) if values else text


def trn(one: str, several: str, n: int, /, **values: object) -> str:
    """Return a text with a number in it: of "{n:,} page" and "{n:,} pages" the one that n asks for.

    A language that tells more than one from several, or that does not, is translated by the first of both.
    """
    text = one if n == 1 else several
    if _spoken is not _ENGLISH:
        text = _spoken.get(one, several) or text
    return text.format(n=n, **values)


def mark(text: str) -> str:
    """Return a text as it is, and have it translated: it is shown elsewhere, by tr or said."""
    return text


def counted(number: int, one: str) -> str:
    """Return how many there are of something, in English, as what is marked is: "1 page", "1,234 pages"."""
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"


def in_seconds(seconds: float) -> str:
    """Return a time limit in English, as what is marked is: "1 second", "0.5 seconds"."""
    return mark("1 second") if seconds == 1 else mark(f"{seconds:g} seconds")


def said(text: str) -> str:
    """Return what another room says in English (an error, a setting's title, a state) in the window's language.

    What was not marked there, as the text of a document, comes back as it is.
    """
    return text if _spoken is _ENGLISH or not text else _remembered(_sentences, text)


@lru_cache(maxsize=4096)
def _remembered(sentences: SentenceTranslator, text: str) -> str:
    # By language too: an export on another thread may be at work in the old one when another is chosen.
    return sentences.translated(text)
