"""Adds the export tests' session builders to the fuzzer's import path."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "export"))
