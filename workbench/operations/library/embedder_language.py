"""Languages of a library that its embedding model hardly understands."""

from typing import TYPE_CHECKING

from workbench.errors import EmbeddingError
from workbench.language import mark

if TYPE_CHECKING:  # numpy is not needed to show the window.
    from workbench.embedding.base import Embedder
    from workbench.operations.library.library import Library

_SAMPLE = 100
"""Number of passages whose letters are counted."""

_HARDLY = 0.5
"""Degree of understanding below which a search counts words mainly; of all-MiniLM-L6-v2: English 1, Chinese 0."""

_HINT = {
    "han": mark(
        "Most passages are Chinese, which this model hardly understands: they are found by their words. Choose a"
        " multilingual model."
    ),
    "kana": mark(
        "Most passages are Japanese, which this model hardly understands: they are found by their words. Choose a"
        " multilingual model."
    ),
    "hangul": mark(
        "Most passages are Korean, which this model hardly understands: they are found by their words. Choose a"
        " multilingual model."
    ),
    "cyrillic": mark(
        "Most passages are in Cyrillic letters, which this model hardly understands: they are found by their words."
        " Choose a multilingual model."
    ),
}
"""Notices by script; embedder_calibration.py measures these scripts, and English."""


def language_notice(library: "Library", embedder: "Embedder") -> str:
    """Return a notice if an embedder hardly understands most passages of the library; empty if it does. Blocking.

    The first measurement of a script embeds some 24 sentences (0.1 s, or two requests to a server).
    """
    from workbench.retrieval.embedder_calibration import EmbedderProbe, main_script

    texts = library.embedders.sample_texts(_SAMPLE)
    notice = _HINT.get(main_script(texts), "")
    if not notice:
        return ""
    try:
        understood = EmbedderProbe(embedder).understanding(" ".join(texts)).degree
    except EmbeddingError:
        return ""
    return notice if understood < _HARDLY else ""
