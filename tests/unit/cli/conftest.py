"""Commands of the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main
from workbench.operations import Library


@pytest.fixture(autouse=True)
def _warm_readers(warm_readers: None) -> None:
    """Let each command take over the parser processes of the one before."""


@pytest.fixture
def empty_library(tmp_path: Path) -> None:
    """Let commands run that do not create a library."""
    Library.open(tmp_path / "library").close()


@pytest.fixture
def typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, list[Any], str]]:
    """Return a function that runs a command and returns its exit status, its records, and its output on stderr."""

    def typed(*words: str) -> tuple[int, list[Any], str]:
        status = main(["--json", "--library", str(tmp_path / "library"), *words])
        said = capsys.readouterr()
        return status, [json.loads(line) for line in said.out.splitlines()], said.err

    return typed
