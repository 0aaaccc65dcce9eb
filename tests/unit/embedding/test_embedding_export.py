"""Export of sentence-transformers models: a tiny one with CLS pooling, prompts and no normalisation of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gates import kept_gate
from web_site import Site, body

from workbench.egress.hub import ModelHub
from workbench.embedding.base import TokenEmbedder
from workbench.embedding.export_manifest import earlier_folders, read_manifest
from workbench.embedding.onnx_embedder import OnnxEmbedder
from workbench.embedding.sentence_transformer import load_embedder
from workbench.errors import EmbeddingError

# In a separate process: torch would stay loaded in this one and slow down later tests that start processes.
MAKE_MODEL = """
import json, sys, torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
from sentence_transformers import SentenceTransformer, models as modules
folder = sys.argv[1]
words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", ".", *(f"w{n}" for n in range(40))]
tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
tokenizer.normalizer = normalizers.Lowercase()
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
                               sep_token="[SEP]", model_max_length=64)
torch.manual_seed(7)
bert = BertModel(BertConfig(vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                            intermediate_size=64, max_position_embeddings=64))
bert.save_pretrained(folder + "/bert"); fast.save_pretrained(folder + "/bert")
transformer = modules.Transformer(folder + "/bert", max_seq_length=48)
encoder = SentenceTransformer(modules=[transformer, modules.Pooling(32, pooling_mode="cls")], device="cpu",
                              prompts={"query": "query: ", "passage": "passage: "})
encoder.save(folder + "/model")
texts = ["w1 w2 w3.", "w4", "W5 w6 " * 10]
documents = encoder.encode(["passage: " + text for text in texts], normalize_embeddings=True)
query = encoder.encode("query: w1 w9", normalize_embeddings=True)
with open(folder + "/truth.json", "w") as file:
    json.dump({"documents": documents.tolist(), "query": query.tolist()}, file)
"""
TEXTS = ["w1 w2 w3.", "w4", "W5 w6 " * 10]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    done = subprocess.run([sys.executable, "-c", MAKE_MODEL, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def cache(tiny: Path) -> Path:
    load_embedder(str(tiny / "model"), cache=tiny / "cache", backend="fp32")
    return tiny / "cache"


@pytest.fixture
def copying_child(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the child return a copy of an existing export: 10 s less, mostly the import of torch."""
    (done,) = (path for path in cache.iterdir() if path.is_dir())
    kept = shutil.copytree(done, tmp_path / "of the child")

    def copy(_model: str, folder: Path, _name: str) -> None:
        shutil.copytree(kept, folder, dirs_exist_ok=True)

    monkeypatch.setattr("workbench.embedding.export._run_child", copy)


def test_the_export_gives_the_vectors_of_the_model(tiny: Path, cache: Path) -> None:
    truth = json.loads((tiny / "truth.json").read_text(encoding="utf-8"))
    embedder = load_embedder(str(tiny / "model"), cache=cache, backend="fp32")
    assert np.allclose(embedder.embed_documents(TEXTS), truth["documents"], atol=1e-5)
    assert np.allclose(embedder.embed_query("w1 w9"), truth["query"], atol=1e-5)


