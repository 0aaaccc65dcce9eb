"""Writes the program's icon in the sizes that desktops look for.

usage: app_icons.py FOLDER        of an icon theme, such as share/icons/hicolor
"""

import shutil
import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SOURCE = Path("resources/icons/app.svg")
NAME = "knowledge-workbench"
SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)


def main(theme: Path) -> None:
    """Write each size, and the drawing itself."""
    QGuiApplication([])
    renderer = QSvgRenderer(str(SOURCE))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        folder = theme / f"{size}x{size}" / "apps"
        folder.mkdir(parents=True)
        image.save(str(folder / f"{NAME}.png"))
    folder = theme / "scalable" / "apps"
    folder.mkdir(parents=True)
    shutil.copyfile(SOURCE, folder / f"{NAME}.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
