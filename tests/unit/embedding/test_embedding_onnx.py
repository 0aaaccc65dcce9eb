"""The built-in model on onnxruntime, and the choice of the backend."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from workbench.embedding.base import Embedder, words_alone
from workbench.embedding.export_manifest import read_manifest
from workbench.embedding.sentence_transformer import SHIPPED, load_embedder
from workbench.errors import EmbeddingError
from workbench.operations.library.models import model_cache

CACHE = model_cache()


@pytest.fixture
def copied_cache(embedder: Embedder, tmp_path: Path) -> Path:
    """Return a separate cache with the built-in model's export, without the measured speeds."""
    folder = next(path for path in CACHE.glob("all-MiniLM-L6-v2-*") if read_manifest(path))
    copy = tmp_path / folder.name
    shutil.copytree(
        folder, copy, copy_function=lambda a, b: Path(b).hardlink_to(a) if b.endswith(".weights") else shutil.copy(a, b)
    )
    (copy / "speed.json").unlink(missing_ok=True)
    return tmp_path


def test_int8_agrees_with_fp32_and_has_another_id(embedder: Embedder) -> None:
    fp32, int8 = (load_embedder("", cache=CACHE, backend=name) for name in ("fp32", "int8"))
    texts = ["The cat sleeps.", "Stock prices fell sharply after the news of the merger came out on Monday."]
    assert np.sum(fp32.embed_documents(texts) * int8.embed_documents(texts), axis=1).min() > 0.97
    assert fp32.id != int8.id


def test_one_run_gives_the_vectors_and_those_of_the_words(embedder: Embedder) -> None:
    texts = ["The cat sleeps.", "A pump, a valve; (a seal)!"]
    vectors, words = embedder.embed_with_tokens(texts, words_alone)  # type: ignore[attr-defined]
    assert np.sum(vectors * embedder.embed_documents(texts), axis=1).min() > 0.999
    assert [len(one) for one in words] == [3, 6]
    whole = embedder.token_vectors(texts[:1])[0]  # type: ignore[attr-defined]
    assert np.sum(words[0] * whole[1:4], axis=1).min() > 0.99


def test_data_kept_for_a_text_uses_its_own_vector_however_many_windows_it_has(embedder: Embedder) -> None:
    texts = ["A pump.", "The valve of the pump is closed by hand. " * 60, "A seal."]
    vectors, kept = embedder.embed_with_tokens(texts, lambda own, words: (own, len(words)))  # type: ignore[attr-defined]
    assert np.allclose(np.stack([own for own, _ in kept]), vectors, atol=1e-6)
    assert np.sum(vectors * embedder.embed_documents(texts), axis=1).min() > 0.999
    assert [kept[0][1], kept[1][1] > 500, kept[2][1]] == [2, True, 2]


def test_vectors_of_texts_that_are_made_otherwise_have_another_id(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = load_embedder("", cache=CACHE, backend="int8")
    monkeypatch.setattr("workbench.embedding.onnx_embedder.EMBEDDED_AS", 999)
    assert load_embedder("", cache=CACHE, backend="int8").id != now.id


def test_auto_measures_once_a_machine_and_remembers(copied_cache: Path) -> None:
    first = load_embedder("", cache=copied_cache)
    (result,) = copied_cache.glob("*/speed.json")
    measured = result.read_text(encoding="utf-8")
    assert json.loads(measured)["backend"] == first.id.rsplit("/", 1)[1]
    assert load_embedder("", cache=copied_cache).id == first.id
    assert result.read_text(encoding="utf-8") == measured
    result.write_text(json.dumps({"machine": "another", "backend": "fp32"}), encoding="utf-8")
    load_embedder("", cache=copied_cache)
    assert json.loads(result.read_text(encoding="utf-8"))["machine"] == json.loads(measured)["machine"]


def test_a_damaged_model_graph_is_reported_with_the_remedy(copied_cache: Path) -> None:
    (graph,) = copied_cache.glob("*/fp32.onnx")
    graph.write_bytes(b"?" * graph.stat().st_size)
    with pytest.raises(EmbeddingError, match=r"cannot be loaded.*Delete the folder"):
        load_embedder("", cache=copied_cache, backend="fp32")


def test_the_weights_are_mapped_not_read(embedder: Embedder) -> None:
    code = (
        "import psutil; from pathlib import Path; from workbench.embedding.sentence_transformer import load_embedder\n"
        f"embedder = load_embedder('', cache=Path({str(CACHE)!r}), backend='int8')\n"
        "print([m.rss < m.size / 2 for m in psutil.Process().memory_maps() if m.path.endswith('.weights')])"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[True]", "")


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="There is no folder"):
        load_embedder(str(tmp_path / "nothing"), cache=tmp_path)


def test_a_cache_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EmbeddingError, match="cannot be stored"):
        load_embedder("", cache=tmp_path / "file")


def test_a_loaded_export_needs_no_torch(embedder: Embedder) -> None:
    code = (
        "import sys; from pathlib import Path; from workbench.embedding.sentence_transformer import load_embedder\n"
        f"load_embedder('', cache=Path({str(CACHE)!r})).embed_query('x')\n"
        "sys.exit(','.join({'torch', 'transformers', 'sentence_transformers', 'onnx'} & set(sys.modules)) or 0)"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_model_shipped_with_an_installer_is_used_in_place_and_unchanged(
    copied_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (export,) = copied_cache.glob("all-MiniLM-L6-v2-*")
    shipped = export.rename(tmp_path / SHIPPED)
    shipped.chmod(0o555)
    monkeypatch.setattr("workbench.embedding.sentence_transformer.resource", lambda *_parts: shipped)
    monkeypatch.setattr(
        "workbench.embedding.sentence_transformer.built_in_folder", lambda: pytest.fail("was looked for")
    )
    cache = tmp_path / "cache"
    chosen = load_embedder("", cache=cache)
    (measured,) = cache.iterdir()
    assert json.loads(measured.read_text(encoding="utf-8"))["backend"] == chosen.id.rsplit("/", 1)[1]
    assert not (shipped / "speed.json").exists()


def test_another_model_is_rejected_with_an_error_message_when_sentence_transformers_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    (tmp_path / "mine").mkdir()
    with pytest.raises(EmbeddingError, match=r"such as “mine” are not installed.*Install them in the settings"):
        load_embedder(str(tmp_path / "mine"), cache=tmp_path / "cache")
