"""What the chat has to know of the library: whether there is anything to ask about, and who answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench.model.document import Document, DocumentStatus
from workbench.model.egress import AirGap
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.model.profile import ModelProfile
from workbench.settings import Settings
from workbench.ui.agents.presenter import AgentsPresenter
from workbench.ui.bridge import Bridge
from workbench.ui.chat.answerer import Answerer
from workbench.ui.chat.invitation import EXAMPLES
from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.operations import Library


class Surroundings(QObject):
    """Counts documents as they come and go, and knows who answers.

    Signals:
        documents_changed: There are documents to ask about now, or none any more.
        samples_changed: All sample documents can be asked now, and there are no others; or that is so no longer.
        answerer_changed: Another Answerer.
    """

    documents_changed = Signal(bool)
    samples_changed = Signal(bool)
    answerer_changed = Signal(object)

    def __init__(self, bridge: Bridge, agents: AgentsPresenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._documents: set[int] = set()
        self._samples: dict[int, str] = {}
        self._has_samples_only = False
        self._agents = agents
        self._settings = Settings()
        self._profiles: list[ModelProfile] | None = None
        self._air_gap: AirGap | None = None
        agents.changed.connect(self._say_who_answers)
        bridge.domain_event.connect(self._on_domain_event)

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none."""
        self._library = library
        self._profiles = self._air_gap = None
        self._documents.clear()
        self._samples.clear()
        self._has_samples_only = False
        if library is None:
            self.documents_changed.emit(False)
        else:
            # Once: to list 100,000 documents takes seconds, and what becomes of them is told.
            self._bridge.submit(operations.list_documents(library), done=self._on_documents)
        self.refresh()

    def refresh(self) -> None:
        """Ask the library anew who answers."""
        if self._library is not None:
            self._bridge.submit(operations.air_gap_state(self._library), done=self._on_air_gap)
            self._bridge.submit(operations.load_settings(self._library), done=self._on_settings)

    def _on_air_gap(self, state: AirGap) -> None:
        if self._library is not None and state != self._air_gap:
            self._air_gap = state
            self._say_who_answers()

    def _on_documents(self, documents: list[Document]) -> None:
        self._documents = {document.id for document in documents if document.status is not DocumentStatus.FAILED}
        self._samples = {document.id: document.name for document in documents if _is_sample(document)}
        self.documents_changed.emit(bool(self._documents))
        self._has_samples_only = False
        self._look_at_samples()

    def _on_settings(self, settings: Settings) -> None:
        if self._library is not None:
            self._settings = settings
            self._bridge.submit(operations.list_profiles(self._library), done=self._on_profiles)

    def _on_profiles(self, profiles: list[ModelProfile]) -> None:
        self._profiles = profiles
        self._say_who_answers()

    @Slot()
    def _say_who_answers(self) -> None:
        # Nothing is said before the library's settings are known: it might be a model far away.
        if self._profiles is not None:
            agent = self._agents.named(self._agents.asked)
            self.answerer_changed.emit(Answerer.of(self._settings, self._profiles, agent, self._air_gap))

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        before = bool(self._documents)
        if isinstance(event, DocumentChanged):
            if event.document.status is DocumentStatus.FAILED:
                self._documents.discard(event.document.id)
            else:
                self._documents.add(event.document.id)
            if _is_sample(event.document):
                self._samples[event.document.id] = event.document.name
        elif isinstance(event, DocumentsRemoved):
            self._documents.difference_update(event.documents)
            for number in event.documents:
                self._samples.pop(number, None)
        else:
            return
        if before != bool(self._documents):
            self.documents_changed.emit(not before)
        self._look_at_samples()

    def _look_at_samples(self) -> None:
        count = len(self._samples)
        only = count == len(self._documents) == len(EXAMPLES) and set(self._samples.values()) == set(EXAMPLES)
        if only != self._has_samples_only:
            self._has_samples_only = only
            self.samples_changed.emit(only)


def _is_sample(document: Document) -> bool:
    return document.name in EXAMPLES and document.status is DocumentStatus.READY
