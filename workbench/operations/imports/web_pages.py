"""Web pages and encyclopaedia topics as documents: fetched on request, and fetched again on request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.egress.gate import EgressGate
from workbench.errors import AddressRefused, NoSuchPage, NotFound
from workbench.fetching.address import encyclopaedia_host, must_be_article, no_article, topic_address, web_address
from workbench.fetching.base import Fetched, Fetcher, FetchLimits, Validators
from workbench.fetching.chromium import find_browser, render
from workbench.fetching.content_type import PAGE
from workbench.fetching.web_fetcher import WebFetcher
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.model.egress import PAGE_PURPOSES, Purpose
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, FileFinished, FileOutcome
from workbench.operations.imports.non_file_sources import (
    OF,
    FetchedContent,
    arrive,
    gate_for,
    receive,
    settled,
    take_in,
)
from workbench.operations.imports.temp_files import staging_folder
from workbench.operations.library.library import Library
from workbench.parsing.registry import supported_suffixes
from workbench.settings import Settings
from workbench.store.intake import Origins
from workbench.store.stored_values import now
from workbench.worker.job import JobContext, Operation, finish_despite_cancel


def add_urls(
    library: Library,
    urls: Sequence[str],
    *,
    knowledge_base: str = "default",
    run_scripts: bool = False,
    allow_hosts: Sequence[str] = (),
) -> Operation[list[FileFinished]]:
    """Add web pages, four at a time and one per host; one that cannot be had never stops the rest.

    A page that the library has already is fetched again, and replaces its earlier version if it changed.
    Emits DocumentChanged, DocumentsRemoved, FileFinished and ImportProgress. Returns one FileFinished per address.

    Args:
        library: The open library.
        urls: Addresses as typed; “https://” may be left out.
        knowledge_base: Where to.
        run_scripts: Let an installed Chromium run each page's scripts first.
        allow_hosts: Hosts that may be asked although the air gap is on, for this once, as allowed_hosts takes them. A
            redirect to any other is refused, and closed_hosts of the FileFinished says which it was.

    Raises:
        SettingError: One of allow_hosts is no host.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        gate = await gate_for(library, allow_hosts, PAGE_PURPOSES)
        await library.on_store(library.documents.ensure_knowledge_base, knowledge_base)
        addresses: dict[str, None] = {}
        refused: list[FileFinished] = []
        for typed in filter(str.strip, urls):
            try:
                addresses[web_address(typed)] = None
            except AddressRefused as error:
                refused.append(FileFinished(typed.strip(), FileOutcome.FAILED, None, str(error), 0, 0, 0.0))
        for result in refused:
            context.emit(result)
        details = {"scripts": "yes" if run_scripts else ""}
        rows = [await library.on_store(page_row, library, knowledge_base, one, details) for one in addresses]
        return [*refused, *await fetch_pages(library, context, rows, gate)]

    return operation


async def fetch_pages(
    library: Library,
    context: JobContext,
    rows: Sequence[Document],
    gate: EgressGate,
    *,
    purpose: Purpose = Purpose.WEB_PAGE,
) -> list[FileFinished]:
    """Fetch documents that came from the web, the ones without content for the first time."""
    settings = await library.on_store(library.setting_values.load)
    limits = limits_of(settings)
    for row in rows:
        context.emit(DocumentChanged(row))
    async with WebFetcher(limits, supported_suffixes(), gate=gate, purpose=purpose) as fetcher:
        pages = _PageBatch(library, context, fetcher, limits, gate)
        return await take_in(library, context, [arrive(library, context, row, pages.fetch(row)) for row in rows])


def limits_of(settings: Settings) -> FetchLimits:
    """Return what the settings allow a fetch to cost."""
    return FetchLimits(
        megabytes=settings.fetch_megabytes,
        seconds=settings.fetch_seconds,
        allow_private=settings.allow_private_addresses == "yes",
    )


def page_row(library: Library, knowledge_base: str, address: str, how: Mapping[str, str], name: str = "") -> Document:
    """Return the document of an address, which may be there already; blocking.

    Args:
        library: The open library.
        knowledge_base: Where to.
        address: In full.
        how: How it is fetched: “scripts”, when they are to run; “topic”, when the address is that of a search for one.
        name: What it is called until it was fetched; its address where nothing is given.
    """
    origins = Origins(library.database)
    details = {"address": address, **how}
    name = name or address.partition("://")[2].rstrip("/")
    row = origins.by_address(knowledge_base, address, Origin.URL)
    if row is None:
        return origins.queue(knowledge_base, address, name=name, origin=Origin.URL, details=details)
    known = origins.details(row.id)
    if known.get("scripts", "") != details.get("scripts", ""):
        # What was seen without the scripts says nothing of what is there with them.
        row = origins.describe(row.id, path=row.path, name=row.name, origin=Origin.URL, details=details)
    return row if row.chunks else library.documents.set_status(row.id, DocumentStatus.QUEUED)


