"""Who may ask the library's MCP server over HTTP: programs of this machine that send its token.

Every page of the web that is open in a browser can send requests to this machine, and every program on it can. So Host
and Origin have to name the server itself, which no page of another site can have them do, not even one whose own name
leads to 127.0.0.1 (DNS rebinding); and whoever asks sends the token in each request, as the Model Context Protocol has
it: “Authorization: Bearer TOKEN”. The SDK's own check is one for the tokens of an OAuth server, comes before that of
Host and Origin, and takes pages of any other port of this machine for its own.
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
"""Characters of a token of the user's own; fewer could be guessed by a program that asks often enough."""
_OWN_NAMES = ("127.0.0.1", "localhost")
_DECIDING = ("host", "origin", "authorization")
_SCHEME = "bearer"
_CHALLENGE = 'Bearer realm="Knowledge Workbench"'


def new_token() -> str:
    """Return a token that nobody can guess (256 bits), masked in the log from now on."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    keep_secret(token)
    return token


def token_in(variable: str) -> str:
    """Return the token that an environment variable holds, masked in the log from now on.

    Raises:
        SettingError: It is not set, or holds what cannot be a token.
    """
    token = os.environ.get(variable, "").strip()
    if not token:
        raise SettingError(f"The environment variable {variable} is not set.", "Put the token into it.")
    if len(token) < _SHORTEST or not all("!" <= character <= "~" for character in token):
        raise SettingError(
            f"What the environment variable {variable} holds is no token.",
            f"A token has at least {_SHORTEST} letters, digits or signs, and no spaces.",
        )
    keep_secret(token)
    return token


class AccessCheck:
    """An ASGI application in front of another, which lets only those through who may ask it."""

    def __init__(self, app: "ASGIApp", port: int, token: str | None) -> None:
        """Take what decides.

        Args:
            app: What answers those who may ask.
            port: At which it is reached on this machine.
            token: What they have to send; None lets every program of this machine ask.
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
            refusal = PlainTextResponse("Only programs of this machine may ask, under its own name.", 403)
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
        """Tell whether the server itself is meant, and that no page of another site asks: programs send no Origin."""
        host, origin = headers["host"], headers["origin"]
        is_meant = len(host) == 1 and host[0].lower() in self._hosts
        return is_meant and all(one.lower() in self._origins for one in origin)

    def _has_token(self, headers: dict[str, list[str]]) -> bool:
        """Tell whether the token was sent; how long that takes says nothing of how much of it is right."""
        if self._token is None:
            return True
        sent = headers["authorization"]
        scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        return scheme.lower() == _SCHEME and hmac.compare_digest(token.strip().encode(), self._token)


def _headers(scope: "Scope") -> dict[str, list[str]]:
    """Return what was sent under the names that decide, each time that it was sent."""
    found: dict[str, list[str]] = {name: [] for name in _DECIDING}
    for name, value in scope.get("headers", ()):
        if (key := name.decode("latin-1").lower()) in found:
            found[key].append(value.decode("latin-1"))
    return found
