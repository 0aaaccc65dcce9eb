"""Escaping of invisible characters in text controlled by a document or a model: "gpj⟨U+202E⟩.exe".

A file name may contain characters that reverse the order of the following text ("exe.jpg" is shown for "gpj.exe"), end
a line, control a terminal, or are invisible, so that two names look alike.
"""

import re

# Embeddings, overrides and isolates reorder what follows them ("gpj.exe" is shown as "exe.jpg"); the marks 200E and
# 200F do not, and right-to-left prose needs them.
_REORDERING = "\u202a-\u202e\u2066-\u2069"
_HARMFUL = f"\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f{_REORDERING}\ufeff\ufffe\uffff"
_INVISIBLE = re.compile(f"[{_HARMFUL}\ud800-\udfff]")
# Characters without width or ink that do not belong in a name: soft hyphens, fillers of Hangul and Braille, zero width
# spaces, invisible operators, tags. Joiners (200C, 200D) and variation selectors are part of words and of emoji.
_UNSEEN = re.compile(
    f"[{_HARMFUL}\t\n\r\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u2028\u2029\u2060-\u206f\u2800"
    "\u3164\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e00ff]"
)
_LINE_ENDS = re.compile("\r\n|[\r\u2028\u2029\x0b\x0c\x85]")


def visible(text: str) -> str:
    """Return the text with uniform line ends and every control, reordering or lone surrogate character escaped."""
    return _INVISIBLE.sub(_escape, _LINE_ENDS.sub("\n", text))


def visible_name(text: str) -> str:
    """Return a name on one line with every character escaped that is invisible or changes the order.

    Lone surrogates stay: they represent bytes of a file name on this disk and are needed to refer to the file.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(_escape, text)


def replace_invisible(text: str) -> str:
    """Return the text with U+FFFD for each character that visible() would escape: offsets stay the same."""
    return _INVISIBLE.sub("\ufffd", text)


def escaped_json(text: str) -> str:
    r"""Return equivalent JSON with "\u202e" for each such character, so that a terminal shows it literally."""
    return _INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _escape(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match[0]):04X}⟩"
