"""Embedder that runs an exported model on onnxruntime, in batches of equal length."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import numpy as np
import onnxruntime
import psutil
from numpy.typing import NDArray

from workbench.embedding.base import QuestionTokens, unit_rows
from workbench.embedding.export_manifest import ExportManifest, graph_path, tokenizer_path
from workbench.embedding.tokenizer import ModelTokenizer
from workbench.errors import EmbeddingError
from workbench.model.chunk import EMBEDDED_AS
from workbench.system import current
from workbench.worker.process_memory import lower_priority

T = TypeVar("T")

_VECTORS = "vectors"
_TOKEN_VECTORS = "token_vectors"

# Cached questions, 30 KB each: with 16, a question of 20 that are answered at once was embedded twice.
_MOST_QUESTIONS = 64


@dataclass(frozen=True, slots=True)
class _EmbeddedQuestion:
    """Vectors of the first window of a question.

    Attributes:
        vector: float32 [dim].
        tokens: Vectors of its tokens.
        is_whole: True if the question has no further window.
    """

    vector: NDArray[np.float32]
    tokens: QuestionTokens
    is_whole: bool


class OnnxEmbedder:
    """Runs one graph of an export; safe to call from several threads.

    Attributes:
        id: "name/width/revision/backend": fp32 and int8 vectors agree only to a cosine of 0.985 and are never compared.
            The same applies to texts composed differently, which the revision distinguishes.
        dim: Width of a vector.
        tokenizer: The model's tokenizer.
        backend: "fp32" or "int8".
    """

    def __init__(self, folder: Path, manifest: ExportManifest, *, backend: str) -> None:
        """Load the graph and the tokenizer of a finished export.

        Raises:
            EmbeddingError: They cannot be read.
        """
        self.backend = backend
        self.id = f"{manifest.name}/{manifest.dim}/{manifest.revision}.{EMBEDDED_AS}/{backend}"
        self.dim = manifest.dim
        self._query_prompt = manifest.query_prompt
        self._asked: dict[str, _EmbeddedQuestion] = {}
        self._asking = threading.Lock()
        self._document_prompt = manifest.document_prompt
        try:
            self.tokenizer = ModelTokenizer(
                tokenizer_path(folder), max_tokens=manifest.max_tokens, prompt=manifest.document_prompt
            )
            self._session = open_session(graph_path(folder, backend))
        except Exception as error:  # tokenizers and onnxruntime raise bare Exceptions
            raise EmbeddingError(
                f"The embedding model “{manifest.name}” cannot be loaded.",
                f"Delete the folder {folder} and try again: it will be created again.",
            ) from error

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return float32 [n, dim], rows of length 1, in the order of the texts.

        Raises:
            EmbeddingError: The model failed; no partial result is returned.
        """
        return self._embed([self._document_prompt + text for text in texts])

    def embed_single_tokens(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Return the vector of each token as a separate text, float32 [n, dim], rows of length 1.

        Raises:
            EmbeddingError: The model failed.
        """
        special = self.tokenizer.windows([""])[0][0]
        begin, end = special[: len(special) // 2], special[len(special) // 2 :]
        return self._embed_windows([[[*begin, token, *end]] for token in tokens])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return float32 [dim] of length 1.

        Raises:
            EmbeddingError: The model failed.
        """
        question = self._question(text.strip())
        if question.is_whole:
            return question.vector
        vector: NDArray[np.float32] = self._embed([self._query_prompt + text])[0]
        return vector

    def _question(self, text: str) -> "_EmbeddedQuestion":
        """Return the vectors of a question, from the cache if it was embedded recently.

        A search needs both kinds, and so does the ranking of sentences: 3.5 runs per question, 2.5 with the cache.
        """
        with self._asking:
            known = self._asked.get(text)
        if known is None:
            ids, spans, is_whole = self.tokenizer.first_window(self._query_prompt + text)
            names = [_VECTORS, _TOKEN_VECTORS] if self.has_token_vectors else [_VECTORS]
            found: list[NDArray[np.float32]] = []
            self._run_batches(lambda _: found.extend(self._session.run(names, model_inputs([ids]))), [len(ids)])
            begin = len(self._query_prompt)
            kept = [index for index, (start, end) in enumerate(spans) if end > start >= begin]
            tokens = unit_rows(found[1][0][kept]) if len(found) > 1 else np.empty((0, self.dim), np.float32)
            places = tuple((spans[index][0] - begin, spans[index][1] - begin) for index in kept)
            known = _EmbeddedQuestion(found[0][0], QuestionTokens(tokens, places), is_whole)
            with self._asking:
                self._asked[text] = known
                while len(self._asked) > _MOST_QUESTIONS:
                    del self._asked[next(iter(self._asked))]
        return known

    def embed_with_tokens(
        self, texts: Sequence[str], keep: Callable[[NDArray[np.float32], NDArray[np.float32]], T]
    ) -> tuple[NDArray[np.float32], list[T]]:
        """Return the result of embed_documents(), and that of `keep` for each text's vector and its words' vectors.

        One run computes both. A word is a token with a letter or digit: the others take 14 % of the space and carry no
        information (nDCG@10 of late interaction on xquad en 0.979 with and without). `keep` runs on the embedding
        threads, because the words of 128 passages of 170 tokens are 27 MB, which one core alone would have to compress.

        Raises:
            EmbeddingError: The model failed, or has no token vectors.
        """
        windows = self.tokenizer.windows([self._document_prompt + text for text in texts])
        sequences = [(number, sequence) for number, of_text in enumerate(windows) for sequence in of_text]
        vectors = np.empty((len(sequences), self.dim), np.float32)
        kept: dict[int, T] = {}
        pieces: dict[int, NDArray[np.float32]] = {}

        def run(batch: list[int]) -> None:
            inputs = model_inputs([sequences[index][1] for index in batch])
            vectors[batch], states = self._session.run([_VECTORS, _TOKEN_VECTORS], inputs)
            held = self.tokenizer.is_word[inputs["input_ids"]]
            for row, index in enumerate(batch):
                words = unit_rows(states[row][held[row]])
                number = sequences[index][0]
                if len(windows[number]) == 1:
                    kept[number] = keep(vectors[index], words)
                else:
                    pieces[index] = words

        self._run_batches(run, [len(sequence) for _, sequence in sequences], in_background=True)
        if pieces:
            vectors = _join_windows(vectors, windows)
        for number in {sequences[index][0] for index in pieces}:
            words = np.concatenate([pieces[index] for index, (text, _) in enumerate(sequences) if text == number])
            kept[number] = keep(vectors[number], words)
        return vectors, [kept[number] for number in range(len(texts))]

    @property
    def has_token_vectors(self) -> bool:
        """True if the model returns token vectors."""
        return any(output.name == _TOKEN_VECTORS for output in self._session.get_outputs())

    def question_tokens(self, question: str) -> QuestionTokens:
        """Return the vectors of a question's tokens; for a very long question those of its beginning.

        Raises:
            EmbeddingError: The model failed.
        """
        return self._question(question).tokens

    def token_vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return, for each text, float32 [tokens, width], rows of length 1; runs at normal priority.

        Raises:
            EmbeddingError: The model failed.
        """
        windows = self.tokenizer.windows([self._document_prompt + text for text in texts])
        states = iter(self._token_states([sequence for of_text in windows for sequence in of_text]))
        return [np.concatenate([next(states) for _ in of_text]) for of_text in windows]

    def _token_states(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        found: dict[int, NDArray[np.float32]] = {}

        def run(batch: list[int]) -> None:
            states = self._session.run([_TOKEN_VECTORS], model_inputs([sequences[i] for i in batch]))[0]
            found.update(zip(batch, unit_rows(states), strict=True))

        self._run_batches(run, [len(sequence) for sequence in sequences])
        return [found[index] for index in range(len(sequences))]

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed_windows(self.tokenizer.windows(texts))

    def _embed_windows(self, windows: Sequence[Sequence[Sequence[int]]]) -> NDArray[np.float32]:
        sequences = [sequence for of_text in windows for sequence in of_text]
        vectors = np.empty((len(sequences), self.dim), np.float32)

        def run(batch: list[int]) -> None:
            vectors[batch] = self._session.run([_VECTORS], model_inputs([sequences[i] for i in batch]))[0]

        self._run_batches(run, [len(sequence) for sequence in sequences], in_background=True)
        if len(sequences) == len(windows):
            return vectors
        return _join_windows(vectors, windows)

    def _run_batches(
        self, run: Callable[[list[int]], None], lengths: Sequence[int], *, in_background: bool = False
    ) -> None:
        """Run the batches for sequences of these lengths, one per core at a time."""
        batches = list(plan_batches(lengths))
        try:
            if len(batches) < 2:
                # A question, or a single chunk, does not justify a thread.
                for batch in batches:
                    run(batch)
            else:
                workers = min(_count_cores(), len(batches))
                start = lower_priority if in_background else None
                with ThreadPoolExecutor(workers, thread_name_prefix="embedding", initializer=start) as pool:
                    list(pool.map(run, batches))
        except Exception as error:  # onnxruntime raises bare Exceptions
            raise EmbeddingError(
                f"The embedding model failed: {error}", "Close other programs to free memory, then try again."
            ) from error


def _join_windows(vectors: NDArray[np.float32], windows: Sequence[Sequence[Sequence[int]]]) -> NDArray[np.float32]:
    """Return one vector per text: the mean of its windows' vectors weighted by token count, scaled to length 1."""
    joined = np.empty((len(windows), vectors.shape[1]), np.float32)
    row = 0
    for index, of_text in enumerate(windows):
        weights = np.array([len(sequence) for sequence in of_text], np.float32)
        mean = weights @ vectors[row : row + len(of_text)]
        joined[index] = mean / max(float(np.linalg.norm(mean)), 1e-12)
        row += len(of_text)
    return joined


def open_session(path: Path) -> onnxruntime.InferenceSession:
    """Return a session configured for this machine."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # One core per batch and several batches at a time: next to other busy programs, 90 chunks/s of 164 tokens, compared
    # with 77 with all cores on one batch (threads that sleep while waiting) and about 50 (threads that spin).
    options.intra_op_num_threads = 1
    # Memory planning for each batch shape takes 16 MB more and is not faster.
    options.enable_mem_pattern = False
    # onnxruntime's fused skip + layer norm is slower than the separate operations: 12.7 instead of 13.6 thousand
    # tokens/s per core with int8, 5.5 instead of 5.6 with fp32.
    return onnxruntime.InferenceSession(
        str(path), options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"]
    )


def _count_cores() -> int:
    """Return the number of cores that this process may use; hyper-threaded cores count once."""
    usable = current().usable_cores()
    return max(1, min(usable, psutil.cpu_count(logical=False) or usable))


# Maximum number of tokens (rows times length) of a batch, which runs on one core: 4 rows of 200 tokens; 128 passages
# rarely have more of one length. int8 on one core, thousand tokens/s for passages of 205 tokens: one row 11.5, two
# 13.0, four 13.6; from 1,024 tokens on it becomes slower, because the activations exceed the cache.
BATCH_TOKENS = 820


def plan_batches(lengths: Sequence[int], *, tokens: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Yield the indices of each batch, longest first; a batch has one length and at most `tokens`, or one sequence."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    for length, group in groupby(order, key=lengths.__getitem__):
        indices = list(group)
        rows = max(1, tokens // max(1, length))
        for start in range(0, len(indices), rows):
            yield indices[start : start + rows]


def model_inputs(sequences: Sequence[Sequence[int]]) -> dict[str, NDArray[np.int64]]:
    """Return the model's inputs for sequences of one length: token ids, and a mask of ones."""
    tokens = np.array(sequences, np.int64)
    return {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
