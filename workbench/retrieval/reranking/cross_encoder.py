"""Reranking by a cross-encoder of sentence-transformers: bge-reranker, ms-marco-MiniLM, or any other.

It reads question and passage together, which no index can do, and takes seconds on a CPU.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.egress.hub import NO_HUB, ModelHub
from workbench.embedding.model_packages import INSTALL_HINT, has_model_packages
from workbench.errors import DownloadFailed, NetworkClosed, RerankingError
from workbench.retrieval.reranking.base import Candidate

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

# A passage has at most the embedding model's 256 tokens, plus the question; more is cut, as the model itself would do.
_MOST_TOKENS = 512
_BATCH = 16


class CrossEncoderReranker:
    """Loads its model at the first search that needs it; a model given by name is downloaded at that time."""

    most = 20
    judges = True

    def __init__(self, model: str, hub: ModelHub = NO_HUB) -> None:
        """Store a folder, or a model name and the hub that provides it."""
        self._hub = hub
        self.id = f"cross-encoder/{Path(model).name if _is_folder(model) else model}"
        self._name = model
        self._model: CrossEncoder | None = None
        self._using = threading.Lock()

    def rerank(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return the model's scores after its own activation function.

        Raises:
            RerankingError: The model cannot be loaded, is not a reranker, or failed.
        """
        pairs: list[Any] = [(question, candidate.in_context) for candidate in candidates]
        with self._using:
            if self._model is None:
                self._model = _load_model(self._name, self._hub)
            try:
                scores = self._model.predict(pairs, batch_size=_BATCH, show_progress_bar=False)
            except Exception as error:  # a third-party model may raise anything; the search goes on without it
                raise RerankingError(f"The reranking model “{self._name}” failed: {_first_line(error)}") from error
        return [float(score) for score in scores]


def _load_model(name: str, hub: ModelHub) -> "CrossEncoder":
    if not name.strip():
        raise RerankingError("No reranking model is chosen.", "Give its folder or hub name in the settings.")
    is_folder = _is_folder(name)
    if not is_folder and (name.startswith((".", "/", "~")) or "\\" in name or name.count("/") > 1):
        raise RerankingError(f"There is no folder {name}.", "Give the folder of a cross-encoder, or its hub name.")
    if not has_model_packages():
        raise RerankingError(
            f"The packages that load reranking models such as “{name}” are not installed.", INSTALL_HINT
        )
    try:
        source = Path(name).expanduser() if is_folder else hub.model(name)
    except (DownloadFailed, NetworkClosed) as error:
        raise RerankingError(error.message, error.hint) from error
    try:
        # Importing torch and transformers takes 4 s and 500 MB, and is needed only for such a model.
        from sentence_transformers import CrossEncoder

        model: CrossEncoder = CrossEncoder(str(source), device="cpu", local_files_only=True)
    except Exception as error:  # a third-party model may raise anything
        raise RerankingError(
            f"The reranking model “{name}” cannot be loaded: {_first_line(error)}", "Check the folder or hub name."
        ) from error
    kinds = getattr(getattr(model.model, "config", None), "architectures", None) or ["SequenceClassification"]
    if not any("SequenceClassification" in kind or "CausalLM" in kind for kind in kinds):
        # An embedding model: its classification head, and therefore its scores, would be random.
        raise RerankingError(f"“{name}” is not a reranking model.", "Choose a cross-encoder, for example bge-reranker.")
    if model.num_labels != 1:
        raise RerankingError(
            f"“{name}” returns {model.num_labels} numbers for a passage instead of one score.",
            "Choose a model made for reranking.",
        )
    model.max_seq_length = min(model.max_seq_length or _MOST_TOKENS, _MOST_TOKENS)
    return model


def _is_folder(name: str) -> bool:
    return bool(name) and Path(name).expanduser().is_dir()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
