"""Similarity of a question's tokens to the stored, compressed tokens of many chunks at once."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.indexing.token_codec import TokenCodec

GetCodes: TypeAlias = Callable[[Sequence[int]], tuple[tuple[NDArray[np.int64], NDArray[np.float32]], list[bytes]]]
"""Chunk ids -> those that have codes, with their vectors; and their codes."""


class StoredTokens:
    """Reader of the token codes of a library; safe to call from several threads at once."""

    def __init__(self, codec: Callable[[], TokenCodec | None], get: GetCodes) -> None:
        """Take what reads them.

        Args:
            codec: Returns the codec that made the codes; None while there are none.
            get: Reads codes from the library.
        """
        self._codec = codec
        self._get = get

    def nearest(self, asked: NDArray[np.float32], chunks: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return for each chunk that has codes float32 [asked]: each asked token's similarity to its nearest token.

        Args:
            asked: float32 [asked, width], rows of length 1.
            chunks: Ids; one without codes, or without a single word, is left out.
        """
        codec = self._codec()
        if codec is None or not len(asked):
            return {}
        (ids, vectors), packed = self._get(chunks)
        read = [codec.read(one) for one in packed]
        held = [(place, codes) for place, codes in enumerate(read) if codes is not None and len(codes.codes)]
        if not held:
            return {}
        places = [place for place, _ in held]
        rows = codec.nearest(asked, vectors[places], [codes for _, codes in held])
        return dict(zip(ids[places].tolist(), rows, strict=True))
