"""Cross-encoders of sentence-transformers: a tiny one, made here; in a separate process, as torch stays loaded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.errors import RerankingError
from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.cross_encoder import CrossEncoderReranker

MAKE = """
import sys, torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedTokenizerFast
folder = sys.argv[1]
words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "bridge", "opened", "pump", "when", "?", "."]
tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
tokenizer.normalizer = normalizers.Lowercase()
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
                               sep_token="[SEP]", model_max_length=64)
torch.manual_seed(7)
facts = dict(vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
             max_position_embeddings=64)
kinds = {"one": (BertForSequenceClassification, 1), "three": (BertForSequenceClassification, 3), "bare": (BertModel, 1)}
for name, (kind, labels) in kinds.items():
    model = kind(BertConfig(**facts, num_labels=labels))
    model.save_pretrained(f"{folder}/{name}"); fast.save_pretrained(f"{folder}/{name}")
"""
USE = """
import json, sys
from workbench.errors import RerankingError
from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.cross_encoder import CrossEncoderReranker
passages = [Candidate("pump.", "Manual"), Candidate("bridge opened. " * 200), Candidate("")]
said = {}
for name in ("one", "three", "bare"):
    reranker = CrossEncoderReranker(f"{sys.argv[1]}/{name}")
    try:
        said[name] = [reranker.rerank("When opened?", passages) for _ in range(2)]
    except RerankingError as error:
        said[name] = str(error)
from sentence_transformers import CrossEncoder
pairs = [("When opened?", passage.in_context) for passage in passages]
said["truth"] = CrossEncoder(f"{sys.argv[1]}/one", device="cpu").predict(pairs).tolist()
print("\\n" + json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("cross-encoders")
    program = [sys.executable, "-c", MAKE + USE, str(folder)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def test_e31_a_folder_gives_the_model_s_own_scores(said):
    first, again = said["one"]
    assert first == pytest.approx(said["truth"], abs=1e-5)
    assert again == pytest.approx(first, abs=1e-6)
    assert all(0 < score < 1 for score in first)


def test_a_classifier_of_several_classes_is_refused(said):
    assert "returns 3 numbers" in said["three"]


def test_an_embedding_model_is_refused_instead_of_getting_a_head_at_random(said):
    assert "is not a reranking model" in said["bare"]


def test_a_missing_model_or_folder_is_reported_without_loading_torch(tmp_path: Path):
    before = "torch" in sys.modules
    for name, message in (("", "No reranking model"), (str(tmp_path / "none"), "There is no folder")):
        with pytest.raises(RerankingError, match=message):
            CrossEncoderReranker(name).rerank("q", [Candidate("a"), Candidate("b")])
    assert ("torch" in sys.modules) is before


def test_reranking_without_sentence_transformers_raises_a_readable_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(
        RerankingError, match=r"reranking models such as .* are not installed.*Install them in the settings"
    ):
        CrossEncoderReranker(str(tmp_path)).rerank("q", [Candidate("a"), Candidate("b")])
