"""Writes the icon for Windows (.ico) and macOS (.icns) from resources/icons/app.svg. usage: app_icons.py OUT."""

import os
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image

SOURCE = Path(__file__).resolve().parents[1] / "resources" / "icons" / "app.svg"
LARGEST = 1024
SIZES = (16, 24, 32, 48, 64, 128, 256)
"""Sizes in an .ico, in pixels; 256 is its largest."""


def picture(size: int) -> Image.Image:
    """Return the icon as a picture with transparency."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QBuffer, QIODevice, Qt
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    application = QGuiApplication.instance() or QGuiApplication([])
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(SOURCE)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    del application
    return Image.open(BytesIO(buffer.data().data())).convert("RGBA")


def main(out: Path) -> None:
    """Write both files."""
    out.mkdir(parents=True, exist_ok=True)
    largest = picture(LARGEST)
    largest.save(out / "knowledge-workbench.icns")
    pictures = [picture(size) for size in SIZES]
    pictures[-1].save(
        out / "knowledge-workbench.ico", sizes=[(size, size) for size in SIZES], append_images=pictures[:-1]
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
