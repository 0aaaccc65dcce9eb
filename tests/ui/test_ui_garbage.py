"""Interval of garbage collection by the window: short while objects are created, long while none are."""

import gc
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from workbench.ui.garbage_collector import IDLE_MS, INTERVAL_MS, GarbageCollector


@pytest.fixture
def collector(qtbot: QtBot) -> Iterator[GarbageCollector]:
    made = GarbageCollector()
    made.start()
    gc.collect()
    yield made
    made.stop()


def looked(collector: GarbageCollector) -> int:
    """Run a collection and return the interval until the next one in milliseconds."""
    collector._timer.timeout.emit()
    return collector._timer.interval()


def test_while_nothing_is_made_it_looks_seldom(collector: GarbageCollector) -> None:
    looked(collector)
    assert looked(collector) == IDLE_MS


def test_as_soon_as_something_is_made_it_looks_often_again(collector: GarbageCollector) -> None:
    looked(collector)
    looked(collector)
    made: list[list[object]] = [[] for _ in range(100)]
    assert looked(collector) == INTERVAL_MS
    assert made


def test_no_garbage_is_collected_while_the_window_starts(
    collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    monkeypatch.setattr("gc.get_count", lambda: (99_999, 99, 99))
    monkeypatch.setattr("gc.collect", done.append)
    collector.start(frozen_until_settled=True)
    assert collector.check() == -1
    collector.settle()
    assert done == []
    collector.check()
    assert len(done) == 1


def test_a_large_library_is_not_looked_through_for_garbage(
    collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr("workbench.ui.garbage_collector._MOST", 0)
    monkeypatch.setattr("gc.get_count", lambda: (0, 0, 99))
    monkeypatch.setattr("gc.freeze", lambda: done.append("left alone"))
    monkeypatch.setattr("gc.collect", lambda *_: done.append("looked through"))
    assert collector.check() == 2
    assert done == ["left alone"]


def test_a_long_look_waits_until_nothing_is_made(collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    monkeypatch.setattr("workbench.ui.garbage_collector._QUICK", 0)
    monkeypatch.setattr("workbench.ui.garbage_collector._MOST", 10**9)
    monkeypatch.setattr("gc.get_count", lambda: (0, 99, 99))
    monkeypatch.setattr("gc.collect", done.append)
    assert collector.check(is_still=False) == 1
    assert collector.check(is_still=True) == 2
    assert done == [1, 2]


def test_survivors_of_quick_collections_trigger_an_older_generation_before_they_accumulate(
    collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    monkeypatch.setattr("gc.get_count", lambda: (4000, 1, 0))
    monkeypatch.setattr("gc.collect", done.append)
    for _ in range(4):
        collector.check(is_still=False)
    assert done == [0, 0, 1, 0]
