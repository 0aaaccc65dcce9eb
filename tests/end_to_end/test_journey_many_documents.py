"""A journey with thirty mixed PDFs: they are dropped on the window, and asked about while they are read.

WORKBENCH_JOURNEY_DOCUMENTS=FOLDER takes real PDFs instead: up to thirty of those in the folder, and the questions of
its questions.jsonl ("question", and "gold": pairs of a file's stem and a page). WORKBENCH_JOURNEYS=FOLDER stores a
picture of each step, and every answer in many-documents.txt.
"""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from drag_programs import SIZE
from journey import PATIENCE, ROOT, WHY_NOT, Journey, Journeys, go_to
from mixed_pdfs import MixedPdf, make_mixed_pdfs

from workbench.agent.built_in_agent import REFUSAL_EN, REFUSAL_ZH

REAL = os.environ.get("WORKBENCH_JOURNEY_DOCUMENTS", "")
_LONG = 3000 if REAL else PATIENCE
"""Seconds for reading all documents."""
pytestmark = [
    pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "ready"),
    pytest.mark.usefixtures("embedder"),
    pytest.mark.timeout(2 * _LONG + 10 * PATIENCE),
]
_DOCUMENTS, _QUESTIONS = 30, 8
_NOTHING = (REFUSAL_EN, REFUSAL_ZH, "Nothing found in your library")
_MOVES = 200
"""Movements of the mouse within which the window has answered a drag, also on a busy machine."""
_IN_WORK = 3
_LOOKS = 50
"""Number of looks within which the list is narrowed, also on a busy machine."""
_READ = ("indexed", "embedding", "ready")
"""States of a document whose text can be searched."""


