"""The standing clock of the screenshots, in a process of its own, as it replaces datetime."""

import subprocess
import sys
from pathlib import Path

SCREENSHOTS = Path(__file__).resolve().parents[2] / "packaging" / "screenshots"
_PROGRAM = """
import datetime, pickle, sys
made_before = datetime.datetime(2025, 1, 1, tzinfo=datetime.UTC)
sys.path.insert(0, sys.argv[1])
import clock
clock.stop_clock()
from datetime import UTC, datetime, timedelta
first, second = datetime.now(UTC), datetime.now(UTC)
assert first < second < first + timedelta(seconds=1)
assert isinstance(made_before, datetime) and made_before < first
assert pickle.loads(pickle.dumps(first)) == first
print(first.isoformat(timespec="minutes"), datetime.now().strftime("%H:%M"))
"""


def test_the_clock_stands_while_each_moment_is_later_than_the_one_before() -> None:
    command = [sys.executable, "-c", _PROGRAM, str(SCREENSHOTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"TZ": "UTC"})
    assert done.stdout.split() == ["2026-11-20T14:05+00:00", "14:05"]
