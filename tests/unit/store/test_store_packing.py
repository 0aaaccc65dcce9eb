"""Blobs of text, blocks and word boxes: unpacked as they were packed, or reported as damaged."""

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from workbench.errors import LibraryDamaged
from workbench.model.document import Block, BlockKind, WordBox, WordBoxes
from workbench.store.stored_values import (
    decode_value,
    encode_value,
    is_row_number,
    loaded_json,
    packed_blocks,
    packed_numbers,
    packed_text,
    packed_words,
    real_path,
    stored_json,
    unpacked_blocks,
    unpacked_numbers,
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


def test_packed_text_and_word_boxes_are_smaller() -> None:
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
def test_a_blob_that_differs_from_what_was_packed_is_reported_as_damage(
    unpacked: Callable[[bytes], object], blob: bytes
) -> None:
    with pytest.raises(LibraryDamaged):
        unpacked(blob)


@pytest.mark.parametrize("numbers", [(), (0,), (-1, 2**63 - 1, -(2**63)), tuple(range(1000))])
def test_numbers_come_out_as_they_went_in(numbers: tuple[int, ...]) -> None:
    assert unpacked_numbers(packed_numbers(numbers)) == numbers


@pytest.mark.parametrize("value", [[], {}, ["水", None, 1.5], {"a": [True]}])
def test_json_comes_out_as_it_went_in(value: object) -> None:
    assert loaded_json(stored_json(value)) == value


@dataclass(frozen=True)
class _Held:
    kinds: dict[str, BlockKind]
    score: float | None = None
    blocks: tuple[Block, ...] = ()


def test_a_value_comes_out_with_the_classes_of_its_parts() -> None:
    for held in (_Held({"a": BlockKind.TABLE}, 1.0, BLOCKS), _Held({})):
        decoded = decode_value(_Held, json.loads(json.dumps(encode_value(held))))
        assert decoded == held
        assert all(isinstance(kind, BlockKind) for kind in decoded.kinds.values())


def test_a_row_number_is_above_zero_and_has_63_bits() -> None:
    assert [is_row_number(number) for number in (-1, 0, 1, 2**63 - 1, 2**63)] == [False, False, True, True, False]


def test_a_path_that_no_system_can_have_is_its_own_real_path() -> None:
    assert real_path("no\0path") == "no\0path"
