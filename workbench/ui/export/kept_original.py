"""The button that adds a document whose file came with an imported session; there while there is such a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import tr
from workbench.ui.controls import button
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.model.session import KeptOriginal
    from workbench.operations import Library
    from workbench.ui.bridge import Bridge


class KeptOriginalOffer(QObject):
    """Asks the library about the document that is shown.

    Attributes:
        button: To be put where it is said that the document is not here.

    Signals:
        add_asked: The document's number, below zero.
    """

    add_asked = Signal(int)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._document = 0
        self.button = button(tr("Add the document"), "secondary", self._on_pressed)
        self.button.hide()

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none."""
        self._library = library
        self.mean(0)

    def mean(self, document: int) -> None:
        """Offer to add this document, if its file is kept; one that is here needs no offer."""
        self._document = document
        self.button.hide()
        if self._library is not None and document < 0:
            self._bridge.submit(operations.kept_original(self._library, document), done=self._on_known, failed=_ignore)

    def _on_known(self, kept: KeptOriginal | None) -> None:
        if kept is not None and kept.document == self._document:
            self.button.setToolTip(tr("“{name}” came with the imported session", name=kept.name))
            self.button.setEnabled(True)
            self.button.show()

    @Slot()
    def _on_pressed(self) -> None:
        self.button.setEnabled(False)
        self.add_asked.emit(self._document)


def _ignore(_error: BaseException, _details: str) -> None:
    """There is no offer then; what is kept of the passage is shown as before."""
