"""The remaining time of an import: one estimate over reading, OCR, the layout model and embedding."""

import json
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from workbench.operations.imports.progress import Pace, PagesLeft, Progress

IMPORTS = Path(__file__).resolve().parents[2] / "data" / "imports"
NEAR_SECONDS = 15.0
"""Difference that nobody notices: a few seconds left, or a quarter of a minute."""

MOST_SILENT = 0.4
"""Maximum share of the time of an import after which it has an estimate."""


def replay(recorded: Any, times: list[float]) -> Iterator[float | None]:
    """Repeat a recorded import, and yield the estimate at these times in seconds.

    A recording has the calls on Progress with their times; "state" sets the counts of files and chunks. All were made
    by tests/benchmarks/record_import.py on 2 busy cores. Each is named after its files: reports, manuals, texts, books,
    scans and pictures, most of them in a new library.
    """
    progress, last, left = Progress(readers=2), 0.0, list(times)
    calls = recorded["calls"]
    for place, (time, name, arguments) in enumerate(calls):
        while left and time > left[0]:
            document = next((later[2][0] for later in calls[place:] if later[1] in ("page_was_read", "pages_end")), 0)
            progress.page_takes(document, left[0] - last)
            if progress.batch is not None:
                began = next(one[0] for one in reversed(calls[:place]) if one[1] == "batch_begins")
                progress.batch = progress.batch[0], perf_counter() - (left[0] - began)
            left.pop(0)
            yield progress.seconds_left
        last = repeat(progress, time, name, arguments, last)


def repeat(progress: Progress, time: float, name: str, arguments: list[Any], last: float) -> float:
    """Repeat one call; return the time since which the second pass works on its next page."""
    match name:
        case "state":
            progress.files, progress.files_done, progress.chunks, later = arguments
            progress.later_chunks = {0: later}
        case "waits" | "was_read" | "pages_were_read":
            getattr(progress, name)(Path(arguments[0]), *arguments[1:])
        case "pages_wait":
            progress.pages_wait(*arguments[:2], ocr=arguments[2], tables=arguments[3])
        case "page_was_read":
            progress.page_was_read(*arguments[:2], is_table=arguments[2])
            return time
        case "pages_end":
            progress.pages_end(arguments[0], time - last)
            return time
        case _:
            getattr(progress, name)(*arguments)
    return last


def time_of_work(recorded: Any, share: float) -> float:
    """Return the time at which a share of the seconds that all stages take was done, 0 to 1."""
    done = [0.0]
    for _time, name, arguments in recorded["calls"]:
        match name:
            case "was_read":
                done.append(done[-1] + arguments[3] / 2)
            case "was_embedded" | "page_was_read":
                done.append(done[-1] + arguments[1])
            case _:
                done.append(done[-1])
    return next(
        call[0] for call, seconds in zip(recorded["calls"], done[1:], strict=True) if seconds >= share * done[-1]
    )


def is_near(estimate: float, true: float) -> bool:
    return true / 2 <= estimate <= 2 * true or abs(true - estimate) < NEAR_SECONDS


def is_ocr(call: Any) -> bool:
    _time, name, arguments = call
    return name == "page_was_read" and not arguments[2]


def recordings() -> dict[str, Any]:
    return {file.stem: json.loads(file.read_text("utf-8")) for file in sorted(IMPORTS.glob("*.json"))}


def test_after_a_fifth_of_the_work_the_time_left_is_within_a_factor_of_2_in_9_of_10_recorded_imports() -> None:
    wrong: dict[str, tuple[float, float | None]] = {}
    imports = recordings()
    for name, recorded in imports.items():
        seconds, fifth = recorded["seconds"], time_of_work(recorded, 0.2)
        times = [fifth + 0.01, *(place for percent in range(100) if (place := seconds * percent / 100) > fifth)]
        told = ((time, estimate) for time, estimate in zip(times, replay(recorded, times), strict=True))
        # Nothing is said until the first passages of a new library are embedded.
        time, estimate = next((time, estimate) for time, estimate in told if estimate is not None)
        if time > MOST_SILENT * seconds or not is_near(estimate, seconds - time):
            wrong[name] = round(seconds - time), estimate
    assert len(imports) >= 10
    assert sum(any(is_ocr(call) for call in one["calls"]) for one in imports.values()) >= 3
    assert len(wrong) <= len(imports) / 10, wrong


def test_from_a_fifth_of_recorded_imports_on_9_of_10_estimates_are_within_a_factor_of_2() -> None:
    right: list[bool] = []
    for recorded in recordings().values():
        times = [recorded["seconds"] * share / 100 for share in range(20, 100, 5)]
        for time, estimate in zip(times, replay(recorded, times), strict=True):
            if estimate is not None:
                right.append(is_near(estimate, recorded["seconds"] - time))
    assert len(right) >= 100
    assert sum(right) >= 0.9 * len(right)


