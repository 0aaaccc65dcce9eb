"""The real window without a screen, with methods to wait, press buttons and take screenshots."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from PIL import Image
from PySide6.QtCore import QEventLoop, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPainter, QPalette, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from workbench.model.run import Run
from workbench.operations import Library
from workbench.ui.actions import COMMAND
from workbench.ui.app_controller import AppController
from workbench.ui.relaunch import Relaunch
from workbench.worker.job import Operation

PATIENCE = 90.0
"""Timeout of a wait in seconds; the first import may export the embedding model, which takes about 10 s."""
_SETTLED = 0.15
_MOST_LOOKS = 20
"""Number of pauses after which a picture is taken although the window still changes."""
_COLOURS = 128
_BAR = 30
"""Height of the bar with a dialog's title."""
_EDGE, _SHADE = 90, 60
"""Darkness of the edge of a dialog, and of the shade over the window under it, out of 255."""
W = TypeVar("W", bound=QWidget)


class SceneError(Exception):
    """Error of a scene that waited for something that did not happen."""


class Stage:
    """The window and the folder for its images.

    Attributes:
        taken: Descriptions of the images by name.
    """

    def __init__(self, renewal: Relaunch, out: Path, hidden: Path) -> None:
        """Create a stage.

        Args:
            renewal: The window.
            out: The folder for images.
            hidden: The temporary folder, whose path no image may show.
        """
        self._renewal = renewal
        self._out = out
        self._hidden = (str(hidden), str(Path(__file__).parents[2]), str(Path.home()))
        self.taken: dict[str, str] = {}

    @property
    def shell(self) -> AppController:
        """Current window: a change of language opens a new one."""
        return self._renewal.shell

    @property
    def library(self) -> Library:
        """The open library."""
        self.wait(lambda: self.shell.library is not None, "the library to open")
        assert self.shell.library is not None
        return self.shell.library

    def pause(self, seconds: float = _SETTLED) -> None:
        """Run the event loop for a while."""
        loop = QEventLoop()
        QTimer.singleShot(int(1000 * seconds), loop.quit)
        loop.exec()

    def wait(self, happened: Callable[[], object], what: str) -> None:
        """Wait until a condition is true; what describes it in the error.

        Raises:
            SceneError: The condition was not true before the timeout.
        """
        deadline = time.monotonic() + PATIENCE
        while not happened():
            if time.monotonic() > deadline:
                raise SceneError(f"waited {PATIENCE:.0f} s for {what}")
            self.pause(0.01)

    def do(self, operation: Operation[Any]) -> Any:
        """Run an operation through the window's bridge and return its value."""
        values: list[Any] = []
        errors: list[BaseException] = []
        self.shell.bridge.submit(operation, done=values.append, failed=lambda error, _details: errors.append(error))
        self.wait(lambda: values or errors, "an operation")
        if errors:
            raise errors[0]
        return values[0]

    def command(self, name: str) -> None:
        """Run a menu command."""
        self.shell.window.actions_by_name[name].trigger()
        self.pause()

    def pane_command(self, name: str) -> None:
        """Run a command of a visible pane.

        Raises:
            SceneError: No visible pane offers it.
        """
        panes = (one for one in self.shell.window.findChildren(QWidget) if one.isVisible())
        actions = (action for pane in panes for action in pane.actions())
        found = next((one for one in actions if one.property(COMMAND) == name and one.isEnabled()), None)
        if found is None:
            raise SceneError(f"no pane offers the command {name}")
        found.trigger()
        self.pause()

    def ask(self, question: str) -> Run:
        """Ask a question, wait for the end of its run and return the run."""
        return self.wait_for_run(lambda: self.begin(question), f"the answer to “{question}”")

    def wait_for_run(self, begin: Callable[[], None], what: str) -> Run:
        """Begin a run, wait for its end and return it."""
        ended: list[Run] = []
        shell = self.shell
        shell.chat.run_selected.connect(ended.append)
        begin()
        self.wait(lambda: ended and not shell.chat.running, what)
        shell.chat.run_selected.disconnect(ended.append)
        self.pause()
        return ended[-1]

    def begin(self, question: str) -> None:
        """Ask a question without waiting for its answer."""
        self.shell.chat.ask(question)
        self.wait(lambda: self.shell.chat.running or self.shell.chat.cards, "the question to be taken")

    def wait_for_page(self) -> None:
        """Wait until the page of the inspected passage is drawn."""
        view = self.shell.inspector.passage_view.page_view
        self.wait(lambda: view.page is not None and view.is_sharp(view.page), "the page")
        self.pause()

    def find(self, kind: type[W], *, within: QWidget | None = None, text: str = "") -> W:
        """Return the visible widget of a class that shows a text, the last one created.

        Raises:
            SceneError: There is no such widget.
        """
        roots = [within] if within is not None else QApplication.topLevelWidgets()
        every = [one for root in roots for one in (root, *root.findChildren(kind)) if isinstance(one, kind)]
        found = [one for one in every if one.isVisible() and (not text or _says(one, text))]
        if not found:
            raise SceneError(f"there is no {kind.__name__} {text}".rstrip())
        return found[-1]

    def press(self, text: str, *, within: QWidget | None = None) -> None:
        """Press the button that shows a text."""
        self.find(QAbstractButton, within=within, text=text).click()
        self.pause()

    def keys(self, widget: QWidget, *keys: Qt.Key) -> None:
        """Send key presses to a widget, one after another."""
        widget.setFocus()
        for key in keys:
            QTest.keyClick(widget, key)
        self.pause()

    def clear(self) -> None:
        """Close the windows over the main window."""
        for one in _above(self.shell.window):
            one.close()
        self.shell.window.toast.hide()
        self.shell.window.banner.hide()
        self.pause(0.05)

    def shoot(self, name: str, shows: str) -> None:
        """Take a screenshot of the window and the windows above it, once two looks at them show the same.

        Raises:
            SceneError: The window shows the path of the temporary folder.
        """
        self.pause()
        picture = self._grab()
        for _ in range(_MOST_LOOKS):
            before = picture
            self.pause()
            if (picture := self._grab()) == before:
                break
        for root in (self.shell.window, *_above(self.shell.window)):
            self._look_for_paths(root)
        _save(picture, self._out / f"{name}.webp")
        self.taken[name] = shows

    def shown_texts(self) -> set[str]:
        """Return the texts of all visible labels of the window."""
        return {one.text() for one in self.shell.window.findChildren(QLabel) if one.isVisible()}

    def _grab(self) -> QImage:
        window = self.shell.window
        picture = window.grab()
        for one in _above(window):
            _put_over(picture, one, window)
        return picture.toImage()

    def _look_for_paths(self, root: QWidget) -> None:
        for one in (one for one in root.findChildren(QWidget) if not one.visibleRegion().isEmpty()):
            text = one.text() if isinstance(one, QLabel | QLineEdit | QAbstractButton) else ""
            text = _seen(one) if isinstance(one, QPlainTextEdit | QTextEdit) else text
            if any(path in text for path in self._hidden):
                raise SceneError(f"a path of this machine is shown: {text}")


