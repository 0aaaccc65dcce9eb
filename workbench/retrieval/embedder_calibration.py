"""Calibration of an embedder: how well its cosines separate right from wrong passages in the script of a question.

An English embedder gives every pair of Chinese sentences a cosine near 0.54, answer or not. Measured on probe_texts.py,
all-MiniLM-L6-v2 separates answers from other sentences by 9.7 standard deviations in English and 2.1 in Chinese; its
nDCG@10 is 0.944 on xquad en and 0.243 on xquad zh.
"""

import re
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import Embedder, embed_queries
from workbench.retrieval import probe_texts

# Standard deviations between the answers' cosines and those of the other sentences. At 2.5 the answer is level with the
# best of 160 others and therefore cannot be found; at 6.5 no other sentence comes near it.
_DROWNED = 2.5
_CLEAR = 6.5

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""Pattern of a Chinese character."""

_SCRIPTS = {
    "han": HAN,
    "kana": re.compile(r"[\u3040-\u30ff\u31f0-\u31ff]"),
    "hangul": re.compile(r"[\u1100-\u11ff\uac00-\ud7a3]"),
    "cyrillic": re.compile(r"[\u0400-\u052f]"),
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f]"),
}
_OTHER = re.compile(r"[^\W\d_]")
_PROBES = {
    "latin": probe_texts.LATIN,
    "han": probe_texts.HAN,
    "kana": probe_texts.KANA,
    "hangul": probe_texts.HANGUL,
    "cyrillic": probe_texts.CYRILLIC,
}

# Search and sentence ranker share the measurement of an embedder, which is kept as long as the embedder exists.
_known: "WeakKeyDictionary[Embedder, dict[str, EmbedderCalibration]]" = WeakKeyDictionary()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class EmbedderCalibration:
    """Calibration of the cosines for a question.

    Attributes:
        degree: Understanding of the question, 0 (the embedder cannot distinguish passages) to 1.
        floor: Cosine of a question and an unrelated sentence.
        spread: Distance of the answer's cosine above the floor.
    """

    degree: float
    floor: float
    spread: float

    def scaled(self, cosine: float) -> float:
        """Return a cosine on a scale that is the same for any embedder: 0 is unrelated, 1 is an answer."""
        return (cosine - self.floor) / self.spread


class EmbedderProbe:
    """Measures an embedder, one script at a time, when a question first needs it (about 0.1 s per script)."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        with _lock:
            self._measured = _known.setdefault(embedder, {})

    def understanding(self, question: str) -> EmbedderCalibration:
        """Return the calibration for a question, weighted by the scripts of its letters."""
        counts = _count_letters(question)
        total = sum(counts.values())
        latin = self._calibrate_script("latin")
        if not total:
            return latin
        degree = floor = 0.0
        spread = latin.spread
        for script, count in counts.items():
            measured = self._calibrate_script(script)
            degree += measured.degree * count / total
            floor += measured.floor * count / total
            spread = max(spread, measured.spread)
        return EmbedderCalibration(degree, floor, spread)

    def _calibrate_script(self, script: str) -> EmbedderCalibration:
        if script == "other":
            # There are no probe texts for it: use the script that the embedder understands least.
            return min((self._calibrate_script(known) for known in _PROBES), key=lambda measured: measured.degree)
        with _lock:
            if script not in self._measured:
                self._measured[script] = _measure(self._embedder, _PROBES[script])
            return self._measured[script]


def main_script(texts: Iterable[str]) -> str:
    """Return the script of most letters of texts: "latin", "han", "kana", "hangul", "cyrillic", or "other"."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_count_letters(text))
    return counts.most_common(1)[0][0] if counts else "latin"


def _count_letters(question: str) -> dict[str, int]:
    counts = {script: len(pattern.findall(question)) for script, pattern in _SCRIPTS.items()}
    if counts["kana"]:
        # Japanese uses both scripts, so its Han characters are not Chinese.
        counts["kana"] += counts.pop("han")
    counts["other"] = len(_OTHER.findall(question)) - sum(counts.values())
    return {script: count for script, count in counts.items() if count > 0}


def _measure(embedder: Embedder, pairs: Sequence[tuple[str, str]]) -> EmbedderCalibration:
    questions = embed_queries(embedder, [question for question, _ in pairs])
    cosines: NDArray[np.float32] = questions @ embedder.embed_documents([answer for _, answer in pairs]).T
    own = np.diag(cosines)
    others = cosines[~np.eye(len(pairs), dtype=bool)]
    spread = float(own.mean() - others.mean())
    deviations = spread / max(float(others.std()), 1e-6)
    degree = min(1.0, max(0.0, (deviations - _DROWNED) / (_CLEAR - _DROWNED)))
    return EmbedderCalibration(degree, float(others.mean()), max(spread, 1e-3))
