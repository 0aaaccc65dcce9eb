"""Decoding of bytes: byte order marks, encoding detection, and text files read within a size limit."""

import codecs
import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from workbench.errors import DamagedDocument, DocumentTooLarge, EmptyDocument
from workbench.language import mark
from workbench.model.document import Block, Finding, FindingKind
from workbench.model.source_lines import NO_LINES, LineTable
from workbench.parsing.assembly import clean
from workbench.parsing.long_file_lines import lines_of_part

SAMPLE = 65_536
"""Bytes used for detection, from shortly before the first non-ASCII one; all bytes are then decoded."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPED = (
    ("hz", re.compile(rb"~\{(?:[!-w][!-~])+~\}")),
    ("iso2022_jp_2", re.compile(rb"\x1b\$[@B]")),
    ("iso2022_kr", re.compile(rb"\x1b\$\)C")),
)
_MOST_SCRIPTS = 5
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_NEVER_WRITTEN = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ue000-\uf8ff\ufffd-\uffff]")
_MOST_NEVER_WRITTEN = 1 / 20
"""Maximum share of such characters in text. Random bytes contain 15 or more per 100 characters after a byte order mark,
and 8 in 8-bit encodings."""
_PLAIN = re.compile("[ -~\n]")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_SURROGATES = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
_COMMON_CHINESE = frozenset(
    "的一是在不了有和人这這中大为為上个個国國我以要他时時来來用们們生到作地于於出就分对對成会會可主发發年"
)
_FALLBACK = "cp1252"
_PIECE = 1 << 20
_FEW = 4
_EVERYDAY = frozenset("äöüßÄÖÜéèêàâáçñíóúôåæøÅÉãõïë“”„‘’–—…°§€£©®±²µ«»½·¿¡\xa0")
_SPOILT = re.compile("[a-z][“”„°§£©®±²«»½¿¡][a-z]")
"""A sign inside a word is a letter decoded incorrectly."""
_RARE = ("mac-iceland", "mac-turkish", "cp720", "cp864", "cp1006", "cp856", "hp-roman8", "kz1048", "ptcp154", "utf-7")
"""Rare encodings that short texts in others are mistaken for; those of mainframes are excluded, too."""
_LARGER = {
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "ascii": "utf-8",
}
"""Supersets of the encodings on the left: the sample may not contain all characters of the file."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Decoded text with its encoding.

    Attributes:
        text: The characters; bytes that could not be decoded are U+FFFD.
        encoding: Python's name of the encoding.
        is_guess: True if the encoding was detected only by the frequency of bytes.
        replaced: Number of characters that could not be decoded.
    """

    text: str
    encoding: str
    is_guess: bool = False
    replaced: int = 0

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings that a parser should add to the document."""
        found = []
        if self.is_guess:
            found.append(Finding(FindingKind.ENCODING, detail=self.encoding))
        if self.replaced:
            found.append(Finding(FindingKind.REPLACED, count=self.replaced, detail=self.encoding))
        return tuple(found)


def decode(data: bytes) -> tuple[str, str]:
    """Return the text and the name of its encoding.

    Raises:
        DamagedDocument: The bytes are not text.
    """
    found = read_text(data)
    return found.text, found.encoding


def read_text(data: bytes) -> DecodedText:
    """Return the text with its encoding.

    Raises:
        DamagedDocument: The bytes are not text.
    """
    name, is_guess = _detect(data)
    if name == "cesu-8":
        # Characters beyond 65,535 as two surrogates of three bytes each, as written by some old Java and Oracle
        # programs.
        pairs = data.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass")
        return DecodedText(pairs.decode("utf-16-le", "replace"), name)
    text = data.decode(name, "replace")
    if (is_guess or name != "utf-8") and _is_rubbish(text[:SAMPLE]):
        raise _no_text()
    own = data.count("�".encode()) if name.startswith("utf-8") else 0
    return DecodedText(text, name, is_guess, max(text.count("�") - own, 0))


