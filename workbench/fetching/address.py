"""Web addresses: normalisation, encyclopaedia topics, and the check of the machines that may be asked."""

import ipaddress
import re
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import parse_qsl, quote, urljoin, urlsplit

from workbench.egress.gate import EgressGate, PendingRequest
from workbench.egress.sockets import look_up
from workbench.errors import AddressRefused, DocumentError, PageNotFetched, SettingError
from workbench.language import mark
from workbench.model.egress import host_of

Lookup = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the IP addresses for a host and port."""

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

LONGEST = 4096
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d+(?:/|$))", re.I)
"""Matches a scheme before a colon, but not the host of "localhost:8000/page"."""
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
"""All IPv6 addresses allocated by IANA; others belong to this machine, to this network, or to nobody."""
# Entries of IANA's special-purpose registries that are not globally reachable, and that Python 3.11 does not know or
# treats as global: protocol assignments (including Teredo), 6to4 relays, documentation.
_SPECIAL = tuple(map(ipaddress.ip_network, ("2001::/23", "3fff::/20", "192.88.99.0/24")))
_ISATAP = frozenset((0x00005EFE, 0x02005EFE))
"""Values of the third 32 bits of an IPv6 address whose last 32 bits are an IPv4 address (RFC 5214)."""


def web_address(typed: str) -> str:
    """Return an address in full: with “https://” if it has no scheme, and without the part after “#”.

    Raises:
        AddressRefused: It is not a web address, or contains a password.
    """
    import httpx2  # 0.1 s, which is not spent at startup

    text = typed.strip()
    if not _SCHEME.match(text):
        text = f"https://{text.removeprefix('//')}"
    if _UNPRINTABLE.search(text) or len(text) > LONGEST:
        raise AddressRefused(
            f"“{_shorten(typed)}” is not a web address.", "Copy it again from the browser's address bar."
        )
    scheme = text.partition(":")[0].lower()
    if scheme not in ("http", "https"):
        raise AddressRefused(
            f"“{scheme}:” addresses are not fetched, only pages of the web.",
            "Add a file of this computer with “Add files…”."
            if scheme == "file"
            else "Enter an address that begins with https:// or http://.",
        )
    try:
        address = httpx2.URL(text).copy_with(fragment=None)
        host = address.host  # an internationalised name is decoded here
    except (httpx2.InvalidURL, ValueError) as error:
        raise AddressRefused(f"“{_shorten(typed)}” is not a web address.", "Check its spelling.") from error
    if not host:
        raise AddressRefused(f"“{_shorten(typed)}” contains no server name.", "Check its spelling.")
    if address.userinfo:
        raise AddressRefused(
            "The address holds a user name or a password, which would be stored with the page.", "Leave it out."
        )
    return str(address)


def resolve_redirect(address: str, location: str) -> str:
    """Return the target of a redirect.

    Raises:
        AddressRefused: The target is not a web page.
    """
    try:
        joined = urljoin(address, location.strip())
        is_web = urlsplit(joined).scheme.lower() in ("http", "https")
    except ValueError:  # invalid IPv6 address in brackets
        joined, is_web = location, False
    if not is_web:
        raise AddressRefused(f"The page redirects to “{_shorten(joined)}”, which is not fetched.", "")
    return web_address(joined)


def is_public(address: str) -> bool:
    """Return True if an IP address belongs to the public internet, and not to this machine or its network.

    Public means global unicast by IANA's special-purpose registries; an embedded IPv4 address must be public as well.
    """
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return _is_global(found.ipv4_mapped)
        if found in _NAT64:
            return _is_global(_last_quarter(found))
        if found not in _GLOBAL_UNICAST:
            return False
        if found.sixtofour is not None and not _is_global(found.sixtofour):
            return False
        if int(found) >> 32 & 0xFFFFFFFF in _ISATAP and not _is_global(_last_quarter(found)):
            return False
    return _is_global(found)


def _is_global(address: IpAddress) -> bool:
    special = any(address in network for network in _SPECIAL if network.version == address.version)
    return address.is_global and not address.is_multicast and not special


def _last_quarter(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)


class AddressGuard:
    """Resolves names and returns only the addresses that may be asked.

    The caller connects to the address returned and never resolves the name again, so that a name server cannot
    circumvent the check with a different second answer.
    """

    def __init__(
        self, *, allow_private: bool = False, lookup: Lookup = look_up, chosen: frozenset[str] = frozenset()
    ) -> None:
        """Store the rules.

        Args:
            allow_private: True to allow machines of this network, and this machine itself.
            lookup: Resolves names.
            chosen: Hosts that are always allowed, because the user entered them in the settings.
        """
        self._allow_private = allow_private
        self._lookup = lookup
        self._chosen = chosen

    async def addresses(self, host: str, port: int) -> list[str]:
        """Return the allowed IP addresses of a host, at least one.

        Raises:
            AddressRefused: All of them belong to this machine or its network.
            PageNotFetched: The host does not exist.
        """
        bare = host.strip("[]")
        try:
            found = [str(ipaddress.ip_address(bare))]
        except ValueError:
            try:
                found = list(await self._lookup(bare, port))
            except (OSError, UnicodeError) as error:
                raise _unknown_host_error(bare) from error
        if not found:
            raise _unknown_host_error(bare)
        trusted = self._allow_private or bare.lower() in self._chosen
        allowed = [address for address in found if trusted or is_public(address)]
        if not allowed:
            raise AddressRefused(
                f"“{bare}” is a computer in your own network ({found[0]}), which is not contacted without your"
                " permission.",
                "Set “Allow local network addresses” in the settings to “Yes” if you want such pages.",
            )
        return allowed


async def addresses_to_ask(guard: AddressGuard, gate: EgressGate, asked: PendingRequest) -> list[str]:
    """Return the IP addresses of a host that gate and guard allow; the gate is checked before the name lookup.

    A name lookup also uses the network: a name without an address is recorded in the ledger like any request.

    Raises:
        NetworkClosed: Offline mode is on.
        DocumentError: As in AddressGuard.addresses.
    """
    await gate.check_soon(asked.purpose, asked.host, port=asked.port, address=asked.address)
    try:
        return await guard.addresses(asked.host, asked.port)
    except DocumentError as error:
        if not _is_ip_address(asked.host):
            (await gate.enter_soon(asked)).failed(error.message)
        raise


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _unknown_host_error(host: str) -> PageNotFetched:
    return PageNotFetched(
        f"There is no server “{host}”, or there is no connection to the internet.",
        "Check the spelling, then try again.",
    )


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else text[:79] + "…"


PLACE = "{topic}"
"""Placeholder for the topic in an encyclopaedia's address."""


