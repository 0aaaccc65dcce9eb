"""Commands without a library: only those that add or configure something create one."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import library_access
from workbench.cli.library_access import LibraryNeed
from workbench.operations import Library
from workbench.store.database import FILE_NAME

Typed = Callable[..., tuple[int, list[Any], str]]

READING = (
    ["list"], ["show", "1"], ["search", "heron"], ["ask", "heron"], ["export", "1", "--out", "x.md"], ["check"],
    ["repair"], ["backup", "create"], ["bin"], ["links"], ["kb", "list"], ["settings"], ["profiles", "list"],
    ["memory", "list"], ["network"], ["doctor"], ["runs", "list"], ["resume"], ["note", "Words.", "--edit", "1"],
)  # fmt: skip
BRINGING = (
    ["note", "The heron."], ["add", "{paper}"], ["kb", "add", "law"], ["settings", "search_results", "3"],
    ["memory", "add", "I like herons."], ["network", "close"],
)  # fmt: skip


def _is_told(result: tuple[int, list[Any], str], folder: Path) -> bool:
    status, records, _ = result
    return (status, records[-1]["kind"], records[-1]["error"]) == (
        1, "LibraryMissing", f"There is no library in {folder}."
    )  # fmt: skip


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_a_command_that_only_reads_makes_no_library(typed: Typed, tmp_path: Path, words: list[str]) -> None:
    assert _is_told(typed(*words), tmp_path / "library")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["list"], ["check"], ["search", "heron"]], ids=" ".join)
def test_nor_in_a_folder_of_something_else(typed: Typed, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "library").mkdir()
    assert _is_told(typed(*words), tmp_path / "library")
    assert list((tmp_path / "library").iterdir()) == []


@pytest.mark.parametrize("words", BRINGING, ids=" ".join)
def test_a_command_that_brings_or_sets_up_something_makes_one(typed: Typed, tmp_path: Path, words: list[str]) -> None:
    paper = tmp_path / "paper.md"
    paper.write_text("The heron.", "utf-8")
    assert typed(*(word.format(paper=paper) for word in words))[0] == 0
    assert (tmp_path / "library" / FILE_NAME).exists()


@pytest.mark.parametrize("goes", ["the folder", "what is in it"])
@pytest.mark.parametrize("words", [["list"], ["note", "The heron."]], ids=" ".join)
def test_a_library_deleted_while_a_command_starts_is_not_created_again(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], goes: str
) -> None:
    folder = tmp_path / "library"
    Library.open(folder).close()
    need_of = library_access.need_of

    def go(options: Any) -> LibraryNeed:
        shutil.rmtree(folder)
        if goes == "what is in it":
            folder.mkdir()
        return need_of(options)

    monkeypatch.setattr(library_access, "need_of", go)
    assert _is_told(typed(*words), folder)
    assert not folder.exists() or list(folder.iterdir()) == []
