"""kill -9 while the index is saved repeatedly: the last saved state is intact."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from workbench.indexing.faiss_store import FaissStore

_SAVING = """
import sys
from pathlib import Path
import numpy as np
from workbench.indexing.faiss_store import FaissStore
folder = Path(sys.argv[1])
store = FaissStore(4, folder)
for turn in range(1, 100_000):
    store.upsert(np.arange(100 * turn, 100 * turn + 100), np.full((100, 4), turn, np.float32))
    store.remove(np.arange(100 * turn, 100 * turn + 50))
    store.save(folder, generation=turn)
    print(turn, flush=True)
"""


@pytest.mark.parametrize("lines", [1, 13, 40])
def test_a_kill_while_saving_leaves_what_was_saved_last(tmp_path: Path, lines: int) -> None:
    folder = tmp_path / "index"
    process = subprocess.Popen([sys.executable, "-c", _SAVING, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(lines):
        process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    store = FaissStore.load(folder)
    assert store.generation >= lines
    assert store.count == 50 * store.generation
    for part in store._parts:
        assert part.segment is not None
        assert part.segment.is_sound(lambda: False)
        np.testing.assert_array_equal(part.rows[:, 0], part.ids // 100)
