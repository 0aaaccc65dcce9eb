"""Two small programs of the drop test, each a process of its own: one that files are dragged from, and a window.

python drag_programs.py source FILE     offers FILE to be copied or moved, prefers to move, and says what was done
python drag_programs.py window          has the drop area of the window and a line of text, and says what it gets
"""

import sys

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from workbench.ui.library.drop_overlay import DropOverlay
from workbench.ui.theme import Theme

SIZE = 200
WINDOW_X = 300


class Source(QWidget):
    """A window from which a file is dragged."""

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(sys.argv[2])])
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.actionChanged.connect(lambda action: say("answered", action.name))
        QTimer.singleShot(0, lambda: say("begun"))
        offered = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
        say("done", drag.exec(offered, Qt.DropAction.MoveAction).name)


def make_window() -> QWidget:
    """Return a window with the drop area, and a line of text in its upper half."""
    window = QWidget()
    field = QLineEdit(window)
    field.setGeometry(0, 0, SIZE, SIZE // 2)
    overlay = DropOverlay(Theme(choice="light"), window)
    overlay.dropped.connect(lambda paths: say("dropped", *map(str, paths)))
    field.textChanged.connect(lambda text: say("typed", text))
    window.show()
    # As a window manager does when the user presses the mouse in another program.
    QApplication.sendEvent(window, QEvent(QEvent.Type.WindowDeactivate))
    return window


def say(*words: str) -> None:
    """Tell the test."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Show one of the two windows until the process is ended."""
    application = QApplication(sys.argv[:1])
    is_source = sys.argv[1] == "source"
    window = Source() if is_source else make_window()
    window.setWindowFlag(Qt.WindowType.BypassWindowManagerHint)
    window.resize(SIZE, SIZE)
    window.move(QPoint(0 if is_source else WINDOW_X, 0))
    window.show()
    say("shown")
    application.exec()


if __name__ == "__main__":
    main()
