"""Passages listed and edited from the command line."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main

Typed = Callable[..., tuple[int, list[Any], str]]

FROZE = "The harbour of Lindhamn froze in 1987. The ferry Aurora stayed in port."


@pytest.fixture
def number(tmp_path: Path, typed: Typed, warm_readers: None) -> str:
    (tmp_path / "harbour.txt").write_text(FROZE, "utf-8")
    typed("add", str(tmp_path / "harbour.txt"))
    return str(typed("chunks", "harbour.txt")[1][0]["chunk"])


def texts(typed: Typed) -> list[str]:
    return [one["text"] for one in typed("chunks", "harbour.txt")[1]]


def test_a_passage_is_edited_and_the_edit_undone_and_redone(typed: Typed, number: str) -> None:
    status, (edit,), _ = typed("chunk", "edit", number, "The quay is made of granite.")
    assert (status, edit["kind"], edit["before"][0]["text"], edit["can_undo"]) == (0, "text", FROZE, True)
    (hit,) = typed("search", "granite")[1][0]["hits"]
    assert (hit["text"], hit["source"], hit["place"]) == ("The quay is made of granite.", FROZE, "text edited by you")
    typed("chunk", "undo", "harbour.txt")
    assert texts(typed) == [FROZE]
    typed("chunk", "redo", "harbour.txt", str(edit["edit"]))
    assert texts(typed) == ["The quay is made of granite."]
    assert [one["undone"] for one in typed("chunks", "harbour.txt", "--edits")[1]] == [False]


def test_a_text_comes_from_standard_input_too(typed: Typed, number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("港口的水深是十二米。"))
    typed("chunk", "edit", number, "-")
    assert texts(typed) == ["港口的水深是十二米。"]


def test_a_passage_is_split_before_words_and_merged_again(typed: Typed, number: str) -> None:
    _, (edit,), _ = typed("chunk", "split", number, "--before", "The ferry")
    assert texts(typed) == ["The harbour of Lindhamn froze in 1987. ", "The ferry Aurora stayed in port."]
    typed("chunk", "merge", str(edit["after"][1]["chunk"]), "--previous")
    assert texts(typed) == [FROZE]
    assert typed("chunk", "split", number, "--at", "5")[0] == 1  # its number is gone, too


def test_a_passage_is_disabled_enabled_tagged_and_reset(typed: Typed, number: str) -> None:
    typed("chunk", "disable", number)
    assert typed("search", "harbour")[1][0]["hits"] == []
    typed("chunk", "enable", number)
    typed("chunk", "tag", number, "ice", "port")
    typed("chunk", "tag", number, "ferry", "--untag", "port")
    (hit,) = typed("search", "harbour", "--filter", "passage_tag:ferry")[1][0]["hits"]
    assert hit["tags"] == ["ice", "ferry"]
    typed("chunk", "reset", number)
    assert typed("chunks", "harbour.txt")[1][0]["tags"] == []
    assert "Nothing" in typed("chunk", "reset", number)[2]


def test_the_text_output_shows_what_was_changed_in_a_passage(
    typed: Typed, number: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed("chunk", "edit", number, FROZE.replace("Aurora", "Polaris"))
    main(["--library", str(tmp_path / "library"), "chunks", "harbour.txt", "--edits"])
    assert "[-Aurora-]{+Polaris+}" in capsys.readouterr().out
    main(["--library", str(tmp_path / "library"), "chunks", "harbour.txt"])
    assert "edited by you" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("tag", "99", "x"), ("edit", "99", "x"), ("split", "99", "--before", "x")])
def test_a_missing_passage_is_reported_as_not_found(typed: Typed, number: str, words: tuple[str, ...]) -> None:
    status, (record,), _ = typed("chunk", *words)
    assert (status, record["kind"]) == (1, "NotFound")


def test_words_that_a_passage_does_not_hold_split_nothing(typed: Typed, number: str) -> None:
    status, (record,), _ = typed("chunk", "split", number, "--before", "whale")
    assert (status, record["kind"]) == (1, "ChunkError")
