"""Files of vectors: believed only when they are whole."""

import os
from pathlib import Path

import numpy as np
import pytest

from workbench.errors import IndexUnavailable
from workbench.indexing.segment import Segment, write_segment

IDS = np.array([3, 5, 900], np.int64)
ROWS = np.eye(3, 4, dtype=np.float32)


def never() -> bool:
    return False


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "1.vectors"
    write_segment(path, IDS, iter([ROWS[:2], ROWS[2:]]), dim=4)
    return path


def test_what_was_written_is_mapped(file: Path) -> None:
    segment = Segment.open(file, dim=4)
    assert segment.ids.tolist() == IDS.tolist()
    np.testing.assert_array_equal(segment.rows, ROWS)
    assert segment.is_sound(never)


def test_pages_that_were_given_back_are_read_again(file: Path) -> None:
    segment = Segment.open(file, dim=4)
    segment.release()
    np.testing.assert_array_equal(segment.rows, ROWS)


@pytest.mark.parametrize("length", [0, 3, 31, 70, -1])
def test_a_file_cut_short_is_refused(file: Path, length: int) -> None:
    file.write_bytes(file.read_bytes()[:length])
    with pytest.raises(IndexUnavailable):
        Segment.open(file, dim=4)


@pytest.mark.parametrize("place", [0, 9, 13, 25, 30, 64, 80])
def test_one_flipped_bit_in_head_or_ids_is_refused(file: Path, place: int) -> None:
    flip(file, place)
    with pytest.raises(IndexUnavailable):
        Segment.open(file, dim=4)


def test_one_flipped_bit_in_the_rows_is_found_when_they_are_looked_at(file: Path) -> None:
    flip(file, -5)
    assert not Segment.open(file, dim=4).is_sound(never)


def test_a_file_that_is_gone_is_not_sound(file: Path) -> None:
    segment = Segment.open(file, dim=4)
    file.unlink()
    assert not segment.is_sound(never)


def test_looking_at_the_rows_can_be_stopped(file: Path) -> None:
    flip(file, -5)
    assert Segment.open(file, dim=4).is_sound(lambda: True)


def test_a_foreign_file_and_one_of_another_width_are_refused(file: Path) -> None:
    with pytest.raises(IndexUnavailable):
        Segment.open(file, dim=5)
    file.write_bytes(b"These are my notes and no vectors. " * 10)
    with pytest.raises(IndexUnavailable, match="damaged"):
        Segment.open(file, dim=4)


def test_a_kill_while_it_is_written_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        write_segment(tmp_path / "1.vectors", IDS, iter([ROWS]), dim=4)
    assert not (tmp_path / "1.vectors").exists()


def flip(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)
