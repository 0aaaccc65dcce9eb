"""Token vectors for late interaction: made with the vectors, filled in when idle, deleted by a setting."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.operations import Library
from workbench.operations.library.derived_vectors import codec_of, fill_in
from workbench.operations.library.models import model_cache

Run = Callable[[Any], Any]


@pytest.fixture
def bridges(library: Library, run: Run, tmp_path: Path) -> Library:
    for name, text in {"a": "The bridge was opened in 1932.", "b": "The pump has two valves."}.items():
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    run(operations.add_documents(library, [tmp_path / "a.txt", tmp_path / "b.txt"]))
    return library


def test_an_import_keeps_the_tokens_of_each_passage(bridges: Library) -> None:
    count, size = bridges.models.tokens.table.size()
    codec = bridges.models.tokens.stored_codec(bridges.models.embedder().id)
    assert codec is not None
    assert (count, size > 8 * codec.bytes_per_token) == (2, True)


def test_a_search_compares_stored_tokens_and_embeds_no_passage(
    bridges: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object) -> None:
        raise AssertionError("a passage was embedded")

    monkeypatch.setattr("workbench.embedding.onnx_embedder.OnnxEmbedder.token_vectors", forbidden)
    hit = run(operations.search(bridges, "When did the viaduct open?")).hits[0]
    assert "1932" in hit.chunk.text
    assert hit.scores.rerank_rank == 1


def test_an_offline_answer_embeds_nothing_but_the_question(
    bridges: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(operations.ask(bridges, "How many valves has the pump?"))  # with the measurement of the model
    monkeypatch.setattr("workbench.embedding.onnx_embedder.OnnxEmbedder.embed_documents", None)
    kept = run(operations.ask(bridges, "When was the bridge opened?"))
    assert "1932" in kept.answer


def test_switched_off_the_tokens_are_deleted_and_no_more_are_kept(bridges: Library, run: Run, tmp_path: Path) -> None:
    passages, size = run(operations.word_vector_size(bridges))
    assert passages == sum(one.chunks for one in bridges.documents.list())
    assert size > 0
    run(operations.put_setting(bridges, "token_codes", "no"))
    assert run(operations.word_vector_size(bridges)) == (0, 0)
    (tmp_path / "c.txt").write_text("The lock was built later.", "utf-8")
    run(operations.add_documents(bridges, [tmp_path / "c.txt"]))
    assert bridges.models.tokens.table.size() == (0, 0)
    assert run(operations.search(bridges, "When did the viaduct open?")).hits


def test_passages_of_an_earlier_version_get_their_tokens_when_there_is_time(bridges: Library) -> None:
    numbers = [chunk.id for one in bridges.documents.list() for chunk in bridges.documents.chunks(one.id)]
    before = bridges.models.tokens.table.get(bridges.models.embedder().id, numbers)[1]
    bridges.models.tokens.delete_all()
    fill_in(bridges.models, bridges.vectors, lambda: True)
    assert bridges.models.tokens.table.size() == (0, 0)
    fill_in(bridges.models, bridges.vectors, lambda: False)
    assert [len(one) for one in bridges.models.tokens.table.get(bridges.models.embedder().id, numbers)[1]] == [
        len(one) for one in before
    ]


def test_the_codec_of_a_model_is_fitted_once_on_a_machine(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    first = codec_of(library.models.embedder(), model_cache())
    monkeypatch.setattr("workbench.indexing.token_codec.TokenCodec.train", None)
    again = codec_of(library.models.embedder(), model_cache())
    assert first is not None
    assert again is not None
    assert first.packed() == again.packed()


@pytest.mark.logs_warnings
def test_a_codec_that_cannot_be_read_has_the_tokens_made_again(bridges: Library) -> None:
    with bridges.database.write() as connection:
        connection.execute("UPDATE token_codecs SET codec = X'00'")
    bridges.models.tokens._codecs.clear()
    assert bridges.models.tokens.stored_codec(bridges.models.embedder().id) is None
    fill_in(bridges.models, bridges.vectors, lambda: False)
    assert bridges.models.tokens.table.size()[0] == 2
