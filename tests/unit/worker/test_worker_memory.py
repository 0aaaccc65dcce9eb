"""The C library creates few arenas for any number of threads."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from workbench.worker import process_memory

THREADS = """
import ctypes, sys, threading
from workbench.worker.process_memory import reduce_memory_use
if sys.argv[1] == "little":
    reduce_memory_use()
libc, together = ctypes.CDLL(None), threading.Barrier(8)
def work():
    together.wait()
    libc.malloc(100_000)
    together.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
for step in (threading.Thread.start, threading.Thread.join):
    for thread in threads:
        step(thread)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


def arenas(how: str, report: Path) -> int:
    """Return the number of arenas of a process with 8 threads."""
    subprocess.run([sys.executable, "-c", THREADS, how, str(report)], check=True)
    return report.read_text("utf-8").count("<heap nr=")


@pytest.mark.skipif(sys.platform != "linux", reason="arenas are glibc's")
def test_threads_share_two_arenas(tmp_path: Path) -> None:
    assert arenas("plain", tmp_path / "plain.xml") > 2
    assert arenas("little", tmp_path / "little.xml") <= 2


FREED = """
import psutil
from workbench.worker.process_memory import release_memory
held = [bytes(1000) for _ in range(100_000)]
del held[:-1]  # the last one keeps the heap from shrinking
before = psutil.Process().memory_info().rss
release_memory()
print((before - psutil.Process().memory_info().rss) // 1_000_000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc can be asked")
def test_freed_memory_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 50


@pytest.mark.parametrize(("held", "available", "is_evident"), [(90, 500, True), (10, 40, True), (10, 60, False)])
def test_memory_ran_out_where_a_child_held_its_limit_or_next_to_none_was_left(
    monkeypatch: pytest.MonkeyPatch, held: int, available: int, is_evident: bool
) -> None:
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=available, total=1000))
    monkeypatch.setattr(process_memory, "oom_kills", lambda: 7)
    shortage = process_memory.MemoryShortage()
    shortage.look(held, 100)
    assert shortage.is_evident is is_evident


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts them")
def test_the_kernel_s_count_is_read() -> None:
    counted = next(line for line in Path("/proc/vmstat").read_text("ascii").splitlines() if "oom_kill " in line)
    assert process_memory.oom_kills() >= int(counted.split()[1])
