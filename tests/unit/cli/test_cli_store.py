"""Vector stores on the command line: a knowledge base moved to a store of its own, and back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shared_libraries import empty_database, write_file

Typed = Callable[..., tuple[int, list[Any], str]]


@pytest.fixture
def contracts(typed: Typed, tmp_path: Path) -> Typed:
    """Return the function that runs commands on a library with one document in the knowledge base “contracts”."""
    paper = write_file(tmp_path, "lease.md", "# Lease\n\nThe lease of the harbour ends in 2031.\n")
    assert typed("add", str(paper), "--kb", "contracts")[0] == 0
    return typed


def documents_found(typed: Typed) -> list[str]:
    status, (result,), _ = typed("search", "When does the lease end?", "--mode", "dense")
    assert status == 0
    return [hit["name"] for hit in result["hits"]]


def test_a_knowledge_base_is_moved_to_a_server_and_back_and_is_found_in_both(
    contracts: Typed, postgres_url: str
) -> None:
    with empty_database(postgres_url) as url:
        assert contracts("store", "move", "pgvector", "--url", url, "--kb", "contracts")[0] == 0
        assert "contracts" in str(contracts("store", "show")[1])
        assert documents_found(contracts) == ["lease.md"]
        assert contracts("store", "move", "library", "--kb", "contracts")[0] == 0
    assert "contracts" not in str(contracts("store", "show")[1])
    assert documents_found(contracts) == ["lease.md"]


def test_a_knowledge_base_that_does_not_exist_is_not_moved(contracts: Typed) -> None:
    status, records, _ = contracts("store", "move", "faiss", "--kb", "tax")
    assert (status, records[-1]["kind"]) == (1, "NotFound")
