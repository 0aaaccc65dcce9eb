"""Build the sample report resources/sample/harbour-survey.pdf from packaging/harbour-survey.txt.

Run it after changing the text: `python packaging/make_sample.py`. The output is reproducible: dates are fixed and there
are no random identifiers. Then check the pages, and the page numbers in resources/sample_questions.jsonl.
"""

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

import pymupdf
from sample_layout import (
    BODY,
    BODY_ITALIC,
    BOTTOM,
    HEIGHT,
    INK,
    LEFT,
    RIGHT,
    RULE,
    SANS,
    SANS_BOLD,
    SEA,
    SOFT,
    TOP,
    WHITE,
    WIDTH,
    Flow,
    Sheet,
    Text,
    wrap,
)

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "harbour-survey.txt"
TARGET = HERE.parent / "resources" / "sample" / "harbour-survey.pdf"

TITLE = "Vessmark Harbour Condition Survey 2025"
AUTHOR = "Vessmark Harbour Authority, Office of the Harbour Engineer"
DATE = "D:20260218090000Z"
SILTATION = {2016: 12, 2017: 15, 2018: 14, 2019: 17, 2020: 19, 2021: 16, 2022: 18, 2023: 22, 2024: 21, 2025: 26}
FRONT_PAGES = 2


def main() -> None:
    """Write the report to the file in the first argument, by default to its place among the samples."""
    arguments = argparse.ArgumentParser(description=main.__doc__)
    arguments.add_argument("target", nargs="?", type=Path, default=TARGET)
    arguments.parse_args().target.write_bytes(report())


def report() -> bytes:
    """Return the PDF as bytes."""
    flow = Flow(first_page=FRONT_PAGES + 1)
    read(SOURCE.read_text("utf-8"), flow)
    sheets = [cover(), contents(flow), *flow.sheets]
    document = pymupdf.open()
    for number, sheet in enumerate(sheets, start=1):
        if number > 1:
            running_head(sheet, number)
        sheet.draw(document.new_page(width=WIDTH, height=HEIGHT))
    document.set_toc([[1, "Contents", 2], *([level, title, page] for level, title, page in flow.outline)])
    document.set_metadata(
        {
            "title": TITLE,
            "author": AUTHOR,
            "subject": "Condition of quays, channel, breakwater, gate and water in 2025",
            "keywords": "harbour, survey, piles, dredging, breakwater, water quality",
            "creationDate": DATE,
            "modDate": DATE,
            "creator": "Office of the Harbour Engineer",
            "producer": "",
        }
    )
    document.set_language("en")
    document.subset_fonts()
    return bytes(document.tobytes(garbage=4, deflate=True, deflate_fonts=True, use_objstms=1, no_new_id=True))


def read(source: str, flow: Flow) -> None:
    """Lay out the source: # headings, - lists, paragraphs, and the @ marks for tables, columns, lists and the chart."""
    entries = False
    for block in blocks(source):
        first = block[0]
        if first.startswith("# "):
            flow.chapter(first[2:])
            entries = False
        elif first.startswith("#"):
            flow.heading(first.count("#", 0, 3), first.lstrip("# "))
        elif first.startswith("@table "):
            caption, weights = first.removeprefix("@table ").split("|")
            rows = [[cell.strip() for cell in row.split("|")] for row in block[1:]]
            flow.table(caption.strip(), [float(weight) for weight in weights.split()], rows)
        elif first.startswith("@columns "):
            flow.columns(int(first.split()[1]))
        elif first == "@chart":
            chart(flow)
        elif first == "@list":
            entries = True
        elif first.startswith("- "):
            flow.paragraph(first[2:], indent=14, bullet="•")
        elif entries:
            term, _, meaning = first.partition(": ")
            flow.entry(term, meaning)
        else:
            flow.paragraph(first)


def blocks(source: str) -> Iterator[list[str]]:
    """Yield each line as a list, and the lines of a table together."""
    table: list[str] = []
    for line in [*source.splitlines(), ""]:
        if table and "|" in line:
            table.append(line)
            continue
        if table:
            yield table
            table = []
        if line.startswith("@table"):
            table = [line]
        elif line.strip():
            yield [line.strip()]


