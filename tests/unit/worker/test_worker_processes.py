"""Faults of child processes never affect the parent."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from workbench.errors import EmptyDocument
from workbench.worker import process_memory, processes
from workbench.worker.child_messages import send_partial_result
from workbench.worker.processes import ProcessCrashed, ProcessOutOfMemory, ProcessPool, ProcessTimedOut


def triple(number: int) -> int:
    return 3 * number


def own_pid() -> int:
    return os.getpid()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hang() -> None:
    time.sleep(60)


def hang_busily() -> None:
    while True:
        pass


def count(steps: int, seconds: float) -> str:
    """Use CPU time for this duration at each step, and report each step."""
    for step in range(steps):
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass
        send_partial_result(step)
    return "counted"


def starve() -> int:
    """Take a second with hardly any CPU time, as on a busy machine."""
    for _ in range(100):
        time.sleep(0.01)
        sum(range(50_000))
    return 42


def gobble() -> int:
    hoard = [bytearray(b"x" * 2**20) for _ in range(4000)]
    return len(hoard)


def leap() -> int:
    return len(bytearray(8 * 2**30))


def refuse() -> None:
    raise EmptyDocument("Nothing in it.", "Try another.")


def unpicklable_error() -> None:
    error = ValueError("cannot travel")
    error.lock = threading.Lock()  # type: ignore[attr-defined]
    raise error


def unpicklable_value() -> object:
    return threading.Lock()


def imported(names: tuple[str, ...]) -> list[str]:
    return [name for name in names if name in sys.modules]


@pytest.fixture
def pool() -> Iterator[ProcessPool]:
    pool = ProcessPool(1)
    yield pool
    pool.close()


def call(pool: ProcessPool, function, *args, seconds: float = 30.0, megabytes: int = 512):  # type: ignore[no-untyped-def]
    return asyncio.run(pool.run(function, *args, seconds=seconds, megabytes=megabytes))


def test_value_comes_back(pool: ProcessPool) -> None:
    assert call(pool, triple, 14) == 42


def test_child_is_kept_warm_between_calls(pool: ProcessPool) -> None:
    assert call(pool, own_pid) == call(pool, own_pid) != os.getpid()


def test_crashed_child_is_reported_and_replaced(pool: ProcessPool) -> None:
    with pytest.raises(ProcessCrashed) as caught:
        call(pool, die)
    assert caught.value.exit_code == -signal.SIGKILL
    assert call(pool, triple, 1) == 3


@pytest.mark.parametrize(("kills", "ran_out"), [((3, 4), True), ((4, 4), False)])
def test_a_killed_child_ran_out_of_memory_only_when_the_kernel_reports_it(
    pool: ProcessPool, monkeypatch: pytest.MonkeyPatch, kills: tuple[int, int], ran_out: bool
) -> None:
    told = iter(kills)
    monkeypatch.setattr(process_memory, "oom_kills", lambda: next(told))
    with pytest.raises(ProcessCrashed) as caught:
        call(pool, die)
    assert caught.value.memory_ran_out is ran_out


def test_hanging_child_is_killed_and_replaced(pool: ProcessPool) -> None:
    pid = call(pool, own_pid)
    with pytest.raises(ProcessTimedOut):
        call(pool, hang, seconds=0.2)
    assert not psutil.pid_exists(pid)
    assert call(pool, triple, 1) == 3


def test_child_that_waits_for_the_processor_has_ten_times_as_long_and_no_more(pool: ProcessPool) -> None:
    assert asyncio.run(pool.run(starve, seconds=0.5, megabytes=512, patience=10.0)) == 42
    with pytest.raises(ProcessTimedOut):
        asyncio.run(pool.run(starve, seconds=0.5, megabytes=512, patience=1.0))


@pytest.mark.parametrize("function", [hang, hang_busily])
def test_an_idle_child_or_one_in_an_endless_loop_gets_no_extra_time(
    pool: ProcessPool, function: Callable[[], None]
) -> None:
    started = time.monotonic()
    with pytest.raises(ProcessTimedOut):
        asyncio.run(pool.run(function, seconds=1.0, megabytes=512, patience=1000.0))
    assert time.monotonic() - started < 60


def test_partial_results_of_a_call_are_received_and_extend_its_time_limit(pool: ProcessPool) -> None:
    heard: list[int] = []
    run = pool.run(count, 4, 0.4, seconds=1.0, megabytes=512, patience=100.0, on_partial=heard.append)
    assert (asyncio.run(run), heard) == ("counted", [0, 1, 2, 3])


def test_an_endless_call_is_terminated_despite_its_partial_results(
    pool: ProcessPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "MOST_RESTARTS", 2)
    heard: list[int] = []
    with pytest.raises(ProcessTimedOut):
        asyncio.run(pool.run(count, 10_000, 0.1, seconds=0.5, megabytes=512, patience=100.0, on_partial=heard.append))
    assert 0 < len(heard) < 20


@pytest.mark.parametrize("function", [gobble, leap])
def test_memory_hog_is_stopped_and_replaced(pool: ProcessPool, function) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ProcessOutOfMemory):
        call(pool, function, megabytes=300)
    assert call(pool, triple, 1) == 3


def test_function_s_own_exception_is_raised(pool: ProcessPool) -> None:
    with pytest.raises(EmptyDocument) as caught:
        call(pool, refuse)
    assert caught.value.hint == "Try another."


def test_exception_that_cannot_travel_keeps_its_words(pool: ProcessPool) -> None:
    with pytest.raises(RuntimeError, match="ValueError: cannot travel"):
        call(pool, unpicklable_error)
    assert call(pool, triple, 1) == 3


def test_value_that_cannot_travel_is_an_error(pool: ProcessPool) -> None:
    with pytest.raises(Exception, match="pickle"):
        call(pool, unpicklable_value)


def test_cancelling_the_task_kills_the_work(pool: ProcessPool) -> None:
    child = psutil.Process(call(pool, own_pid))

    async def cancel() -> None:
        task = asyncio.create_task(pool.run(hang, seconds=30, megabytes=512))
        while child.status() != psutil.STATUS_SLEEPING:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    started = time.monotonic()
    asyncio.run(cancel())
    assert call(pool, triple, 1) == 3
    assert time.monotonic() - started < 20


def test_calls_queue_for_a_free_child(pool: ProcessPool) -> None:
    async def many() -> list[int]:
        return await asyncio.gather(*(pool.run(triple, n, seconds=30, megabytes=512) for n in range(20)))

    assert asyncio.run(many()) == [3 * n for n in range(20)]


def test_pool_works_from_a_loop_on_another_thread(pool: ProcessPool) -> None:
    values: list[int] = []
    thread = threading.Thread(target=lambda: values.append(call(pool, triple, 5)))
    thread.start()
    thread.join()
    assert values == [15]


def test_preloaded_modules_are_there_and_heavy_ones_are_not() -> None:
    pool = ProcessPool(1, preload=("pymupdf",))
    try:
        assert call(pool, imported, ("pymupdf", "PySide6", "torch", "sentence_transformers")) == ["pymupdf"]
    finally:
        pool.close()


def test_children_that_were_started_before_serve_the_first_calls() -> None:
    pool = ProcessPool(2)
    try:
        asyncio.run(pool.start())
        waiting = {child.pid for child in psutil.Process().children()}
        assert call(pool, own_pid) in waiting
        asyncio.run(pool.start())
        assert {child.pid for child in psutil.Process().children()} == waiting
    finally:
        pool.close()


def test_close_leaves_no_child_behind() -> None:
    pool = ProcessPool(2)
    pid = call(pool, own_pid)
    pool.close()
    assert not psutil.pid_exists(pid)


PARENT = """
import asyncio, os, sys, threading
sys.path[:0] = {path!r}
from test_worker_processes import own_pid, hang
from workbench.worker import processes
from workbench.worker.child_messages import send_partial_result
from workbench.worker.processes import ProcessPool

async def main():
    pool = ProcessPool(1)
    print(await pool.run(own_pid, seconds=30, megabytes=512), flush=True)
    await pool.run(hang, seconds=60, megabytes=512)

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_child_dies_when_its_parent_is_killed(tmp_path) -> None:  # type: ignore[no-untyped-def]
    script = tmp_path / "parent.py"
    script.write_text(PARENT.format(path=[os.path.dirname(__file__), *sys.path]))
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    psutil.wait_procs([child], timeout=10)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


def test_a_rest_ends_the_children_that_were_idle_for_long_enough(pool: ProcessPool) -> None:
    first = call(pool, own_pid)
    pool.rest(60.0)
    assert call(pool, own_pid) == first
    pool.rest()
    assert not psutil.pid_exists(first)
    assert call(pool, own_pid) != first
