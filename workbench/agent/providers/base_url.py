"""Normalisation of a server address typed by the user to the base URL for the client."""

import ipaddress
import re
from urllib.parse import urlsplit, urlunsplit

from workbench.errors import SettingError
from workbench.language import mark
from workbench.model.egress import is_here

_ENDPOINTS = ("/chat/completions", "/completions", "/responses", "/models", "/embeddings")
_HINT = mark("Enter it like http://localhost:11434/v1 or https://api.example.com/v1.")


def normalise(typed: str) -> str:
    """Return the base URL: with a scheme, without an endpoint's name, and ending in /v1 if no path was given.

    Raises:
        SettingError: The address is invalid; the message states the reason.
    """
    text = typed.strip().strip("<>\"'").strip()
    if not text:
        raise SettingError("The server's address is empty.", _HINT)
    if re.search(r"\s", text):
        raise SettingError("The server's address contains a space.", _HINT)
    try:
        parts = urlsplit(text if "://" in text else f"{_scheme_for(text)}://{text}")
        host, _port = parts.hostname, parts.port
    except ValueError as error:
        raise SettingError("The server's address is not a valid URL.", _HINT) from error
    if parts.scheme.lower() not in ("http", "https"):
        raise SettingError(f"The server's address begins with “{parts.scheme}://”; only http and https work.", _HINT)
    if not host:
        raise SettingError("The server's address contains no server name.", _HINT)
    if "@" in parts.netloc:
        raise SettingError("The server's address contains a name or password.", "Enter the key in its own field.")
    if parts.query:
        raise SettingError("The server's address contains a “?”, which servers do not accept.", _HINT)
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), _path(parts.path), "", ""))


def is_loopback(base_url: str) -> bool:
    """Return whether the server runs on this machine."""
    return is_here(urlsplit(base_url).hostname or "")


def host_of(base_url: str) -> str:
    """Return host and port, for messages to the user."""
    return urlsplit(base_url).netloc


def _path(path: str) -> str:
    path = re.sub(r"/{2,}", "/", path).rstrip("/")
    for endpoint in _ENDPOINTS:
        if path.lower().endswith(endpoint):
            path = path[: -len(endpoint)]
            break
    # All widely used servers answer under /v1; without it some work only partly.
    return path or "/v1"


def _scheme_for(text: str) -> str:
    """Return http for this machine and the local network, https for all other hosts."""
    host = urlsplit(f"//{text}").hostname or ""
    if host == "localhost" or host.endswith((".localhost", ".local", ".lan")):
        return "http"
    try:
        return "http" if ipaddress.ip_address(host).is_private else "https"
    except ValueError:
        return "https" if "." in host else "http"
