"""The one way from the window to other programs: links show where they really lead before they are opened.

A link in an answer or a document can say one thing and mean another. So nobody is taken anywhere by one press: the
address is shown as it is, letters of other alphabets spelt as machines spell them, and what is neither of the web nor
of mail is not opened at all.
"""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.language import said, tr
from workbench.model.visible import visible_name
from workbench.model.web_address import may_be_opened, scheme_of, site_of, warnings_of
from workbench.ui.controls import button, label
from workbench.ui.dialog import Dialog

_LONGEST = 48
"""Characters of a site's name that are shown; the end of it, for that is what says whose it is."""


class LinkDialog(Dialog):
    """Shows the address of a link, and opens it when that is wanted."""

    def __init__(self, address: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._address = address
        self.setWindowTitle(tr("Open a link"))
        self.resize(520, 0)
        opens = may_be_opened(address)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        layout.addWidget(label(_question(address) if opens else tr("This link is not opened."), "title", wrap=True))
        if opens:
            layout.addWidget(label(_ending(visible_name(site_of(address)))))
        else:
            layout.addWidget(label(tr("Only addresses of the web and of mail are opened."), "muted", wrap=True))
        layout.addWidget(self._shown(address))
        warnings = [said(one) for one in warnings_of(address)] if opens else []
        for warning in warnings:
            layout.addWidget(label(warning, wrap=True, tone="warn"))
        layout.addLayout(self._foot(opens=opens, warned=bool(warnings)))
        self._first.setFocus()

    @staticmethod
    def _shown(address: str) -> QPlainTextEdit:
        """Return the whole address, which breaks wherever a line ends."""
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
            go = button(tr("Write a mail") if writes else tr("Open in the browser"), "primary", self._on_open)
            row.addWidget(go)
            # Where something could mislead, Enter leads nowhere.
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
        QDesktopServices.openUrl(QUrl(self._address))


def real_address(address: QUrl) -> str:
    """Return an address as machines read it, in ASCII: what other alphabets write like a known name shows."""
    return bytes(address.toEncoded().data()).decode("ascii")


def offer_link(address: QUrl | str, parent: QWidget) -> None:
    """Show where a link leads, and open it if the person agrees; what is no address of the web or of mail never is."""
    url = address if isinstance(address, QUrl) else QUrl(address)
    dialog = LinkDialog(real_address(url) or str(address), parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def open_file(path: str) -> None:
    """Open a document's file with its program; the folder around it where the system might run it instead."""
    # Not on the way to the window.
    from workbench.parsing.formats import CATALOGUE

    shown = {suffix for one in CATALOGUE if one.format != "code" for suffix in one.suffixes.split()} | {""}
    file = Path(path)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(file if file.suffix.lower() in shown else file.parent)))


def _question(address: str) -> str:
    return tr("Write to this address?") if scheme_of(address) == "mailto" else tr("Open this address?")


def _ending(site: str) -> str:
    return site if len(site) <= _LONGEST else f"…{site[-_LONGEST:]}"
