"""Arguments for links, queries and notes, and a note through the command line."""

import io
import json
from pathlib import Path

import pytest

from workbench.cli.main import main
from workbench.cli.parser import build_parser


def test_the_add_command_accepts_links_together_with_paths(tmp_path: Path) -> None:
    typed = build_parser().parse_args(["add", "https://example.org//a", str(tmp_path), "a.md", "--run-scripts"])
    assert typed.paths == ["https://example.org//a", tmp_path, Path("a.md")]
    assert typed.run_scripts is True


def test_the_browsers_limits_are_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["add", "--help"])
    assert "never from this computer or its network" in " ".join(capsys.readouterr().out.split())


def test_refetch_takes_all_when_none_is_named() -> None:
    assert build_parser().parse_args(["refetch"]).documents == []


def test_a_refused_link_is_one_line_and_exit_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--library", str(tmp_path / "library"), "--json", "add", "file:///etc/passwd"])
    [line] = capsys.readouterr().out.splitlines()
    assert (status, json.loads(line)["path"]) == (1, "file:///etc/passwd")


def test_notes_are_read_from_standard_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    library = ["--library", str(tmp_path / "library"), "--json"]
    monkeypatch.setattr("sys.stdin", io.StringIO("# Ports\n\nThe harbour froze.\n"))
    assert main([*library, "note", "-"]) == 0
    assert main([*library, "note", "The harbour thawed.", "--edit", "Ports"]) == 0
    assert main([*library, "refetch"]) == 0
    first, second, *_ = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert first["document"] == second["document"]