def test_pages_of_ocr_that_are_left_count_when_all_chunks_are_embedded() -> None:
    progress = Progress(files=2)
    progress.chunks = 100
    progress.was_embedded(100, 10.0)
    progress.pages_wait(1, ".pdf", ocr=20, tables=0)
    for _ in range(10):
        progress.page_was_read(1, 6.0, is_table=False)
    assert progress.seconds_left == pytest.approx(60, rel=0.2)
    assert progress.share == pytest.approx(0.5, abs=0.1)
    progress.pages_end(1, 1.0)
    assert (progress.seconds_left, progress.share) == (0, 1)


def test_files_that_wait_are_expected_to_need_as_much_ocr_as_those_that_were_read() -> None:
    progress = Progress(files=2)
    for name in ("a.pdf", "b.pdf"):
        progress.waits(Path(name), 1000)
    progress.was_read(Path("a.pdf"), 1000, 0, 1.0)
    progress.pages_wait(1, ".pdf", ocr=10, tables=0)
    alone = Progress(pages_left={1: PagesLeft(ocr=10)}).seconds_left
    assert alone is not None
    assert progress.seconds_left == pytest.approx(2 * alone, rel=0.1)


def test_a_short_file_that_was_read_slowly_does_not_make_a_long_one_take_as_long_for_each_byte() -> None:
    progress = Progress(files=2, chunks=1)
    for name, size in (("a.html", 1_000), ("b.html", 100_000)):
        progress.waits(Path(name), size)
    progress.was_read(Path("a.html"), 1_000, 1, 10.0)
    progress.was_embedded(1, 0.5)
    assert 10 < (progress.seconds_left or 0) < 60


def test_a_page_that_takes_longer_than_all_before_lengthens_the_estimate() -> None:
    progress = Progress(pages_left={1: PagesLeft(ocr=10), 2: PagesLeft()})
    before = progress.seconds_left
    progress.page_takes(1, 60.0)
    assert before is not None
    assert (progress.seconds_left or 0) > 2.5 * before
    progress.page_takes(2, 60.0)  # stored, not read
    assert progress.seconds_left == before


def test_pages_that_nobody_measured_are_expected_to_be_as_slow_as_the_passages_that_were_embedded() -> None:
    left: list[float] = []
    for pace in (0.04, 0.16):
        progress = Progress(chunks=128, pages_left={1: PagesLeft(ocr=10)})
        progress.was_embedded(128, 128 * pace)
        assert progress.seconds_left is not None
        left.append(progress.seconds_left)
    assert left[1] == pytest.approx(4 * left[0], rel=0.1)


def test_the_start_of_the_model_in_a_short_first_batch_is_not_taken_for_its_speed() -> None:
    progress = Progress(chunks=1040)
    progress.was_embedded(16, 16 * 0.03 + 1.0)
    assert progress.seconds_left == pytest.approx(1024 * 0.03, rel=0.4)
    progress.was_embedded(128, 128 * 0.03)
    assert progress.seconds_left == pytest.approx(896 * 0.03, rel=0.1)


def test_chunks_of_documents_in_the_second_pass_count() -> None:
    progress = Progress(files=1, chunks=100, embedding=Pace(0.1, 128))
    progress.was_embedded(100, 10.0)
    assert progress.seconds_left == 0
    progress.later_chunks[1] = 100
    assert progress.seconds_left == pytest.approx(10)


def test_no_estimate_is_shown_before_embedding_speed_is_known_even_if_all_documents_wait_for_ocr() -> None:
    progress = Progress(pages_left={1: PagesLeft(ocr=3)}, later_chunks={1: 30})
    assert (progress.seconds_left, progress.share) == (None, 0)


def test_of_a_partly_read_file_only_the_rest_counts() -> None:
    progress = Progress(files=2, chunks=10, embedding=Pace(0.1, 128))
    progress.was_embedded(10, 1.0)
    for name in ("a.pdf", "b.pdf"):
        progress.waits(Path(name), 1000)
    progress.was_read(Path("a.pdf"), 1000, 0, 10.0)
    assert progress.seconds_left == pytest.approx(10)
    progress.pages_were_read(Path("b.pdf"), 80, 100, 8.0)
    assert progress.seconds_left == pytest.approx(2)
    before = progress.share
    progress.pages_were_read(Path("b.pdf"), 90, 100, 18.0)
    assert progress.seconds_left == pytest.approx(100 * 28 / 1900)  # slower than expected
    assert progress.share > before
    progress.leaves("b.pdf")
    progress.pages_were_read(Path("b.pdf"), 95, 100, 19.0)  # a late report
    assert progress.seconds_left == 0


def test_a_batch_that_takes_longer_than_those_before_lengthens_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    progress = Progress(files=1, chunks=1000, embedding=Pace(0.1, 128))
    progress.was_embedded(200, 20.0)
    before = progress.seconds_left
    progress.batch_begins(100)
    began = perf_counter()
    monkeypatch.setattr("time.perf_counter", lambda: began + 110)
    assert before == pytest.approx(80)
    assert progress.seconds_left == pytest.approx(800 * 130 / 300, rel=0.01)
