"""Which proxy the system names for an address: the environment's, and on macOS and Windows the settings'."""

import urllib.request
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx2

from workbench.model.egress import is_here

_SPOKEN = ("http", "https")


@dataclass(frozen=True, slots=True)
class SystemProxy:
    """A proxy; address may hold a password, place is its host and port."""

    address: str = field(repr=False)
    place: str


def system_proxy(url: httpx2.URL) -> SystemProxy | None:
    """Return the proxy for an address, None for the direct way; a proxy is never asked for this machine itself.

    Raises:
        httpx2.ProxyError: It is of a kind that is not spoken.
    """
    port = f":{url.port}" if url.port else ""
    if is_here(url.host) or urllib.request.proxy_bypass(f"{url.host}{port}"):
        return None
    named = urllib.request.getproxies()
    address = named.get(url.scheme) or named.get("all") or ""
    if not address:
        return None
    whole = address if "://" in address else f"http://{address}"
    parts = urlsplit(whole)
    if parts.scheme not in _SPOKEN or not parts.hostname:
        raise httpx2.ProxyError(f"The system names a proxy that is not spoken: {parts.scheme}://{parts.hostname}")
    return SystemProxy(whole, f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}")
