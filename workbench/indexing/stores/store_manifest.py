"""The manifest of a vector store: a small file in the index folder with the name and state of the collection."""

import hashlib
import json
import platform
import secrets
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from workbench.errors import IndexUnavailable
from workbench.indexing.atomic_files import atomic_rewrite
from workbench.indexing.stores.vector_engine import REBUILT

FORMAT = 1
"""Version of the manifest and of the data of the adapters; a store of another version is rebuilt from the library."""
_NAME = "store.json"


@dataclass(frozen=True, slots=True)
class StoreManifest:
    """Identity and state of a vector store.

    Attributes:
        store: Name of the store in the registry.
        dim: Width of a vector.
        generation: Library state that the store agrees with; 0 before the first save.
        collection: Name of the table or collection: random, so that two libraries on one server do not collide.
        place: Machine and folder for which the store was created: a copy of a library gets another collection.
        url: Address of the server with the collection; empty for an embedded database.
        format: FORMAT of the program that wrote the manifest.
    """

    store: str
    dim: int
    generation: int
    collection: str
    place: str
    url: str = ""
    format: int = FORMAT

    @classmethod
    def new(cls, store: str, dim: int, folder: Path, url: str) -> "StoreManifest":
        """Return the manifest of an empty store."""
        return cls(store, dim, 0, f"workbench_{secrets.token_hex(8)}", place_of(folder), url)

    def at(self, generation: int) -> "StoreManifest":
        """Return a copy with another generation."""
        return replace(self, generation=generation)

    def write(self, folder: Path) -> None:
        """Replace the manifest of a folder atomically.

        Raises:
            IndexUnavailable: The manifest cannot be written.
        """
        text = json.dumps(asdict(self), sort_keys=True)
        with atomic_rewrite(folder / _NAME) as file:
            file.write(f"{text}\n{_checksum(text)}\n".encode())

    @classmethod
    def read(cls, folder: Path) -> "StoreManifest":
        """Return the manifest of a folder.

        Raises:
            IndexUnavailable: The manifest is missing or damaged, or was written by another version of the program.
        """
        try:
            text, checksum, end = (folder / _NAME).read_text("utf-8").split("\n")
            values = json.loads(text)
            is_whole = checksum == _checksum(text) and not end
        except (OSError, ValueError) as error:
            raise IndexUnavailable("The manifest of the vector store is missing or damaged.", REBUILT) from error
        if not is_whole:
            raise IndexUnavailable("The manifest of the vector store is damaged.", REBUILT)
        if values.get("format") != FORMAT:
            raise IndexUnavailable("Another version of the program wrote the vector store.", REBUILT)
        return cls(**values)


def place_of(folder: Path) -> str:
    """Return the machine and folder of an index, in the form of StoreManifest.place."""
    return f"{platform.node()}:{folder.resolve()}"


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
