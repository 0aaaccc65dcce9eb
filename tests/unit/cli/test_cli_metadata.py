"""Custom metadata from the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Typed = Callable[..., tuple[int, list[Any], str]]


@pytest.fixture
def note(tmp_path: Path, warm_readers: None) -> str:
    (tmp_path / "harbour.txt").write_text("The harbour of Lindhamn froze in 1987.", "utf-8")
    return str(tmp_path / "harbour.txt")


def test_metadata_are_given_with_a_document_filtered_by_changed_and_listed(typed: Typed, note: str) -> None:
    typed("add", note, "--metadata", "dept=hr", "--metadata", "budget=120", "--metadata", "due=2025-05-31")
    assert typed("list")[1][0]["metadata"] == {"budget": 120, "dept": "hr", "due": "2025-05-31"}
    (found,) = typed("search", "harbour", "--filter", "dept:hr budget>=100 due<2025-06")[1]
    assert len(found["hits"]) == 1
    assert typed("search", "harbour", "--filter", '{"dept": "it"}')[1][0]["hits"] == []
    typed("metadata", "set", "harbour.txt", "--metadata", "team=a; b")
    (record,) = typed("metadata", "unset", "harbour.txt", "--key", "dept", "--key", "due")[1]
    assert record["metadata"] == {"budget": 120, "team": ["a", "b"]}
    assert [one["key"] for one in typed("metadata", "list")[1]] == ["budget", "team"]


def test_b26_an_unknown_key_is_an_error_that_lists_the_keys_there_are(typed: Typed, note: str) -> None:
    typed("add", note, "--metadata", "dept=hr")
    status, (error,), _ = typed("search", "harbour", "--filter", "depth:hr")
    assert (status, error["kind"]) == (1, "RetrievalError")
    assert "Did you mean “dept”?" in error["hint"]
    assert "origin, dept." in error["hint"]


def test_a_reserved_key_is_refused_before_anything_is_added(typed: Typed, note: str, tmp_path: Path) -> None:
    status, (error,), _ = typed("add", note, "--metadata", "author=me")
    assert (status, error["kind"]) == (1, "MetadataError")
    assert not (tmp_path / "library").exists()


def test_a_table_is_imported_and_unknown_document_names_are_reported(typed: Typed, note: str, tmp_path: Path) -> None:
    typed("add", note)
    (tmp_path / "all.csv").write_text("file,dept\nharbour.txt,hr\nother.txt,it\n", "utf-8")
    status, (record,), _ = typed("metadata", "import", str(tmp_path / "all.csv"))
    assert (status, record["unknown"], len(record["documents"])) == (1, ["other.txt"], 1)
