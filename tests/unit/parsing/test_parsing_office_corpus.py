"""External collection of real, damaged and hostile office files: a complete document, or a suitable reason."""

import json
from pathlib import Path

import pytest
from parser_contract import assert_contract

from workbench.errors import DocumentError
from workbench.parsing.parse import parse_file

pytestmark = pytest.mark.peer_data

ENDINGS = (".docx", ".docm", ".pptx", ".xlsx", ".xlsm", ".xls", ".ods", ".odt", ".odp", ".rtf", ".doc", ".ppt", ".csv")
STRAY = "The file is damaged and cannot be read."
"""Message of parse_file for an error that no parser expected."""

FOLDERS = ("office", "hostile_office", "generated/corrupt", "parse_truth/docling")


def outcome(path: Path, password: str | None = None) -> str:
    """Return the format that was read, or the error's class and message."""
    try:
        document = parse_file(path, password)
    except DocumentError as error:
        return f"{type(error).__name__}: {error.message}" if error.hint.endswith(".") else "no hint"
    assert_contract(document)
    return document.format


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_file_ends_in_an_error_that_was_not_foreseen(peer_data: Path, folder: str) -> None:
    files = [path for path in sorted((peer_data / folder).rglob("*")) if path.suffix.lower() in ENDINGS]
    outcomes = {path.name: outcome(path) for path in files}
    assert len(outcomes) > 5
    assert [name for name, said in outcomes.items() if STRAY in said or said == "no hint"] == []


def test_e2_every_labelled_password_opens_its_file_or_leaves_only_the_conversion(peer_data: Path) -> None:
    labels = json.loads((peer_data / "office_hostile_labels.json").read_text("utf-8"))
    locked = [entry for entry in labels if entry["password"] and not entry["password"].startswith("(")]
    assert len(locked) >= 4
    for entry in locked:
        path = peer_data / entry["file"]
        assert outcome(path).startswith("EncryptedDocument")
        assert not outcome(path, entry["password"]).startswith(("EncryptedDocument", "DamagedDocument"))


@pytest.mark.parametrize("name", ["SimpleMacro.docm", "SimpleMacro.xlsm", "protect.xlsx", "testDataConnections.xlsx"])
def test_files_with_macros_and_connections_are_read_as_text(peer_data: Path, name: str) -> None:
    assert outcome(peer_data / "hostile_office" / "protected_or_active" / name) in ("docx", "xlsx")


def test_corrupt_files_end_as_expected(peer_data: Path) -> None:
    lines = (peer_data / "generated" / "corrupt" / "expect.jsonl").read_text("utf-8").splitlines()
    assert len(lines) > 5
    for entry in map(json.loads, lines):
        path = peer_data / entry["file"]
        if path.suffix not in (".docx", ".pptx", ".xlsx", ".csv"):
            continue
        said, expected = outcome(path), entry["expect"]
        if expected.startswith(("indexes", "should still index", "bounded")):
            assert not said.endswith("."), (path.name, said)
        elif expected == "error":
            assert said.startswith("DamagedDocument"), (path.name, said)
        elif expected.startswith("reported as empty"):
            assert said.startswith("EmptyDocument"), (path.name, said)
