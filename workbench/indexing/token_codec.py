"""Compression of token vectors for late interaction.

Product quantisation of the residual after subtracting the chunk's own vector.

A token's vector is mostly its chunk's vector, which is kept in full anyway: x = mean + a * p + r, with p the chunk's
vector and a the mean of x . p over the chunk's tokens. Only r is quantised: rotated to its principal directions and
cut into parts, each stored as the number of the nearest of 256 centroids. A query token is scored against all tokens of
a chunk by table look-up, without decoding (Jégou et al. 2011, "asymmetric distance"); ColBERTv2 and PLAID are similar.
"""

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

# Noise of the scores over their spread within the first 40 passages of questions of squad2 / evidence / filings, by
# bytes a token: 24 0.36 / 0.38 / 0.41, 32 0.31 / 0.33 / 0.36. Trained on the texts of the window, not on the words of
# the vocabulary: 0.42 / 0.47 / 0.47. The whole search with 24 / 32: squad2 0.948 / 0.952 (500 questions; with whole
# tokens 0.953), evidence 0.930 in both (472), hotpot 0.834 / 0.831 (100). 256 directions are no closer than 192 (noise
# 0.425 and 0.433 on filings), but make parts of eight, which FAISS compares eight at a time: 135 words take 0.44 ms of
# one core, and 4.7 ms in parts of six.
_PARTS = 32
_WIDTH = 256
_CENTROIDS = 256
_ROUNDS = 10

# Blocks of this many rows stay in the processor's second-level cache: 29,000 tokens of 16 bytes take 4.2 ms, not 5.4.
_BLOCK = 3000
# Rows of the table are whole cache lines.
_LINE = 16

# Multiplications of one matrix product. numpy's BLAS splits a larger one among threads, which then compete with those
# that embed: 128 chunks of 135 words take 0.26 s of two cores at once, and 2.2 s one by one.
_MOST_PRODUCTS = 2**19 - 1
# Columns of the rotation in one product: with 4 rows and all columns, the rotation was read from memory for each 4
# tokens, which took 6.6 us a token on AVX2, now 3.5.
_COLUMNS = 32

_HEAD = struct.Struct("<HHH")
_SHARE = "<f2"

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TokenCodes:
    """The token codes of one chunk.

    Attributes:
        share: Mean projection of its tokens on the chunk's own vector.
        codes: uint8 [tokens, parts].
    """

    share: float
    codes: NDArray[np.uint8]

    def packed(self) -> bytes:
        """Return the stored form: two bytes for the share, then the codes of each token."""
        return np.array(self.share, _SHARE).tobytes() + self.codes.tobytes()