def encyclopaedia_host(template: str) -> str:
    """Return the host of an encyclopaedia's address, in the form of host_of().

    Raises:
        SettingError: The address has no placeholder, or is invalid.
    """
    hint = mark("Enter an address like https://en.wikipedia.org/wiki/{topic} in the settings.")
    if PLACE not in template:
        raise SettingError(f"The address of the encyclopaedia has no {PLACE} in it.", hint)
    try:
        return host_of(web_address(template.replace(PLACE, "x")))
    except AddressRefused as error:
        raise SettingError(f"The encyclopaedia cannot be asked: {error.message}", hint) from error


def topic_address(template: str, topic: str) -> str:
    """Return the address of a topic in an encyclopaedia.

    Raises:
        AddressRefused: The topic is too long for an address.
    """
    return web_address(template.replace(PLACE, quote(topic, safe="", errors="replace")))


def must_be_article(asked: str, found: str) -> None:
    """Check that a search led to an article; an address without a query is that of an article.

    Raises:
        PageNotFetched: The search ended at its own results.
    """
    search, place = urlsplit(asked), urlsplit(found)
    questions = set(parse_qsl(search.query))
    # Wikis redirect a search to its page name in their own language, but the query stays.
    if questions and (search.path == place.path or questions & set(parse_qsl(place.query))):
        raise no_article(asked)


def no_article(asked: str) -> PageNotFetched:
    """Return the error for a topic without an article."""
    return PageNotFetched(
        f"No article of this name at {urlsplit(asked).hostname}.", "Check its spelling, or add a page by its link."
    )
