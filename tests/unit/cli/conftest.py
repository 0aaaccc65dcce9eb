"""Commands as they are typed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main
from workbench.operations import Library


@pytest.fixture
def empty_library(tmp_path: Path) -> None:
    """A library in which nothing is yet, for commands that make none."""
    Library.open(tmp_path / "library").close()


@pytest.fixture
def typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, list[Any], str]]:
    """Type a command; returns its exit status, its records, and what it said on stderr."""

    def typed(*words: str) -> tuple[int, list[Any], str]:
        status = main(["--json", "--library", str(tmp_path / "library"), *words])
        said = capsys.readouterr()
        return status, [json.loads(line) for line in said.out.splitlines()], said.err

    return typed
