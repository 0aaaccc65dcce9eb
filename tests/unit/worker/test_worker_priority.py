"""Background work has a low priority, thread by thread."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from workbench.system.operating_system import NICENESS
from workbench.worker.process_memory import lower_priority


@pytest.mark.skipif(sys.platform != "linux", reason="priorities belong to threads on Linux only")
def test_a_background_thread_gets_a_lower_priority_and_other_threads_do_not() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    with ThreadPoolExecutor(1, initializer=lower_priority) as pool:
        assert pool.submit(niceness).result() == max(NICENESS, niceness())
    assert niceness() < NICENESS
