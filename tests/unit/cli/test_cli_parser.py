"""Arguments of the command line."""

import os
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.cli.library_folder import default_library
from workbench.cli.parser import build_parser


@pytest.mark.parametrize("typed", ["--json --library x list", "list --json --library x", "--json list --library x"])
def test_common_options_are_accepted_before_or_after_the_command(typed: str) -> None:
    options = build_parser().parse_args(typed.split())
    assert (options.command, options.json, options.library) == ("list", True, Path("x"))


def test_without_a_command_the_window_opens() -> None:
    assert build_parser().parse_args([]).command == "gui"


def test_without_a_display_the_window_is_refused_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("workbench.app.has_display", lambda: False)
    assert main([]) == 1
    assert "no display" in capsys.readouterr().err


def test_the_library_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_LIBRARY", "/somewhere")
    assert default_library() == Path("/somewhere")


@pytest.mark.parametrize(
    "typed",
    [
        "add",
        "search",
        "ask x --from y",
        "search x -k many",
        "search x --mode best",
        "export 1 --without everything",
        "export x --out y",
        "profiles",
        "profiles add p",
        "runs",
        "runs fork 1",
        "runs fork 1 --result x --question y",
        "nonsense",
    ],
)
def test_invalid_arguments_exit_with_status_2(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(typed.split())
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_b7_topics_are_added_with_and_without_paths() -> None:
    options = build_parser().parse_args(["add", "--topic", "ice", "--kb", "x", "--topic", "snow"])
    assert (options.paths, options.topic) == ([], ["ice", "snow"])
    options = build_parser().parse_args(["add", "a.md", "b.md", "--topic", "ice"])
    assert (options.paths, options.topic) == ([Path("a.md"), Path("b.md")], ["ice"])
    options = build_parser().parse_args(["add", "--topic", "ice", "a.md"])
    assert (options.paths, options.topic) == ([Path("a.md")], ["ice"])


def test_names_lose_what_has_no_utf_8_form_and_paths_keep_it() -> None:
    odd = os.fsdecode(b"n\xff")
    options = build_parser().parse_args(["add", odd, "--kb", odd])
    assert (options.kb, options.paths) == ("n\ufffd", [Path(odd)])


def test_b10_patterns_can_be_given_several_times() -> None:
    typed = ["add", "x", "--include", "*.md", "--include", "*.pdf", "--exclude", "drafts/*"]
    options = build_parser().parse_args(typed)
    assert (options.include, options.exclude) == (["*.md", "*.pdf"], ["drafts/*"])
    assert build_parser().parse_args(["add", "x"]).include == []


@pytest.mark.parametrize(("typed", "plan"), [([], None), (["--plan"], True), (["--no-plan"], False)])
def test_planning_of_an_answer_can_be_set_or_left_unset(typed: list[str], plan: bool | None) -> None:
    assert build_parser().parse_args(["ask", *typed, "What?"]).plan is plan
