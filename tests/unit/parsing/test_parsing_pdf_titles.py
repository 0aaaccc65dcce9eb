"""Titles of PDFs without one in their metadata, on files drawn by the tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench.parsing.parse import parse_file

PROSE = "Lamps were lit at dusk and the watchman walked his round along the quay"

Line = tuple[float, str]
"""Font size and text."""


def page(pdf: Any, lines: Sequence[Line]) -> None:
    drawn, y = pdf.new_page(), 90.0
    for size, text in lines:
        drawn.insert_text((72, y), text, fontsize=size, fontname="hebo" if size > 10 else "helv")
        y += 2 * size


def title(tmp_path: Path, *pages: Sequence[Line], said: str = "") -> str:
    pdf = pymupdf.open()
    for lines in pages:
        page(pdf, [*lines, (10, PROSE), (10, PROSE)])
    pdf.set_metadata({"title": said})
    pdf.save(tmp_path / "the_lamps.pdf")
    return parse_file(tmp_path / "the_lamps.pdf").metadata.title


def test_the_largest_heading_of_the_first_page_is_the_title_including_its_second_line(tmp_path: Path) -> None:
    first = ((14, "A report"), (24, "THE LAMPS AND THEIR HISTO-"), (24, "RY IN PICTURES"))
    found = title(tmp_path, first, ((30, "Whale Oil"),))
    assert found == "THE LAMPS AND THEIR HISTORY IN PICTURES"


def test_the_second_page_gives_the_title_where_the_first_has_no_heading(tmp_path: Path) -> None:
    assert title(tmp_path, (), ((24, "The Lamps of the World"),)) == "The Lamps of the World"


@pytest.mark.parametrize(
    "heading",
    [
        "About the Lamp Office",
        "Page",
        "PART II",
        "FOR IMMEDIATE RELEASE",
        "Table 3 Lamps lit",
        "of a life",
        "FORM 10-K",
    ],
)
def test_the_file_name_is_the_title_when_the_heading_names_no_document(tmp_path: Path, heading: str) -> None:
    assert title(tmp_path, ((24, heading),), ((24, "Whale Oil"),)) == "the_lamps"


def test_a_heading_far_down_a_page_of_text_is_no_title(tmp_path: Path) -> None:
    assert title(tmp_path, ((10, PROSE),) * 9 + ((16, "Whale Oil"),)) == "the_lamps"


def test_a_stamp_that_runs_up_the_margin_is_no_title(tmp_path: Path) -> None:
    pdf = pymupdf.open()
    page(pdf, [(14, "The Lamps of the World"), *((10, PROSE),) * 9])
    pdf[0].insert_text((30, 600), "Lamps:2310.05634v2 [oil] 9 Oct 2023", fontsize=20, rotate=90)
    pdf.save(tmp_path / "stamped.pdf")
    assert parse_file(tmp_path / "stamped.pdf").metadata.title == "The Lamps of the World"


def test_two_letters_in_the_metadata_are_no_title(tmp_path: Path) -> None:
    assert title(tmp_path, ((24, "The Lamps of the World"),), said="UG") == "The Lamps of the World"


@pytest.mark.parametrize(
    ("form", "period", "found"),
    [
        ("FORM 10-K", "For the fiscal year ended December 31, 2022", "LAMP & SONS, INC., Form 10-K 2022"),
        ("Form 10-K", "For the fiscal year ended January 1, 2023", "LAMP & SONS, INC., Form 10-K 2022"),
        ("FORM 10-Q", "For the quarterly period ended March 31, 2021", "LAMP & SONS, INC., Form 10-Q March 2021"),
        ("FORM 8-K", "Date of earliest event reported: August 30, 2023", "LAMP & SONS, INC., Form 8-K August 2023"),
        ("FORM 10-K/A", "", "LAMP & SONS, INC., Form 10-K/A"),
    ],
)
def test_a_filing_is_called_by_its_registrant_form_and_period(
    tmp_path: Path, form: str, period: str, found: str
) -> None:
    cover = [(20.0, "UNITED STATES"), (20.0, "SECURITIES AND EXCHANGE COMMISSION"), (12.0, form), (10.0, period)]
    charter = [(10.0, "LAMP & SONS, INC."), (10.0, "(Exact name of registrant as specified in its charter)")]
    assert title(tmp_path, [line for line in cover + charter if line[1]], said="a10k") == found


def test_a_text_about_filings_keeps_its_own_title(tmp_path: Path) -> None:
    assert title(tmp_path, ((24, "How to read"), (10, "Form 10-K is for annual reports.")), said="Reading") == "Reading"
