"""Location of the data files: icons, styles, sample documents, changelog."""

from functools import cache
from pathlib import Path


def resource(*parts: str) -> Path:
    """Return the path of a file below resources/, in a checkout, a wheel or a frozen program."""
    return _root().joinpath(*parts)


def changelog() -> Path:
    """Return the path of the changelog, in a checkout, a wheel or a frozen program."""
    packed = resource("CHANGELOG.md")
    return packed if packed.is_file() else _root().parent / "CHANGELOG.md"


@cache
def _root() -> Path:
    here = Path(__file__).resolve().parent
    # First in a wheel and in a frozen program, then in a checkout.
    candidates = (here / "_resources", here.parent / "resources")
    return next((path for path in candidates if path.is_dir()), candidates[0])
