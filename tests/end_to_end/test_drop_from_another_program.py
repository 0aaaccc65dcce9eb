"""Files dropped from another program are copied: one that offers to move them would delete them afterwards."""

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from drag_programs import SIZE, WINDOW_X

pytestmark = pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="there is no Xvfb or no xdotool here"
)
ROOT = Path(__file__).resolve().parents[2]
_MOVES = 100
"""Movements of the mouse within which the two programs have answered each other, also on a busy machine."""


class Program:
    """A program that is running on the display, and what it said."""

    def __init__(self, display: str, *arguments: str) -> None:
        command = [sys.executable, str(Path(__file__).with_name("drag_programs.py")), *arguments]
        surroundings = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE)
        self._said = ""

    def says(self, words: str, *, within_seconds: float = 30.0) -> bool:
        """Return whether it has said this, or says it within this time."""
        assert self.process.stdout is not None
        while words not in self._said:
            if not select.select([self.process.stdout], [], [], within_seconds)[0]:
                return False
            self._said += os.read(self.process.stdout.fileno(), 4096).decode()
        return True


@pytest.fixture
def display() -> Iterator[str]:
    """A display without a window manager."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "640x480x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as told:
        yield f":{told.readline().strip()}"
    server.terminate()
    server.wait()


@pytest.fixture
def start(display: str) -> Iterator[Callable[..., Program]]:
    """Start a program on the display, and wait until its window is shown."""
    running: list[Program] = []

    def begin(*arguments: str) -> Program:
        running.append(Program(display, *arguments))
        assert running[-1].says("shown")
        return running[-1]

    yield begin
    for program in running:
        program.process.kill()
        program.process.communicate()


@pytest.mark.parametrize("height", [SIZE // 4, 3 * SIZE // 4])
def test_a_dropped_file_is_copied_even_if_its_program_prefers_to_move_it(
    start: Callable[..., Program], display: str, tmp_path: Path, height: int
) -> None:
    file = tmp_path / "report.pdf"
    file.write_bytes(b"%PDF-1.7")
    window, source = start("window"), start("source", str(file))

    def is_answered(step: int) -> bool:
        point(display, "mousemove", str(WINDOW_X + 50 + step % 40), str(height))
        return source.says("answered CopyAction", within_seconds=0.1)

    point(display, "mousemove", "50", "50", "mousedown", "1")
    assert source.says("begun")
    assert any(map(is_answered, range(_MOVES)))
    point(display, "mouseup", "1")
    assert source.says("done CopyAction")
    assert window.says(f"dropped {file}")


def point(display: str, *moves: str) -> None:
    subprocess.run(["xdotool", *moves], env={"DISPLAY": display}, check=True)
