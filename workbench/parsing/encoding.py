"""Bytes -> text: byte order marks, Unicode without marks, the encodings of East Asia, then charset-normalizer."""

import codecs
import re
from collections.abc import Callable

from charset_normalizer import from_bytes

from workbench.errors import DamagedDocument

SAMPLE = 65_536
"""Bytes looked at to guess; the rest is decoded with what was found."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_SIMPLIFIED = frozenset(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学"
    "法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政"
)
_TRADITIONAL = frozenset(
    "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多定行學"
    "法所民得經十三之進著等部度家電力裡如水化高自二理起小物現實加量都兩體制機當使點從業本去把性好應開它合還因由其些然前外天政"
)
_KOREAN = frozenset("이다는을를가에의로하고은한지서기도사어리나그아자있시일인해대정것들수과전상부제라만스여원보조주장")


def _kana(character: str) -> bool:
    return "\u3041" <= character <= "\u3096" or "\u30a1" <= character <= "\u30fa"


_EAST_ASIAN: tuple[tuple[str, Callable[[str], bool]], ...] = (
    # Ties go to the first: GB18030 is by far the most frequent.
    ("gb18030", _SIMPLIFIED.__contains__),
    ("big5hkscs", _TRADITIONAL.__contains__),
    ("cp950", _TRADITIONAL.__contains__),
    ("cp932", _kana),
    ("euc_jp", _kana),
    ("cp949", _KOREAN.__contains__),
)

_ESCAPED = (
    ("hz", re.compile(rb"~\{(?:[!-w][!-~])+~\}")),
    ("iso2022_jp", re.compile(rb"\x1b\$[@B]")),
    ("iso2022_kr", re.compile(rb"\x1b\$\)C")),
)
_MOST_SCRIPTS = 5
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_SINGLE_BYTE_FALLBACK = "cp1252"
_SINGLE_BYTE = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874", "tis_620"),
    *("koi8_r", "koi8_u", "cp437", "cp850", "cp852", "cp866", "mac_roman", "mac_cyrillic", "mac_greek"),
    *("iso8859_2", "iso8859_5", "iso8859_6", "iso8859_7", "iso8859_8", "iso8859_9", "iso8859_15"),
]
_LATIN = ("cp1252", "cp1250", "cp1254", "iso8859_15", "mac_roman", "cp850")
_WESTERN = frozenset("äöüßéèêëàâáçñíìîïóòôõúùûåæøœãıİğĞşŞÄÖÜÉÈÊÀÂÁÇÑÍÎÓÔÕÚÅÆØŒÃ")
_CENTRAL = frozenset("ąćęłńśźżĄĆĘŁŃŚŹŻčďěňřšťůžČĎĚŇŘŠŤŮŽőűŐŰăâșțţđĐľĺŕýÝ")
_PUNCTUATION = frozenset("“”„‘’‚–—…«»°§€¿¡·•\xa0²³½©®×£™")


def decode(data: bytes) -> tuple[str, str]:
    """Return the text and the name of its encoding.

    Raises:
        DamagedDocument: The bytes are no text.
    """
    name = _detect(data)
    return data.decode(name, "replace"), name


def _detect(data: bytes) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    sample = data[:SAMPLE]
    if b"\x00" in sample:
        wide = _wide_unicode(sample)
        if wide:
            return wide
    if len(_CONTROLS.findall(sample)) > max(4, len(sample) // 50):
        raise DamagedDocument("The file does not hold text.", "It may be of another kind than its name says.")
    for name, pattern in _ESCAPED:
        if pattern.search(sample) and _decodes(sample, name):
            return name
    if _is_utf8(sample):
        return "utf-8"
    return _east_asian(sample) or _by_frequency(sample)


def _decodes(sample: bytes, name: str) -> str:
    """Return the sample's text, or "" where it is not in that encoding; a character cut off at its end is allowed."""
    try:
        return codecs.getincrementaldecoder(name)().decode(sample, final=len(sample) < SAMPLE)
    except UnicodeError:
        return ""


