"""The command make screenshots: images of every state of the window, and the page that lists them.

python packaging/screenshots                                                take all screenshots
python packaging/screenshots --compare BEFORE [AFTER] [--report FOLDER]     compare two folders of screenshots
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.ui.relaunch import Relaunch

_ROOT = Path(__file__).resolve().parents[2]
OUT = _ROOT / "resources" / "screenshots"
FIRST = "window.png"
"""The image at the top of the README: the one that the tour takes."""
PAGE = "README.md"
REPORT = _ROOT / "build" / "changed-screenshots"
"""The folder for the result of a comparison, unless another one is given."""
_PATIENCE = 3
"""Number of failed scenes after which the rest is skipped: each failure takes more than a minute of waiting."""
_HEAD = """# Screenshots

Created by `make screenshots` from the real window, on a temporary library with the sample documents and fictional
papers of a harbour; a scripted model on this machine answers. Do not edit this page: the command overwrites it.
"""


def main() -> int:
    """Run the command and return its exit status: for a comparison 1 if pictures changed, and 2 without pictures."""
    parser = argparse.ArgumentParser(prog="packaging/screenshots", description="Take all screenshots, or compare two.")
    folder = {"type": Path, "metavar": "FOLDER"}
    parser.add_argument("--compare", **folder, nargs="+", help="the pictures before, and after if not those taken last")
    parser.add_argument("--report", **folder, default=REPORT, help="where the changed pictures are shown side by side")
    # Run by this command itself, for each screen.
    parser.add_argument("--play", nargs=2, metavar=("FOLDER", "SCALE"), help=argparse.SUPPRESS)
    parser.add_argument("--tour", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.tour:
        return _tour(chosen.tour)
    if chosen.play:
        place, scale = chosen.play
        return _play(Path(place), float(scale))
    if chosen.compare and len(chosen.compare) > 2:
        parser.error("--compare takes one or two folders.")
    return _compare(*chosen.compare, report=chosen.report) if chosen.compare else _take_all()


def _compare(before: Path, after: Path = OUT, *, report: Path = REPORT) -> int:
    from compare import INDEX, compare_folders, summary

    try:
        found = compare_folders(before, after, report)
    except FileNotFoundError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for one in found:
        sys.stdout.write(f"{one.name}: {one.text}\n")
    is_changed = any(one.changed for one in found)
    sys.stdout.write(f"{summary(found)}{f': {report / INDEX}' if is_changed else ''}\n")
    return int(is_changed)


def _take_all() -> int:
    """Take all screenshots; return the number of failed scenes."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="workbench-") as temporary:
        place = Path(temporary)
        (place / "pictures").mkdir()
        failed = _started(place, 1.0).wait()
        from looks import SCALES

        # In parallel, each with its own library.
        failed += sum(process.wait() for process in [_started(place, scale) for scale in SCALES])
        taken = _taken(place)
        failed += subprocess.run(
            [sys.executable, __file__, "--tour", place / "tour"],
            env=os.environ | {"TZ": "UTC", "QT_QPA_PLATFORM": _platform(place)},
            stdout=subprocess.DEVNULL,
            check=False,
        ).returncode
        if failed:
            sys.stderr.write(f"{failed} scenes failed; {OUT} stays as it is.\n")
            return failed
        shutil.copy(place / "tour" / FIRST, place / "pictures")
        _publish(place / "pictures", taken)
    size = sum(path.stat().st_size for path in OUT.iterdir()) / 1e6
    sys.stdout.write(f"{len(taken)} pictures, {size:.1f} MB, {time.perf_counter() - began:.0f} s: {OUT / PAGE}\n")
    return 0


def _started(place: Path, scale: float) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "TZ": "UTC", "QT_SCALE_FACTOR": str(scale), "QT_QPA_PLATFORM": _platform(place)}
    return subprocess.Popen([sys.executable, __file__, "--play", str(place), str(scale)], env=environment)


def _platform(place: Path) -> str:
    """Return the offscreen platform with a large virtual screen: cards and menus stay within the screen."""
    screen = {"name": "stage", "x": 0, "y": 0, "width": 3840, "height": 2160, "logicalDpi": 96, "dpr": 1}
    (place / "screen.json").write_text(json.dumps({"screens": [screen]}), "utf-8")
    return f"offscreen:configfile={place / 'screen.json'}"


def _play(place: Path, scale: float) -> int:
    """Run the scenes of one screen; the other screens use the library of the first one."""
    import clock

    clock.stop_clock()
    clock.fix_durations()
    import answers
    import library
    import looks
    import panes
    import windows
    from files import make_files, make_letters
    from model import Script
    from stage import Stage

    is_first = scale == 1.0
    folder = place / "library"
    if is_first:
        make_files(place / "Harbour")
        make_letters(place / "Letters")
    else:
        folder = shutil.copytree(folder, place / f"library-{scale}", ignore=shutil.ignore_patterns("*.lock"))
    script = Script(answers.SCRIPT)
    failed = 0
    with _window(folder, looks.USUAL) as renewal:
        stage = Stage(renewal, place / "pictures", place)
        if is_first:
            scenes = [*library.SCENES, answers.use_model, *answers.SCENES, *panes.SCENES, *windows.SCENES]
            scenes += looks.SCENES
        else:
            scenes = [lambda stage, _script: looks.scaled(stage, scale)]
        for scene in scenes:
            try:
                scene(stage, script)
            except Exception:  # noqa: BLE001, the other scenes are run after any error
                failed += 1
                sys.stderr.write(f"{scene}:\n{traceback.format_exc()}\n")
                if failed == _PATIENCE:
                    break
            script.go_on()
            stage.clear()
    script.stop()
    (place / f"{scale}.json").write_text(json.dumps(stage.taken), "utf-8")
    return failed


def _tour(out: Path) -> int:
    """Run the tour, which takes the first picture, and return its exit status."""
    import clock

    clock.stop_clock()
    clock.fix_durations()
    from workbench.app import application
    from workbench.cli import main as workbench

    application().setCursorFlashTime(0)
    return workbench(["tour", "--out", str(out)])


@contextmanager
def _window(folder: Path, size: tuple[int, int]) -> Iterator[Relaunch]:
    from workbench.app import application, build_window
    from workbench.ui.garbage_collector import GarbageCollector
    from workbench.ui.relaunch import Relaunch

    # A caret that blinks is in every other picture only.
    application().setCursorFlashTime(0)
    collector = GarbageCollector()
    collector.start()
    renewal = Relaunch(build_window(folder, appearance="light"), build_window)
    window = renewal.shell.window
    window.resize(*size)
    window.arrange()
    window.show()
    try:
        yield renewal
    finally:
        renewal.shell.save()
        renewal.shell.shut_down()
        collector.stop()


def _taken(place: Path) -> dict[str, str]:
    taken: dict[str, str] = {}
    for listed in sorted(place.glob("*.json")):
        if listed.stem != "screen":
            taken |= json.loads(listed.read_text("utf-8"))
    return taken


def _publish(pictures: Path, taken: dict[str, str]) -> None:
    """Replace the images in the repository and write the page that lists them."""
    OUT.mkdir(exist_ok=True)
    for old in OUT.iterdir():
        old.unlink()
    for picture in sorted(pictures.iterdir()):
        shutil.copy(picture, OUT)
    entries = [f"## {shows}\n\n![{shows}]({name}.webp)\n" for name, shows in taken.items()]
    (OUT / PAGE).write_text("\n".join([_HEAD, *entries]), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
