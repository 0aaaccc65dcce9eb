"""Segment files of vectors: used only if they are intact."""

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


@pytest.fixture
def stays_in_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat the segment like a large one: its rows are not kept in memory."""
    monkeypatch.setattr("workbench.indexing.segment.LEAST", 1)


@pytest.mark.parametrize("least", [1, 16_384])
def test_written_vectors_are_read_back(file: Path, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.indexing.segment.LEAST", least)
    segment = Segment.open(file, dim=4)
    assert segment.ids.tolist() == IDS.tolist()
    assert segment.is_held is (least > 3)
    np.testing.assert_array_equal(segment.rows[:], ROWS)
    np.testing.assert_array_equal(segment.rows[np.array([0, 2])], ROWS[[0, 2]])
    assert segment.is_sound(never)


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


def test_one_flipped_bit_in_rows_that_are_held_is_refused(file: Path) -> None:
    flip(file, -5)
    with pytest.raises(IndexUnavailable, match="damaged"):
        Segment.open(file, dim=4)


@pytest.mark.usefixtures("stays_in_file")
def test_one_flipped_bit_in_the_rows_is_found_when_they_are_looked_at(file: Path) -> None:
    flip(file, -5)
    assert not Segment.open(file, dim=4).is_sound(never)


@pytest.mark.usefixtures("stays_in_file")
def test_a_deleted_or_replaced_file_is_still_readable_and_reported_as_not_in_place(file: Path) -> None:
    segment = Segment.open(file, dim=4)
    assert segment.file.is_in_place
    file.unlink()
    assert (segment.file.is_in_place, segment.is_sound(never)) == (False, True)
    write_segment(file, IDS, iter([-ROWS]), dim=4)
    np.testing.assert_array_equal(segment.rows[:], ROWS)
    assert not segment.file.is_in_place


@pytest.mark.usefixtures("stays_in_file")
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


def test_a_file_whose_content_is_replaced_after_its_stamp_is_not_accepted(
    file: Path, stays_in_file: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    segment = Segment.open(file, dim=4)
    os.utime(file)  # a write has begun
    monkeypatch.setattr("workbench.indexing.index_file.time.sleep", lambda _: file.write_bytes(b"noise" * 30))
    assert not segment.is_sound(never)
    assert segment.file.is_changed


def test_an_old_file_is_checked_without_waiting(
    file: Path, stays_in_file: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    segment = Segment.open(file, dim=4)
    monkeypatch.setattr("workbench.indexing.index_file._RECENT", 0)
    monkeypatch.setattr("workbench.indexing.index_file.time.sleep", None)
    assert segment.is_sound(never)