def _collect_real(folder: Path) -> list[MixedPdf]:
    """Copy real PDFs into a folder, and return some questions about them; the answer must name the file."""
    folder.mkdir()
    for path in sorted(Path(REAL).rglob("*.pdf"))[:_DOCUMENTS]:
        shutil.copy(path, folder)
    lines = map(json.loads, (Path(REAL) / "questions.jsonl").read_text("utf-8").splitlines())
    stems = [(line["question"], {f"{stem}.pdf" for stem, _ in line["gold"]}) for line in lines]
    # The list of sources cuts a long name.
    asked = [MixedPdf(name, text, name[:20]) for text, names in stems for name in names if (folder / name).exists()]
    return asked[:: max(1, len(asked) // _QUESTIONS)]


class _Reading:
    """The documents while they are read, the questions about them, and what the window said."""

    def __init__(self, journey: Journey) -> None:
        self._journey = journey
        self._answers: list[str] = []

    def unread(self) -> set[str]:
        """Return the names of the documents whose text cannot be searched yet."""
        documents = self._journey.ask("documents")
        return {name for name, status, passages in documents if status not in _READ or not passages}

    def unprepared(self) -> set[str]:
        """Return the names of the documents that are not yet searched by meaning too."""
        return {name for name, status, _ in self._journey.ask("documents") if status != "ready"}

    def wait(self, happened: Callable[[], object]) -> None:
        """Wait for something in the window, as long as reading may take."""
        deadline = time.monotonic() + _LONG
        while not happened():
            assert time.monotonic() < deadline, self._journey.ask("texts")

    def ask(self, one: MixedPdf, *, is_read: bool = False) -> bool:
        """Type a question, check that no answer is denied too soon, and return whether it has the wanted words."""
        known = one.name not in self.unread()
        said = "\n".join(self._journey.answer_to(one.question, _LONG)["texts"])
        unread = self.unread()
        is_found = one.answer in said
        self._note(one, said, len(unread), is_found)
        if unread:
            assert not any(words in said for words in _NOTHING), said
        if (known or is_read) and not REAL:
            assert is_found, said
        return is_found

    def _note(self, one: MixedPdf, said: str, unread: int, is_found: bool) -> None:
        self._answers.append(f"## {one.question} ({one.name}; unread: {unread}; found: {is_found})\n\n{said}\n")
        if folder := os.environ.get("WORKBENCH_JOURNEYS"):
            (Path(folder) / "many-documents.txt").write_text("\n".join(self._answers), "utf-8")


@pytest.fixture
def documents(tmp_path: Path) -> tuple[Path, list[MixedPdf]]:
    """Return a folder with PDFs, and those that are asked about."""
    folder = tmp_path / "papers"
    if REAL:
        return folder, _collect_real(folder)
    made = make_mixed_pdfs(folder)
    return folder, [
        one for one in made if one.name.startswith(("report-fir", "slides-birch", "notice-2", "table-birch"))
    ]


@contextmanager
def _dropped(display: str, folder: Path) -> Iterator[None]:
    """Drag a folder from another program to the middle of the window; that program ends afterwards."""
    command = [sys.executable, str(Path(__file__).with_name("drag_programs.py")), "source", str(folder)]
    surroundings = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT)}
    source = subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE)
    try:
        assert source.stdout is not None
        assert source.stdout.readline() == b"shown\n"
        _point(display, "mousemove", str(SIZE // 2), str(SIZE // 2), "mousedown", "1")
        assert source.stdout.readline() == b"begun\n"
        said = b""
        for step in range(_MOVES):
            _point(display, "mousemove", str(640 + step % 40), "400")
            if select.select([source.stdout], [], [], 0.1)[0]:
                said += os.read(source.stdout.fileno(), 4096)
            if b"answered CopyAction" in said:
                break
        _point(display, "mouseup", "1")
        while b"done" not in said:
            said += os.read(source.stdout.fileno(), 4096)
        assert b"done CopyAction" in said
        yield
    finally:
        source.kill()
        source.communicate()


def _point(display: str, *moves: str) -> None:
    subprocess.run(["xdotool", *moves], env={**os.environ, "DISPLAY": display}, check=True)


def test_questions_during_the_reading_of_thirty_pdfs_are_never_denied_too_soon(
    start: Journeys, display: str, documents: tuple[Path, list[MixedPdf]]
) -> None:
    folder, asked = documents
    total = len(list(folder.iterdir()))
    journey = start()
    journey.wait_for_text("No documents yet")
    reading = _Reading(journey)
    with _dropped(display, folder):
        reading.wait(lambda: len(journey.ask("documents")) == total)
    journey.keep("many-documents-dropped")
    unread = reading.unread()
    last = next((one for one in reversed(asked) if one.name in unread), asked[-1])
    reading.ask(last)
    journey.keep("many-documents-asked")
    _read_first(journey, last.name)
    unprepared = reading.unprepared()
    reading.wait(lambda: last.name not in reading.unprepared())
    if not REAL:  # a real one may need OCR, which takes longer than all others together
        # Those in work are finished, and then this one comes, not all before it.
        assert len(unprepared - reading.unprepared()) <= _IN_WORK + len(unprepared) // 2
    reading.ask(last, is_read=True)
    journey.keep("many-documents-read-first")
    for one in asked:
        if reading.unread():
            reading.ask(one)
    journey.keep("many-documents-meanwhile")
    reading.wait(lambda: not reading.unread() and any("all searchable" in text for text in journey.ask("texts")))
    if not REAL:
        assert [name for name, status, _ in journey.ask("documents") if status != "ready"] == []
    journey.wait_for_text(f"{total} documents")
    for one in asked:
        reading.ask(one, is_read=True)
    journey.keep("many-documents-read")
    start.check_restart(journey).keep("many-documents-restart")


def _read_first(journey: Journey, name: str) -> None:
    """Find a document by its name, and let it be read before the others."""
    journey.press("ctrl+shift+f")
    journey.type(name)
    go_to(journey, "DocumentListView")
    # The row above is that of its folder; the list is narrowed some time after the words are typed.
    for _ in range(_LOOKS):
        journey.press("ctrl+Home", "Down")
        if journey.ask("selected") == [name]:
            break
    assert journey.ask("selected") == [name]
    journey.press("ctrl+Up", "ctrl+shift+f", "ctrl+a", "Delete")
