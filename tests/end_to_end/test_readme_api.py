"""Python code of the README and the guide: run unchanged."""

import shlex
from pathlib import Path

import pytest
from code_blocks import PROJECT, code_block, readme_example

from workbench.cli import main
from workbench.embedding.base import Embedder
from workbench.operations import Library

PLUG_IN = (PROJECT / "resources" / "guide" / "extending.md").read_text("utf-8")


@pytest.fixture
def somewhere_else(tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch, warm_readers: None) -> None:
    monkeypatch.setattr("workbench.operations.library.models.SearchModels.embedder", lambda _models: embedder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "resources").symlink_to(PROJECT / "resources")
    monkeypatch.chdir(tmp_path)


def test_the_example_runs_and_prints_what_it_promises(
    somewhere_else: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {}
    exec(compile(readme_example(), "README.md", "exec"), names)
    said = capsys.readouterr().out.splitlines()
    assert "harbour-survey.pdf page" in said[0]
    assert any(line.startswith("RunCompleted(") for line in said)
    assert "The council opened the harbour on 9 May 1893." in said[-2]
    assert said[-1] == "Ferry session.html"
    assert "jackets" in (tmp_path / "session.html").read_text("utf-8")


def test_a_plugin_file_is_written_allowed_and_queried_as_the_guide_shows(
    somewhere_else: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, commands = code_block(PLUG_IN).partition("\n\nworkbench ")
    path = tmp_path / code.splitlines()[0].removeprefix("# ")
    Library.open(tmp_path / "my-library").close()
    path.parent.mkdir(parents=True)
    path.write_text(code, "utf-8")
    for line in f"workbench {commands}".splitlines():
        typed = shlex.split(line, comments=True)
        assert main(["--library", "my-library", *typed[1:]]) == 0, line
    assert "The council opened the harbour on 9 May 1893." in capsys.readouterr().out
