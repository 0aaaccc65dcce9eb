"""Writes the icon of the program, from resources/icons/app.svg, in the formats of desktop systems.

usage: app_icons.py theme FOLDER    PNG files of an icon theme, such as share/icons/hicolor
       app_icons.py bundle FOLDER   an .ico for Windows and an .icns for macOS
"""

import io
import os
import shutil
import sys
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SOURCE = Path(__file__).resolve().parents[1] / "resources" / "icons" / "app.svg"
NAME = "knowledge-workbench"
THEME_SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)
ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
"""Pixels; 256 is the largest that an .ico can contain."""
ICNS_SIZE = 1024


def png(size: int) -> bytes:
    """Return the icon as a PNG file with transparency, size pixels wide and high."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(SOURCE)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return buffer.data().data()


def write_theme(theme: Path) -> None:
    """Write a PNG file of each size, and the drawing itself."""
    for size in THEME_SIZES:
        folder = theme / f"{size}x{size}" / "apps"
        folder.mkdir(parents=True)
        (folder / f"{NAME}.png").write_bytes(png(size))
    folder = theme / "scalable" / "apps"
    folder.mkdir(parents=True)
    shutil.copyfile(SOURCE, folder / f"{NAME}.svg")


def write_bundle(folder: Path) -> None:
    """Write the .ico and the .icns."""
    folder.mkdir(parents=True, exist_ok=True)
    _picture(ICNS_SIZE).save(folder / f"{NAME}.icns")
    *smaller, largest = [_picture(size) for size in ICO_SIZES]
    largest.save(folder / f"{NAME}.ico", sizes=[(size, size) for size in ICO_SIZES], append_images=smaller)


def _picture(size: int) -> Image.Image:
    return Image.open(io.BytesIO(png(size))).convert("RGBA")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication([])
    {"theme": write_theme, "bundle": write_bundle}[sys.argv[1]](Path(sys.argv[2]))
