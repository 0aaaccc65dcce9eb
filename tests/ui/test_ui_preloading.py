"""Imports of the window behind its first paint: by a thread those without Qt, in small steps the others."""

import subprocess
import sys

import pytest

from workbench.ui import preloading
from workbench.ui.preloading import MODULES_WITHOUT_QT, WINDOW_MODULES, Preloader


def finish(preloader: Preloader) -> None:
    preloader._thread.join(10)
    assert not preloader.is_under_way


def printed_by(program: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def test_after_it_no_step_of_the_start_imports_anything_of_ours() -> None:
    program = """
import sys, tempfile
from importlib import import_module
from pathlib import Path
from workbench.app import application, build_window
from workbench.ui.preloading import MODULES_WITHOUT_QT, WINDOW_MODULES
application()
with tempfile.TemporaryDirectory() as folder:
    shell = build_window(Path(folder))
    for name in MODULES_WITHOUT_QT + WINDOW_MODULES:
        import_module(name)
    before = set(sys.modules)
    for step in shell._after_paint[:-1]:
        step()
    print(*(name for name in set(sys.modules) - before if name.startswith("workbench")))
"""
    assert printed_by(program) == []


def test_the_thread_imports_nothing_of_qt_whose_types_are_not_made_safely_beside_the_event_loop() -> None:
    program = f"""
import sys
from importlib import import_module
for name in {MODULES_WITHOUT_QT}:
    import_module(name)
print(len(sys.modules) > 200, *(name for name in sys.modules if "PySide" in name or "shiboken" in name))
"""
    assert printed_by(program) == ["True"]


def test_each_import_on_the_main_thread_is_short() -> None:
    program = f"""
import sys
from importlib import import_module
from workbench.app import application
application()
for name in {MODULES_WITHOUT_QT}:
    import_module(name)
for name in {WINDOW_MODULES}:
    before = len(sys.modules)
    import_module(name)
    print(len(sys.modules) - before)
"""
    steps = [int(modules) for modules in printed_by(program)]
    assert sum(steps) > 50
    assert max(steps) <= 12


def test_modules_are_imported_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    monkeypatch.setattr(preloading, "import_module", imported.append)
    preloader = Preloader()
    preloader.start()
    finish(preloader)
    assert imported == list(MODULES_WITHOUT_QT)
    while preloader.import_next():
        pass
    assert imported == list(MODULES_WITHOUT_QT + WINDOW_MODULES)


def test_a_module_that_cannot_be_imported_is_left_to_who_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preloading, "MODULES_WITHOUT_QT", ("workbench.agent.there_is_none", "workbench.agent"))
    monkeypatch.setattr(preloading, "WINDOW_MODULES", ("workbench.ui.there_is_none",))
    preloader = Preloader()
    preloader.start()
    finish(preloader)
    assert preloader.import_next()


def test_a_window_that_closes_at_once_does_not_wait_for_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    preloader, imported = Preloader(), []

    def import_one(name: str) -> None:
        imported.append(name)
        preloader.stop()

    monkeypatch.setattr(preloading, "import_module", import_one)
    preloader.start()
    finish(preloader)
    assert imported == [MODULES_WITHOUT_QT[0]]
    assert not preloader.import_next()


def test_pyside_reads_no_source_of_what_is_imported() -> None:
    program = """
import linecache
import workbench.app
print(*(name for name in linecache.cache if "workbench/ui" in name))
"""
    assert printed_by(program) == []
