"""Topics as documents: the article that an encyclopaedia has under a name, fetched like any other page of the web."""

from collections.abc import Sequence

from workbench.errors import AddressRefused
from workbench.fetching.address import encyclopaedia_host, topic_address
from workbench.model.egress import PAGE_PURPOSES, Purpose
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.operations.library import Library
from workbench.operations.other_sources import gate_for
from workbench.operations.web_pages import fetch_pages, page_row
from workbench.worker.job import JobContext, Operation


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
