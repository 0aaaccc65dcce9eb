"""Access check of the MCP server over HTTP: only local programs that send its token may send requests.

Every web page that is open in a browser, and every program on this machine, can send requests to the server. Therefore
the Host and Origin headers must name the server itself. A page of another site cannot forge that, even if its own name
resolves to 127.0.0.1 (DNS rebinding). The client also sends the token with each request, as the Model Context
Protocol specifies: “Authorization: Bearer TOKEN”. The check of the SDK does not suffice: it verifies tokens of an
OAuth server, runs before the check of Host and Origin, and accepts pages from any other port of this machine.
"""

import hmac
import os
import secrets
from typing import TYPE_CHECKING

from workbench.errors import SettingError
from workbench.logs import keep_secret

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_TOKEN_BYTES = 32
_SHORTEST = 16
"""Minimum length in characters of a token set by the user; a shorter one could be guessed by repeated requests."""
_OWN_NAMES = ("127.0.0.1", "localhost")
_DECIDING = ("host", "origin", "authorization")
_SCHEME = "bearer"
_CHALLENGE = 'Bearer realm="Knowledge Workbench"'


def new_token() -> str:
    """Return a new random token of 256 bits, masked in the log from now on."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    keep_secret(token)
    return token


def token_in(variable: str) -> str:
    """Return the token that an environment variable holds, masked in the log from now on.

    Raises:
        SettingError: The variable is not set, or its value is not a valid token.
    """
    token = os.environ.get(variable, "").strip()
    if not token:
        raise SettingError(f"The environment variable {variable} is not set.", "Put the token into it.")
    if len(token) < _SHORTEST or not all("!" <= character <= "~" for character in token):
        raise SettingError(
            f"The environment variable {variable} does not contain a token.",
            f"A token has at least {_SHORTEST} letters, digits or signs, and no spaces.",
        )
    keep_secret(token)
    return token


class AccessCheck:
    """ASGI middleware that passes on only the requests of authorised local programs."""

    def __init__(self, app: "ASGIApp", port: int, token: str | None) -> None:
        """Initialise the check.

        Args:
            app: The application that answers authorised requests.
            port: Port of this machine on which it is reached.
            token: The token that requests must carry; None accepts every program of this machine.
        """
        self._app = app
        self._hosts = {f"{name}:{port}" for name in _OWN_NAMES} | (set(_OWN_NAMES) if port == 80 else set())
        self._origins = {f"http://{host}" for host in self._hosts}
        self._token = None if token is None else token.encode()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass a request on, or refuse it: 403 for a page of another site, 401 without the token."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        from starlette.responses import PlainTextResponse  # with the server, 0.1 s

        headers = _headers(scope)
        if not self._is_own(headers):
            refusal = PlainTextResponse("Only programs of this computer may ask, under its own name.", 403)
        elif not self._has_token(headers):
            wrong = ', error="invalid_token"' if headers["authorization"] else ""
            refusal = PlainTextResponse(
                "Send the token of this server: “Authorization: Bearer TOKEN”.",
                401,
                headers={"WWW-Authenticate": _CHALLENGE + wrong},
            )
        else:
            await self._app(scope, receive, send)
            return
        await refusal(scope, receive, send)

    def _is_own(self, headers: dict[str, list[str]]) -> bool:
        """Return whether Host names the server, and Origin is absent (as from programs) or names the server too."""
        host, origin = headers["host"], headers["origin"]
        names_server = len(host) == 1 and host[0].lower() in self._hosts
        return names_server and all(one.lower() in self._origins for one in origin)

    def _has_token(self, headers: dict[str, list[str]]) -> bool:
        """Return whether the token was sent; compared in constant time."""
        if self._token is None:
            return True
        sent = headers["authorization"]
        scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        return scheme.lower() == _SCHEME and hmac.compare_digest(token.strip().encode(), self._token)


def _headers(scope: "Scope") -> dict[str, list[str]]:
    """Return all values of the headers that the check reads, by header name."""
    found: dict[str, list[str]] = {name: [] for name in _DECIDING}
    for name, value in scope.get("headers", ()):
        if (key := name.decode("latin-1").lower()) in found:
            found[key].append(value.decode("latin-1"))
    return found
