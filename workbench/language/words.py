"""A text in the language of the window."""

from functools import lru_cache

from workbench.language.catalogue import Catalogue
from workbench.language.sentences import Sentences

_ENGLISH = Catalogue("en")
_spoken = _ENGLISH
_sentences = Sentences(_ENGLISH)


def speak(catalogue: Catalogue | None) -> None:
    """Say everything from now on in another language; None is English."""
    global _spoken, _sentences
    _spoken = catalogue or _ENGLISH
    _sentences = Sentences(_spoken)
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
def _remembered(sentences: Sentences, text: str) -> str:
    # By language too: an export on another thread may be at work in the old one when another is chosen.
    return sentences.translated(text)
