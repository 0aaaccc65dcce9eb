"""Compressed token vectors: accuracy of their scores."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.indexing.token_codec import TokenCodec, TokenCodes

WIDTH = 64


def passages(count: int, *, seed: int) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
    """Return vectors of passages and similar vectors of their tokens, like those of a model."""
    random = np.random.default_rng(seed)
    vectors = _unit(random.standard_normal((count, WIDTH)))
    return vectors, [_unit(vector + 0.2 * random.standard_normal((30, WIDTH))) for vector in vectors]


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def coded(codec: TokenCodec, vectors: NDArray[np.float32], tokens: list[NDArray[np.float32]]) -> list[TokenCodes]:
    return [codec.encode(own, of_chunk) for own, of_chunk in zip(vectors, tokens, strict=True)]


@pytest.fixture(scope="module")
def codec() -> TokenCodec:
    return TokenCodec.train(*passages(40, seed=1))


def test_scores_of_codes_come_near_to_those_of_the_tokens(codec: TokenCodec) -> None:
    vectors, tokens = passages(20, seed=2)
    asked = tokens[3][:5]
    exact = np.stack([(asked @ one.T).max(axis=1) for one in tokens])
    found = codec.nearest(asked, vectors, coded(codec, vectors, tokens))
    assert found.shape == exact.shape
    assert np.abs(found - exact).max() < 0.25
    assert found.mean(axis=1).argmax() == 3


def test_chunks_of_different_lengths_are_scored_each_for_itself(codec: TokenCodec) -> None:
    vectors, tokens = passages(3, seed=3)
    tokens = [tokens[0][:1], tokens[1], tokens[2][:7]]
    codes = coded(codec, vectors, tokens)
    together = codec.nearest(tokens[1][:2], vectors, codes)
    alone = [codec.nearest(tokens[1][:2], vectors[[n]], [codes[n]])[0] for n in range(3)]
    assert np.allclose(together, alone, atol=1e-5)


def test_codes_and_codec_are_read_back_as_they_were(codec: TokenCodec) -> None:
    vectors, tokens = passages(2, seed=4)
    codes = coded(codec, vectors, tokens)
    again = TokenCodec.unpacked(codec.packed())
    assert again is not None
    read = [again.read(one.packed()) for one in codes]
    assert all(one is not None for one in read)
    assert np.array_equal(
        again.nearest(tokens[0], vectors, [one for one in read if one]), codec.nearest(tokens[0], vectors, codes)
    )


def test_a_codec_works_where_pymupdf_was_loaded_before(tmp_path: Path, codec: TokenCodec) -> None:
    (tmp_path / "codec").write_bytes(codec.packed())
    script = "import sys, pathlib, pymupdf; from workbench.indexing.token_codec import TokenCodec as Codec;"
    script += "print(Codec.unpacked(pathlib.Path(sys.argv[1]).read_bytes()).bytes_per_token)"
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "codec")], capture_output=True, check=True)
    assert int(done.stdout) == codec.bytes_per_token


def test_a_text_without_a_word_has_no_codes(codec: TokenCodec) -> None:
    codes = codec.encode(np.ones(WIDTH, np.float32), np.empty((0, WIDTH), np.float32))
    assert codes.codes.shape == (0, codec.bytes_per_token)


@pytest.mark.parametrize("damage", [b"", b"x", b"\x01\x00\x01\x00\x01\x00zz"])
def test_bytes_that_are_not_a_codec_are_rejected(damage: bytes) -> None:
    assert TokenCodec.unpacked(damage) is None


def test_bytes_that_are_not_token_codes_are_rejected(codec: TokenCodec) -> None:
    assert codec.read(b"x") is None
    assert codec.read(b"xx" + b"y" * (codec.bytes_per_token + 1)) is None
