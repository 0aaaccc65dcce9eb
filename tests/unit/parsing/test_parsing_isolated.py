"""Parsing in a child process: every failure there becomes one sentence here."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import (
    DocumentTooLarge,
    EncryptedDocument,
    ParserCrashed,
    ParserKilled,
    ParserOutOfMemory,
    ParserTimedOut,
)
from workbench.parsing import parse
from workbench.parsing.sandboxed import PRELOAD, SandboxedParser
from workbench.worker.processes import (
    ProcessCrashed,
    ProcessFilledDisk,
    ProcessForked,
    ProcessOutOfMemory,
    ProcessOutputTooLarge,
    ProcessPool,
    ProcessTimedOut,
)


@pytest.mark.parametrize("code", [-9, -15])
@pytest.mark.parametrize(("memory_ran_out", "said"), [(True, "memory ran out"), (False, "Another program")])
def test_a_reader_that_was_ended_from_outside_speaks_of_memory_only_where_that_ran_out(
    code: int, memory_ran_out: bool, said: str
) -> None:
    pool = FailingPool(ProcessCrashed(code, memory_ran_out=memory_ran_out))
    with pytest.raises(ParserKilled, match=said) as caught:
        asyncio.run(SandboxedParser(pool, seconds=20, megabytes=512).parse(Path("a.pdf")))  # type: ignore[arg-type]
    assert ("memory" in str(caught.value)) is memory_ran_out


class FailingPool:
    """Stand-in for a pool whose child fails."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def run(self, function: Callable[..., Any], *args: Any, **limits: float) -> Any:
        raise self._error


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ProcessCrashed(-11), ParserCrashed),
        (ProcessTimedOut("x"), ParserTimedOut),
        (ProcessOutOfMemory("x"), ParserOutOfMemory),
        (ProcessOutputTooLarge("x"), DocumentTooLarge),
        (ProcessFilledDisk("x"), DocumentTooLarge),
        (ProcessForked("x"), ParserCrashed),
    ],
)
def test_a_failure_of_the_child_process_is_reported_in_a_sentence(error: Exception, shown: type[Exception]) -> None:
    parser = SandboxedParser(FailingPool(error), seconds=20, megabytes=512)  # type: ignore[arg-type]
    with pytest.raises(shown) as caught:
        asyncio.run(parser.parse(Path("a.pdf")))
    assert str(caught.value).endswith(".")


def test_document_and_errors_come_back_from_the_child(tmp_path: Path) -> None:
    import pymupdf

    plain, locked = tmp_path / "plain.pdf", tmp_path / "locked.pdf"
    pdf: Any = pymupdf.open()
    pdf.new_page().insert_text((72, 72), "hello from a child")
    pdf.save(plain)
    pdf.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="key", owner_pw="owner")
    pool = ProcessPool(1, preload=PRELOAD)
    parser = SandboxedParser(pool, seconds=30, megabytes=512)

    async def parse_all() -> None:
        document = await parser.parse(plain)
        assert document.text == "hello from a child"
        assert len(document.pages[0].words) == 4
        with pytest.raises(EncryptedDocument):
            await parser.parse(locked)
        assert (await parser.parse(locked, password="key")).text == document.text

    try:
        asyncio.run(parse_all())
    finally:
        pool.close()


def test_pymupdf_is_not_imported_before_a_pdf_is_read() -> None:
    code = (
        "import sys, workbench.parsing.sandboxed, workbench.parsing.page_renderer; sys.exit('pymupdf' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_file_that_unpacks_to_too_much_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "MOST_CHARACTERS", 2_000_000)
    (tmp_path / "bomb.txt").write_text("many words " * 300_000)
    with pytest.raises(
        DocumentTooLarge, match="contains 3 million characters of text; the limit for one file is 2 million"
    ):
        parse.parse_file(tmp_path / "bomb.txt")
