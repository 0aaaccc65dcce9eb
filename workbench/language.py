"""Translation of the user interface: English texts in the sources are the keys of the translations.

    text in the sources -> resources/translations/*.ts (Qt Linguist) -> Catalogue -> tr, trn, translate

Packages without a user interface mark their texts and errors and produce English; the code that shows them translates
them. So texts stored in a library, written to a log or sent to a model are the same in every language.

“make translations” extracts the texts from the sources.

A package without a user interface produces f"{name} could not be read: {reason}". The translation file contains its
template "{0} could not be read: {1}". The sentence is matched against the templates, and its values are inserted into
the translation. So sentences stored in a library years ago are shown in the current language.

A value may itself be a sentence of the program, such as a reason, and is translated, too; but a value that the
translation puts between “ ” is a name and stays unchanged. A template that accepts only numbers contains {0:d}:
"page {0:d}" matches "page 3" and "page 3–5", but not "page of contents".
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
"""Languages of the user interface: code -> name of the language in itself. English needs no translation file."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Translations of one language.

    Attributes:
        code: Code of the language.
        texts: (text, comment) -> translation; the comment distinguishes two uses of the same text.
    """

    code: str
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def get(self, text: str, comment: str = "") -> str | None:
        """Return the translation for a text and comment, else that without comment; None if there is none."""
        found = self.texts.get((text, comment))
        return found if found is not None or not comment else self.texts.get((text, ""))


def read_catalogue(code: str) -> Catalogue:
    """Return the catalogue of a language, without untranslated texts.

    Raises:
        FileNotFoundError: There is no such language.
    """
    # Imported here, because an English window does not need it.
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
"""Maximum nesting depth at which values are translated as sentences: a reason within a reason."""
_LONGEST_MEMBER = 3
"""Maximum number of comma-separated parts in one member of a list."""
_MOST = 5
"""Maximum number of sentence ends that are examined in a text."""
_KEY = 6
"""Length of the prefix or suffix of a text by which candidate templates are looked up."""
_LONGEST = 2000
"""Maximum length of a translatable text; longer texts, such as those of documents, are not matched against the about
1,000 templates."""
_POINT, _BETWEEN, _MOREOVER = "。", "、", "，而且"
"""Chinese full stop, list separator and clause separator; Chinese is the only language besides English so far."""


class SentenceTranslator:
    """Translator of sentences with the catalogue of one language."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._known: _Templates | None = None

    def translated(self, text: str) -> str:
        """Return the translation of a text; the text itself if no template matches."""
        return self._translate_text(text, 0) or text

    def _translate_text(self, text: str, depth: int) -> str | None:
        exact = self._catalogue.get(text)
        if exact is not None or len(text) > _LONGEST:
            return exact
        return (
            self._translate_sentences(text, depth)
            or self._translate_sentence(text, depth)
            or self._translate_list(text, depth)
        )

    def _translate_sentences(self, text: str, depth: int) -> str | None:
        """Return the translation of several sentences, such as message and hint; None unless all can be translated."""
        ends = [end.end() - 1 for end in islice(_END.finditer(text), _MOST)]
        found, start = "", 0
        for end in (*ends, len(text)) if ends else ():
            known = self._translate_sentence(text[start:end], depth)
            if known:
                found, start = _join_sentences(found, known), end + 1
        return found if start > len(text) else None

    def _translate_sentence(self, text: str, depth: int) -> str | None:
        """Return the translation of one sentence or phrase; a final full stop is added or removed to find a match."""
        found = self._catalogue.get(text) or self._translate_by_template(text, depth)
        if found:
            return found
        if text.endswith("."):
            phrase = text[:-1]
            for one in (phrase, phrase[:1].lower() + phrase[1:]):
                found = self._catalogue.get(one) or self._translate_by_template(one, depth)
                if found:
                    return found + _POINT
        elif found := self._catalogue.get(f"{text}."):
            return found.removesuffix(_POINT)
        # "a.zip: the archive is damaged". A single word after a colon is ambiguous and is not translated.
        name, _, reason = text.partition(": ")
        known = self._catalogue.get(reason) or self._translate_by_template(reason, depth) if " " in reason else None
        return f"{name}：{known}" if known else None

    def _translate_list(self, text: str, depth: int) -> str | None:
        """Return the translation of a list like “a”, “b” and 3 more, or of phrases separated by middle dots."""
        for split, between in ((_POINTS, " · "), (_ALSO, _MOREOVER), (_COMMA, _BETWEEN)):
            found = self._translate_members(split.split(text), depth)
            if len(found) > 1:
                return between.join(found)
        return None

    def _translate_members(self, parts: Sequence[str], depth: int) -> list[str]:
        """Return the translated members of a list; empty if one cannot be translated.

        In parts, members and separators alternate. A member can contain commas: Word, PowerPoint and Excel.
        """
        found: list[str] = []
        start = 0
        while start < len(parts):
            for end in range(min(start + 2 * _LONGEST_MEMBER - 1, len(parts)), start, -2):
                member = "".join(parts[start:end])
                known = member if _NAME.fullmatch(member) else self._translate_sentence(member, depth)
                if known:
                    found.append(known)
                    start = end + 1
                    break
            else:
                return []
        return found

    def _translate_by_template(self, text: str, depth: int) -> str | None:
        for template in self._templates().like(text):
            values = template.values(text)
            if values is not None:
                return self._fill(template.translation, values, depth)
        return None

    def _fill(self, translation: str, values: Sequence[str], depth: int) -> str:
        def put(place: re.Match[str]) -> str:
            before, number, after = place.groups()
            value = values[int(number)]
            return before + (value if before and after else self._translate_value(value, depth)) + after

        return _PLACE.sub(put, translation)

    def _translate_value(self, value: str, depth: int) -> str:
        if ordinal := _ORDINAL.fullmatch(value):
            return ordinal[1]
        if _NUMBERS.fullmatch(value):
            return _COMMA.sub(_BETWEEN, value)
        return (self._translate_text(value, depth + 1) if depth < _DEEP else None) or value

    def _templates(self) -> "_Templates":
        if self._known is None:
            pairs = self._catalogue.texts.items()
            self._known = _Templates(
                Template(source, translated) for (source, _), translated in pairs if _VALUE.search(source)
            )
        return self._known


