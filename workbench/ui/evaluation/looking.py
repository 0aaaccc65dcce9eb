"""A question of an evaluation -> its hits as the inspector shows them, and the right passage where none of them is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.errors import RetrievalError
from workbench.model.evaluation import GoldenQuestion, Judgement
from workbench.model.hit import Citation, NumberedHit, Reference, SearchResult
from workbench.model.run import Run, RunStarted, RunStatus, TimedEvent
from workbench.ui.bridge import Bridge
from workbench.ui.evaluation.marks import Scope
from workbench.ui.evaluation.part import Part
from workbench.ui.evaluation.spots import Spot, mark_of
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.model.document import Document
    from workbench.model.search_configuration import SearchConfiguration
    from workbench.operations import Library


class _Request:
    """One search under way; its own object, so that a late one is known by what it was asked for."""

    def __init__(self, looking: Looking, scope: Scope) -> None:
        self._looking = looking
        self.scope = scope

    def done(self, result: SearchResult) -> None:
        """Pass the hits on."""
        self._looking.receive(self, result)


class Looking(Part):
    """Searches as an evaluation did.

    Signals:
        run_found: What was found, as a Run without an answer.
    """

    run_found = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(bridge, parent)
        self._request: _Request | None = None

    def set_library(self, library: Library | None) -> None:
        """Take another library."""
        self._library = library
        self._request = None

    def look(self, scope: Scope, configuration: SearchConfiguration | None, k: int) -> None:
        """Search for a question; whatever was looked for before is wanted no more."""
        if self._library is None:
            return
        # Not on the way to the window: most questions are restricted to nothing.
        from workbench.retrieval.filters.text_syntax import filter_of_text

        request = self._request = _Request(self, scope)
        try:
            wanted = filter_of_text(scope.filter, scope.knowledge_base or None)
        except RetrievalError as error:  # a file of questions may say any filter
            self.failed.emit(error, "")
            return
        searching = operations.search(self._library, scope.question, k=k, filter=wanted, configuration=configuration)
        self._ask(searching, request.done)

    def receive(self, request: _Request, result: SearchResult) -> None:
        """Take the hits; those that are wanted no more are ignored."""
        if request is self._request:
            self.run_found.emit(run_of_search(request.scope, result))


def run_of_search(scope: Scope, result: SearchResult) -> Run:
    """Return what a search found as a run without an answer: what the inspector knows how to show."""
    begun = RunStarted(scope.question, "", "", scope.knowledge_base, scope.filter)
    hits = tuple(NumberedHit(hit.rank, hit) for hit in result.hits)
    seconds = result.milliseconds / 1000
    reference = Reference(scope.question, hits, round(seconds, 4))
    return Run(
        id=0,
        session=0,
        question=scope.question,
        profile="",
        mode="",
        status=RunStatus.COMPLETED,
        answer="",
        refused=False,
        started="",
        seconds=seconds,
        citations=(),
        references=(reference,),
        events=(TimedEvent(0, 0.0, begun),),
    )


def best_passage(run: Run, golden: GoldenQuestion | None, documents: Sequence[Document]) -> Citation | None:
    """Return what to show first: the first hit that is right, or the right passage that no hit holds."""
    right = golden.right if golden is not None else ()
    for numbered in run.references[0].hits:
        if mark_of(right, Spot.of_hit(numbered.hit)):
            return _of_hit(numbered)
    for one in right:
        document = next((doc for doc in documents if doc.name == one.document), None)
        if document is not None and one.text:
            return _of_judgement(one, document)
    return None


def _of_hit(numbered: NumberedHit) -> Citation:
    hit, chunk = numbered.hit, numbered.hit.chunk
    return Citation(
        numbered.number,
        True,
        document=chunk.document,
        document_name=hit.document_name,
        path=hit.path,
        page=hit.page,
        chunk=chunk.id,
        start=chunk.start,
        end=chunk.end,
        quote=chunk.text,
        headings=hit.headings,
        page_kind=hit.page_kind,
        page_label=hit.label_of(hit.page),
        ocr=hit.page in hit.ocr_pages,
    )


def _of_judgement(one: Judgement, document: Document) -> Citation:
    return Citation(
        0,
        True,
        document=document.id,
        document_name=document.name,
        path=document.path,
        page=one.page,
        start=one.start or 0,
        end=one.end or len(one.text),
        quote=one.text,
        page_kind=document.page_kind,
    )
