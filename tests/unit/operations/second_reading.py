"""Shared helpers of the tests of the second reading of pages, by OCR or by the layout model."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.model.document import Document, FindingKind
from workbench.operations import Library
from workbench.operations.imports.page_reading import PageChild
from workbench.worker.job import JobContext


def only(library: Library) -> Document:
    """Return the only document of a library."""
    (document,) = library.documents.list()
    return document


def pages(document: Document, kind: FindingKind) -> tuple[int, ...]:
    """Return the pages of the first finding of a kind."""
    return next((finding.pages for finding in document.findings if finding.kind is kind), ())


def add_and_cancel_at_the_first_page(
    library: Library, file: Path, reader: type[PageChild], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Add a file, and cancel the import as soon as a page is requested from the parser process."""
    began = asyncio.Event()

    async def hang(*_args: object) -> Any:
        began.set()
        return await asyncio.get_running_loop().create_future()

    async def cancelled() -> None:
        adding = asyncio.ensure_future(operations.add_documents(library, [file])(JobContext()))
        await began.wait()
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding

    with monkeypatch.context() as patched:
        patched.setattr(reader, "read", hang)
        asyncio.run(cancelled())
