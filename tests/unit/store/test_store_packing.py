"""Blobs of text, blocks and word boxes: unpacked as they were packed, or reported as damaged."""

import zlib
from collections.abc import Callable

import pytest

from workbench.errors import LibraryDamaged
from workbench.model.document import Block, BlockKind, WordBox, WordBoxes
from workbench.store.stored_values import (
    packed_blocks,
    packed_text,
    packed_words,
    unpacked_blocks,
    unpacked_text,
    unpacked_words,
)

BLOCKS = (Block(BlockKind.HEADING, 0, 7, level=2, page=3), Block(BlockKind.FORMULA, 7, 2**40, page=None))
WORDS = WordBoxes.pack(WordBox(n, n + 3, n + 0.5, 2.25, 9.0, n * 7.0) for n in range(300))


@pytest.mark.parametrize("text", ["", "plain", "水 and \U0001f40d", "half a pair \ud83d"])
def test_a_text_comes_out_as_it_went_in(text: str) -> None:
    assert unpacked_text(packed_text(text)) == text


@pytest.mark.parametrize("blocks", [(), BLOCKS])
def test_blocks_come_out_as_they_went_in(blocks: tuple[Block, ...]) -> None:
    assert unpacked_blocks(packed_blocks(blocks)) == blocks


@pytest.mark.parametrize("words", [WordBoxes(), WordBoxes.pack([WordBox(0, 1, 2, 3, 4, 5)]), WORDS])
def test_word_boxes_come_out_as_they_went_in(words: WordBoxes) -> None:
    assert unpacked_words(packed_words(words)) == words


def test_libraries_that_were_written_earlier_are_read() -> None:
    record = b"\x00\x02\x03\x00\x00\x00" + (0).to_bytes(8, "little") + (7).to_bytes(8, "little")
    assert unpacked_blocks(zlib.compress(record)) == BLOCKS[:1]
    assert unpacked_text(zlib.compress("水".encode())) == "水"
    planes = bytes(byte for byte in range(24) for _word in range(2))
    assert unpacked_words(zlib.compress(planes)).data == bytes(range(24)) * 2


def test_what_is_packed_is_smaller() -> None:
    assert len(packed_text("word " * 1000)) < 100
    assert len(packed_words(WORDS)) < len(WORDS.data) / 3


@pytest.mark.parametrize(
    ("unpacked", "blob"),
    [
        (unpacked_text, b"no zlib"),
        (unpacked_text, zlib.compress(b"\xff\xff")),
        (unpacked_blocks, packed_blocks(BLOCKS)[:-3]),
        (unpacked_blocks, zlib.compress(b"half a record")),
        (unpacked_blocks, zlib.compress(b"\xee" * 22)),
        (unpacked_words, b""),
    ],
)
def test_a_blob_that_is_not_what_was_packed_is_told_as_damage(unpacked: Callable[[bytes], object], blob: bytes) -> None:
    with pytest.raises(LibraryDamaged):
        unpacked(blob)