def test_a_model_by_its_name_comes_through_the_gate_once_and_gives_the_same_vectors(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "none"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    model = tiny / "model"
    files = {path.relative_to(model).as_posix(): path.read_bytes() for path in model.rglob("*") if path.is_file()}
    listing = {"sha": "abc", "siblings": [{"rfilename": name, "size": len(data)} for name, data in files.items()]}
    with Site() as site, kept_gate() as (gate, ledger):
        site.replies = {f"/org/tiny/resolve/abc/{name}": body(data) for name, data in files.items()}
        site.replies["/api/models/org/tiny/revision/main?blobs=true"] = body(json.dumps(listing), "application/json")
        hub = ModelHub(gate, tmp_path / "downloads", site.url(""))
        embedder = load_embedder("org/tiny", cache=tmp_path / "cache", backend="fp32", hub=hub)
        assert {path for path in site.paths if path.endswith(".safetensors")} == {
            "/org/tiny/resolve/abc/model.safetensors"
        }
        assert len(ledger.requests) == len(site.paths)
    truth = json.loads((tiny / "truth.json").read_text(encoding="utf-8"))
    assert np.allclose(embedder.embed_documents(TEXTS), truth["documents"], atol=1e-5)


def test_the_token_vectors_are_of_the_same_run(tiny: Path, cache: Path) -> None:
    truth = json.loads((tiny / "truth.json").read_text(encoding="utf-8"))
    embedder = load_embedder(str(tiny / "model"), cache=cache, backend="fp32")
    assert isinstance(embedder, TokenEmbedder)
    assert embedder.has_token_vectors
    # This model uses the vector of the first token for the text.
    first = np.stack([vectors[0] for vectors in embedder.token_vectors(TEXTS)])
    assert np.allclose(first, truth["documents"], atol=1e-5)


def test_a_question_s_tokens_are_without_the_prompt(tiny: Path, cache: Path) -> None:
    embedder = load_embedder(str(tiny / "model"), cache=cache, backend="fp32")
    assert isinstance(embedder, TokenEmbedder)
    asked = embedder.question_tokens(" W1 w9?")
    assert asked.spans == ((1, 3), (4, 6), (6, 7))
    assert asked.vectors.shape == (3, 32)


def test_the_manifest_describes_the_exported_model(cache: Path) -> None:
    (folder,) = (path for path in cache.iterdir() if path.is_dir())
    manifest = read_manifest(folder)
    assert manifest is not None
    assert (manifest.name, manifest.dim, manifest.max_tokens) == ("model", 32, 48)
    assert (manifest.query_prompt, manifest.document_prompt) == ("query: ", "passage: ")
    assert manifest.modules == ("Transformer", "Pooling(cls)")


def test_the_prompt_takes_its_tokens_from_the_text(tiny: Path, cache: Path) -> None:
    embedder = load_embedder(str(tiny / "model"), cache=cache, backend="fp32")
    assert embedder.tokenizer.max_tokens == 48 - 2


@pytest.mark.usefixtures("copying_child")
def test_an_export_that_is_damaged_is_made_again(tiny: Path, cache: Path) -> None:
    (folder,) = (path for path in cache.iterdir() if path.is_dir())
    (folder / "manifest.json").write_text("{")
    assert load_embedder(str(tiny / "model"), cache=cache, backend="fp32").dim == 32
    assert [path.name for path in cache.iterdir()] == [folder.name]


@pytest.mark.parametrize("ending", [".onnx", ".weights", "tokenizer.json"])
def test_an_export_with_a_file_missing_or_cut_short_does_not_count(cache: Path, tmp_path: Path, ending: str) -> None:
    (folder,) = (path for path in cache.iterdir() if path.is_dir())
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    assert read_manifest(copy) is not None
    damaged = next(path for path in copy.iterdir() if path.name.endswith(ending))
    os.truncate(damaged, damaged.stat().st_size - 1)
    assert read_manifest(copy) is None
    damaged.unlink()
    assert read_manifest(copy) is None


def test_a_graph_never_takes_the_weights_of_another_revision(tiny: Path, cache: Path, tmp_path: Path) -> None:
    (folder,) = (path for path in cache.iterdir() if path.is_dir())
    manifest = read_manifest(folder)
    assert manifest is not None
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    for path in copy.glob("*.weights"):
        path.rename(path.with_name(path.name.replace(manifest.revision, "another")))
    with pytest.raises(EmbeddingError, match="cannot be loaded"):
        OnnxEmbedder(copy, manifest, backend="fp32")


@pytest.mark.usefixtures("copying_child")
def test_an_export_takes_the_place_of_earlier_formats_and_of_what_a_kill_left(
    tiny: Path, cache: Path, tmp_path: Path
) -> None:
    (done,) = (path for path in cache.iterdir() if path.is_dir())
    place = tmp_path / "cache"
    now = place / done.name
    earlier = earlier_folders(now)[-1]
    for folder in (earlier, killed := place / "exporting-1"):
        shutil.copytree(done, folder / "model" if folder == killed else folder)
        os.utime(folder, (0, 0))
    load_embedder(str(tiny / "model"), cache=place, backend="fp32")
    assert [path.name for path in place.iterdir()] == [now.name]


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(EmbeddingError, match="There is no embedding model in the folder “empty”"):
        load_embedder(str(tmp_path / "empty"), cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_a_folder_with_a_damaged_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "config.json").write_text("{")
    with pytest.raises(EmbeddingError, match="“damaged” cannot be"):
        load_embedder(str(tmp_path / "damaged"), cache=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []
