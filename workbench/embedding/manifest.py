"""What a finished export says of itself: manifest.json beside the graphs."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

FILE_NAME = "manifest.json"

# Part of the cache folder's name: an export made by other rules is made again.
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Manifest:
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
        """Write it into the folder of the export."""
        (folder / FILE_NAME).write_text(json.dumps(asdict(self), indent=2), encoding="utf-8")


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a finished export; None when there is none or it cannot be read."""
    try:
        fields = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
        fields["modules"] = tuple(fields["modules"])
        fields["backends"] = tuple(fields["backends"])
        return Manifest(**fields)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def graph_path(folder: Path, backend: str) -> Path:
    """Return where the graph of a backend lies."""
    return folder / f"{backend}.onnx"


def tokenizer_path(folder: Path) -> Path:
    """Return where the tokenizer lies."""
    return folder / "tokenizer.json"
