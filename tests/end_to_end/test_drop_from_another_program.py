"""Files dropped from another program are copied: one that offers to move them would delete them afterwards."""

import os
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
Start = Callable[..., "subprocess.Popen[str]"]


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
def start(display: str) -> Iterator[Start]:
    """Start a program on the display, and wait until its window is shown."""
    running: list[subprocess.Popen[str]] = []
    surroundings = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}

    def begin(*arguments: str) -> "subprocess.Popen[str]":
        command = [sys.executable, str(Path(__file__).with_name("drag_programs.py")), *arguments]
        program = subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE, text=True)
        running.append(program)
        assert next_line(program) == "shown"
        return program

    yield begin
    for program in running:
        program.kill()
        program.communicate()


def next_line(program: "subprocess.Popen[str]") -> str:
    assert program.stdout is not None
    return program.stdout.readline().strip()


@pytest.mark.parametrize("height", [SIZE // 4, 3 * SIZE // 4])
def test_a_dropped_file_is_copied_even_if_its_program_prefers_to_move_it(
    start: Start, display: str, tmp_path: Path, height: int
) -> None:
    file = tmp_path / "report.pdf"
    file.write_bytes(b"%PDF-1.7")
    window, source = start("window"), start("source", str(file))
    point(display, "mousemove", "50", "50", "mousedown", "1", "mousemove", "70", "60", "mousemove", "90", "60")
    point(display, "mousemove", str(WINDOW_X + 50), str(height), "mousemove", str(WINDOW_X + 60), str(height))
    assert next_line(window) == "entered"
    point(display, "mouseup", "1")
    assert next_line(source) == "done CopyAction"
    assert next_line(window) == f"dropped {file}"


def point(display: str, *moves: str) -> None:
    subprocess.run(["xdotool", *moves], env={"DISPLAY": display}, check=True)