class TokenCodec:
    """Encoder of token vectors, and the scorer of their codes; immutable, safe to use from several threads.

    Attributes of the class:
        LEAST_TOKENS: Minimum number of tokens for training.
    """

    LEAST_TOKENS = _CENTROIDS

    def __init__(self, mean: Floats, rotation: Floats, centroids: Floats) -> None:
        """Take the parts of a trained codec.

        Args:
            mean: float32 [width of a token vector]; subtracted first.
            rotation: float32 [width of a token vector, parts * part width], columns of length 1.
            centroids: float32 [parts, 256, part width].
        """
        self._mean, self._rotation = mean, rotation
        columns = math.gcd(rotation.shape[1], _COLUMNS)
        self._rotation_blocks = np.ascontiguousarray(rotation.reshape(len(mean), -1, columns).transpose(1, 0, 2))
        self._most_rows = max(1, _MOST_PRODUCTS // (columns * len(mean)))
        self._centroids = np.ascontiguousarray(centroids, np.float32)
        parts, _, part_width = centroids.shape
        self._quantiser = faiss.ProductQuantizer(parts * part_width, parts, 8)
        faiss.memcpy(_centroids_of(self._quantiser), faiss.swig_ptr(self._centroids), self._centroids.nbytes)
        # A second copy, in the order in which the nearest one is found in 0.37 ms for 135 words instead of 0.60.
        self._quantiser.sync_transposed_centroids()

    @property
    def bytes_per_token(self) -> int:
        """Number of bytes per token."""
        return int(self._centroids.shape[0])

    @classmethod
    def train(cls, vectors: Floats, tokens: Sequence[Floats]) -> "TokenCodec":
        """Return a codec fitted to the tokens of some texts.

        Args:
            vectors: float32 [texts, dim], the texts' own vectors, rows of length 1.
            tokens: For each text float32 [tokens, width], rows of length 1; at least 256 tokens in total.
        """
        joined = np.concatenate(tokens)
        mean = joined.mean(axis=0)
        rest = np.concatenate([_rest(one - mean, vector) for one, vector in zip(tokens, vectors, strict=True)])
        variances, directions = np.linalg.eigh(rest.T @ rest / len(rest))
        width = min(_WIDTH, rest.shape[1] // _PARTS * _PARTS) or rest.shape[1]
        parts = _PARTS if width % _PARTS == 0 else 1
        order = _dealt(np.maximum(variances[::-1][:width], 1e-9), parts)
        rotation = np.ascontiguousarray(directions[:, ::-1][:, order], np.float32)
        quantiser = faiss.ProductQuantizer(width, parts, 8)
        quantiser.cp.niter, quantiser.cp.min_points_per_centroid = _ROUNDS, 1
        quantiser.train(np.ascontiguousarray(rest @ rotation))
        values = faiss.rev_swig_ptr(_centroids_of(quantiser), _CENTROIDS * width)
        return cls(mean, rotation, values.reshape(parts, _CENTROIDS, -1).copy())

    def encode(self, vector: Floats, tokens: Floats) -> TokenCodes:
        """Return the codes of a chunk: 1.1 ms for 135 words on AVX2, on the caller's thread alone.

        Args:
            vector: float32 [dim], the chunk's own.
            tokens: float32 [tokens, width], rows of length 1.
        """
        if not len(tokens):
            return TokenCodes(0.0, np.empty((0, self.bytes_per_token), np.uint8))
        blocks = -(-(len(tokens) + 1) // self._most_rows)
        # One row more than the tokens, for the chunk's own vector, and what fills the last block.
        rows = np.zeros((blocks * -(-(len(tokens) + 1) // blocks), len(self._mean)), np.float32)
        rest = np.subtract(tokens, self._mean, out=rows[: len(tokens)])
        share = _share(rest, vector)
        if share:
            rows[len(tokens)] = vector
        turned = self._turn(rows.reshape(blocks, -1, len(self._mean)))
        # The setting applies to the calling thread only.
        faiss.omp_set_num_threads(1)
        codes = self._quantiser.compute_codes(turned[: len(tokens)] - share * turned[len(tokens)])
        return TokenCodes(share, codes)

    def _turn(self, blocks: Floats) -> Floats:
        """Return float32 [rows, parts * part width]: blocks of rows [blocks, rows, width], rotated."""
        products = blocks[:, None] @ self._rotation_blocks
        return products.transpose(0, 2, 1, 3).reshape(blocks.shape[0] * blocks.shape[1], -1)

    def read(self, packed: bytes) -> TokenCodes | None:
        """Parse the result of packed(); None if it is invalid."""
        size = len(packed) - np.dtype(_SHARE).itemsize
        if size < 0 or size % self.bytes_per_token:
            return None
        share = float(np.frombuffer(packed, _SHARE, 1)[0])
        codes = np.frombuffer(packed, np.uint8, offset=np.dtype(_SHARE).itemsize)
        return TokenCodes(share, codes.reshape(-1, self.bytes_per_token))

    def nearest(self, asked: Floats, vectors: Floats, chunks: Sequence[TokenCodes]) -> Floats:
        """Return float32 [chunks, asked]: the similarity of each query token to the nearest token of each chunk.

        200 chunks of 145 tokens and 15 asked ones take 6 ms of one core with AVX2.

        Args:
            asked: float32 [asked, width], rows of length 1.
            vectors: float32 [chunks, dim], the chunks' own.
            chunks: Codes of the chunks, each with at least one token.
        """
        starts = np.cumsum([0, *(len(one.codes) for one in chunks[:-1])])
        best: Floats = np.maximum.reduceat(self._table_sums(asked, chunks), starts, axis=0)[:, : len(asked)]
        return best + self._common_part(asked, vectors, chunks)

    def similarities(self, asked: Floats, vectors: Floats, chunks: Sequence[TokenCodes]) -> list[Floats]:
        """Return for each chunk float32 [tokens, asked]: the similarity of each of its tokens to each query token.

        The arguments are those of nearest().
        """
        sums = self._table_sums(asked, chunks)[:, : len(asked)]
        ends = np.cumsum([len(one.codes) for one in chunks])
        common = self._common_part(asked, vectors, chunks)
        return [part + row for part, row in zip(np.split(sums, ends[:-1]), common, strict=True)]

    def _common_part(self, asked: Floats, vectors: Floats, chunks: Sequence[TokenCodes]) -> Floats:
        """Return the part of the similarities that all tokens of a chunk share, float32 [chunks, asked]."""
        common: Floats = np.repeat((asked @ self._mean)[np.newaxis], len(chunks), axis=0)
        if vectors.shape[1] == asked.shape[1]:
            common += np.array([one.share for one in chunks], np.float32)[:, None] * (vectors @ asked.T)
        return common

    def _table_sums(self, asked: Floats, chunks: Sequence[TokenCodes]) -> Floats:
        """Return float32 [tokens of all chunks, asked or more]: sums of the table entries of each part of a code."""
        codes = np.ascontiguousarray(np.concatenate([one.codes for one in chunks]).T).astype(np.intp)
        parts, _, part_width = self._centroids.shape
        turned = (asked @ self._rotation).reshape(len(asked), parts, part_width)
        table = np.zeros((parts, _CENTROIDS, -len(asked) % _LINE + len(asked)), np.float32)
        table[:, :, : len(asked)] = self._centroids @ turned.transpose(1, 2, 0)
        sums = np.empty((codes.shape[1], table.shape[2]), np.float32)
        buffer = np.empty((_BLOCK, table.shape[2]), np.float32)
        for start in range(0, len(sums), _BLOCK):
            block = sums[start : start + _BLOCK]
            # "clip" writes straight into out; a code is always in range.
            np.take(table[0], codes[0, start : start + _BLOCK], axis=0, out=block, mode="clip")
            for part in range(1, parts):
                more = buffer[: len(block)]
                np.take(table[part], codes[part, start : start + _BLOCK], axis=0, out=more, mode="clip")
                block += more
        return sums

    def packed(self) -> bytes:
        """Return the codec as it is stored, half a megabyte; unpacked() reads it."""
        parts, _, part_width = self._centroids.shape
        head = _HEAD.pack(len(self._mean), parts, part_width)
        arrays = (self._mean, self._rotation, self._centroids)
        return head + b"".join(np.ascontiguousarray(one, "<f4").tobytes() for one in arrays)

    @classmethod
    def unpacked(cls, packed: bytes) -> "TokenCodec | None":
        """Return the codec that packed() stored; None if the data is invalid."""
        if len(packed) < _HEAD.size:
            return None
        width, parts, part_width = _HEAD.unpack_from(packed)
        values = np.frombuffer(packed, np.uint8, offset=_HEAD.size)
        sizes = (width, width * parts * part_width, parts * _CENTROIDS * part_width)
        if len(values) != 4 * sum(sizes):
            return None
        mean, rotation, centroids = np.split(values.view("<f4").astype(np.float32), np.cumsum(sizes)[:-1])
        return cls(mean, rotation.reshape(width, -1), centroids.reshape(parts, _CENTROIDS, part_width))


def _rest(tokens: Floats, vector: Floats) -> Floats:
    """Return the tokens minus their mean share of the chunk's vector."""
    share = _share(tokens, vector)
    return tokens - share * vector if share else tokens


def _share(tokens: Floats, vector: Floats) -> float:
    """Return the mean projection of the tokens on their chunk's vector; 0 if the widths differ."""
    if not len(tokens) or tokens.shape[1] != len(vector):
        return 0.0
    # Rounded to the stored precision.
    return float(np.array(tokens.mean(axis=0) @ vector, _SHARE))


def _centroids_of(quantiser: Any) -> Any:
    """Return the address of a quantiser's centroids, float32 [parts, 256, part width].

    Not quantiser.centroids: PyMuPDF is made by SWIG too, and where it was loaded before, that is a vector of its class.
    """
    return quantiser.get_centroids(0, 0)


def _dealt(variances: Floats, parts: int) -> list[int]:
    """Return the order of the directions in which each part gets about the same share of the variance's logarithm."""
    size = len(variances) // parts
    weights = np.log(variances) - np.log(variances[-1]) + 0.01
    dealt: list[list[int]] = [[] for _ in range(parts)]
    loads = np.zeros(parts)
    for direction, weight in enumerate(weights):
        part = min((one for one in range(parts) if len(dealt[one]) < size), key=loads.__getitem__)
        dealt[part].append(direction)
        loads[part] += weight
    return [direction for part in dealt for direction in part]
