"""Plug-in files on the command line: shown, allowed, consent requested again, forbidden."""

from pathlib import Path
from typing import Any

import pytest

MINUTES = "def retrieve(query):\n    return [query]\n"


@pytest.fixture
def minutes(tmp_path: Path, empty_library: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "library" / "plugins" / "minutes.py"
    path.parent.mkdir(parents=True)
    path.write_text(MINUTES, "utf-8")
    return path


def test_a_file_is_listed_and_not_run_before_it_is_allowed(shell: Any, minutes: Path) -> None:
    (line,) = shell("plugins", "list")
    assert (line["plugin"], line["state"], line["retrievers"]) == ("minutes.py", "new", [])
    assert f"Read {minutes}, then: workbench plugins allow minutes" in shell.words("plugins", "list")
    (retriever,) = shell("plugins", "retrievers")
    assert (retriever["retriever"], retriever["state"]) == ("minutes", "needs consent")


def test_it_is_allowed_asked_about_again_when_it_changes_and_forbidden(shell: Any, minutes: Path) -> None:
    (allowed,) = shell("plugins", "allow", "minutes")
    assert (shell.status, allowed["state"], allowed["retrievers"]) == (0, "allowed", ["minutes"])
    (retriever,) = shell("plugins", "retrievers")
    assert (retriever["from"], retriever["state"]) == ("plug-in", "not started")
    minutes.write_text(MINUTES + "\n", "utf-8")
    assert shell("plugins", "list")[0]["state"] == "changed"
    assert shell("plugins", "allow", "minutes.py")[0]["state"] == "allowed"
    assert shell("plugins", "forbid", "minutes")[0]["state"] == "new"


def test_consent_is_not_kept_in_the_library(shell: Any, minutes: Path, tmp_path: Path) -> None:
    shell("plugins", "allow", "minutes")
    assert (tmp_path / "config" / "knowledge-workbench" / "allowed-plugins.json").is_file()


def test_a_file_with_a_fault_is_not_allowed_and_its_line_is_named(shell: Any, minutes: Path) -> None:
    minutes.write_text("import sys\n1 / 0\n", "utf-8")
    (error,) = shell("plugins", "allow", "minutes")
    assert (shell.status, error["kind"]) == (1, "PluginError")
    assert error["error"] == "minutes.py cannot be loaded: ZeroDivisionError in minutes.py, line 2."


def test_a_file_that_offers_nothing_is_not_allowed(shell: Any, minutes: Path) -> None:
    minutes.write_text("x = 1\n", "utf-8")
    (error,) = shell("plugins", "allow", "minutes")
    assert "define a function “retrieve(query, num_documents=None)”" in error["hint"]


def test_a_missing_plugin_file_is_reported_with_a_list_of_the_existing_files(shell: Any, minutes: Path) -> None:
    (error,) = shell("plugins", "allow", "nothing")
    assert (error["kind"], error["hint"]) == ("NotFound", "There are minutes.py.")
