"""Which graph is the fastest on this machine, measured once and remembered."""

import json
import logging
import os
import platform
import time
from pathlib import Path

import numpy as np

from workbench.embedding.manifest import Manifest
from workbench.embedding.onnx_embedder import OnnxEmbedder

_log = logging.getLogger(__name__)

_FILE_NAME = "speed.json"

# Without the processor's dot-product instructions int8 saturates: slower and wrong. Below this cosine to fp32 it is
# not taken; where it works it has 0.98 to 0.99.
_LEAST_COSINE = 0.96

# int8 has to be worth its small loss of quality.
_LEAST_GAIN = 1.15

_SENTENCE = "The quick measurement embeds a passage of about the usual length, so that it says what an import will do. "


def load_backend(folder: Path, manifest: Manifest, *, backend: str) -> OnnxEmbedder:
    """Return the embedder of the backend wanted; "auto" is the fastest on this machine.

    Raises:
        EmbeddingError: The export cannot be read.
    """
    if backend == "auto":
        backend = _remembered(folder) or ""
    if backend in manifest.backends:
        return OnnxEmbedder(folder, manifest, backend=backend)
    if backend or "int8" not in manifest.backends:
        return OnnxEmbedder(folder, manifest, backend="fp32")
    return _measure(folder, manifest)


def _measure(folder: Path, manifest: Manifest) -> OnnxEmbedder:
    fp32, int8 = (OnnxEmbedder(folder, manifest, backend=name) for name in ("fp32", "int8"))
    # About 160 tokens each; the first run of a session is not counted.
    texts = [f"{number}. " + _SENTENCE * 7 for number in range(12)]
    expected, got = fp32.embed_documents(texts), int8.embed_documents(texts)
    cosine = float(np.sum(expected * got, axis=1).min())
    seconds = {embedder.backend: _seconds(embedder, texts) for embedder in (fp32, int8)}
    better = cosine >= _LEAST_COSINE and seconds["fp32"] >= _LEAST_GAIN * seconds["int8"]
    chosen = int8 if better else fp32
    measured = {name: round(len(texts) / value, 1) for name, value in seconds.items()}
    _log.info("Embedding backend %s: %s chunks/s, cosine %.3f", chosen.backend, measured, cosine)
    result = {"machine": _machine(), "backend": chosen.backend, "chunks_per_second": measured, "cosine": cosine}
    try:
        (folder / _FILE_NAME).write_text(json.dumps(result, indent=2), encoding="utf-8")
    except OSError:
        _log.info("The measurement could not be stored; it will be made again.", exc_info=True)
    return chosen


def _seconds(embedder: OnnxEmbedder, texts: list[str]) -> float:
    best = float("inf")
    for _ in range(2):
        started = time.perf_counter()
        embedder.embed_documents(texts)
        best = min(best, time.perf_counter() - started)
    return best


def _remembered(folder: Path) -> str | None:
    try:
        result = json.loads((folder / _FILE_NAME).read_text(encoding="utf-8"))
        return str(result["backend"]) if result["machine"] == _machine() else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _machine() -> str:
    return f"{platform.machine()} {platform.processor()} {os.cpu_count()} {platform.node()}"
