"""External collection of real and hostile PDFs, read in child processes with limits: each has the expected outcome."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import DocumentError, EmptyDocument, EncryptedDocument
from workbench.model.document import FindingKind, ParsedDocument
from workbench.parsing.sandboxed import PRELOAD, SandboxedParser
from workbench.worker.processes import ProcessPool

pytestmark = pytest.mark.peer_data

Outcome = ParsedDocument | DocumentError
Case = tuple[Path, str | None]


def read_all(cases: Sequence[Case]) -> list[Outcome]:
    """Return the outcome of each file, two at a time, with limits of 30 s and 1 GB."""
    pool = ProcessPool(2, preload=PRELOAD)
    parser = SandboxedParser(pool, seconds=30, megabytes=1024)

    async def read(path: Path, password: str | None) -> Outcome:
        try:
            return await parser.parse(path, password=password)
        except DocumentError as error:
            return error

    async def main() -> list[Outcome]:
        return await asyncio.gather(*(read(*case) for case in cases))

    try:
        return asyncio.run(main())
    finally:
        pool.close()


def labels(data: Path, *categories: str) -> list[dict[str, Any]]:
    found = json.loads((data / "pdf_labels.json").read_text("utf-8"))
    return [label for label in found if not categories or label["category"] in categories]


def outcomes(data: Path, chosen: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], Outcome]]:
    read = read_all([(data / label["file"], label.get("password")) for label in chosen])
    return list(zip(chosen, read, strict=True))


def test_every_real_pdf_is_read_as_its_label_expects(peer_data: Path) -> None:
    chosen = [one for one in labels(peer_data) if "pdf_varied" in one["file"]]
    assert chosen
    for label, outcome in outcomes(peer_data, chosen):
        if isinstance(outcome, EmptyDocument):
            assert label["chars_mupdf15"] == 0
            assert label["images15"] == 0
            continue
        assert isinstance(outcome, ParsedDocument), label["file"]
        assert len(outcome.pages) == label["pages_mupdf"]
        characters = sum(not character.isspace() for character in outcome.text)
        if label["pages_mupdf"] <= 15:
            # Without white space; running heads and feet are left out.
            assert characters > 0.7 * label["chars_mupdf15"] - 30, label["file"]
        assert (sum("\u4e00" <= character <= "\u9fff" for character in outcome.text) > 0) == (label["cjk15"] > 0)


def test_e4_scans_are_known_by_their_pages(peer_data: Path) -> None:
    chosen = labels(peer_data, "scanned_no_text")
    assert len(chosen) == 3
    for label, outcome in outcomes(peer_data, chosen):
        assert isinstance(outcome, ParsedDocument)
        (missing,) = [finding for finding in outcome.findings if finding.kind is FindingKind.NO_TEXT]
        assert missing.count == label["empty_text_pages15"]


def test_every_hostile_pdf_is_read_or_fails_with_a_reason(peer_data: Path) -> None:
    chosen = [one for one in labels(peer_data) if "hostile_pdf" in one["file"]]
    assert chosen
    for label, outcome in outcomes(peer_data, chosen):
        if isinstance(outcome, DocumentError):
            assert outcome.message.endswith(".")
            assert outcome.hint.endswith(".")
        else:
            assert label["category"] != "unopenable_by_all"
        if (label["chars_mupdf15"] or 0) > 0:
            assert isinstance(outcome, ParsedDocument), label["file"]


def test_e2_password_of_the_label_opens_and_any_other_is_refused(peer_data: Path) -> None:
    chosen = labels(peer_data, "password", "password_unknown")
    assert chosen
    for label, outcome in outcomes(peer_data, chosen):
        # One has only an encrypted attachment: MuPDF reports the whole file as locked.
        opens = label["password"] is not None and label["auth"] != "pdfium"
        assert isinstance(outcome, EncryptedDocument) is not opens, label["file"]
    locked = [label for label in chosen if label["password"] != ""]
    for wrong in (None, "not this one"):
        refused = read_all([(peer_data / label["file"], wrong) for label in locked])
        assert all(isinstance(outcome, EncryptedDocument) for outcome in refused)
