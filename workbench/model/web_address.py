"""Real destination of a web address, regardless of its appearance.

"https://bank.example@evil.example/" leads to evil.example, and a Cyrillic "а" looks like a Latin one. Therefore the
site is named in its technical form: in ASCII, without the text before an "@".
"""

import re
from urllib.parse import unquote, urlsplit

from workbench.language import mark

WEB = ("http", "https")
OPENED = (*WEB, "mailto")
"""Schemes of addresses that may be opened with a person's consent; all others are never opened."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*(?=:)", re.IGNORECASE)
_LONGEST = 80
# Text that looks like the name of a site: "bank.example", but not "4.2".
_SITE = re.compile(r"(?<![\w-])(?:[\w-]{1,63}+\.){1,8}[^\W\d_]{2,63}")


def scheme_of(address: str) -> str:
    """Return the scheme of an address in lower case; empty if it has none."""
    found = _SCHEME.match(address.strip())
    return found[0].lower() if found else ""


def may_be_opened(address: str) -> bool:
    """Return whether an address is a web or mail address, not a file, a script or a program's own scheme."""
    return scheme_of(address) in OPENED and bool(site_of(address))


def site_of(address: str) -> str:
    """Return the site of a web address, or the recipient of a mail address; empty for anything else."""
    scheme = scheme_of(address)
    if scheme == "mailto":
        return unquote(address.strip().partition(":")[2].partition("?")[0])
    if scheme not in WEB:
        return ""
    try:
        host = unquote(urlsplit(address.strip()).hostname or "")
    except ValueError:  # brackets without a valid IPv6 address
        return ""
    return _to_ascii(host)


def warnings_of(address: str) -> tuple[str, ...]:
    """Return warnings about misleading parts of an address, as sentences."""
    site = site_of(address)
    warnings = []
    if "xn--" in site:
        warnings.append(
            mark("The name of this site contains letters that look like others. The address shows its real spelling.")
        )
    if scheme_of(address) in WEB and "@" in address.partition("://")[2].partition("/")[0]:
        warnings.append(mark("The part before “@” is not the site."))
    return tuple(warnings)


def distinguishing_site(label: str, address: str) -> str:
    """Return the site to show after the text of a link, so that the link is not mistaken for something else.

    A link on a number alone could be mistaken for a citation, and one on the name of another site for a link to that
    site. Empty if neither applies.
    """
    site = site_of(address)
    name = site.rpartition("@")[2].removeprefix("www.")
    sites = (_to_ascii(one).removeprefix("www.") for one in _SITE.findall(label))
    if not site or (any(map(str.isalpha, label)) and all(one == name for one in sites)):
        return ""
    return site if len(site) <= _LONGEST else f"…{site[-_LONGEST:]}"


def _to_ascii(host: str) -> str:
    if host.isascii():
        return host.lower()
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:  # too long a label, or invalid letters
        return "".join(letter if letter.isascii() else f"⟨U+{ord(letter):04X}⟩" for letter in host)
