"""Request for the release feed: one GET through the gate, without cookies, redirects or anything about this machine."""

from workbench.egress.gate import EgressGate
from workbench.errors import WorkbenchError
from workbench.language import mark
from workbench.model.egress import Purpose
from workbench.model.release import LONGEST_FEED, is_web_address

SECONDS = 10.0
"""Time limit for the connection, and for each part of the answer."""
_HINT = mark("Look at the address of the release feed in the settings.")


async def fetch_release_feed(gate: EgressGate, address: str) -> bytes:
    """Return the bytes of the feed.

    Args:
        gate: The gate, which refuses the request or records it.
        address: Its address: https, or http on this machine.

    Raises:
        NetworkClosed: The air gap is on, and the feed is no exception.
        WorkbenchError: The address is not of such a kind, or the server gave no such document.
        LibraryError: The request cannot be recorded.
    """
    if not is_web_address(address):
        raise WorkbenchError("The address of the release feed has to begin with https://.", _HINT)
    # Imported here, because it takes 0.1 s.
    import httpx2

    from workbench.egress.clients import async_client, patience

    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "knowledge-workbench"}
    timeout = patience(SECONDS, SECONDS)
    try:
        async with (
            async_client(gate, Purpose.RELEASE_FEED, by_proxy=True, timeout=timeout, headers=headers) as client,
            client.stream("GET", address) as response,
        ):
            if response.status_code != httpx2.codes.OK:
                raise WorkbenchError(f"Its server answered with status {response.status_code:d}.", _HINT)
            content = b""
            async for piece in response.aiter_bytes():
                content += piece
                if len(content) > LONGEST_FEED:
                    raise WorkbenchError("It is far too large.", _HINT)
            return content
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise WorkbenchError("Its server cannot be reached.", _HINT) from error
