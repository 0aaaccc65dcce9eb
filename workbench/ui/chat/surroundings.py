"""What the chat has to know of the library: whether there is anything to ask about, and who answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench.model.document import Document, DocumentStatus
from workbench.model.profile import OFFLINE, ModelProfile
from workbench.model.progress import DocumentChanged, DocumentsRemoved
from workbench.settings import Settings
from workbench.ui.bridge import Bridge
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.operations import Library


class Surroundings(QObject):
    """Counts documents as they come and go, and knows the model profile in force.

    Signals:
        documents_changed: There are documents to ask about now, or none any more.
        profile_changed: Another ModelProfile answers.
    """

    documents_changed = Signal(bool)
    profile_changed = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._documents: set[int] = set()
        self._wanted_profile = OFFLINE.name
        bridge.domain_event.connect(self._on_domain_event)

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none."""
        self._library = library
        self._documents.clear()
        if library is None:
            self.documents_changed.emit(False)
        self.refresh()

    def refresh(self) -> None:
        """Ask the library anew."""
        if self._library is not None:
            self._bridge.submit(operations.list_documents(self._library), done=self._on_documents)
            self._bridge.submit(operations.load_settings(self._library), done=self._on_settings)

    def _on_documents(self, documents: list[Document]) -> None:
        self._documents = {document.id for document in documents if document.status is not DocumentStatus.FAILED}
        self.documents_changed.emit(bool(self._documents))

    def _on_settings(self, settings: Settings) -> None:
        if self._library is not None:
            self._wanted_profile = settings.profile
            self._bridge.submit(operations.list_profiles(self._library), done=self._on_profiles)

    def _on_profiles(self, profiles: list[ModelProfile]) -> None:
        profile = next((profile for profile in profiles if profile.name == self._wanted_profile), OFFLINE)
        self.profile_changed.emit(profile)

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        before = bool(self._documents)
        if isinstance(event, DocumentChanged):
            if event.document.status is DocumentStatus.FAILED:
                self._documents.discard(event.document.id)
            else:
                self._documents.add(event.document.id)
        elif isinstance(event, DocumentsRemoved):
            self._documents.difference_update(event.documents)
        if before != bool(self._documents):
            self.documents_changed.emit(not before)
