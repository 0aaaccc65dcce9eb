"""Where the files beside the code are: icons, styles, sample documents."""

import sys
from functools import cache
from pathlib import Path


def resource(*parts: str) -> Path:
    """Return the path of a file below resources/, in a checkout, a wheel or a frozen program."""
    return _root().joinpath(*parts)


@cache
def _root() -> Path:
    frozen = getattr(sys, "_MEIPASS", None)
    candidates = [
        *([Path(frozen) / "resources"] if frozen else []),
        Path(__file__).resolve().parents[1] / "resources",
        Path(sys.prefix) / "share" / "knowledge-workbench" / "resources",
    ]
    return next((path for path in candidates if path.is_dir()), candidates[-1])
