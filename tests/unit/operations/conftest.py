"""A real library in a temporary folder, and a helper that runs an operation to its end."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keyring
import keyring.backend
import pytest

from workbench.embedding.base import Embedder
from workbench.operations import Library
from workbench.worker.job import JobContext, Operation


@pytest.fixture(autouse=True)
def _warm_readers(warm_readers: None) -> None:
    """Use warm reader processes also for tests that open their own library."""


@pytest.fixture
def library(tmp_path: Path, embedder: Embedder) -> Iterator[Library]:
    library = Library.open(tmp_path / "library", embedder=embedder)
    yield library
    library.close()


@pytest.fixture
def events() -> list[Any]:
    """Return a list for the events of all operations."""
    return []


@pytest.fixture
def run(events: list[Any]) -> Callable[[Operation[Any]], Any]:
    """Run an operation and return its value."""

    def run(operation: Operation[Any]) -> Any:
        async def main() -> Any:
            return await operation(JobContext(events.append))

        return asyncio.run(main())

    return run


class MemoryKeyring(keyring.backend.KeyringBackend):
    """Keyring that is emptied at the end of the test."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    """Replace the system keyring by one in memory."""
    before, made = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


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
    """A PDF encrypted with the password "sesame"."""
    import pymupdf

    path = tmp_path / "secret.pdf"
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The vault opens at seven in the morning.")
        pdf.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="owner")
    return path