@dataclass(slots=True)
class _PageBatch:
    """Fetches the pages of one batch."""

    library: Library
    context: JobContext
    fetcher: Fetcher
    limits: FetchLimits
    gate: EgressGate

    async def fetch(self, row: Document) -> Document | FileFinished:
        """Return the document with its new copy in the library, or what became of it.

        Raises:
            DocumentError: The page cannot be had.
        """
        library = self.library
        origins = Origins(library.database)
        details = await library.on_store(origins.details, row.id)
        asked = details.get("address") or row.path
        topic = details.get("topic", "")
        runs_scripts = bool(details.get("scripts"))
        validators = Validators() if runs_scripts or not row.chunks else _validators(details, row)
        with staging_folder(library) as folder:
            try:
                fetched = await self.fetcher.fetch(asked, folder, validators)
            except NoSuchPage as error:
                if topic:
                    raise no_article(asked) from error
                raise
            if fetched is None:
                return await library.on_store(settled, library, self.context, row)
            if topic:
                must_be_article(asked, fetched.address)
            if runs_scripts and fetched.file.name.endswith(PAGE):
                await render(fetched.address, fetched.file, find_browser(), self.limits, gate=self.gate)
            # From here on it is written: a cancel waits for the few milliseconds.
            return await finish_despite_cancel(
                library.on_store(self._receive, row, fetched, details | {"address": asked})
            )

    def _receive(self, row: Document, fetched: Fetched, details: dict[str, str]) -> Document | FileFinished:
        library = self.library
        origins = Origins(library.database)
        other = origins.by_address(row.knowledge_base, fetched.address, Origin.URL)
        if other is not None and other.id != row.id and not row.chunks:
            # Another address of a page that is in the library: it leads to the same one.
            if library.is_reading(other.id) or not other.chunks:
                raise NotFound("The page is being added already.")
            origins.discard(row.id)
            self.context.emit(DocumentsRemoved((row.id,)))
            row = other
        said = {
            "etag": fetched.validators.etag,
            "last_modified": fetched.validators.last_modified,
            "content_type": fetched.content_type,
            "fetched": now(),
        }
        arrived = FetchedContent(fetched.file, fetched.address, fetched.name, Origin.URL, details | said)
        return receive(library, self.context, row, arrived)


def _validators(details: dict[str, str], row: Document) -> Validators:
    if details.get(OF, row.sha256) != row.sha256:
        return Validators()  # of a later version, which a stop kept from being read
    return Validators(details.get("etag", ""), details.get("last_modified", ""))


def add_topics(
    library: Library, topics: Sequence[str], *, knowledge_base: str = "default", allow_hosts: Sequence[str] = ()
) -> Operation[list[FileFinished]]:
    """Add articles by their names; one that is not there never stops the rest. Emits what add_urls does.

    Returns one FileFinished per topic.

    Args:
        library: The open library.
        topics: What the articles are about, as typed; the setting “topic_url” says which encyclopaedia is asked.
        knowledge_base: Where to.
        allow_hosts: As add_urls.

    Raises:
        SettingError: The encyclopaedia's address cannot be one, or one of allow_hosts is no host.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        gate = await gate_for(library, allow_hosts, PAGE_PURPOSES)
        template = (await library.on_store(library.setting_values.load)).topic_url
        encyclopaedia_host(template)
        await library.on_store(library.documents.ensure_knowledge_base, knowledge_base)
        addresses: dict[str, str] = {}
        refused: list[FileFinished] = []
        for topic in filter(None, (" ".join(typed.split()) for typed in topics)):
            try:
                addresses.setdefault(topic_address(template, topic), topic)
            except AddressRefused as error:
                refused.append(FileFinished(topic, FileOutcome.FAILED, None, str(error), 0, 0, 0.0))
        for result in refused:
            context.emit(result)
        rows = [
            await library.on_store(page_row, library, knowledge_base, address, {"topic": topic}, topic)
            for address, topic in addresses.items()
        ]
        return [*refused, *await fetch_pages(library, context, rows, gate, purpose=Purpose.TOPIC)]

    return operation


def topic_host(library: Library) -> Operation[str]:
    """Return the name of the server that topics are looked up at: whoever asks for one should know.

    Raises:
        SettingError: The encyclopaedia's address cannot be one.
    """

    async def operation(_context: JobContext) -> str:
        return encyclopaedia_host((await library.on_store(library.setting_values.load)).topic_url)

    return operation
