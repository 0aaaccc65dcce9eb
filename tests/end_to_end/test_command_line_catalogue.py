"""Commands for knowledge bases, metadata, tags and the check of documents."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "harbour.md"
    path.write_text("# Harbour\n\nThe harbour of Lindhamn froze in 1987.\n", "utf-8")
    return path


def test_knowledge_bases_are_added_listed_renamed_and_removed(shell: Any, note: Path) -> None:
    assert [line["kb"] for line in shell("kb", "add", "work")] == ["default", "work"]
    shell("add", note, "--kb", "work")
    shell("kb", "rename", "work", "harbours")
    (_default, work) = shell("kb", "list")
    assert (work["kb"], work["documents"], work["chunks"]) == ("harbours", 1, 1)
    shell("kb", "remove", "harbours")
    assert shell("list") == []
    (error,) = shell("kb", "remove", "harbours")
    assert (shell.status, error["kind"]) == (1, "NotFound")


def test_b28_a_search_is_kept_to_the_knowledge_base_it_names(shell: Any, note: Path) -> None:
    shell("add", note, "--kb", "work")
    shell("kb", "add", "empty")
    assert shell("search", "harbour", "--kb", "empty")[0]["hits"] == []
    assert len(shell("search", "harbour", "--kb", "work")[0]["hits"]) == 1


def test_moving_documents_reports_which_ones_stay_and_why(shell: Any, note: Path) -> None:
    for base in ("mine", "yours"):
        shell("add", note, "--kb", base)
    (refused,) = shell("kb", "move", 1, "--to", "yours")
    assert (shell.status, refused["status"]) == (1, "refused")
    assert "the same content" in refused["reason"]
    (copied,) = shell("kb", "move", 1, "--to", "default", "--copy")
    assert (shell.status, copied["status"], copied["kb"]) == (0, "copied", "default")
    assert [line["documents"] for line in shell("kb", "list")] == [1, 1, 1]


def test_fields_and_tags_are_written_and_filter_a_search(shell: Any, note: Path) -> None:
    shell("add", note)
    (edited,) = shell("edit", "harbour.md", "--title", "Ice", "--created", "1987", "--tag", "winter", "--tag", "sea")
    assert (edited["title"], edited["created"], edited["tags"]) == ("Ice", "1987", ["winter", "sea"])
    assert shell("edit", 1, "--untag", "SEA")[0]["tags"] == ["winter"]
    assert len(shell("search", "frozen", "--filter", "tag=winter")[0]["hits"]) == 1
    assert shell("search", "frozen", "--filter", "tag=sea")[0]["hits"] == []
    (error,) = shell("edit", 1, "--created", "last winter")
    assert (shell.status, error["kind"]) == (1, "MetadataError")


def test_check_reports_on_one_document_and_draws_its_chunks(shell: Any, note: Path) -> None:
    shell("add", note)
    (found,) = shell("check", "harbour.md")
    assert (shell.status, found["symptoms"], found["window"]) == (0, [], 256)
    assert sum(bar["chunks"] for bar in found["lengths"]) == 1
    words = shell.words("check", 1)
    assert "Nothing is wrong with it." in words
    assert "█" in words


def test_check_lists_the_documents_with_a_problem(shell: Any, note: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\nnothing of a PDF follows")
    shell("add", note, broken)
    (ill,) = shell("check", "--documents")
    assert (shell.status, ill["path"], ill["symptoms"][0]["gravity"]) == (1, str(broken), "problem")
    shell("remove", "broken.pdf")
    assert shell("check", "--documents") == []
    assert shell.status == 0
