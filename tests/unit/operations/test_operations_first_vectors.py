"""First vectors: new chunks are found by approximate vectors until the model has embedded them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.embedding.onnx_embedder import OnnxEmbedder
from workbench.embedding.static_embedding import StaticEmbedding
from workbench.errors import EmbeddingError
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.imports.embedding import BATCH
from workbench.operations.library.derived_vectors import make_static_embedding, static_embedding_of
from workbench.operations.library.models import model_cache

Run = Callable[[Any], Any]
BY_MEANING = SearchConfiguration(SearchMode.DENSE, reranking="none")


@pytest.fixture(autouse=True)
def _made(embedder: Embedder) -> None:
    make_static_embedding(embedder, model_cache(), lambda: False)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Return files with three times as many chunks as one batch, the last chunk about a bridge."""
    paths = [tmp_path / f"{number:03}.txt" for number in range(3 * BATCH)]
    for number, path in enumerate(paths):
        path.write_text(f"Pump {number} has two valves and a filter for the oil of the engine.", "utf-8")
    paths[-1].write_text("The bridge over the river was opened in 1932.", "utf-8")
    return paths


def test_chunks_waiting_to_be_embedded_are_found_by_meaning(
    library: Library, run: Run, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: set[str] = set()
    embed = OnnxEmbedder.embed_with_tokens

    def look_first(self: OnnxEmbedder, texts: list[str], keep: Any) -> Any:
        if not any("bridge" in text for text in texts):
            hits = (
                library.models.retriever().search("When was the viaduct finished?", k=1, configuration=BY_MEANING).hits
            )
            found.update(hit.document_name for hit in hits)
        return embed(self, texts, keep)

    run(operations.warm_up(library))
    monkeypatch.setattr(OnnxEmbedder, "embed_with_tokens", look_first)
    run(operations.add_documents(library, files))
    assert files[-1].name in found
    assert library.models.first_vectors_held is not None
    assert library.models.first_vectors_held.vectors.count == 0  # the model's took their place


def test_first_vectors_are_not_made_in_a_program_that_does_not_search(
    library: Library, run: Run, files: list[Path]
) -> None:
    run(operations.add_documents(library, files))
    assert library.models.first_vectors_held is None


def test_no_more_are_computed_than_there_is_room_for(
    library: Library, run: Run, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[tuple[int, int]] = []
    embed = StaticEmbedding.embed_documents

    def counted(self: StaticEmbedding, texts: Sequence[str], *rest: Any) -> Any:
        held = library.models.first_vectors_held
        assert held is not None
        computed.append((len(texts), held.vectors.room))
        return embed(self, texts, *rest)

    monkeypatch.setattr(StaticEmbedding, "embed_documents", counted)
    monkeypatch.setattr("workbench.indexing.first_vectors.MOST", 50)
    run(operations.search(library, "bridge"))
    run(operations.add_documents(library, files))
    assert sum(texts for texts, _ in computed) >= 50
    assert [(texts, room) for texts, room in computed if texts > room] == []


def test_where_the_model_fails_they_stay_until_the_documents_are_removed(
    library: Library, run: Run, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise EmbeddingError("The embedding model failed.")

    run(operations.warm_up(library))
    monkeypatch.setattr(OnnxEmbedder, "embed_with_tokens", fail)
    run(operations.add_documents(library, files))
    assert library.models.first_vectors_held is not None
    assert library.models.first_vectors_held.vectors.count >= 2 * BATCH
    run(operations.remove_documents(library, [document.id for document in library.documents.list()]))
    assert library.models.first_vectors_held.vectors.count == 0


def test_the_table_is_made_once_and_not_where_something_else_is_asked_for(tmp_path: Path, embedder: Embedder) -> None:
    make_static_embedding(embedder, tmp_path, lambda: True)
    assert static_embedding_of(embedder, tmp_path) is None
    static = static_embedding_of(embedder, model_cache())
    assert static is not None
    assert isinstance(embedder, OnnxEmbedder)
    near, far = static.embed_documents(["The viaduct is finished.", "Two valves."], embedder.tokenizer.windows)
    question = static.project(embedder.embed_query("When was the bridge opened?"))
    assert float(near @ question) > float(far @ question) + 0.1