def _says(widget: QWidget, text: str) -> bool:
    words = [widget.accessibleName(), widget.toolTip(), widget.objectName()]
    words += [widget.text()] if isinstance(widget, QAbstractButton | QLabel) else []
    words += [widget.placeholderText()] if isinstance(widget, QLineEdit) else []
    return any(one == text or one.startswith(f"{text} (") for one in words)


def _seen(view: QPlainTextEdit | QTextEdit) -> str:
    """Return the part of a text that is not scrolled out of view."""
    first = view.cursorForPosition(QPoint(0, 0)).position()
    last = view.cursorForPosition(view.viewport().rect().bottomRight()).position()
    return view.toPlainText()[first:last]


def _above(window: QWidget) -> list[QWidget]:
    """Return the windows above the main window, lowest first."""
    others = [one for one in QApplication.topLevelWidgets() if one is not window and one.isVisible()]
    return [one for one in others if one.window() is one and one.width() > 1]


def _put_over(picture: QPixmap, one: QWidget, window: QWidget) -> None:
    """Draw a window at its position above the main window; a dialog in the middle, the rest darkened."""
    painter = QPainter(picture)
    place = one.pos() - window.pos()
    if isinstance(one, QDialog):
        painter.fillRect(window.rect(), QColor(0, 0, 0, _SHADE))
        place = QPoint((window.width() - one.width()) // 2, max(_BAR, (window.height() - one.height() + _BAR) // 2))
        _draw_title(painter, one, QRect(place, one.size()))
    painter.drawPixmap(place, one.grab())
    painter.end()


def _draw_title(painter: QPainter, dialog: QWidget, place: QRect) -> None:
    """Draw the frame that a desktop adds to a dialog: a title bar and an edge."""
    bar = QRect(place.left(), place.top() - _BAR, place.width(), _BAR)
    painter.fillRect(bar, dialog.palette().color(QPalette.ColorRole.Window).darker(106))
    painter.setPen(dialog.palette().color(QPalette.ColorRole.WindowText))
    painter.setFont(dialog.font())
    painter.drawText(bar, Qt.AlignmentFlag.AlignCenter, dialog.windowTitle())
    painter.setPen(QColor(0, 0, 0, _EDGE))
    painter.drawRect(bar.united(place).adjusted(-1, -1, 0, 0))


def _save(image: QImage, path: Path) -> None:
    """Write a lossless image with a reduced palette: text stays sharp."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    size = (plain.width(), plain.height())
    whole = Image.frombuffer("RGB", size, plain.constBits(), "raw", "RGB", plain.bytesPerLine(), 1)
    whole.quantize(_COLOURS, dither=Image.Dither.NONE).convert("RGB").save(path, lossless=True, quality=70, method=4)
