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
from workbench.parsing.parser_registry import supported_suffixes
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
    """Add web pages, four at a time and one per host; a page that cannot be fetched never stops the rest.

    A page that is already in the library is fetched again, and replaces its earlier version if it changed.
    Emits DocumentChanged, DocumentsRemoved, FileFinished and ImportProgress. Returns one FileFinished per address.

    Args:
        library: The open library.
        urls: Addresses as typed; “https://” may be left out.
        knowledge_base: Knowledge base of the new documents.
        run_scripts: Let an installed Chromium run each page's scripts first.
        allow_hosts: Hosts that this operation may contact although offline mode is on, in the form that allowed_hosts
            accepts. A redirect to any other host is refused, and closed_hosts of the FileFinished names that host.

    Raises:
        SettingError: One of allow_hosts is not a host.
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
    """Fetch documents of origin URL; those without content are fetched for the first time, the others again."""
    settings = await library.on_store(library.setting_values.load)
    limits = limits_of(settings)
    for row in rows:
        context.emit(DocumentChanged(row))
    async with WebFetcher(limits, supported_suffixes(), gate=gate, purpose=purpose) as fetcher:
        pages = _PageBatch(library, context, fetcher, limits, gate)
        return await take_in(library, context, [arrive(library, context, row, pages.fetch(row)) for row in rows])


def limits_of(settings: Settings) -> FetchLimits:
    """Return the limits of a fetch according to the settings."""
    return FetchLimits(
        megabytes=settings.fetch_megabytes,
        seconds=settings.fetch_seconds,
        allow_private=settings.allow_private_addresses == "yes",
    )


def page_row(library: Library, knowledge_base: str, address: str, how: Mapping[str, str], name: str = "") -> Document:
    """Return the document of an address, which is created if it does not exist; blocking.

    Args:
        library: The open library.
        knowledge_base: Knowledge base of the document.
        address: The full address.
        how: Options of the fetch: “scripts” if scripts are to run, “topic” if the address is a search for a topic.
        name: Name of the document until it is fetched; the address if it is empty.
    """
    origins = Origins(library.database)
    details = {"address": address, **how}
    name = name or address.partition("://")[2].rstrip("/")
    row = origins.by_address(knowledge_base, address, Origin.URL)
    if row is None:
        return origins.queue(knowledge_base, address, name=name, origin=Origin.URL, details=details)
    known = origins.details(row.id)
    if known.get("scripts", "") != details.get("scripts", ""):
        # Content that was fetched without scripts gives no information about the content with scripts.
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
        """Fetch a page, and return the document with its new copy in the library, or the final result.

        Raises:
            DocumentError: The page cannot be fetched.
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
            # The library is written from here on; a cancel waits for it, a few milliseconds.
            return await finish_despite_cancel(
                library.on_store(self._receive, row, fetched, details | {"address": asked})
            )

    def _receive(self, row: Document, fetched: Fetched, details: dict[str, str]) -> Document | FileFinished:
        library = self.library
        origins = Origins(library.database)
        other = origins.by_address(row.knowledge_base, fetched.address, Origin.URL)
        if other is not None and other.id != row.id and not row.chunks:
            # The library already has this page under another address.
            if library.is_reading(other.id) or not other.chunks:
                raise NotFound("The page is already being added.")
            origins.discard(row.id)
            self.context.emit(DocumentsRemoved((row.id,)))
            row = other
        response = {
            "etag": fetched.validators.etag,
            "last_modified": fetched.validators.last_modified,
            "content_type": fetched.content_type,
            "fetched": now(),
        }
        arrived = FetchedContent(fetched.file, fetched.address, fetched.name, Origin.URL, details | response)
        return receive(library, self.context, row, arrived)


def _validators(details: dict[str, str], row: Document) -> Validators:
    if details.get(OF, row.sha256) != row.sha256:
        return Validators()  # the stored ones belong to a later version, which was not read because of a stop
    return Validators(details.get("etag", ""), details.get("last_modified", ""))


def add_topics(
    library: Library, topics: Sequence[str], *, knowledge_base: str = "default", allow_hosts: Sequence[str] = ()
) -> Operation[list[FileFinished]]:
    """Add encyclopaedia articles by their names; one that does not exist never stops the rest.

    Emits the same events as add_urls. Returns one FileFinished per topic.

    Args:
        library: The open library.
        topics: Topics of the articles as typed; the setting “topic_url” selects the encyclopaedia.
        knowledge_base: Knowledge base of the new documents.
        allow_hosts: As for add_urls.

    Raises:
        SettingError: The encyclopaedia's address is not valid, or one of allow_hosts is not a host.
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
    """Return the name of the server on which topics are looked up, so that it can be shown to the user.

    Raises:
        SettingError: The encyclopaedia's address is not valid.
    """

    async def operation(_context: JobContext) -> str:
        return encyclopaedia_host((await library.on_store(library.setting_values.load)).topic_url)

    return operation
