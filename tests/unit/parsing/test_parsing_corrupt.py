"""External collection of damaged, mis-named and hostile files: each ends as its label expects, within limits."""

import json
import time
from pathlib import Path

import pytest

from workbench.errors import DamagedDocument, DocumentError, EmptyDocument
from workbench.model.document import ParsedDocument
from workbench.parsing.parse import parse_file

SECONDS = 20
"""Time limit for each of them: the slowest takes about 1 s on an idle machine."""


def outcome(path: Path) -> ParsedDocument | DocumentError:
    """Return the document or the error; any other exception fails the test."""
    started = time.perf_counter()
    try:
        return parse_file(path)
    except DocumentError as error:
        return error
    finally:
        assert time.perf_counter() - started < SECONDS, path.name


def is_met(expectation: str, found: ParsedDocument | DocumentError) -> bool:
    """Return whether an outcome fulfils the text of an expectation."""
    read = isinstance(found, ParsedDocument)
    if isinstance(found, ParsedDocument) and not (found.text.strip() and found.blocks):
        return False
    if expectation.startswith("reported as empty"):
        return isinstance(found, EmptyDocument)
    if expectation.startswith("error") and " or " not in expectation:
        return isinstance(found, DamagedDocument)
    if expectation in ("indexes normally", "indexes") or expectation.startswith("indexes as"):
        return read
    return True


def test_every_expectation_of_the_corrupt_files_is_met(peer_data: Path) -> None:
    lines = (peer_data / "generated" / "corrupt" / "expect.jsonl").read_text(encoding="utf-8").splitlines()
    expected = [json.loads(line) for line in lines]
    assert len(expected) > 60
    unmet = [
        (entry["file"], entry["expect"])
        for entry in expected
        if not is_met(entry["expect"], outcome(peer_data / entry["file"]))
    ]
    assert unmet == []


@pytest.mark.parametrize(
    ("name", "format", "said"),
    [
        ("pdf_named.docx", "pdf", "a PDF document"),
        ("docx_named.pdf", "docx", "a Word document"),
        ("html_named.pdf", "html", "an HTML page"),
    ],
)
def test_file_with_a_wrong_extension_is_read_as_its_actual_format(
    peer_data: Path, name: str, format: str, said: str
) -> None:
    document = parse_file(peer_data / "generated" / "corrupt" / name)
    assert document.format == format
    assert said in document.warnings[-1]


def test_every_file_of_hostile_text_ends_in_a_state(peer_data: Path) -> None:
    paths = [path for path in sorted((peer_data / "hostile_text").rglob("*")) if path.is_file()]
    assert len(paths) > 40
    assert all(outcome(path) is not None for path in paths)
