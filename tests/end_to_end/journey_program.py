"""The program of the journeys: the real window, which also answers questions about what can be seen in it.

python journey_program.py LIBRARY    reads one JSON request per line, and writes one JSON answer per line

    {"ask": "places", "text": TEXT}  centres of the visible widgets with this text, placeholder or accessible name
    {"ask": "chips"}                 centres of the visible citation chips; "link": LINK, of one of them
    {"ask": "texts"}                 texts of all visible labels and buttons, and of answers
    {"ask": "clipped"}               texts that do not fit into their widget
    {"ask": "focus"}                 names of the widget with the keyboard focus, and its class
    {"ask": "shown", "class": NAME}  whether a widget of this class is visible
    {"ask": "hidden", "class": NAME} whether none of this class is
    {"ask": "documents"}             name, status and number of passages of each document
    {"ask": "selected"}              names of the selected documents
    {"ask": "answer"}                question, texts, citations (link, file, page, quote) of the newest answer, and
                                     whether it is still written
    {"ask": "clipboard", "text": TEXT}  puts a text on the clipboard, and answers whether it is there
    {"ask": "state"}                 what a restart must bring back
    {"ask": "marked"}                number of the page in the inspector, and the boxes that are marked on it, in points
    {"ask": "outside"}               texts of visible labels and buttons that lie outside of the screen
    {"ask": "points"}                size of the window's text in points
    {"ask": "active"}                whether a window has the keyboard, and a frame of the window manager
    {"ask": "background"}            colour of the window at its lower left corner, as "#rrggbb"
"""

import json
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from accessibility import clipped
from PySide6.QtCore import QObject, QPoint, QRect, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QSplitter,
    QTextBrowser,
    QWidget,
)

from workbench.app import application, run_window
from workbench.language import language
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.run_card import RunCard
from workbench.ui.inspector.page_canvas import PageCanvas
from workbench.ui.library.list_view import DocumentListView
from workbench.ui.messages import Banner

_CHIP = "\ufffc"
"""Character by which Qt represents an image in a text."""
_PAUSE_MS = 50


class Answers(QObject):
    """Answers the requests on the main thread."""

    asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.asked.connect(self._answer_soon, Qt.ConnectionType.QueuedConnection)

    @Slot(str)
    def _answer_soon(self, line: str) -> None:
        # A test asks again until the answer is the one it waits for; answered at once, it would take half of the time.
        QTimer.singleShot(_PAUSE_MS, self, partial(self._answer, line))

    def _answer(self, line: str) -> None:
        request = json.loads(line)
        sys.stdout.write(json.dumps(_ANSWERS[request["ask"]](request)) + "\n")
        sys.stdout.flush()


def _visible() -> Iterator[QWidget]:
    for window in QApplication.topLevelWidgets():
        for widget in (window, *window.findChildren(QWidget)):
            if widget.isVisible() and not widget.visibleRegion().isEmpty():
                yield widget


def _names(widget: QWidget) -> set[str]:
    names = {widget.accessibleName()}
    if isinstance(widget, (QLabel, QAbstractButton)):
        names.add(widget.text().replace("&", ""))
    if isinstance(widget, (QLineEdit, QPlainTextEdit)):
        names.add(widget.placeholderText())
    return names


def _centre(widget: QWidget, rect: QRect) -> list[int]:
    return list(widget.mapToGlobal(rect.center()).toTuple())


def _places(request: Any) -> list[list[int]]:
    return [_centre(one, one.visibleRegion().boundingRect()) for one in _visible() if request["text"] in _names(one)]


def _chips(request: Any) -> list[list[int]]:
    found = []
    for view in _visible():
        if isinstance(view, AnswerView):
            for at, character in enumerate(view.toPlainText()):
                if character == _CHIP and _link_of(view, at).endswith(request.get("link", "")):
                    found.append(_centre(view.viewport(), _rect_of(view, at)))
    return found


def _link_of(view: QTextBrowser, at: int) -> str:
    cursor = QTextCursor(view.document())
    cursor.setPosition(at + 1)
    return cursor.charFormat().anchorHref()


def _rect_of(view: QTextBrowser, at: int) -> QRect:
    cursor = QTextCursor(view.document())
    cursor.setPosition(at)
    start = view.cursorRect(cursor)
    cursor.setPosition(at + 1)
    return QRect(start.topLeft(), view.cursorRect(cursor).bottomRight() + QPoint(0, 1))


def _texts(_request: Any) -> list[str]:
    texts = {name for widget in _visible() for name in _names(widget)}
    texts |= {widget.toPlainText() for widget in _visible() if isinstance(widget, QTextBrowser)}
    return sorted(texts - {""})