def detect_in_file(file: BinaryIO) -> tuple[str, bool]:
    """Return the name of a file's encoding, and True for a guess; reads up to the first non-ASCII character.

    Raises:
        DamagedDocument: The bytes are not text.
    """
    file.seek(0)
    head = file.read(SAMPLE)
    if not head[: SAMPLE // 2].isascii():
        return _detected(head, head)
    start = SAMPLE // 2
    while True:
        file.seek(start)
        piece = file.read(_PIECE)
        first = _NOT_ASCII.search(piece) if not piece.isascii() else None
        if first is not None or not piece:
            break
        start += len(piece)
    if first is None:
        return _detected(head, head)
    file.seek(max(0, start + first.start() - 1000))
    return _detected(head, file.read(SAMPLE))


def _detect(data: bytes) -> tuple[str, bool]:
    """Return the name of the encoding, and True for a guess."""
    return _detected(data[:SAMPLE], _sample(data), data)


def _detected(head: bytes, sample: bytes, whole: bytes = b"") -> tuple[str, bool]:
    """Return the same from a file's first bytes, a sample of its non-ASCII text, and the whole file if available."""
    for prefix, name in _MARKS:
        if head.startswith(prefix):
            return name, False
    if wide := _wide_unicode(head):
        return wide, False
    for name, pattern in _ESCAPED:
        if pattern.search(sample) and _decodes(sample, name):
            return name, False
    if len(_CONTROLS.findall(sample)) > max(4, len(sample) // 50):
        raise _no_text()
    if _is_utf8(sample):
        return "utf-8", False
    if _SURROGATES.search(sample) and _is_cesu(whole or sample, final=bool(whole)):
        return "cesu-8", False
    return _guessed(sample), True


def _is_rubbish(text: str) -> bool:
    """Return True if decoding by a byte order mark or a guess gives unusual characters instead of text."""
    return len(_NEVER_WRITTEN.findall(text)) > _MOST_NEVER_WRITTEN * len(text)


def _no_text() -> DamagedDocument:
    return DamagedDocument("The file does not hold text.", "Its type may differ from what its name says.")


def _sample(data: bytes) -> bytes:
    # By blocks: isascii() takes 0.1 ms for 4 MB, the search 20 to 90 ms.
    block = next((at for at in range(0, len(data), SAMPLE // 2) if not data[at : at + SAMPLE // 2].isascii()), 0)
    if block == 0:
        return data[:SAMPLE]
    first = _NOT_ASCII.search(data, block)
    assert first is not None
    # Starts with whole lines of ASCII, so that no character is divided.
    start = max(0, data.rfind(b"\n", 0, first.start()) + 1, first.start() - 1000)
    return data[start : start + SAMPLE]


def _decodes(sample: bytes, name: str) -> str:
    """Return the sample's text, or "" if it is not in that encoding; an incomplete last character is allowed."""
    try:
        return codecs.getincrementaldecoder(name)().decode(sample, final=len(sample) < SAMPLE)
    except UnicodeError:
        return ""


def _wide_unicode(sample: bytes) -> str:
    """Return the UTF-16 or UTF-32 encoding without byte order mark in which the sample is text, or ""."""
    for name, unit in (("utf-32-le", 4), ("utf-32-be", 4)):
        if len(sample) % unit == 0 and b"\x00\x00" in sample and _is_written_text(_decodes(sample, name)):
            return name
    if len(sample) % 2 or len(sample) < 4 or _has_stray_zeros(sample):
        return ""
    even, odd = set(sample[0::2]), set(sample[1::2])
    # The bytes of a character differ: the upper one depends on the script and has few values, the lower one many.
    name = "utf-16-be" if len(even) < len(odd) else "utf-16-le"
    few, many = sorted((len(even), len(odd)))
    # Checked before the characters: in ASCII, as most files are, both have about as many values.
    if few > 0.75 * many and b"\x00" not in sample:
        return ""
    text = _decodes(sample, name)
    if not _is_written_text(text):
        return ""
    telling = sum(map(_is_telling, text)) > 0.1 * len(text)
    if b"\x00" in sample:
        return name if telling or _PLAIN.search(text) else ""
    return name if telling else ""


def _has_stray_zeros(sample: bytes) -> bool:
    """Return True for a few zeros in ASCII text, unlike UTF-16 (half of Latin text) and files with controls."""
    rest = sample.replace(b"\x00", b"")
    return 0 < 6 * (len(sample) - len(rest)) <= len(sample) and rest.isascii() and not _CONTROLS.search(rest)


def _is_written_text(text: str) -> bool:
    scripts = {ord(character) >> 8 for character in text if character < "\u2000"}
    # Real text has few scripts; numbers interpreted as characters have many.
    return bool(text) and len(scripts) <= _MOST_SCRIPTS and sum(map(_is_plausible, text)) > 0.97 * len(text)


def _is_telling(character: str) -> bool:
    """Return True for characters that are rare in random byte pairs: kana, Thai, Hangul, common Chinese."""
    return (
        "\u3041" <= character <= "\u30fe"
        or "\u0e01" <= character <= "\u0e5b"
        or "\u0400" <= character <= "\u06ff"
        or character in _COMMON_CHINESE
    )


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
    """Return True if the sample is UTF-8; a stray byte among many valid sequences is an error in the file."""
    text = sample.decode("utf-8", "replace")
    if len(sample) == SAMPLE:
        text = text[:-1]
    bad = text.count("�") - sample.count("�".encode())
    if bad <= 0:
        return True
    good = sum(1 for character in text if character > "\x7f" and character != "�")
    # In a short text with several errors, an ideograph is sufficient: other encodings do not produce one by chance.
    return good > 20 * bad or (bad < 5 and any(character >= "\u0800" and character != "�" for character in text))


def _is_cesu(data: bytes, *, final: bool) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")("surrogatepass").decode(data, final=final)
    except UnicodeError:
        return False
    return True


def _guessed(sample: bytes) -> str:
    # Imported here: the window's process imports this module and never decodes.
    import chardet

    high = _NOT_ASCII.findall(sample)
    western = sample.decode(_FALLBACK, "replace") if len(high) <= _FEW else "�"
    if _EVERYDAY.issuperset(character for character in western if character > "\x7f") and not _SPOILT.search(western):
        # From one or two bytes chardet detects Urdu in "25 °C": assume the usual encoding of Western Europe.
        return _FALLBACK
    eras = chardet.EncodingEra.ALL & ~chardet.EncodingEra.MAINFRAME
    found = chardet.detect(
        sample, prefer_superset=False, compat_names=False, encoding_era=eras, exclude_encodings=_RARE
    )["encoding"]
    try:
        name = codecs.lookup(found or "").name
    except LookupError:
        return _FALLBACK
    return _LARGER.get(name, name)


MOST_BYTES = 32 * 1024 * 1024
"""Maximum bytes read of one file: 16 novels as long as War and Peace, about 30,000 chunks."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file's text.

    Attributes:
        text: Line feeds as its only line ends.
        findings: Findings about its encoding and its length.
        lines: For a part of a long file, its lines in the whole file; else empty.
    """

    text: str
    findings: tuple[Finding, ...]
    lines: LineTable = NO_LINES


def read_source(path: Path, *, whole: bool = False) -> SourceText:
    """Return the text of a file, up to MOST_BYTES.

    Args:
        path: The file.
        whole: True if a part of the file is not a valid document, so that a longer file is rejected.

    Raises:
        DamagedDocument: The bytes are not text.
        DocumentTooLarge: The whole file is required, and is longer.
    """
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) <= MOST_BYTES:
        return source_text(data, path.name)
    if whole:
        raise DocumentTooLarge(
            f"The file has {path.stat().st_size >> 20:,} MB; the limit for files of this kind is {MOST_BYTES >> 20}"
            " MB.",
            "Divide it into several files, or save its records as JSON Lines or CSV, which are read in parts.",
        )
    source = source_text(data[: data.rfind(b"\n", 0, MOST_BYTES) + 1 or MOST_BYTES])
    limit = mark(f"the first {MOST_BYTES >> 20} MB of {path.stat().st_size >> 20} MB were read")
    return SourceText(source.text, (*source.findings, Finding(FindingKind.TRUNCATED, detail=limit)))


def source_text(data: bytes, name: str = "") -> SourceText:
    """Return the decoded text, with its lines in the whole file if the name is that of a part of a long file.

    Raises:
        DamagedDocument: The bytes are not text.
    """
    decoded = read_text(data)
    return SourceText(clean(decoded.text), decoded.findings, lines_of_part(decoded.text, name))


def require_text(blocks: tuple[Block, ...]) -> None:
    """Reject a file without a visible character.

    Raises:
        EmptyDocument: There are no blocks.
    """
    if not blocks:
        raise EmptyDocument("The file holds no text.", "There is nothing in it to search.")
