"""A real library in a temporary folder, and a way to run an operation to its end."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.embedding.base import Embedder
from workbench.operations import Library
from workbench.worker.job import JobContext, Operation


@pytest.fixture
def library(tmp_path: Path, embedder: Embedder) -> Iterator[Library]:
    library = Library.open(tmp_path / "library", embedder=embedder)
    yield library
    library.close()


@pytest.fixture
def events() -> list[Any]:
    """Everything that operations said."""
    return []


@pytest.fixture
def run(events: list[Any]) -> Callable[[Operation[Any]], Any]:
    """Run an operation and return its value."""

    def run(operation: Operation[Any]) -> Any:
        async def main() -> Any:
            return await operation(JobContext(events.append))

        return asyncio.run(main())

    return run


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder with two small documents."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "harbour.md").write_text(
        "# Harbour\n\nThe harbour of Lindhamn froze in 1987. The ferry Aurora stayed in port for nine days.\n", "utf-8"
    )
    (folder / "港口.txt").write_text("港口的水深是十二米。灯塔建于一九零三年。\n", "utf-8")
    return folder


@pytest.fixture
def encrypted_pdf(tmp_path: Path) -> Path:
    """A PDF that opens with the password "sesame" only."""
    import pymupdf

    path = tmp_path / "secret.pdf"
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The vault opens at seven in the morning.")
        pdf.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="owner")
    return path