def _clipped(_request: Any) -> list[str]:
    return [text for window in QApplication.topLevelWidgets() if window.isVisible() for text in clipped(window)]


def _focus(_request: Any) -> list[str]:
    widget = QApplication.focusWidget()
    return [type(widget).__name__, *sorted(_names(widget))] if widget is not None else []


def _shown(request: Any) -> bool:
    return any(type(widget).__name__ == request["class"] for widget in _visible())


def _hidden(request: Any) -> bool:
    return not _shown(request)


def _window() -> QMainWindow:
    return next(one for one in QApplication.topLevelWidgets() if isinstance(one, QMainWindow))


def _documents(_request: Any) -> list[list[Any]]:
    model = _window().findChildren(DocumentListView)[0].model()
    return [[one.name, one.status, one.chunks] for one in model.documents()]


def _selected(_request: Any) -> list[str]:
    return [one.name for one in _window().findChildren(DocumentListView)[0].selected()]


def _answer(_request: Any) -> dict[str, Any]:
    cards = _window().findChildren(RunCard)
    newest = max(cards, key=lambda card: card.y(), default=None)
    if newest is None:
        return {}
    texts = [one.text() for one in newest.findChildren(QLabel) if one.isVisible()]
    texts += [one.toPlainText() for one in newest.findChildren(QTextBrowser) if one.isVisible()]
    transcript = newest.transcript
    cited = [
        [f":{one.answer_start}-{one.marker}", one.document_name, one.page, one.quote] for one in transcript.citations
    ]
    return {"question": transcript.question, "running": transcript.running, "texts": texts, "citations": cited}


def _clipboard(request: Any) -> bool:
    QApplication.clipboard().setText(request["text"])
    return bool(QApplication.clipboard().text() == request["text"])


def _state(request: Any) -> dict[str, Any]:
    window = _window()
    docks = [one for one in window.findChildren(QDockWidget) if one.isVisible()]
    splitters = [one for one in window.findChildren(QSplitter) if one.objectName() and one.isVisible()]
    dialogs = [one for one in QApplication.topLevelWidgets() if one is not window and one.isVisible()]
    return {
        "documents": sorted(_documents(request)),
        # Only the newest: the cards of earlier answers are made when they are scrolled to.
        "answer": _answer(request),
        "window": list(window.geometry().getRect()),
        "docks": {one.objectName(): one.geometry().getRect() for one in docks},
        "splitters": {one.objectName(): one.sizes() for one in splitters},
        "background": _background(request),
        "language": language(),
        "points": _points(request),
        "dialogs": [type(one).__name__ for one in dialogs],
        "banner": [one.text for one in window.findChildren(Banner) if one.isVisible()],
    }


def _marked(_request: Any) -> list[Any]:
    canvas = next((one for one in _visible() if isinstance(one, PageCanvas)), None)
    boxes = canvas._marks.get(canvas.page, ()) if canvas is not None else ()
    return [canvas.page, [list(box) for box in boxes]] if canvas is not None and boxes else []


def _outside(_request: Any) -> list[str]:
    screen = QApplication.primaryScreen().geometry()
    shown = [one for one in _visible() if isinstance(one, (QLabel, QAbstractButton))]
    places = [(one, QRect(one.mapToGlobal(QPoint()), one.size())) for one in shown]
    return [f"{type(one).__name__}: {sorted(_names(one))}" for one, place in places if not screen.contains(place)]


def _points(_request: Any) -> float:
    return QApplication.font().pointSizeF()


def _active(_request: Any) -> bool:
    window = QApplication.activeWindow()
    handle = window.windowHandle() if window is not None else None
    return handle is not None and handle.frameMargins().top() > 0


def _background(_request: Any) -> str:
    window = next(one for one in QApplication.topLevelWidgets() if type(one).__name__ == "MainWindow")
    image = window.grab().toImage()
    return image.pixelColor(2, image.height() - 3).name()


_ANSWERS = {
    "places": _places,
    "chips": _chips,
    "texts": _texts,
    "clipped": _clipped,
    "focus": _focus,
    "shown": _shown,
    "hidden": _hidden,
    "documents": _documents,
    "selected": _selected,
    "answer": _answer,
    "clipboard": _clipboard,
    "state": _state,
    "marked": _marked,
    "outside": _outside,
    "points": _points,
    "active": _active,
    "background": _background,
}


def main() -> None:
    """Show the window until it is closed."""
    application()
    answers = Answers()

    def read() -> None:
        for line in sys.stdin:
            answers.asked.emit(line)

    threading.Thread(target=read, daemon=True).start()
    sys.exit(run_window(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