class Template:
    """Sentence with numbered placeholders for values, and its translation.

    Attributes:
        translation: Translation with the same placeholders.
        length: Number of characters without the placeholders.
        first: Text before the first placeholder; may be empty.
        last: Text after the last placeholder; may be empty.
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
        """Return the values in a sentence, by placeholder number; None if the sentence does not match.

        Each value is as short as possible, from the first on.
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
    """Index of templates by the prefix or, if that is too short, by the suffix of a text."""

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
        """Return the templates that may match a text, the longest and thereby most specific first."""
        found = [*self._by_first.get(text[:_KEY], ()), *self._by_last.get(text[-_KEY:], ()), *self._others]
        return sorted(found, key=lambda template: -template.length)


def _join_sentences(first: str, rest: str) -> str:
    """Return two sentences as one text, without a space after full-width punctuation."""
    return first + rest if not first or first[-1] in "。？！：；”" else f"{first} {rest}"


_ENGLISH = Catalogue("en")
_spoken = _ENGLISH
_sentences = SentenceTranslator(_ENGLISH)


def speak(catalogue: Catalogue | None) -> None:
    """Set the language of the user interface; None is English."""
    global _spoken, _sentences
    _spoken = catalogue or _ENGLISH
    _sentences = SentenceTranslator(_spoken)
    _translate_cached.cache_clear()


def language() -> str:
    """Return the code of the current language."""
    return _spoken.code


def tr(text: str, comment: str = "", /, **values: object) -> str:
    """Return a text of the user interface in the current language.

    Args:
        text: The English text as a literal, or a marked constant.
        comment: Distinguishes this use from another of the same text: tr("Open", "verb").
        values: Values of the placeholders: tr("{n:,} passages of {name}", n=12, name="a.pdf").
    """
    if _spoken is not _ENGLISH:
        text = _spoken.get(text, comment) or text
    return text.format(**values) if values else text


def trn(one: str, several: str, n: int, /, **values: object) -> str:
    """Return the singular or plural of a text for the number n, for example "{n:,} page" or "{n:,} pages".

    Translations have a single form, which is looked up by the singular.
    """
    text = one if n == 1 else several
    if _spoken is not _ENGLISH:
        text = _spoken.get(one, several) or text
    return text.format(n=n, **values)


def mark(text: str) -> str:
    """Return a text unchanged and mark it for translation; it is shown elsewhere, by tr or translate."""
    return text


def counted(number: int, one: str) -> str:
    """Return a number with its noun in English, for marked texts: "1 page", "1,234 pages"."""
    return f"{number:,} {one}" if number == 1 else f"{number:,} {one}s"


def in_seconds(seconds: float) -> str:
    """Return a time limit in English, for marked texts: "1 second", "0.5 seconds"."""
    return mark("1 second") if seconds == 1 else mark(f"{seconds:g} seconds")


def translate(text: str) -> str:
    """Return the translation of an English text from another package (an error, a setting's title, a state).

    A text that was not marked there, such as the text of a document, is returned unchanged.
    """
    return text if _spoken is _ENGLISH or not text else _translate_cached(_sentences, text)


@lru_cache(maxsize=4096)
def _translate_cached(sentences: SentenceTranslator, text: str) -> str:
    # The translator is part of the cache key: when the language changes, another thread may still use the old one.
    return sentences.translated(text)
