"""Where an address really leads, whatever it looks like.

"https://bank.example@evil.example/" leads to evil.example, and a Cyrillic "а" looks like a Latin one. So the site is
named as machines name it: in ASCII, without what stands before an "@".
"""

import re
from urllib.parse import unquote, urlsplit

from workbench.language import mark

WEB = ("http", "https")
OPENED = (*WEB, "mailto")
"""The schemes of addresses that are opened when a person agrees; nothing else is, wherever it stands."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*(?=:)", re.IGNORECASE)
_LONGEST = 80
# What looks like the name of a site: "bank.example", but not "4.2".
_SITE = re.compile(r"(?<![\w-])(?:[\w-]{1,63}+\.){1,8}[^\W\d_]{2,63}")


def scheme_of(address: str) -> str:
    """Return the scheme of an address in lower case; empty where it has none."""
    found = _SCHEME.match(address.strip())
    return found[0].lower() if found else ""


def may_be_opened(address: str) -> bool:
    """Tell whether an address is one of the web, or one to write to; a file, a script or a program's own is not."""
    return scheme_of(address) in OPENED and bool(site_of(address))


def site_of(address: str) -> str:
    """Return the site that a web address leads to, or whom a mail is written to; empty for anything else."""
    scheme = scheme_of(address)
    if scheme == "mailto":
        return unquote(address.strip().partition(":")[2].partition("?")[0])
    if scheme not in WEB:
        return ""
    try:
        host = unquote(urlsplit(address.strip()).hostname or "")
    except ValueError:  # brackets that hold no address of the sixth version
        return ""
    return _in_ascii(host)


def warnings_of(address: str) -> tuple[str, ...]:
    """Return what could mislead somebody who reads an address, in sentences."""
    site = site_of(address)
    told = []
    if "xn--" in site:
        told.append(mark("The name of this site has letters that can look like others: so it is really spelt."))
    if scheme_of(address) in WEB and "@" in address.partition("://")[2].partition("/")[0]:
        told.append(mark("What stands before “@” in it is not the site."))
    return tuple(told)


def told_apart(label: str, address: str) -> str:
    """Return the site that is to stand behind the words of a link, so that they are taken for nothing else.

    A link on a number alone could be taken for a citation, and one on the name of another site for a link to that.
    Empty where the words are neither.
    """
    site = site_of(address)
    name = site.rpartition("@")[2].removeprefix("www.")
    named = (_in_ascii(one).removeprefix("www.") for one in _SITE.findall(label))
    if not site or (any(map(str.isalpha, label)) and all(one == name for one in named)):
        return ""
    return site if len(site) <= _LONGEST else f"…{site[-_LONGEST:]}"


def _in_ascii(host: str) -> str:
    if host.isascii():
        return host.lower()
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:  # too long a part, or letters that no name may have
        return "".join(letter if letter.isascii() else f"⟨U+{ord(letter):04X}⟩" for letter in host)
