"""Phrase vectors of terms in documents: made once per model and machine, equal to vectors embedded alone."""

from pathlib import Path

import numpy as np
import pytest

from workbench.operations import Library
from workbench.operations.library.derived_vectors import phrase_vectors
from workbench.retrieval.query_expansion import PHRASES


def test_they_are_what_the_embedder_gives(library: Library, tmp_path: Path) -> None:
    vectors = phrase_vectors(library.models.embedder(), tmp_path)
    assert tuple(vectors) == PHRASES
    assert np.array_equal(vectors[PHRASES[7]], library.models.embedder().embed_query(PHRASES[7]))


def test_they_are_made_once_and_again_where_the_file_is_damaged(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = library.models.embedder()
    first = phrase_vectors(embedder, tmp_path)
    embedded: list[str] = []
    embed = embedder.embed_query
    monkeypatch.setattr(embedder, "embed_query", lambda text: (embedded.append(text), embed(text))[1])
    again = phrase_vectors(embedder, tmp_path)
    assert embedded == []
    assert np.array_equal(again[PHRASES[0]], first[PHRASES[0]])
    (file,) = (tmp_path / "phrase-vectors").iterdir()
    file.write_bytes(b"damaged")
    phrase_vectors(embedder, tmp_path)
    assert len(embedded) == len(PHRASES)


def test_a_cache_that_cannot_be_written_costs_only_time(library: Library, tmp_path: Path) -> None:
    (tmp_path / "phrase-vectors").write_text("a file where the folder should be")
    assert len(phrase_vectors(library.models.embedder(), tmp_path)) == len(PHRASES)