def chart(flow: Flow) -> None:
    """Draw the bar chart of Figure 1 with axis, labels and the mean."""
    height, mean = 150.0, sum(SILTATION.values()) / len(SILTATION)
    flow.need(height + 60)
    flow.y += 8
    flow.caption("Figure 1. Siltation of the approach channel, chainage 1,500 to 2,400 m, in centimetres a year")
    top, left, right = flow.y + 8, LEFT + 26, RIGHT - 4
    base, scale = top + height, height / 30
    sheet = flow.sheet
    for value in range(0, 31, 10):
        y = base - value * scale
        sheet.line(left, y, right, y, RULE, 0.5)
        sheet.texts.append(Text(left - 20, y + 3, f"{value:>2}", SANS, 8.4, SOFT))
    step = (right - left) / len(SILTATION)
    for number, (year, value) in enumerate(SILTATION.items()):
        x0 = left + step * (number + 0.2)
        x1 = x0 + step * 0.6
        sheet.rectangle(x0, base - value * scale, x1, base, SEA if value > mean else (0.45, 0.65, 0.70))
        label = str(value)
        centre = (x0 + x1) / 2
        y = base - value * scale - 4
        sheet.texts.append(Text(centre - SANS_BOLD.text_length(label, 8.4) / 2, y, label, SANS_BOLD, 8.4))
        sheet.texts.append(Text(centre - SANS.text_length(str(year), 8.4) / 2, base + 13, str(year), SANS, 8.4, SOFT))
    level = base - mean * scale
    for dash in range(int((right - left) // 8)):
        sheet.line(left + dash * 8, level, left + dash * 8 + 4, level, (0.72, 0.30, 0.16), 1.0)
    sheet.texts.append(Text(left + 4, level - 4, f"mean {mean:.0f} cm", SANS, 8.4, (0.72, 0.30, 0.16)))
    flow.y = base + 30


def running_head(sheet: Sheet, number: int) -> None:
    """Add the header with the title and chapter, and the footer with the authority and page number."""
    sheet.texts.append(Text(LEFT, 52, TITLE, SANS, 8.4, SOFT))
    width = SANS.text_length(sheet.chapter, 8.4)
    sheet.texts.append(Text(RIGHT - width, 52, sheet.chapter, SANS, 8.4, SOFT))
    sheet.line(LEFT, 60, RIGHT, 60)
    sheet.line(LEFT, 784, RIGHT, 784)
    sheet.texts.append(Text(LEFT, 798, "Vessmark Harbour Authority", SANS, 8.4, SOFT))
    label = f"Page {number}"
    sheet.texts.append(Text(RIGHT - SANS.text_length(label, 8.4), 798, label, SANS, 8.4, SOFT))


def cover() -> Sheet:
    """Return the cover: a lighthouse on a breakwater above the sea, with title and subtitle."""
    sheet = Sheet()
    sheet.rectangle(0, 0, WIDTH, 470, SEA)
    sheet.polygon([(430, 150), (452, 150), (460, 372), (422, 372)], (0.93, 0.95, 0.94))
    sheet.polygon([(427, 226), (455, 226), (457, 276), (425, 276)], (0.72, 0.30, 0.16))
    sheet.rectangle(422, 142, 460, 150, (0.93, 0.95, 0.94))
    sheet.rectangle(431, 118, 451, 142, (0.98, 0.85, 0.45))
    sheet.polygon([(427, 118), (455, 118), (441, 100)], (0.72, 0.30, 0.16))
    sheet.polygon([(431, 124), (431, 136), (0, 190), (0, 70)], (0.11, 0.37, 0.45))
    sheet.polygon(
        [(250, 400), (300, 378), (380, 366), (520, 366), (595, 372), (595, 420), (240, 420)], (0.05, 0.22, 0.29)
    )
    for depth in range(6):
        shade = 0.40 + depth * 0.07
        points = [(x, 400 + depth * 13 + 4 * math.sin(x / 34 + depth * 1.7)) for x in range(0, 600, 5)]
        sheet.curve(points, (shade * 0.6, shade, shade * 1.08), 1.4)
    y = 532.0
    for line in wrap(TITLE, SANS_BOLD, 31, 420):
        sheet.texts.append(Text(LEFT, y, line, SANS_BOLD, 31, SEA))
        y += 39
    sheet.texts.append(Text(LEFT, y + 2, "Quays, channel, breakwater, tidal gate and water", BODY_ITALIC, 15, INK))
    sheet.line(LEFT, 716, RIGHT, 716, RULE, 0.8)
    sheet.texts.append(Text(LEFT, 738, "Vessmark Harbour Authority", SANS_BOLD, 11, INK))
    sheet.texts.append(Text(LEFT, 754, "Office of the Harbour Engineer", SANS, 10, SOFT))
    for line, y in (("Report VHA 2026-04", 738.0), ("18 February 2026", 754.0)):
        sheet.texts.append(Text(RIGHT - SANS.text_length(line, 10), y, line, SANS, 10, SOFT))
    sheet.texts.append(Text(LEFT, 60, "VESSMARK HARBOUR AUTHORITY", SANS_BOLD, 10, WHITE))
    return sheet


def contents(flow: Flow) -> Sheet:
    """Return the table of contents, two levels deep."""
    sheet = Sheet(chapter="Contents")
    sheet.texts.append(Text(LEFT, TOP + 16, "Contents", SANS_BOLD, 22, SEA))
    y = TOP + 50
    entries = [entry for entry in flow.outline if entry[0] <= 2]
    step = min(17.0, (BOTTOM - y) / len(entries) - 1.2)
    for level, title, page in entries:
        font, size, x = (SANS_BOLD, 10.0, LEFT) if level == 1 else (BODY, 10.4, LEFT + 16)
        if level == 1:
            y += 3
        label = str(page)
        sheet.texts.append(Text(x, y, title, font, size))
        sheet.texts.append(Text(RIGHT - font.text_length(label, size), y, label, font, size))
        y += step
    return sheet


if __name__ == "__main__":
    main()
