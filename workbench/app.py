"""The composition root of the window: builds every object, wires them, nothing else.

QApplication -> theme -> bridge -> Shell (panes, window) -> first paint -> the worker starts, the library opens.
"""

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

import workbench
from workbench.logs.log_file import start_crash_watch
from workbench.model.memory import user_name
from workbench.ui.app_controller import AppController
from workbench.ui.bridge import Bridge
from workbench.ui.garbage_collector import GarbageCollector
from workbench.ui.localisation import install_window_language
from workbench.ui.main_window import TITLE
from workbench.ui.single_instance import forward_to_running_window
from workbench.ui.theme import Theme
from workbench.ui.window_state import WindowState
from workbench.worker.process_memory import reduce_memory_use

logger = logging.getLogger(__name__)


def application() -> QApplication:
    """Return the one QApplication, made when there is none."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    # The style by argument: QApplication.setStyle returns a QStyle, whose 30 enumerations PySide then makes, 10 ms.
    made = QApplication([*sys.argv[:1], "-style", "fusion"])
    made.setApplicationName("knowledge-workbench")
    made.setApplicationDisplayName(TITLE)
    made.setApplicationVersion(workbench.__version__)
    made.setDesktopFileName("knowledge-workbench")
    return made


def build_window(folder: Path, *, appearance: str | None = None, user: str | None = None) -> AppController:
    """Build the window on a library folder; show it with shell.window.show(), then the library opens.

    Args:
        folder: The library; created when it is not there.
        appearance: "system", "light" or "dark"; None takes what the library remembers.
        user: Who is asking; None means who asked last in this library's window.
    """
    application()
    state = WindowState(folder)
    install_window_language(state.language)
    theme = Theme(choice=appearance or state.theme, percent=state.text_percent)
    theme.apply()
    return AppController(Bridge(), theme, folder, user=user)


def run_window(folder: Path, sources: Sequence[str] = (), user: str | None = None) -> int:
    """Show the window on a library folder until it is closed; returns the exit code.

    Args:
        folder: The library; where a window has it open already, that one is raised, and this returns at once.
        sources: Files and links to be added.
        user: Who is asking; None means who asked last. A window that is open already turns to that user, and asks
            first where something is being answered or read in it.

    Raises:
        SettingError: No user can be called so.
    """
    user = user_name(user) if user is not None else None
    if forward_to_running_window(folder, sources, user):
        return 0
    qt = application()
    collector = GarbageCollector()
    collector.start(frozen_until_settled=True)
    shell = build_window(folder, user=user)
    shell.take(sources)
    # After the window's own imports, of which it needs most.
    from workbench.ui import bug_report
    from workbench.ui.bug_report import BugReporter, CrashNotice
    from workbench.ui.relaunch import Relaunch

    bug_report.listen()

    def furnish(shell: AppController) -> None:
        for moment in (shell.settled, shell.warm):
            moment.connect(collector.settle)
        shell.window.painted.connect(reduce_memory_use)
        BugReporter(shell.window).install()

    furnish(shell)
    shell.window.painted.connect(_on_first_paint, Qt.ConnectionType.SingleShotConnection)
    CrashNotice(shell)
    renewal = Relaunch(shell, build_window)
    renewal.renewed.connect(furnish)
    shell.window.show()
    try:
        return qt.exec()
    finally:
        BugReporter.uninstall()
        bug_report.stop_listening()
        renewal.shell.shut_down()
        collector.stop()


def _on_first_paint() -> None:
    start_crash_watch("window")


def has_display() -> bool:
    """Return whether there is a screen to show a window on."""
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
