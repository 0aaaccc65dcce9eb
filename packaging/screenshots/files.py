"""Invented documents in addition to those of resources/sample."""

from pathlib import Path

import pymupdf

_BERTH = """# Berth {number}: inspection of {month} 2026

Inspector: T. Reyk. Water level at the time: {level} m above datum.

## Fenders

Of the {fenders} fenders {worn} are worn through to the second layer. They are replaced before the autumn.

## Bollards

All bollards were pulled with {pull} tonnes. None moved. The paint of bollard {number} is gone on the sea side.
"""
_MONTHS = ("March", "April", "May", "June", "July", "September")
_NOTICE = """<html><head><title>Notice to mariners {number}</title></head><body><h1>Notice to mariners {number}</h1>
<p>From {day} May 2026 the {what} is out of service. Vessels keep {metres} metres away from it.</p></body></html>
"""
_NOTICES = (
    ("red light on the north mole", 50),
    ("tide gauge at the Corran Gate", 20),
    ("crane B of the North Quay", 35),
)
_LETTERS = 240
_CRANE = """CRANE B: LOAD TEST OF 6 MAY 2026

The crane lifted 18 tonnes at 22 metres for ten minutes. The rail settled by 1.4 mm and came back by 1.2 mm.
The drivers were told before the painters this time.
"""


def make_letters(folder: Path) -> None:
    """Write so many letters into a folder that an import shows the review first; a few of them are duplicates."""
    for number in range(_LETTERS):
        path = folder / str(2020 + number % 5) / f"letter-{number + 1:03}.{('md', 'txt', 'eml')[number % 3]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"To the harbour master, on the matter of ship {number % (_LETTERS - 6) + 1}.\n", "utf-8")


def make_files(folder: Path) -> None:
    """Write documents of a harbour into a folder: readable ones, a damaged one and one with a password."""
    berths = folder / "Berths"
    notices = folder / "Notices"
    for one in (berths, notices):
        one.mkdir(parents=True)
    for number, month in enumerate(_MONTHS, start=1):
        values = {"level": 1.2 + number / 10, "fenders": 12 + number, "worn": number // 2 + 1, "pull": 40 + 5 * number}
        (berths / f"berth-{number}.md").write_text(_BERTH.format(number=number, month=month, **values), "utf-8")
    for number, (what, metres) in enumerate(_NOTICES, start=12):
        text = _NOTICE.format(number=number, day=number - 8, what=what, metres=metres)
        (notices / f"notice-{number}.html").write_text(text, "utf-8")
    (folder / "crane-b-load-test.txt").write_text(_CRANE, "utf-8")
    hours = ((6 * day + 12 * turn) % 24 for day in range(40) for turn in range(2))
    rows = [f"2026-05-{day % 28 + 1:02},{hour:02}:17,{1.1 + hour / 9:.2f}" for day, hour in enumerate(hours)]
    (folder / "tide-table-may.csv").write_text("\n".join(["Day,High water,Metres", *rows]), "utf-8")
    (folder / "old-ledger.pdf").write_bytes(b"%PDF-1.7\nThis ledger was under water in 1987.\n")
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 96), "Salaries of the Authority, 2026")
        pdf.save(folder / "salaries.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="heron", owner_pw="heron")
