"""What servers and networks say when there is no page, in words for people."""

from typing import TYPE_CHECKING

from workbench.errors import NoSuchPage, PageNotFetched
from workbench.language import mark

if TYPE_CHECKING:
    import httpx2

_BY_HAND = mark("Open it in the browser, save it there, and add the file.")
_LATER = mark("Try again later.")
_GONE = (404, 410)
_STATUSES: dict[int, tuple[str, str]] = {
    401: (mark("The page wants a login ({0:d})."), _BY_HAND),
    402: (mark("The page wants to be paid for ({0:d})."), _BY_HAND),
    403: (mark("The server refuses to show the page to programs, or without a login ({0:d})."), _BY_HAND),
    404: (mark("The server has no such page ({0:d})."), mark("Check the spelling of the address.")),
    407: (mark("The network wants a login ({0:d})."), _BY_HAND),
    410: (mark("The page was taken down ({0:d})."), mark("Look for it elsewhere.")),
    429: (mark("The server wants to be asked less often ({0:d})."), _LATER),
    451: (mark("The page is withheld for legal reasons ({0:d})."), ""),
    503: (mark("The server is busy or under repair ({0:d})."), _LATER),
}


def refusal(status: int, retry_after: str = "") -> PageNotFetched:
    """Return the error for a status other than success."""
    if status in _STATUSES:
        message, hint = _STATUSES[status]
    elif status >= 500:
        message, hint = mark("The server failed ({0:d})."), _LATER
    else:
        message, hint = mark("The server did not send the page ({0:d})."), _BY_HAND
    if retry_after.isdecimal() and hint == _LATER and len(retry_after) < 7:
        seconds = int(retry_after)
        hint = mark(f"Try again in {seconds} seconds.") if seconds > 1 else _LATER
    kind = NoSuchPage if status in _GONE else PageNotFetched
    return kind(message.replace("{0:d}", str(status)), hint)


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
