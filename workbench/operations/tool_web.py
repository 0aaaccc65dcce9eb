"""The one way out of this machine for tools: through the fetching room, with its limits and its checks of addresses."""

import json
from typing import Any
from urllib.parse import urlsplit

from workbench.agent.tools.access import WebRequest, WebText
from workbench.errors import PageNotFetched, SettingError
from workbench.fetching.address import AddressGuard, web_address
from workbench.fetching.base import Asking, Fetched, FetchLimits
from workbench.fetching.web_fetcher import WebFetcher
from workbench.logs import without_secrets
from workbench.model.egress import Purpose
from workbench.model.profile import ModelProfile
from workbench.operations.keys import load_key, store_secret
from workbench.operations.library import Library
from workbench.operations.staging import staging_folder
from workbench.parsing.registry import supported_suffixes
from workbench.parsing.sandboxed import SandboxedParser
from workbench.settings import Settings
from workbench.worker.job import JobContext, Operation

_JSON_MEGABYTES = 4
_PAGE_MEGABYTES = 10
"""Of a page that a model reads, which sees some thousand words of it at most."""


class LibraryWeb:
    """Lets tools ask servers, within the settings."""

    def __init__(self, library: Library, settings: Settings) -> None:
        self._library = library
        self._settings = settings

    async def json(self, request: WebRequest) -> Any:
        """Return what a server answers, as JSON.

        Raises:
            DocumentError: There is no answer, or none that can be read.
        """
        headers = {"Accept": "application/json", **request.headers}
        body = None
        if request.body is not None:
            body = json.dumps(request.body, ensure_ascii=False).encode()
            headers["Content-Type"] = "application/json"
        host = urlsplit(web_address(request.address)).hostname or ""
        chosen = frozenset({host}) if request.is_chosen else frozenset[str]()
        limits = self._limits(_JSON_MEGABYTES, request.seconds)
        with staging_folder(self._library) as folder:
            async with WebFetcher(
                limits,
                frozenset({".json"}),
                guard=self._guard(chosen),
                gate=self._library.gate,
                purpose=request.purpose,
            ) as fetcher:
                fetched = _there(await fetcher.fetch(request.address, folder, asking=Asking(headers, body)))
            data = await self._library.on_store(fetched.file.read_bytes)
        try:
            # A server can say back what it was sent, and the key with it.
            return json.loads(without_secrets(data.decode("utf-8-sig")))
        except (ValueError, RecursionError) as error:
            raise PageNotFetched(
                f"“{host}” did not answer with JSON.", "Check the address of the server in the settings."
            ) from error

    async def page(self, address: str, seconds: float) -> WebText:
        """Return the main text of a page or document of the web.

        Raises:
            DocumentError: It cannot be had or read.
        """
        limits = self._limits(min(_PAGE_MEGABYTES, self._settings.fetch_megabytes), seconds)
        parser = SandboxedParser(self._library.parsers, seconds=seconds, megabytes=self._settings.parser_megabytes)
        with staging_folder(self._library) as folder:
            async with WebFetcher(
                limits,
                supported_suffixes(),
                guard=self._guard(frozenset()),
                gate=self._library.gate,
                purpose=Purpose.WEB_TOOL,
            ) as fetcher:
                fetched = _there(await fetcher.fetch(address, folder))
            parsed = await parser.parse(fetched.file)
        return WebText(fetched.address, parsed.metadata.title or fetched.name, parsed.text)

    async def search_key(self) -> str:
        """Return the key of the server that searches the web; empty where it has none.

        Raises:
            ModelKeyRefused: The settings name an environment variable that is not set.
        """
        profile = ModelProfile(search_key_name(self._settings), key_env=self._settings.web_search_key_env)
        return (await self._library.on_store(load_key, profile)).strip()

    def _limits(self, megabytes: int, seconds: float) -> FetchLimits:
        return FetchLimits(megabytes, seconds, allow_private=self._allows_private)

    def _guard(self, chosen: frozenset[str]) -> AddressGuard:
        return AddressGuard(allow_private=self._allows_private, chosen=chosen)

    @property
    def _allows_private(self) -> bool:
        return self._settings.allow_private_addresses == "yes"


def put_web_search_key(library: Library, key: str) -> Operation[bool]:
    """Keep the key of the server that searches the web, as store_secret does; an empty one removes it.

    Raises:
        SettingError: No server is set.
    """

    async def operation(_context: JobContext) -> bool:
        settings = await library.on_store(library.setting_values.load)
        if not settings.web_search_url:
            raise SettingError("No server for web searches is set.", "Set “web_search_url” first.")
        return await library.on_store(store_secret, search_key_name(settings), key)

    return operation


def search_key_name(settings: Settings) -> str:
    """Return under which name the keyring keeps the key of the web search: its host's, so that no other is sent it."""
    return f"web search at {urlsplit(settings.web_search_url).netloc}"


def _there(fetched: Fetched | None) -> Fetched:
    if fetched is None:
        raise PageNotFetched("The server sent nothing.")
    return fetched
