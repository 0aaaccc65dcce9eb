"""What the README shows to people who write programs is run as it stands there."""

import re
import shlex
from pathlib import Path
from textwrap import dedent

import pytest

from workbench.cli import main
from workbench.embedding.base import Embedder
from workbench.operations import Library

PROJECT = Path(__file__).resolve().parents[3]
SECTION = (PROJECT / "README.md").read_text("utf-8").partition("## In your own programs\n")[2].partition("\n## ")[0]


@pytest.fixture(autouse=True)
def _somewhere_else(tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch, warm_readers: None) -> None:
    monkeypatch.setattr("workbench.operations.library.Library.embedder", lambda _library: embedder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "resources").symlink_to(PROJECT / "resources")
    monkeypatch.chdir(tmp_path)


def blocks() -> list[str]:
    """Return the indented blocks of the section."""
    return [dedent(found).strip("\n") for found in re.findall(r"(?:^    .*\n|^\n(?=    ))+", SECTION, re.MULTILINE)]


def test_the_example_runs_and_says_what_it_promises(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(blocks()[0], "README.md", "exec"), {})
    said = capsys.readouterr().out
    assert "harbour-survey.pdf page" in said
    assert "RunCompleted" in said
    assert "The council opened the harbour on 9 May 1893." in said


def test_a_plug_in_file_is_written_allowed_and_asked_as_the_page_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, commands = blocks()[1].partition("\n\nworkbench ")
    path = tmp_path / code.splitlines()[0].removeprefix("# ")
    Library.open(tmp_path / "my-library").close()
    path.parent.mkdir(parents=True)
    path.write_text(code, "utf-8")
    for line in f"workbench {commands}".splitlines():
        typed = shlex.split(line, comments=True)
        assert main(["--library", "my-library", *typed[1:]]) == 0, line
    assert "The council opened the harbour on 9 May 1893." in capsys.readouterr().out
