"""A command line that runs in the test process, a library, and the scripted model server.

Starting Python for each command would take two seconds.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from journey import Journeys, open_display
from model_servers import Aimock

import workbench
from workbench.cli import main
from workbench.embedding.base import Embedder
from workbench.operations import Library


class Shell:
    """Runs commands on a separate library.

    Attributes:
        status: Exit status of the last command.
        errors: Its output on stderr.
    """

    def __init__(self, library: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._library = library
        self._capsys = capsys
        self.status = 0
        self.errors = ""

    def words(self, *arguments: object) -> str:
        """Return the text output of a command."""
        self._capsys.readouterr()
        self.status = main(["--library", str(self._library), *map(str, arguments)])
        captured = self._capsys.readouterr()
        self.errors = captured.err
        return captured.out

    def __call__(self, *arguments: object) -> list[dict[str, Any]]:
        """Return the output of a command with --json, one record per line."""
        return [json.loads(line) for line in self.words("--json", *arguments).splitlines()]


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], embedder: Embedder, monkeypatch: Any, warm_readers: None
) -> Shell:
    monkeypatch.setattr("workbench.operations.library.models.SearchModels.embedder", lambda _models: embedder)
    return Shell(tmp_path / "library", capsys)


@pytest.fixture
def empty_library(tmp_path: Path) -> None:
    """An empty library, for commands that do not create one."""
    Library.open(tmp_path / "library").close()


@pytest.fixture
def library(tmp_path: Path, embedder: Embedder, warm_readers: None) -> Iterator[Library]:
    library = Library.open(tmp_path / "library", embedder=embedder)
    yield library
    library.close()


@pytest.fixture
def folder(tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch, warm_readers: None) -> Path:
    """Return a folder for a script's library, which does not exist yet."""
    monkeypatch.setattr("workbench.operations.library.models.SearchModels.embedder", lambda _models: embedder)
    return tmp_path / "library"


@pytest.fixture
def api_library(folder: Path) -> Iterator[workbench.Library]:
    """Yield an open library of the Python API, without documents."""
    with workbench.open_library(folder) as library:
        yield library


@pytest.fixture(scope="session")
def aimock() -> Iterator[Aimock]:
    server = Aimock(Path(__file__).resolve().parents[1] / "data" / "aimock" / "aimock.json")
    yield server
    server.stop()


@pytest.fixture
def display(request: pytest.FixtureRequest) -> Iterator[str]:
    """A display of the size that the test asks for, with a window manager."""
    with open_display(getattr(request, "param", "1280x800")) as name:
        yield name


@pytest.fixture
def start(display: str, tmp_path: Path) -> Iterator[Journeys]:
    """Start the program on the display."""
    journeys = Journeys(display, tmp_path)
    yield journeys
    journeys.end()
