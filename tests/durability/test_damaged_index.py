"""Index files that another program writes to while they are open: no crash, no wrong result, index rebuilt."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize("how", ["emptied", "halved", "zeros", "noise"])
def test_files_that_are_damaged_while_threads_search_end_no_program_and_change_no_answer(
    tmp_path: Path, how: str
) -> None:
    runs_to_its_end("damaged_index.py", tmp_path, how)


@pytest.mark.parametrize(("how", "access"), [("halved", "write"), ("noise", "read")])
def test_a_library_repairs_an_index_damaged_while_open_at_the_next_search_and_reports_it(
    tmp_path: Path, how: str, access: str
) -> None:
    runs_to_its_end("damaged_library.py", tmp_path / "library", how, access)


def runs_to_its_end(script: str, folder: Path, *arguments: str) -> None:
    """Run a script in a separate process, so that a SIGBUS does not end the tests."""
    command = [sys.executable, str(HERE / script), str(folder), *arguments]
    done = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, check=False, timeout=100)
    assert (done.returncode, done.stdout) == (0, "right to the end"), done.stderr
