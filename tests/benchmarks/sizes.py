"""Very large inputs: time until each can be searched, memory and disk space.

usage: python tests/benchmarks/sizes.py [NAME...] [--scale 1.0] [--vectors] [--window]

Each input is generated and added to a new library:

files     20,000 small text files
text      one text file of 300 MB
csv       one CSV file of 1,000,000 rows
xlsx      one XLSX file of 2,000 columns
pdf       one PDF of 10,000 dense pages

Prints one JSON line per input: seconds until all of it can be searched by keyword (and, with --vectors, until all its
vectors exist; otherwise the import is stopped then), processor time of the program and of its parser processes, peak
memory of all processes in MB (PSS, which counts shared pages once), bytes on disk, passages, and "found": of 200 words
that occur once each, spread evenly over the input, the number that a keyword search finds. With --window the real
window adds the input, and "window" reports how long its main thread was blocked. --scale generates smaller inputs.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import re
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from import_memory import PATIENCE, Watch, apart

GUIDE = Path(__file__).resolve().parents[2] / "resources" / "guide"
_ASKED = 200
_PAUSE = 1.0
"""Seconds between two samples."""


def main() -> None:
    """Generate and measure the named inputs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*INPUTS, []], metavar="NAME")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--window", action="store_true")
    options = parser.parse_args()
    for name in options.names or INPUTS:
        with tempfile.TemporaryDirectory() as place:
            apart(make, name, Path(place) / "input", options.scale)
            # A separate process, so that memory left by one input is not counted for the next.
            apart(measure, name, Path(place), vectors=options.vectors, window=options.window)


