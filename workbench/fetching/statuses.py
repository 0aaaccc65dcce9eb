"""What servers and networks say when there is no page, in words for people."""

from typing import TYPE_CHECKING

from workbench.errors import NoSuchPage, PageNotFetched

if TYPE_CHECKING:
    import httpx2

_BY_HAND = "Open it in the browser, save it there, and add the file."
_LATER = "Try again later."
_GONE = (404, 410)
_STATUSES: dict[int, tuple[str, str]] = {
    401: ("The page wants a login", _BY_HAND),
    402: ("The page wants to be paid for", _BY_HAND),
    403: ("The server refuses to show the page to programs, or without a login", _BY_HAND),
    404: ("The server has no such page", "Check the spelling of the address."),
    407: ("The network wants a login", _BY_HAND),
    410: ("The page was taken down", "Look for it elsewhere."),
    429: ("The server wants to be asked less often", _LATER),
    451: ("The page is withheld for legal reasons", ""),
    503: ("The server is busy or under repair", _LATER),
}


def refusal(status: int, retry_after: str = "") -> PageNotFetched:
    """Return the error for a status other than success."""
    if status in _STATUSES:
        message, hint = _STATUSES[status]
    elif status >= 500:
        message, hint = "The server failed", _LATER
    else:
        message, hint = "The server did not send the page", _BY_HAND
    if retry_after.isdecimal() and hint == _LATER and len(retry_after) < 7:
        hint = f"Try again in {int(retry_after)} seconds."
    kind = NoSuchPage if status in _GONE else PageNotFetched
    return kind(f"{message} ({status}).", hint)


def unreachable(error: "httpx2.TransportError", host: str) -> PageNotFetched:
    """Return the error for a connection that failed."""
    import httpx2

    if isinstance(error, httpx2.TimeoutException):
        return PageNotFetched(f"“{host}” does not answer.", _LATER)
    if isinstance(error, httpx2.ConnectError):
        if "certificate" in str(error).lower() or "ssl" in str(error).lower():
            return PageNotFetched(
                f"“{host}” cannot prove that it is the server it says it is: {_brief(error)}.",
                "Somebody may be listening, or the server is set up wrongly; the page was not fetched.",
            )
        return PageNotFetched(f"No connection to “{host}”: {_brief(error)}.", "Check the address and your connection.")
    return PageNotFetched(f"“{host}” ended the connection before the page was there: {_brief(error)}.", _LATER)


def _brief(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")[:160] or type(error).__name__
