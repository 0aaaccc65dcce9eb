"""How a sentence is said: whether it denies something, and whether two texts are in languages that share no words."""

import re

from workbench.retrieval.embedder_calibration import HAN
from workbench.store.segmentation import STOP_WORDS

_DENIES = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|cannot|nobody|nothing|hardly|fails? to|failed to)\b|n['’]t\b",
    re.IGNORECASE,
)
_DENIES_HAN = re.compile(r"不|没|沒|未|无|無|非|否")
# In these the sign denies nothing.
_HARMLESS = re.compile(
    r"不同|不[仅僅]|不[断斷]|不久|不[过過]|不少|不得不|不可不|[无無][论論]|[无無][线線]|非常|非洲|未[来來]|是否|能否"
    r"|\b(?:not only|no doubt|no longer than|no later than|nothing but)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
# Of a shorter text nobody can say which language it is.
_FEWEST_WORDS = 10
_OWN_SHARE, _OTHER_SHARE = 0.25, 0.08


def denies(text: str) -> bool:
    """Tell whether a sentence says that something is not so."""
    plain = _HARMLESS.sub(" ", text)
    return bool(_DENIES.search(plain) or (HAN.search(plain) and _DENIES_HAN.search(plain)))


def is_chinese(text: str) -> bool:
    """Tell whether most of a text is written in Chinese characters, of which each counts as half a word."""
    return len(HAN.findall(text)) / 2 > len(_WORD.findall(HAN.sub(" ", text)))


def is_other_language(one: str, other: str) -> bool:
    """Tell whether two texts are in languages that share no words: Chinese and English, English and German."""
    if is_chinese(one) != is_chinese(other):
        return True
    if is_chinese(one):
        return False
    shares = [_english_share(text) for text in (one, other)]
    return None not in shares and min(shares) < _OTHER_SHARE and max(shares) > _OWN_SHARE  # type: ignore[type-var, operator]


def _english_share(text: str) -> float | None:
    words = _WORD.findall(text.lower())
    if len(words) < _FEWEST_WORDS:
        return None
    return sum(word in STOP_WORDS for word in words) / len(words)
