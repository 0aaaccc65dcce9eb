"""Thirty small PDF documents of the kinds that people add together, each with a question that only it answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pymupdf

_PAPER = pymupdf.paper_rect("a4")
_SLIDE = pymupdf.Rect(0, 0, 720, 405)
_PLACES = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel", "Ivy", "Juniper")
_FILLER = (
    "The committee met four times in this period and approved the minutes of each meeting without a change.",
    "Work on the northern bank went on as planned, and no accident was reported to the inspector.",
    "Staff took part in two courses on first aid and in one on the handling of ropes and ladders.",
    "Visitors came mostly on Sundays; the number of boats that were hired hardly differs from last year.",
    "The stores were counted in June, and what was missing had been lent to the neighbouring district.",
)
_CHINESE_FILLER = "本期委员会召开了四次会议，各次会议纪要均获通过。北岸工程按计划进行，未发生事故。"


@dataclass(frozen=True, slots=True)
class MixedPdf:
    """A PDF document.

    Attributes:
        name: Its file name.
        question: A question that only this document answers.
        answer: Words that an answer must contain.
    """

    name: str
    question: str
    answer: str


def make_mixed_pdfs(folder: Path) -> list[MixedPdf]:
    """Write reports, slides, manuals, Chinese notices, tables and a scan into a folder, and return them by name."""
    folder.mkdir()
    return sorted(
        (*_reports(folder), *_slides(folder), *_manuals(folder), *_chinese(folder), *_tables(folder)), key=str
    )


def _write(path: Path, size: pymupdf.Rect, pages: list[str], font: str = "helv") -> None:
    with pymupdf.open() as pdf:
        for text in pages:
            page = pdf.new_page(width=size.width, height=size.height)
            page.insert_textbox(_text_area(size), text, fontname=font, fontsize=11)
        pdf.save(path, deflate=True)


def _text_area(page: pymupdf.Rect) -> pymupdf.Rect:
    return pymupdf.Rect(page.x0 + 50, page.y0 + 50, page.x1 - 50, page.y1 - 50)


def _reports(folder: Path) -> Iterator[MixedPdf]:
    """Write ten reports of eight pages, with the fact on the sixth; the last one is a scan of one page."""
    for number, place in enumerate(_PLACES):
        one = MixedPdf(
            f"report-{place.lower()}.pdf",
            f"How many trout were counted at {place} Weir?",
            f"{2140 + 37 * number:,}",
        )
        fact = f"At {place} Weir {one.answer} trout were counted in the spring."
        if number == len(_PLACES) - 1:
            _write_scan(folder / one.name, fact)
        else:
            pages = [f"{place} Weir: annual report, page {page}\n\n" + "\n".join(_FILLER * 3) for page in range(1, 9)]
            pages[5] += f"\n\n{fact}"
            _write(folder / one.name, _PAPER, pages)
        yield one


def _write_scan(path: Path, fact: str) -> None:
    """Write a page that is only a picture of a text, as a scanner makes it."""
    with pymupdf.open() as text, pymupdf.open() as scan:
        text.new_page().insert_textbox(_text_area(_PAPER), f"Fish count\n\n{fact}", fontsize=20)
        picture = text[0].get_pixmap(dpi=150)
        scan.new_page().insert_image(_PAPER, pixmap=picture)
        scan.save(path, deflate=True)


def _slides(folder: Path) -> Iterator[MixedPdf]:
    """Write seven sets of slides in landscape."""
    for number, place in enumerate(_PLACES[:7]):
        one = MixedPdf(
            f"slides-{place.lower()}.pdf", f"What does the {place} footbridge cost?", f"{310 + 15 * number},000"
        )
        pages = [
            f"{place} footbridge\n\n- Aims\n- Schedule\n- Cost",
            *(f"Step {step}\n\n{_FILLER[step]}" for step in range(5)),
        ]
        pages.append(f"Cost\n\nThe {place} footbridge costs {one.answer} euros, paid in two parts.")
        _write(folder / one.name, _SLIDE, pages)
        yield one


def _manuals(folder: Path) -> Iterator[MixedPdf]:
    """Write six manuals of four pages."""
    for number, place in enumerate(_PLACES[:6]):
        one = MixedPdf(
            f"manual-{place.lower()}.pdf",
            f"After how many hours is the oil of the {place} pump changed?",
            f"{450 + 50 * number} hours",
        )
        pages = [f"{place} pump: manual, chapter {page}\n\n" + "\n".join(_FILLER * 2) for page in range(1, 5)]
        pages[2] += f"\n\nThe oil of the {place} pump is changed after {one.answer} of work."
        _write(folder / one.name, _PAPER, pages)
        yield one


def _chinese(folder: Path) -> Iterator[MixedPdf]:
    """Write four notices in Chinese."""
    for number, place in enumerate(("东门", "西门", "南门", "北门")):
        one = MixedPdf(f"notice-{number + 1}-zh.pdf", f"{place}水闸每年检修几次？", f"{number + 2}次")
        pages = [
            f"{place}水闸管理通知\n\n" + _CHINESE_FILLER * 6,
            f"{place}水闸每年检修{one.answer}，由值班工程师负责。",
        ]
        _write(folder / one.name, _PAPER, pages, "china-s")
        yield one


def _tables(folder: Path) -> Iterator[MixedPdf]:
    """Write three reports that consist of a table."""
    for number, place in enumerate(_PLACES[:3]):
        one = MixedPdf(f"table-{place.lower()}.pdf", f"How much rain fell in {place} in July?", f"{81 + 4 * number} mm")
        months = ("May", "June", "July", "August", "September")
        amounts = [one.answer if month == "July" else f"{40 + 3 * row} mm" for row, month in enumerate(months)]
        rows = [("Place", "Month", "Rain"), *zip([place] * len(months), months, amounts, strict=True)]
        with pymupdf.open() as pdf:
            page = pdf.new_page()
            page.insert_text((60, 80), f"Rain in {place} by month", fontsize=14)
            for row, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    box = pymupdf.Rect(60 + 150 * column, 110 + 24 * row, 210 + 150 * column, 134 + 24 * row)
                    page.draw_rect(box)
                    page.insert_text((box.x0 + 6, box.y1 - 8), cell)
            pdf.save(folder / one.name)
        yield one
