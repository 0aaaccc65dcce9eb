"""Exchange with other programs: links, files, clipboard, drag and drop.

The text of a link in an answer or a document can differ from its target. Therefore no link opens with a single click:
the full address is shown first, with letters of other alphabets in their encoded form, and addresses other than web and
mail addresses are not opened at all.
"""

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QDrag, QGuiApplication, QImage, QMouseEvent, QTextDocument
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPlainTextEdit, QTextBrowser, QVBoxLayout, QWidget

from workbench.language import tr, translate
from workbench.model.hit import Citation
from workbench.model.visible import visible_name
from workbench.model.web_address import may_be_opened, scheme_of, site_of, warnings_of
from workbench.ui.controls import button, label
from workbench.ui.dialog import Dialog
from workbench.worker.environment import environment_for_programs

_LONGEST = 48
"""Characters of a site's name that are shown; its end, because that identifies the owner."""


class LinkDialog(Dialog):
    """Dialog that shows the address of a link and opens it on confirmation."""

    def __init__(self, address: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._address = address
        self.setWindowTitle(tr("Open a link"))
        self.resize(520, 0)
        opens = may_be_opened(address)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        layout.addWidget(
            label(_question(address) if opens else tr("This link will not be opened."), "title", wrap=True)
        )
        if opens:
            layout.addWidget(label(_ending(visible_name(site_of(address)))))
        else:
            layout.addWidget(label(tr("Only web and e-mail addresses are opened."), "muted", wrap=True))
        layout.addWidget(self._shown(address))
        warnings = [translate(one) for one in warnings_of(address)] if opens else []
        for warning in warnings:
            layout.addWidget(label(warning, wrap=True, tone="warn"))
        layout.addLayout(self._foot(opens=opens, warned=bool(warnings)))
        self._first.setFocus()

    @staticmethod
    def _shown(address: str) -> QPlainTextEdit:
        """Return a field with the whole address, wrapped at any character."""
        field = QPlainTextEdit(visible_name(address))
        field.setReadOnly(True)
        field.setAccessibleName(tr("Where it leads"))
        field.setTabChangesFocus(True)
        field.setFixedHeight(84)
        return field

    def _foot(self, *, opens: bool, warned: bool) -> QHBoxLayout:
        first = close = button(tr("Cancel") if opens else tr("Close"), "secondary", self.reject)
        row = QHBoxLayout()
        row.addWidget(button(tr("Copy the address"), "ghost", self._on_copy))
        row.addStretch(1)
        row.addWidget(close)
        if opens:
            writes = scheme_of(self._address) == "mailto"
            go = button(tr("Write an e-mail") if writes else tr("Open in the browser"), "primary", self._on_open)
            row.addWidget(go)
            # With a warning, Enter must not open the link.
            first = close if warned else go
        first.setDefault(True)
        self._first = first
        return row

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._address)

    @Slot()
    def _on_open(self) -> None:
        self.accept()
        with environment_for_programs():
            QDesktopServices.openUrl(QUrl(self._address))


def real_address(address: QUrl) -> str:
    """Return an address encoded in ASCII, which exposes look-alike letters of other alphabets."""
    return bytes(address.toEncoded().data()).decode("ascii")


def offer_link(address: QUrl | str, parent: QWidget) -> None:
    """Show the address of a link, and open it if the user agrees; only web and mail addresses can be opened."""
    url = address if isinstance(address, QUrl) else QUrl(address)
    dialog = LinkDialog(real_address(url) or str(address), parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def open_file(path: str) -> None:
    """Open a document's file with its program, or its folder if the system might execute the file."""
    # Imported here, because the window starts without it.
    from workbench.parsing.formats import CATALOGUE

    safe_suffixes = {suffix for one in CATALOGUE if one.format != "code" for suffix in one.suffixes.split()} | {""}
    file = Path(path)
    opened = file if file.suffix.lower() in safe_suffixes else file.parent
    with environment_for_programs():
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(opened)))


def _question(address: str) -> str:
    return tr("Write to this address?") if scheme_of(address) == "mailto" else tr("Open this address?")


def _ending(site: str) -> str:
    return site if len(site) <= _LONGEST else f"…{site[-_LONGEST:]}"


class InertBrowser(QTextBrowser):
    """Text browser that loads no pictures or style sheets, which Qt would read from the disk or a network share."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)

    def loadResource(self, kind: int, _name: QUrl | str) -> Any:
        """Return a transparent pixel or an empty style sheet: without a result, Qt would look for a file itself."""
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return b" "
        picture = QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)
        picture.fill(Qt.GlobalColor.transparent)
        return picture

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return the selection as plain text: neither links nor pictures are passed to another program."""
        data = QMimeData()
        # Long hashes contain zero-width spaces as break points in a narrow pane; they are not part of the hash.
        data.setText(self.textCursor().selection().toPlainText().replace("\u200b", ""))
        return data


def quote_mime(quote: str, source: str) -> QMimeData:
    """Return a quote with its source as plain text and as HTML."""
    words = quote.strip()
    lines = escape(words).replace("\n", "<br>")
    data = QMimeData()
    data.setText(f"“{words}”\n— {source}")
    data.setHtml(f"<blockquote>{lines}</blockquote><p>— <cite>{escape(source)}</cite></p>")
    return data


def citation_mime(citation: Citation) -> QMimeData:
    """Return the quote of a citation with its document and page."""
    source = ", ".join(part for part in (citation.document_name, citation.place) if part)
    return quote_mime(citation.quote, source)


class DragOut(QObject):
    """Event filter that lets items be dragged out of a widget.

    Args:
        widget: Widget whose mouse events are watched; the viewport of a scroll area.
        data_at: Returns the data of the item at a position, or None if it cannot be dragged; a bound method.
    """

    def __init__(self, widget: QWidget, data_at: Callable[[QPoint], QMimeData | None]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._data_at = data_at
        self._pressed: QPoint | None = None
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent):
            place = event.position().toPoint()
            if event.type() == QEvent.Type.MouseButtonPress:
                self._pressed = place if event.button() == Qt.MouseButton.LeftButton else None
            elif event.type() == QEvent.Type.MouseButtonRelease:
                self._pressed = None
            elif event.type() == QEvent.Type.MouseMove and self._is_far(place):
                return self._drag()
        return super().eventFilter(watched, event)

    def _is_far(self, place: QPoint) -> bool:
        threshold = QApplication.startDragDistance()
        return self._pressed is not None and (place - self._pressed).manhattanLength() >= threshold

    def _drag(self) -> bool:
        """Start dragging the pressed item; return False if there is none, so that the event is handled normally."""
        pressed, self._pressed = self._pressed, None
        data = self._data_at(pressed) if pressed is not None else None
        if data is None:
            return False
        drag = QDrag(self._widget)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)
        return True
