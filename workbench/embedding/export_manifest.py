"""Manifest of a finished export: manifest.json next to the graphs."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

FILE_NAME = "manifest.json"

# Part of the cache folder's name: an export in an older format is made again.
FORMAT = 4


@dataclass(frozen=True, slots=True)
class ExportManifest:
    """Properties of an exported model.

    Attributes:
        name: Name of the model, for people and for the embedder's id.
        revision: First 12 hex digits of the SHA-256 of weights, modules and prompts.
        dim: Width of a vector.
        max_tokens: Token limit of the model, special tokens included.
        query_prompt: Prefix of a question ("query: " for some models).
        document_prompt: Prefix of a document's text.
        modules: The sentence-transformers modules in the graph, e.g. Transformer, Pooling(mean), Normalize.
        backends: Backends of the graphs next to the manifest; without "int8" if quantising failed.
    """

    name: str
    revision: str
    dim: int
    max_tokens: int
    query_prompt: str
    document_prompt: str
    modules: tuple[str, ...]
    backends: tuple[str, ...]

    def write(self, folder: Path) -> None:
        """Write it into the export folder after all other files, with their sizes."""
        sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
        fields = asdict(self) | {"sizes": sizes}
        (folder / FILE_NAME).write_text(json.dumps(fields, indent=2), encoding="utf-8")
        for name in (*sizes, FILE_NAME):
            _flush(folder / name)


def read_manifest(folder: Path) -> ExportManifest | None:
    """Return the manifest of a finished export; None if there is none or it cannot be read.

    An export with a missing or truncated file also counts as unfinished: a power failure may cause that.
    """
    try:
        fields = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
        sizes = dict(fields.pop("sizes"))
        if any((folder / name).stat().st_size != size for name, size in sizes.items()):
            return None
        fields["modules"] = tuple(fields["modules"])
        fields["backends"] = tuple(fields["backends"])
        return ExportManifest(**fields)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def folder_name(name: str, facts: str) -> str:
    """Return the name of an export's folder.

    Args:
        name: Name of the model.
        facts: Text that identifies a state of the model.
    """
    return f"{name}-{FORMAT}-{hashlib.sha256(facts.encode()).hexdigest()[:10]}"


def earlier_folders(folder: Path) -> list[Path]:
    """Return the folders of exports of the same model in older formats, which are obsolete."""
    name, _, facts = folder.name.rsplit("-", 2)
    return [folder.with_name(f"{name}-{number}-{facts}") for number in range(1, FORMAT)]


def graph_path(folder: Path, backend: str) -> Path:
    """Return the path of a backend's graph."""
    return folder / f"{backend}.onnx"


def tokenizer_path(folder: Path) -> Path:
    """Return the path of the tokenizer."""
    return folder / "tokenizer.json"


def _flush(path: Path) -> None:
    # Windows can flush only files that are open for writing.
    with path.open("r+b") as file:
        os.fsync(file.fileno())
