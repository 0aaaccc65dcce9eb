"""Background work gives way, thread by thread."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from workbench.worker.priority import NICENESS, give_way


@pytest.mark.skipif(sys.platform != "linux", reason="priorities belong to threads on Linux only")
def test_a_background_thread_gives_way_and_the_others_do_not() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    with ThreadPoolExecutor(1, initializer=give_way) as pool:
        assert pool.submit(niceness).result() == max(NICENESS, niceness())
    assert niceness() < NICENESS
