"""Import of all damaged, hostile and odd files next to the project into a real library, with expected outcomes."""

import dataclasses
import hashlib
import json
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import operations
from workbench.embedding.sentence_transformer import load_embedder
from workbench.model.document import DocumentStatus
from workbench.model.embedder import TokenCounter
from workbench.model.import_progress import DocumentChanged
from workbench.operations import Library
from workbench.operations.library.models import model_cache
from workbench.worker.job import JobContext

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
SETS = (
    "generated/corrupt",
    "hostile_pdf",
    "hostile_office",
    "generated/encodings",
    "encodings",
    "office",
    "pdf_varied",
)
SECONDS = 120.0
"""Limit of the settings per file."""
QUICK_SECONDS = 10.0

_NO_TEST = ("expect.jsonl", "truth", "README", "LICENSE")
_FINAL = ("ready", "failed", "skipped", "unchanged", "locked")


class QuickEmbedder:
    """Counts tokens like the built-in embedder and returns constant vectors: only parsing is tested."""

    id = "quick/8"
    dim = 8

    def __init__(self) -> None:
        self.tokenizer: TokenCounter = load_embedder("", cache=model_cache()).tokenizer

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.array([list(hashlib.sha256(text.encode()).digest()[:8]) for text in texts], np.float32) + 1
        normed: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return normed

    def embed_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.embed_documents([text])[0]
        return row


class ReadingTimes:
    """Reading time of each file; FileFinished also includes the time that it waited for its vectors."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._began: dict[str, float] = {}

    def note(self, event: object) -> None:
        """Record an event of the import."""
        if not isinstance(event, DocumentChanged):
            return
        path = event.document.path
        if event.document.status is DocumentStatus.PARSING:
            self._began.setdefault(path, time.perf_counter())
        elif path in self._began:
            self.seconds[path] = time.perf_counter() - self._began.pop(path)


@dataclasses.dataclass(frozen=True)
class Ended:
    """Outcome of a file; seconds is its reading time."""

    path: Path
    outcome: str
    seconds: float
    reason: str
    chunks: int

    def record(self, data: Path) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "path": self.path.relative_to(data).as_posix()}


def files_of(data: Path, name: str) -> list[Path]:
    """Return the files of a set in order."""
    found = (path for path in sorted((data / name).rglob("*")) if path.is_file())
    return [path for path in found if not any(part in path.relative_to(data).as_posix() for part in _NO_TEST)]


async def add_all(folder: Path, files: Sequence[Path], passwords: Iterable[str] = ()) -> list[Ended]:
    """Add files to a new library and return the outcome of each; passwords are the remembered ones."""
    library = Library.open(folder, embedder=QuickEmbedder())
    library.remembered_passwords = list(passwords)
    reading = ReadingTimes()
    try:
        finished = await operations.add_documents(library, files)(JobContext(reading.note))
    finally:
        library.close()
    return [
        Ended(Path(one.path), one.outcome.value, reading.seconds.get(one.path, 0.0), one.reason, one.chunks)
        for one in finished
    ]


def wrong(ended: Ended, data: Path) -> str:
    """Return the deviation from the expectation, or nothing."""
    if ended.outcome not in _FINAL:
        return "it has no final state"
    if ended.outcome == "ready" and not ended.chunks:
        return "silent success without a chunk"
    if ended.outcome in ("failed", "locked", "skipped") and not ended.reason.endswith((".", "”")):
        return "no sentence says why"
    if ended.seconds > SECONDS + 10:
        return "it took longer than its limit"
    expected = _expected(data).get(ended.path.relative_to(data).as_posix(), "")
    return _against(ended, expected)


def _against(ended: Ended, expected: str) -> str:
    read = ended.outcome in ("ready", "unchanged")
    if expected in ("indexes normally", "indexes", "indexes as text; nothing evaluated", "bounded") and not read:
        return f"expected: {expected}"
    if expected in ("error", "error; no recursion crash") and ended.outcome != "failed":
        return f"expected: {expected}"
    if expected.startswith("reported as empty") and not (ended.outcome == "failed" and "empty" in ended.reason):
        return f"expected: {expected}"
    if "quick" in expected and ended.seconds > QUICK_SECONDS:
        return f"expected: {expected}"
    if expected == "locked" and ended.outcome != "locked":
        return "expected to wait for its password"
    return ""


@cache
def _expected(data: Path) -> dict[str, str]:
    lines = (data / "generated/corrupt/expect.jsonl").read_text("utf-8").splitlines()
    expected = {record["file"]: record["expect"] for record in map(json.loads, lines)}
    return expected | dict.fromkeys(passwords(data), "locked")


@cache
def passwords(data: Path) -> dict[str, str]:
    """Return the encrypted files with their passwords."""
    labels = [*_labels(data / "pdf_labels.json"), *_labels(data / "office_hostile_labels.json")]
    # A note in brackets means that there is none.
    return {one["file"]: one["password"] for one in labels if (one.get("password") or "(")[0] != "("}


def _labels(path: Path) -> list[dict[str, Any]]:
    labels: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return labels