def make(name: str, folder: Path, scale: float) -> None:
    """Write an input, and the words to search for into asked.json next to it."""
    folder.mkdir()
    asked = list(INPUTS[name](folder, scale))
    chosen = asked[:: max(1, len(asked) // _ASKED)]
    folder.with_name("asked.json").write_text(json.dumps([*chosen, asked[-1]]), "utf-8")


def _files(folder: Path, scale: float) -> Iterator[str]:
    for number in range(int(20_000 * scale)):
        (folder / str(number // 1000)).mkdir(exist_ok=True)
        text = f"# {_name(number)}\n\n{_prose(number, 120)}\n"
        (folder / str(number // 1000) / f"note {number}.md").write_text(text, "utf-8")
        yield _name(number)


def _text(folder: Path, scale: float) -> Iterator[str]:
    with (folder / "long.txt").open("w", encoding="utf-8") as file:
        number = 0
        while file.tell() < 300_000_000 * scale:
            file.write(f"{_name(number)} {_prose(number, 120)}\n\n")
            yield _name(number)
            number += 1


def _csv(folder: Path, scale: float) -> Iterator[str]:
    chosen = random.Random(1)
    with (folder / "rows.csv").open("w", encoding="utf-8") as file:
        file.write("number,name,city,amount,note\n")
        for number in range(int(1_000_000 * scale)):
            note = " ".join(chosen.choices(_WORDS, k=3))
            file.write(f"{number},{_name(number)},{chosen.choice(_WORDS)},{chosen.randint(1, 10**6) / 100},{note}\n")
            yield _name(number)


def _xlsx(folder: Path, scale: float) -> Iterator[str]:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Measured")
    columns = int(2000 * scale)
    sheet.append([f"column {number}" for number in range(columns)])
    for row in range(200):
        sheet.append([_name(row), *(round(random.Random(row).random() + column, 3) for column in range(columns - 1))])
        yield _name(row)
    book.save(folder / "wide.xlsx")


def _pdf(folder: Path, scale: float) -> Iterator[str]:
    import pymupdf

    with pymupdf.open() as made:
        for number in range(int(10_000 * scale)):
            page = made.new_page()
            text = f"{_name(number)} {_prose(number, 520)}"
            page.insert_textbox(pymupdf.Rect(50, 50, 545, 800), text, fontsize=9)
            yield _name(number)
        made.save(folder / "long.pdf")


INPUTS: dict[str, Callable[[Path, float], Iterator[str]]] = {
    "files": _files,
    "text": _text,
    "csv": _csv,
    "xlsx": _xlsx,
    "pdf": _pdf,
}


def _name(number: int) -> str:
    """Return a word that occurs once, of letters only, so that no tokenizer splits it at a digit."""
    letters = ""
    for _ in range(6):
        number, letter = divmod(number, 20)
        letters = "bcdfghklmnprstvwzjqx"[letter] + "aeiou"[letter % 5] + letters
    return f"uq{letters}"


def _words_of_the_guide() -> list[str]:
    """Return all words of the program's guide with their frequencies: invented words have twice the tokens."""
    texts = [path.read_text("utf-8") for path in sorted(GUIDE.glob("*.md"))]
    return [word for text in texts for word in re.findall(r"[A-Za-z]{2,}", text)]


_WORDS = _words_of_the_guide()


def _prose(seed: int, words: int) -> str:
    chosen = random.Random(seed).choices(_WORDS, k=words)
    return ". ".join(" ".join(chosen[start : start + 12]).capitalize() for start in range(0, words, 12)) + "."


def measure(name: str, place: Path, *, vectors: bool, window: bool) -> None:
    """Add an input to an empty library and print the figures."""
    from workbench.store.keywords import terms
    from workbench.worker.process_memory import reduce_memory_use

    reduce_memory_use()  # as the program does when it starts
    # As in the index, which drops endings.
    names = json.loads((place / "asked.json").read_text("utf-8"))
    asked = list(dict.fromkeys(word for name in names for word in terms(name)))
    add = _with_window if window else _without_window
    with Watch(_PAUSE) as watch:
        figures = add(place / "library", place / "input", asked, vectors=vectors)
    figures["found"] = f"{figures['found']} of {len(asked)}"
    own, readers = map(_processor_seconds, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    disk = sum(file.stat().st_size for file in (place / "library").rglob("*") if file.is_file())
    said = {
        "input": name, **figures, "cpu_s": own, "readers_cpu_s": readers,
        "peak_pss_mb": round(watch.pss), "each_pss_mb": watch.each, "disk_mb": disk >> 20,
    }  # fmt: skip
    print(json.dumps(said), flush=True)


def _processor_seconds(who: int) -> float:
    used = resource.getrusage(who)
    return round(used.ru_utime + used.ru_stime, 1)


def _without_window(folder: Path, source: Path, asked: list[str], *, vectors: bool) -> dict[str, Any]:
    from workbench import operations
    from workbench.worker.job import JobContext

    library = operations.Library.open(folder)

    async def add() -> dict[str, Any]:
        began = time.perf_counter()
        adding = asyncio.ensure_future(operations.add_documents(library, [source])(JobContext()))
        while _found(library, asked) < len(asked) and not adding.done():
            await asyncio.wait([adding], timeout=_PAUSE)
        figures = {"keyword_s": round(time.perf_counter() - began, 1)}
        if vectors:
            await adding
            figures["vectors_s"] = round(time.perf_counter() - began, 1)
        elif not adding.done():
            adding.cancel()
            await asyncio.wait([adding])
        return figures

    try:
        figures = asyncio.run(add())
        return {**figures, **_held(library, asked)}
    finally:
        library.close()


def _with_window(folder: Path, source: Path, asked: list[str], *, vectors: bool) -> dict[str, Any]:
    if not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import QTimer
    from window import Beats, Events, opened_window, show

    from workbench.operations import Library
    from workbench.store.database import Access

    with opened_window(folder) as shell:
        show(shell, PATIENCE)
        ended = Events()
        shell.documents.import_changed.connect(lambda state: None if state.running else ended.happened())
        seen = multiprocessing.get_context("spawn").Process(target=_wait_until_found, args=(folder, asked))
        polls = QTimer()
        polls.timeout.connect(lambda: None if seen.is_alive() else ended.happened())
        beats, began = Beats(), time.perf_counter()
        shell.documents.add([source])
        seen.start()
        polls.start(200)
        ended.wait(PATIENCE)
        figures: dict[str, Any] = {"keyword_s": round(time.perf_counter() - began, 1)}
        polls.stop()
        if vectors:
            ended.wait(PATIENCE)
            figures["vectors_s"] = round(time.perf_counter() - began, 1)
        figures["window"] = beats.take()
        seen.terminate()
    library = Library.open(folder, access=Access.READ)
    try:
        return {**figures, **_held(library, asked)}
    finally:
        library.close()


def _wait_until_found(folder: Path, asked: list[str]) -> None:
    from workbench.operations import Library
    from workbench.store.database import Access

    library = Library.open(folder, access=Access.READ)
    while _found(library, asked) < len(asked):
        time.sleep(_PAUSE)


def _found(library: Any, asked: list[str]) -> int:
    # The last word first: until it is found, the others are not searched for.
    if not library.keywords.document_frequency(asked[-1:])[asked[-1]]:
        return 0
    return sum(map(bool, library.keywords.document_frequency(asked).values()))


def _held(library: Any, asked: list[str]) -> dict[str, Any]:
    documents = library.documents.list()
    return {
        "documents": len(documents),
        "chunks": sum(document.chunks for document in documents),
        "found": _found(library, asked),
    }


if __name__ == "__main__":
    main()
