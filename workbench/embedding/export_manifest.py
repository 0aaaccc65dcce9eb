"""What a finished export says of itself: manifest.json beside the graphs."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

FILE_NAME = "manifest.json"

# Part of the cache folder's name: an export made by other rules is made again.
FORMAT = 4


@dataclass(frozen=True, slots=True)
class ExportManifest:
    """The facts of an exported model.

    Attributes:
        name: Name of the model, for people and for the embedder's id.
        revision: First 12 hex digits of the SHA-256 of weights, modules and prompts.
        dim: Width of a vector.
        max_tokens: How many tokens the model sees, special tokens included.
        query_prompt: Put in front of a question ("query: " for some models).
        document_prompt: Put in front of a text.
        modules: The sentence-transformers modules in the graph, e.g. Transformer, Pooling(mean), Normalize.
        backends: Which graphs lie beside the manifest; "int8" is missing where quantising failed.
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
        """Write it into the folder of the export, last of all and with the sizes of the other files."""
        sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
        fields = asdict(self) | {"sizes": sizes}
        (folder / FILE_NAME).write_text(json.dumps(fields, indent=2), encoding="utf-8")
        for name in (*sizes, FILE_NAME):
            _flush(folder / name)


def read_manifest(folder: Path) -> ExportManifest | None:
    """Return the manifest of a finished export; None when there is none or it cannot be read.

    A file that is missing or cut short makes an export unfinished, too: a power cut may leave it so.
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
    """Return what the folder of an export is called.

    Args:
        name: The model's.
        facts: What tells one state of the model from another.
    """
    return f"{name}-{FORMAT}-{hashlib.sha256(facts.encode()).hexdigest()[:10]}"


def earlier_folders(folder: Path) -> list[Path]:
    """Return where exports of the same model by earlier rules would lie; none of them is of use any more."""
    name, _, facts = folder.name.rsplit("-", 2)
    return [folder.with_name(f"{name}-{number}-{facts}") for number in range(1, FORMAT)]


def graph_path(folder: Path, backend: str) -> Path:
    """Return where the graph of a backend lies."""
    return folder / f"{backend}.onnx"


def tokenizer_path(folder: Path) -> Path:
    """Return where the tokenizer lies."""
    return folder / "tokenizer.json"


def _flush(path: Path) -> None:
    # Windows flushes only what may be written.
    with path.open("r+b") as file:
        os.fsync(file.fileno())
