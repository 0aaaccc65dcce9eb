"""The embedding model at less cost: each file is loaded once a process, and its results are cached.

Most tests embed the same few documents and questions: 3,400 runs of the model took 70 s of processor time, and reading
its tokenizer for each library 29 s. Tests of the embedder itself do without this.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from workbench.embedding import onnx_embedder, sentence_transformer
from workbench.embedding.export_manifest import ExportManifest
from workbench.embedding.onnx_embedder import OnnxEmbedder
from workbench.embedding.tokenizer import ModelTokenizer

_MOST_BYTES = 100 * 2**20
_open_session = onnx_embedder.open_session
_measure = sentence_transformer._measure


def use_quick_model(patch: pytest.MonkeyPatch) -> None:
    """Let embedders of this process share a loaded model, its results and its tokenizer."""
    patch.setattr(onnx_embedder, "open_session", lambda path: _cached_session(path, path.stat().st_mtime_ns))
    patch.setattr(onnx_embedder, "ModelTokenizer", _shared_tokenizer)
    patch.setattr(sentence_transformer, "_measure", _measure_without_cache)


def _measure_without_cache(folder: Path, manifest: ExportManifest, notes: Path) -> OnnxEmbedder:
    """Choose the backend with the real model: the choice is stored, also for the programs that tests start.

    With cached results both backends look equally fast, so that the slower fp32 would be chosen.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnx_embedder, "open_session", _open_session)
        backend = _measure(folder, manifest, notes).backend
    return OnnxEmbedder(folder, manifest, backend=backend)


def _shared_tokenizer(path: Path, *, max_tokens: int, prompt: str = "") -> ModelTokenizer:
    return _cached_tokenizer(path, path.stat().st_mtime_ns, max_tokens, prompt)


@lru_cache(maxsize=4)
def _cached_tokenizer(path: Path, _changed: int, max_tokens: int, prompt: str) -> ModelTokenizer:
    return ModelTokenizer(path, max_tokens=max_tokens, prompt=prompt)


@lru_cache(maxsize=4)
def _cached_session(path: Path, _changed: int) -> "CachedSession":
    return CachedSession(_open_session(path))


class CachedSession:
    """A session that runs the model only for inputs that it has not seen lately; thread-safe."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        self._session = session
        self._known: OrderedDict[tuple[object, ...], list[NDArray[np.float32]]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def run(self, names: Sequence[str], inputs: Mapping[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """Return copies of the outputs."""
        key = (*names, *((name, value.shape, value.tobytes()) for name, value in inputs.items()))
        with self._lock:
            found = self._known.pop(key, None)
            if found is not None:
                self._known[key] = found
        if found is None:
            found = self._session.run(names, inputs)
            self._keep(key, found)
        return [output.copy() for output in found]

    def _keep(self, key: tuple[object, ...], outputs: list[NDArray[np.float32]]) -> None:
        with self._lock:
            if key not in self._known:
                self._known[key] = outputs
                self._bytes += sum(output.nbytes for output in outputs)
            while self._bytes > _MOST_BYTES:
                self._bytes -= sum(output.nbytes for output in self._known.popitem(last=False)[1])
