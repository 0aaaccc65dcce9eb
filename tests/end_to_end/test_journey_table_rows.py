"""A journey through the rows of tables: each is asked about in the window, and its numbers lie inside the mark.

WORKBENCH_JOURNEY_TABLES=FOLDER asks about fifty rows of the PDFs in the folder instead, of which its folder "library"
must be a library; then an answer may fail to cite its row, and one mark in twenty to contain all its numbers. What
became of each is written to rows.txt there.
"""

import os
import shutil
import time
from pathlib import Path

import pymupdf
import pytest
from journey import PATIENCE, WHY_NOT, Journey, Journeys
from table_rows import TableRow, chosen_rows

import workbench

REAL = os.environ.get("WORKBENCH_JOURNEY_TABLES", "")
_COUNT = 50 if REAL else 4
pytestmark = [
    pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "ready"),
    pytest.mark.usefixtures("embedder"),
    pytest.mark.timeout(40 * PATIENCE if REAL else 10 * PATIENCE),
]
_ROWS = (
    *("Ferry tickets", "Harbour dues", "Hire of cranes", "Sale of maps", "Repairs of buoys", "Wages of pilots"),
    *("Coal and oil", "Cleaning of quays", "Rent of sheds", "Interest on loans"),
)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Return a folder with PDFs that contain tables."""
    if REAL:
        return Path(REAL)
    folder = tmp_path / "papers"
    folder.mkdir()
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((60, 80), "Accounts of the harbour (in thousands of crowns)", fontsize=14)
        for row, cells in enumerate([("", "2025", "2024"), *((name, "", "") for name in _ROWS)]):
            y = 120 + 20 * row
            numbers = cells[1:] if not row else (f"{3 + row},{417 + 31 * row}", f"{2 + row},{209 + 47 * row}")
            for x, text in zip((60, 300, 400), (cells[0], *numbers), strict=True):
                page.insert_text((x, y), text, fontsize=11)
        pdf.save(folder / "harbour_accounts.pdf")
    return folder


def test_the_numbers_of_a_row_that_is_asked_for_lie_inside_its_mark(
    start: Journeys, papers: Path, folder: Path
) -> None:
    rows = chosen_rows(sorted(papers.glob("*.pdf")), _COUNT, seed=1)
    assert len(rows) == _COUNT
    if REAL:
        shutil.copytree(papers / "library", folder)
    else:
        with workbench.open_library(folder) as library:
            library.add(papers)
    journey = start()
    journey.wait_for_text("all searchable")
    results = [_result(journey, row) for row in rows]
    journey.keep("table-rows")
    if REAL:
        (papers / "rows.txt").write_text("\n".join(results), "utf-8")
    cited = [result for result in results if result != "not cited"]
    assert len(cited) > _COUNT / 2 if REAL else len(cited) == _COUNT
    assert cited.count("marked") >= (0.95 if REAL else 1) * len(cited), cited


def _result(journey: Journey, row: TableRow) -> str:
    """Ask about a row, open the first source that quotes it, and return what became of it."""
    journey.press("ctrl+n")
    answer = journey.answer_to(row.question)
    links = [link for link, *place in answer["citations"] if row.is_quoted(*place)]
    if not links:
        return "not cited"
    journey.click("chips", link=links[0])
    deadline = time.monotonic() + PATIENCE / 3
    while time.monotonic() < deadline:
        shown = journey.ask("marked")
        if shown and shown[0] == row.page and row.is_marked(shown[1]):
            return "marked"
    return f"not marked: {row}"
