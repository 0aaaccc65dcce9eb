"""Links in what a person types, pastes or drops."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from workbench.language import tr, trn
from workbench.model.egress import host_of, is_here

_LINK = re.compile(r"(?:https?://)?[^\s/:@]+\.[^\s/:@.]{2,}(?::\d+)?(?:[/?#]\S*)?|https?://\S+", re.I)


def words_of(text: str) -> list[str]:
    """Return the words of a text, each once."""
    return list(dict.fromkeys(text.split()))


def is_link(word: str) -> bool:
    """Tell whether a word can be a web address, “https://” left out perhaps."""
    return bool(_LINK.fullmatch(word))


@dataclass(frozen=True, slots=True)
class TypedLines:
    """What a person typed to be added from the web, each once.

    Attributes:
        links: What can be addresses.
        topics: Lines without any, which an encyclopaedia may know.
        wrong: Words that stand beside a link and are none.
    """

    links: list[str]
    topics: list[str]
    wrong: list[str]


def typed_lines(text: str) -> TypedLines:
    """Return the links and topics of a text: many links in a line perhaps, but one topic."""
    links: list[str] = []
    topics: list[str] = []
    wrong: list[str] = []
    for line in text.splitlines():
        words = line.split()
        others = [word for word in words if not is_link(word)]
        if others and not any("://" in word for word in words):
            topics.append(" ".join(words))
        else:
            links += [word for word in words if word not in others]
            wrong += others
    return TypedLines(list(dict.fromkeys(links)), list(dict.fromkeys(topics)), wrong)


def pasted_links(text: str) -> list[str]:
    """Return the links of a text that is nothing but links with https:// or http://; else nothing.

    Without that, “readme.md” would be one.
    """
    words = words_of(text)
    return words if words and all(is_link(word) and "://" in word for word in words) else []


def leaves_machine(links: Sequence[str]) -> bool:
    """Tell whether one of these addresses is on another machine."""
    return not all(is_here(_host(link)) for link in links)


def hosts_away(links: Sequence[str]) -> tuple[str, ...]:
    """Return the hosts of those addresses that are on other machines, each once, as a consent names them."""
    return tuple(dict.fromkeys(host for link in links if not is_here(_host(link)) and (host := host_of(link))))


def fetch_words(hosts: Sequence[str]) -> str:
    """Return what stands on a button that lets hosts be asked once: "Fetch from example.org and 2 more servers"."""
    # Of a long name the end says whose it is.
    host, more = hosts[0] if len(hosts[0]) <= 40 else f"…{hosts[0][-39:]}", len(hosts) - 1
    several = trn(
        "Fetch from {host} and {n:,} more server",
        "Fetch from {host} and {n:,} more servers",
        more,
        host=host,
    )
    # A single “&” would underline the letter after it.
    return (several if more else tr("Fetch from {host}", host=host)).replace("&", "&&")


def _host(link: str) -> str:
    try:
        return urlsplit(link if "://" in link else f"https://{link}").hostname or ""
    except ValueError:  # a bracket of an address that is not closed
        return ""
