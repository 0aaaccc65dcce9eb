"""Detection of markup in widgets that a hostile text has introduced."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QLabel, QTextBrowser, QWidget

OURS = {"cite", "copy", "chunk"}
"""URL schemes of the window's own links."""


def links(document: QTextDocument) -> list[str]:
    """Return the addresses of the links in a text, in order."""
    return [fragment.charFormat().anchorHref() for fragment in _fragments(document) if fragment.charFormat().isAnchor()]


def pictures(document: QTextDocument) -> list[str]:
    """Return the names of the pictures in a text, in order."""
    formats = (fragment.charFormat() for fragment in _fragments(document))
    return [one.toImageFormat().name() for one in formats if one.isImageFormat()]


def _fragments(document: QTextDocument) -> Iterator[object]:
    block = document.begin()
    while block.isValid():
        place = block.begin()
        while not place.atEnd():
            yield place.fragment()
            place += 1
        block = block.next()


def markup_in(root: QWidget) -> list[str]:
    """Lay out and paint a widget, and return unexpected markup in it."""
    root.ensurePolished()
    root.grab()
    found = [
        f"{label.parentWidget()}: {label.text()[:80]}"
        for label in [root, *root.findChildren(QWidget)]
        if isinstance(label, QLabel) and not _is_fit(label)
    ]
    for browser in root.findChildren(QTextBrowser):
        found += [name for name in pictures(browser.document()) if name.partition(":")[0] not in ("chip", "copy")]
        found += [
            address
            for address in links(browser.document())
            if address.partition(":")[0] not in {"http", "https", "mailto"} | OURS
        ]
    return found


def _is_fit(label: QLabel) -> bool:
    if label.property("markup"):
        return not any(tag in label.text() for tag in ("<img", "<a ", "url(", "<link", "<style", "<body"))
    return label.textFormat() is Qt.TextFormat.PlainText or not label.text()


def tip() -> QLabel | None:
    """Return the tool tip that is shown."""
    shown = [one for one in QApplication.topLevelWidgets() if one.inherits("QTipLabel") and one.isVisible()]
    return shown[0] if shown and isinstance(shown[0], QLabel) else None
