"""Where the fuzzer finds the sessions that the tests of the export make."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "export"))
