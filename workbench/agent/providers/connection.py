"""The HTTP client for a model's server: nothing from the environment is sent, no redirect is followed.

Imported only when a provider is built: openai takes 0.4 s to import.
"""

import httpx2
import openai

from workbench.agent.providers.base_url import is_loopback
from workbench.egress.clients import async_client
from workbench.egress.gate import LOOPBACK_ONLY, Gate
from workbench.errors import ModelKeyRefused
from workbench.model.egress import Purpose

CONNECT_SECONDS = 5.0
# How long a server may be silent: reading a long prompt takes minutes on a slow machine, and sends nothing meanwhile.
READ_SECONDS = 120.0

# Whatever else would be sent says more of this machine than the server has to know (versions, organisation, project),
# or comes from OPENAI_CUSTOM_HEADERS, which is meant for another server.
_HEADERS = frozenset(
    ("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "transfer-encoding")
)
_PLACEHOLDER_KEY = "none"


def checked_key(key: str) -> str:
    """Return the key without white space around it.

    Raises:
        ModelKeyRefused: It holds characters that cannot be sent.
    """
    key = key.strip()
    if not all("!" <= character <= "~" for character in key):
        raise ModelKeyRefused("The key holds characters that no key has.", "Copy the key again and enter it anew.")
    return key


def open_client(
    base_url: str,
    key: str,
    *,
    read_seconds: float = READ_SECONDS,
    gate: Gate = LOOPBACK_ONLY,
    purpose: Purpose = Purpose.ANSWER,
) -> openai.AsyncOpenAI:
    """Return a client that speaks to base_url and to nobody else, through a gate.

    Each argument is given, so that none is read from the environment: the user's own OPENAI_API_KEY would otherwise go
    to whatever server the profile names. Redirects are not followed, since they would carry the key to another host.
    Retries are ours (openai_provider.py), so that the user sees them. A proxy is not asked for this machine itself.
    """

    async def send_only_what_is_needed(request: httpx2.Request) -> None:
        for name in list(request.headers):
            if name.lower() not in _HEADERS:
                del request.headers[name]
        request.headers["User-Agent"] = "knowledge-workbench"
        if key:
            request.headers["Authorization"] = f"Bearer {key}"

    timeout = httpx2.Timeout(read_seconds, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS)
    transport = async_client(
        gate,
        purpose,
        by_proxy=not is_loopback(base_url),
        timeout=timeout,
        event_hooks={"request": [send_only_what_is_needed]},
    )
    return openai.AsyncOpenAI(
        api_key=key or _PLACEHOLDER_KEY,
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        base_url=base_url,
        timeout=timeout,
        max_retries=0,
        http_client=transport,
    )
