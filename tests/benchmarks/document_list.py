"""Responsiveness of the window with 100,000 documents in its list.

usage: python tests/benchmarks/document_list.py [--documents N] [--added N] [--plain] [--table] [--only NAME ...]

The rows are generated, in a real library: 200 folders of reports with pages, tags and dates. The real window shows
them, and each action is performed as a person would (wheel, keys in the filter box, clicks on headings, Ctrl+A, Del,
Undo). For each action the figures of window.Beats for the main thread are printed. "adding" adds 1,000 small files. The
gaps of the machine are those of a process that only sleeps 1 ms at a time. Runs on the platform that QT_QPA_PLATFORM or
the display names; otherwise on "offscreen".
"""

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from window import BYSTANDER, Beats, Events, opened_window, show

WORDS = ("harbour", "heron", "ferry", "lighthouse", "winter", "captain", "storm", "letter", "island", "合同", "报告")
TAGS = ("law", "due soon", "finance", "2024", "reviewed")
PAUSE = 0.06
"""Seconds between two letters, or two turns of the wheel: a fast user."""


def main() -> None:
    """Fill a library, show it and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--added", type=int, default=1000)
    parser.add_argument("--plain", action="store_true", help="without folders")
    parser.add_argument("--table", action="store_true", help="as a table with all its columns")
    parser.add_argument("--only", nargs="*", default=())
    options = parser.parse_args()
    if not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    with tempfile.TemporaryDirectory() as place:
        fill(Path(place) / "library", options.documents, folders=not options.plain)
        files = Path(place) / "files"
        files.mkdir()
        for number in range(options.added):
            (files / f"note {number}.md").write_text(f"# Note {number}\n\nThe heron number {number} flew.\n", "utf-8")
        measure(Path(place) / "library", files, table=options.table, only=options.only)


def fill(folder: Path, number: int, *, folders: bool) -> None:
    """Create a library of documents that have a row and no content."""
    from workbench.operations import Library

    library = Library.open(folder)
    # Bound now: an index that is bound later counts the vectors, finds none of these, and starts to compute them.
    library.models.embedder()
    library.models.bind()
    dice = random.Random(0)
    rows = []
    for one in range(number):
        name = f"{' '.join(dice.sample(WORDS, 3))} {one}.{dice.choice(('pdf', 'docx', 'md'))}"
        place = f"Reports/{one % 20}/{one % 200}" if folders else ""
        tags = json.dumps(dice.sample(TAGS, dice.randrange(3)))
        day = f"20{one % 26:02}-{one % 12 + 1:02}-{one % 28 + 1:02}T10:00:00+00:00"
        pages = dice.randrange(1, 300)
        author, ending = dice.choice(("Ada", "Lee", "")), name.rpartition(".")[2]
        what = (1, f"/made up/{one}/{name}", name, f"{one:064x}", pages * 5000, ending, name, author, day[:10])
        rows.append((*what, pages, pages * 4, pages * 4, day, place, tags))
    with library.intake._database.write() as connection:
        connection.executemany(
            "INSERT INTO documents (knowledge_base, path, name, sha256, size, format, status, title, author, created,"
            " pages, chunks, embedded, added, folder, tags)"
            " VALUES (?, ?, ?, ?, ?, ?, 'ready', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
    library.close()


def measure(folder: Path, files: Path, *, table: bool, only: list[str]) -> None:
    """Open the window and perform one action after the other."""
    with opened_window(folder, (1600, 900)) as shell:
        _measure(shell, files, table=table, only=only)


def _measure(shell: Any, files: Path, *, table: bool, only: list[str]) -> None:
    from workbench.ui.library.document_columns import ColumnView, DocumentColumn

    beats = Beats()
    began = time.perf_counter()
    show(shell)
    _settle()
    said = {"opened_s": round(time.perf_counter() - began, 1), "opening": beats.take()}
    if table:
        shell.window.resizeDocks([shell.window.library_dock], [900], _across())
        shell.library_pane.show_view(ColumnView(True, tuple(DocumentColumn)))
    _settle()
    print(json.dumps({"rows": shell.documents.model.rowCount(), **said}), flush=True)
    bystander = subprocess.Popen(
        [sys.executable, "-c", BYSTANDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    Events().wait(1)
    spans: dict[str, tuple[float, float]] = {}
    hand = Hand(shell, files)
    for name, act in hand.acts():
        if only and name not in only:
            continue
        beats.take()
        began = time.perf_counter()
        act()
        spans[name] = (began, time.perf_counter())
        print(json.dumps({name: beats.take()}), flush=True)
    lines = [tuple(map(float, line.split())) for line in bystander.communicate()[0].splitlines()]
    for name, (start, end) in spans.items():
        late = [round(1000 * gap) for gap, at in lines if start <= at <= end]
        if late:
            print(json.dumps({f"{name}: the machine's gaps over 50 ms": late}), flush=True)


def _settle() -> None:
    """Wait until the program is idle."""
    for _ in range(120):
        before = time.process_time()
        Events().wait(1)
        if time.process_time() - before < 0.15:
            return


def _across() -> Any:
    from PySide6.QtCore import Qt

    return Qt.Orientation.Horizontal


class Hand:
    """The actions of a user in the document list."""

    def __init__(self, shell: Any, files: Path) -> None:
        self._shell = shell
        self._pane = shell.library_pane
        self._rows = shell.library_pane.rows
        self._model = shell.documents.model
        self._files = files

    def acts(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Yield each action with its name, in an order in which they can be performed."""
        yield "idle", lambda: Events().wait(2)
        yield "scrolling", self.scroll
        yield "filtering", self.filter
        yield "sorting", self.sort
        yield "selecting all", self.select_all
        yield "asking for the menu", self.ask_for_menu
        yield "removing 1", lambda: self.remove(1)
        yield "undoing 1", self.undo
        yield "removing 5,000", lambda: self.remove(5000)
        yield "undoing 5,000", self.undo
        yield "removing all", lambda: self.remove(self._model.rowCount())
        yield "undoing all", self.undo
        yield "adding", self.add

    def scroll(self) -> None:
        """Turn the wheel, drag the scroll bar from end to end, jump by pages."""
        bar = self._rows.verticalScrollBar()
        for turn in range(100):
            bar.setValue(bar.value() + (120 if turn < 60 else -120))
            Events().wait(0.016)
        for step in itertools.chain(range(60), range(60, 0, -1)):
            bar.setValue(bar.maximum() * step // 60)
            Events().wait(0.016)

    def filter(self) -> None:
        """Type into the filter box letter by letter, and delete the text again."""
        box = self._pane._filter
        for text in ("harbour heron 12", "tag:law format:pdf ferry", "报告", "folder:reports/7", "zzz"):
            for end in itertools.chain(range(1, len(text) + 1), (0,)):
                box.setText(text[:end])
                Events().wait(PAUSE)

    def sort(self) -> None:
        """Sort by each column, in both directions."""
        from workbench.ui.library.document_columns import Arrangement, DocumentColumn

        for sort in (*DocumentColumn, DocumentColumn.ADDED):
            for down in (True, False):
                self._pane.arrange(Arrangement(sort, down))
                Events().wait(0.2)

    def select_all(self) -> None:
        """Select everything and nothing, five times, and continue in another sort order."""
        from workbench.ui.library.document_columns import Arrangement, DocumentColumn

        for _ in range(5):
            self._rows.selectAll()
            Events().wait(0.2)
            self._rows.clearSelection()
            Events().wait(0.2)
        self._rows.selectAll()
        self._pane.arrange(Arrangement(DocumentColumn.NAME))
        Events().wait(0.5)
        self._pane.arrange(Arrangement())
        Events().wait(0.5)

    def ask_for_menu(self) -> None:
        """Select everything and query the available commands."""
        self._rows.selectAll()
        for _ in range(3):
            self._pane.selection_actions()
            Events().wait(0.2)

    def remove(self, number: int) -> None:
        """Select the last rows and press Del."""
        from PySide6.QtCore import QItemSelection, QItemSelectionModel

        last = self._model.rowCount() - 1
        flags = QItemSelectionModel.SelectionFlag
        chosen = QItemSelection(self._model.index(last - number + 1, 0), self._model.index(last, 0))
        self._rows.selectionModel().select(chosen, flags.ClearAndSelect | flags.Rows)
        Events().wait(0.3)
        before = len(self._model.documents())
        self._removed = len(self._rows.selected_numbers())
        Events().wait(0.3)
        self._pane._actions["remove"].trigger()
        self._until(before - self._removed)

    def undo(self) -> None:
        """Press Undo."""
        before = len(self._model.documents())
        self._shell.documents.undo_remove()
        self._until(before + self._removed)

    def add(self) -> None:
        """Add a folder of small files."""
        ended = Events()
        self._shell.documents.notified.connect(ended.happened)
        self._shell.documents.add([self._files])
        ended.wait(600)
        self._shell.documents.notified.disconnect(ended.happened)
        Events().wait(1)

    def _until(self, number: int) -> None:
        until = time.perf_counter() + 300
        while len(self._model.documents()) != number and time.perf_counter() < until:
            Events().wait(0.05)
        assert len(self._model.documents()) == number
        Events().wait(1)


if __name__ == "__main__":
    main()
