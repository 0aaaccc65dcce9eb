"""Every damaged, hostile and odd file ends with a state and a suitable reason, and the program keeps running."""

import asyncio
from pathlib import Path

import pytest
from file_sweep import DATA, SETS, Ended, add_all, files_of, passwords, wrong

pytestmark = pytest.mark.peer_data

# Drawing pages takes most of the total time; tests/benchmarks/every_file.py reads all of them.
_SLOW = ("scanned_no_text", "veraPDFHiRes", "nested-images")


def _chosen(name: str) -> list[Path]:
    files = [path for path in files_of(DATA, name) if not any(part in str(path) for part in _SLOW)]
    return files[::2] if name in ("encodings", "office", "pdf_varied") else files


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Ended]:
    """Return the outcome of all files, added in one import."""
    if not DATA.is_dir():
        pytest.skip("no ../shared/data here")
    files = [path for name in SETS for path in _chosen(name)]
    return {one.path: one for one in asyncio.run(add_all(tmp_path_factory.mktemp("sweep") / "library", files))}


@pytest.mark.parametrize("name", SETS)
def test_every_file_ends_with_a_state_and_a_fitting_reason(ended: dict[Path, Ended], name: str) -> None:
    files = _chosen(name)
    assert set(files) <= ended.keys()
    assert {str(path): wrong(ended[path], DATA) for path in files if wrong(ended[path], DATA)} == {}


def test_b13_every_locked_file_opens_with_its_password(peer_data: Path, tmp_path: Path) -> None:
    known = passwords(peer_data)
    files = [peer_data / name for name in known]
    opened = asyncio.run(add_all(tmp_path / "library", files, set(known.values())))
    assert {one.path.name for one in opened if one.outcome == "locked"} == set()
