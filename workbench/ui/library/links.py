"""Links in what a person types, pastes or drops."""

import re

_LINK = re.compile(r"(?:https?://)?[^\s/:@]+\.[^\s/:@.]{2,}(?::\d+)?(?:[/?#]\S*)?|https?://\S+", re.I)


def words_of(text: str) -> list[str]:
    """Return the words of a text, each once."""
    return list(dict.fromkeys(text.split()))


def is_link(word: str) -> bool:
    """Tell whether a word can be a web address, “https://” left out perhaps."""
    return bool(_LINK.fullmatch(word))


def pasted_links(text: str) -> list[str]:
    """Return the links of a text that is nothing but links with https:// or http://; else nothing.

    Without that, “readme.md” would be one.
    """
    words = words_of(text)
    return words if words and all(is_link(word) and "://" in word for word in words) else []