def _wide_unicode(sample: bytes) -> str:
    """Return the UTF-16 or UTF-32 in which the sample, which holds NUL bytes, reads as text."""
    for name, unit in (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2)):
        if len(sample) % unit:
            continue
        text = _decodes(sample, name)
        scripts = {ord(character) >> 8 for character in text if character < "\u2000"}
        # Real text keeps to a few scripts; numbers read as characters wander through all of them.
        if text and len(scripts) <= _MOST_SCRIPTS and sum(map(_is_plausible, text)) > 0.97 * len(text):
            return name
    return ""


def _is_plausible(character: str) -> bool:
    code = ord(character)
    return (
        0x20 <= code < 0x7F
        or code in (9, 10, 13)
        or 0xA0 <= code < 0x2200
        or 0x3000 <= code < 0x3130
        or 0x4E00 <= code < 0xA000
        or 0xAC00 <= code < 0xD7A4
        or 0xFF00 <= code < 0xFFF0
    )


def _is_utf8(sample: bytes) -> bool:
    """Tell whether the sample is UTF-8; a stray byte among many good sequences is a fault of the file, not a doubt."""
    text = sample.decode("utf-8", "replace")
    if len(sample) == SAMPLE:
        text = text[:-1]
    bad = text.count("�") - sample.count("�".encode())
    if bad <= 0:
        return True
    good = sum(1 for character in text if character > "\x7f" and character != "�")
    # In a short text with several faults, an ideograph is proof enough: no other encoding spells one by chance.
    return good > 20 * bad or (bad < 5 and any(character >= "\u0800" and character != "�" for character in text))


def _east_asian(sample: bytes) -> str:
    best, best_score = "", 0.0
    for name, frequent in _EAST_ASIAN:
        text = _decodes(sample, name)
        wide = [character for character in text if character > "\x7f"]
        if not wide:
            continue
        usual = sum(1 for character in wide if _is_usual(character, name)) / len(wide)
        score = usual + 2 * sum(map(frequent, wide)) / len(wide)
        if usual > 0.85 and score > best_score + 0.01:
            best, best_score = name, score
    return best


def _is_usual(character: str, name: str) -> bool:
    """Tell whether a character belongs to the everyday part of its encoding."""
    if "\u3000" <= character <= "\u30ff" or "\uff00" <= character <= "\uffef" or "\u2010" <= character <= "\u2027":
        # Half-width katakana is what other encodings look like when read as Shift-JIS.
        return not "\uff61" <= character <= "\uff9f"
    try:
        lead = character.encode(name)[0]
    except UnicodeError:
        return False
    if name == "gb18030":
        return 0xB0 <= lead <= 0xD7 and len(character.encode(name)) == 2
    if name in ("big5hkscs", "cp950"):
        return 0xA4 <= lead <= 0xC6
    if name == "cp949":
        return "\uac00" <= character <= "\ud7a3" and lead >= 0xB0
    return "\u4e00" <= character <= "\u9fff"


def _by_frequency(sample: bytes) -> str:
    match = from_bytes(sample, cp_isolation=_SINGLE_BYTE).best()
    guess = match.encoding if match is not None and _decodes(sample, match.encoding) else _SINGLE_BYTE_FALLBACK
    letters = [c for c in _decodes(sample, guess) if c > "\x7f" and c.isalpha()]
    if sum(1 for letter in letters if letter < "\u0250") < 0.5 * len(letters):
        return guess
    # Of two dozen Latin encodings charset-normalizer took a wrong one for 5 of 12 files: ask what the letters spell.
    return max((*_LATIN, guess), key=lambda name: _latin_score(_decodes(sample, name)))


def _latin_score(text: str) -> float:
    """Return how well text reads as a Western or Central European language; the first of equals wins."""
    if not text:
        return float("-inf")
    score = 0
    for before, character, after in zip(" " + text, text, text[1:] + " ", strict=False):
        if character <= "\x7f":
            continue
        if character in _WESTERN:
            score += 3
        elif character in _CENTRAL:
            score += 2
        elif character in "½¼¾" and not before.isalpha():
            # ISO 8859-15 has œ, Œ and Ÿ in their place.
            score += 3
        elif character in _PUNCTUATION:
            # Inside a word a sign is a letter read wrongly; an apostrophe may stand there.
            score += -3 if before.isalpha() and after.isalpha() and character != "’" else 2
        else:
            score -= 2
        if character.isupper() and before.islower():
            score -= 4
    return score
