"""Composition root of the window: creates the objects and connects them.

QApplication -> theme -> bridge -> AppController (panes, window) -> first paint -> worker starts, library opens.
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
from workbench.settings.preferences import PreferenceFile
from workbench.system import current
from workbench.ui.app_controller import AppController
from workbench.ui.bridge import Bridge
from workbench.ui.garbage_collector import GarbageCollector
from workbench.ui.localisation import install_window_language
from workbench.ui.main_window import TITLE
from workbench.ui.single_instance import forward_to_running_window
from workbench.ui.theme import Theme
from workbench.worker.process_memory import reduce_memory_use

logger = logging.getLogger(__name__)


def application() -> QApplication:
    """Return the QApplication, creating it if there is none."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    # The style is passed as an argument: QApplication.setStyle returns a QStyle, for which PySide creates 30
    # enumerations, 10 ms.
    created = QApplication([*sys.argv[:1], "-style", "fusion"])
    created.setApplicationName("knowledge-workbench")
    created.setApplicationDisplayName(TITLE)
    created.setApplicationVersion(workbench.__version__)
    created.setDesktopFileName("knowledge-workbench")
    return created


def build_window(folder: Path, *, appearance: str | None = None, user: str | None = None) -> AppController:
    """Build the window for a library folder; after shell.window.show() it opens the library.

    Args:
        folder: The library; created if it does not exist.
        appearance: "system", "light" or "dark"; None uses the one in the user's preference file.
        user: Name of the user; None uses the previous user of this library's window.
    """
    application()
    # Read before the library, so that a dark window does not open white and no window opens in another language.
    preferences = PreferenceFile().load()
    install_window_language(preferences.language)
    theme = Theme(choice=appearance or preferences.theme, percent=preferences.text_percent)
    theme.apply()
    return AppController(Bridge(), theme, folder, user=user)


def run_window(folder: Path, sources: Sequence[str] = (), user: str | None = None) -> int:
    """Show the window on a library folder until it is closed, and return the exit code.

    Args:
        folder: The library; if a window has it open already, that one is raised, and this function returns at once.
        sources: Files and links to add.
        user: Name of the user; None uses the previous one. A window that is already open switches to that user, after
            confirmation if an answer or a reading is running in it.

    Raises:
        SettingError: The user name is invalid.
    """
    user = user_name(user) if user is not None else None
    if forward_to_running_window(folder, sources, user):
        return 0
    qt = application()
    collector = GarbageCollector()
    collector.start(frozen_until_settled=True)
    shell = build_window(folder, user=user)
    shell.take(sources)
    # Imported after the window's modules, which include most of what these need.
    from workbench.ui import bug_report
    from workbench.ui.bug_report import BugReporter, CrashNotice
    from workbench.ui.relaunch import Relaunch

    bug_report.listen()

    def set_up(shell: AppController) -> None:
        for moment in (shell.settled, shell.warm):
            moment.connect(collector.settle)
        shell.window.painted.connect(reduce_memory_use)
        BugReporter(shell.window).install()

    set_up(shell)
    shell.window.painted.connect(_on_first_paint, Qt.ConnectionType.SingleShotConnection)
    CrashNotice(shell)
    renewal = Relaunch(shell, build_window)
    renewal.renewed.connect(set_up)
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
    """Return whether there is a display for the window."""
    return bool(os.environ.get("QT_QPA_PLATFORM")) or current().has_display()
