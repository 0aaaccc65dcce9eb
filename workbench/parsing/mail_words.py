"""Decoding of e-mail text: wrong, unknown or missing character sets, and encoded words."""

import codecs
from email.errors import HeaderParseError
from email.header import decode_header

from workbench.errors import DamagedDocument
from workbench.parsing.encoding import decode

_SAID_FOR = {
    # Mail programs declare the smaller character set but use the larger one.
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "utf-8",
    "ascii": "utf-8",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "big5": "big5hkscs",
    "unicode-1-1-utf-7": "utf-7",
}


def charset_text(data: bytes, charset: str | None) -> str:
    """Return bytes as text, decoded by the declared character set if possible, otherwise by detection."""
    name = (charset or "").strip().lower()
    name = _SAID_FOR.get(name, name)
    for candidate in (name, name.replace("windows-", "cp")):
        try:
            # Some of Python's codecs do not decode to text ("hex", "zip").
            if name and codecs.lookup(candidate)._is_text_encoding:
                return data.decode(candidate)
        except (LookupError, ValueError):
            continue
    if not data:
        return ""
    try:
        return decode(data)[0]
    except DamagedDocument:
        return data.decode("latin-1")


def header_text(raw: object) -> str:
    """Return a header's value as text with encoded words decoded; the encoding of raw bytes is detected."""
    text = str(raw or "")
    if not text.isascii():
        # The parser represents raw bytes as lone surrogates.
        text = charset_text(text.encode("utf-8", "surrogateescape"), "utf-8")
    try:
        parts = decode_header(text)
    except (HeaderParseError, ValueError):
        return text
    return "".join(_part(part, charset) for part, charset in parts).replace("\r", "").replace("\n", " ").strip()


def _part(part: bytes | str, charset: str | None) -> str:
    if isinstance(part, str):
        return part
    return part.decode("raw-unicode-escape") if charset is None else charset_text(part, charset)
