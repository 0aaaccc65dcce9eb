"""Presenters of the evaluation: golden questions, preview of hits in the inspector, and the wiring of the parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench import operations
from workbench.errors import RetrievalError
from workbench.language import tr, translate, trn
from workbench.model.evaluation import MARKS, GoldenQuestion, GoldenSet, Judgement, QuestionOutcome, QuestionsRead
from workbench.model.hit import Citation, NumberedHit, Reference, SearchResult
from workbench.model.run import Run, RunStarted, RunStatus, TimedEvent
from workbench.ui.bridge import Bridge
from workbench.ui.evaluation.passage_marks import EvaluationPart, PassageSpot, Scope, mark_of
from workbench.ui.evaluation.run_presenter import ConfigurationPresenter, RunPresenter

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.model.document import Document
    from workbench.model.search_configuration import SearchConfiguration
    from workbench.operations import Library
    from workbench.ui.evaluation.passage_marks import Marks
    from workbench.ui.library.presenter import LibraryPresenter
    from workbench.worker.job import Operation


class EvaluationPresenter(QObject):
    """Presenter of the evaluation pane and owner of the presenters of its parts.

    Signals:
        library_changed: Whether a library is open.
        notified: A message for a toast, and whether it can be undone.
        failed: An error and its details.
        hits_found: The hits of a question, as a Run without an answer, and the Citation to show first or None.
    """

    library_changed = Signal(bool)
    notified = Signal(str, bool)
    failed = Signal(object, str)
    hits_found = Signal(object, object)

    def __init__(
        self, bridge: Bridge, marks: Marks, documents: LibraryPresenter, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.marks = marks
        self.questions = QuestionsPresenter(bridge, self)
        self.measuring = RunPresenter(bridge, self)
        self.promoting = ConfigurationPresenter(bridge, self)
        self._search = EvaluationSearch(bridge, self)
        self._documents = documents
        self._library: Library | None = None
        self._undo: Callable[[], None] | None = None
        self._connect()

    @property
    def is_open(self) -> bool:
        """True if a library is open."""
        return self._library is not None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to None."""
        self._library = library
        self._undo = None
        for part in (self.measuring, self.promoting, self._search, self.questions):
            part.set_library(library)
        self.library_changed.emit(library is not None)

    @Slot()
    def undo(self) -> None:
        """Undo the last change."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()

    @Slot(object)
    def look_at(self, subject: object) -> None:
        """Show the hits of a golden question, or of an outcome with the configuration of its evaluation."""
        if isinstance(subject, (QuestionOutcome, GoldenQuestion)):
            shown = self.measuring.on_show
            summary = shown.evaluations[-1].summary if shown is not None else None
            searched = summary is not None and isinstance(subject, QuestionOutcome)
            configuration = summary.configuration if searched and summary is not None else None
            self._search.look(Scope(*subject.key), configuration, summary.metrics.k if summary is not None else 10)

    def _connect(self) -> None:
        for part in (self.questions, self.measuring, self.promoting):
            part.notified.connect(self._on_notified)
            part.failed.connect(self.failed)
        self._search.failed.connect(self.failed)
        self._search.run_found.connect(self._on_run_found)
        self.questions.set_chosen.connect(self.measuring.choose_set)
        self.questions.kept.connect(self.measuring.look_for_changes)
        self.questions.kept.connect(self.marks.refresh)
        self.marks.kept.connect(self.questions.refresh)
        self.marks.kept.connect(self.measuring.look_for_changes)
        self.promoting.promoted.connect(self.measuring.look_for_changes)
        self._documents.knowledge_bases_changed.connect(self.promoting.show_bases)
        self._documents.knowledge_base_changed.connect(self.promoting.choose_base)
        self.promoting.show_bases(self._documents.knowledge_bases)
        self.promoting.choose_base(self._documents.knowledge_base)

    @Slot(str, bool)
    def _on_notified(self, text: str, undoable: bool) -> None:
        part = self.sender()
        self._undo = part.undo if undoable and isinstance(part, (QuestionsPresenter, ConfigurationPresenter)) else None
        self.notified.emit(text, undoable)

    @Slot(object)
    def _on_run_found(self, run: Run) -> None:
        key = (run.question, run.knowledge_base, run.filter)
        golden = next((one for one in self.questions.questions if one.key == key), None)
        first: Citation | None = best_passage(run, golden, self._documents.model.documents())
        self.hits_found.emit(run, first)


class QuestionsPresenter(EvaluationPart):
    """Presenter of one set of golden questions at a time.

    Signals:
        sets_listed: The sets, a tuple of GoldenSet.
        listed: The questions of the chosen set, a tuple of GoldenQuestion.
        set_chosen: Name of the chosen set.
        kept: Questions were added or removed in the library.
    """

    sets_listed = Signal(object)
    listed = Signal(object)
    set_chosen = Signal(str)
    kept = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(bridge, parent)
        self.chosen = MARKS
        self.sets: tuple[GoldenSet, ...] = ()
        self.questions: tuple[GoldenQuestion, ...] = ()
        self._undo: Operation[Any] | None = None

    def set_library(self, library: Library | None) -> None:
        """Show the questions of another library."""
        self._library = library
        self._undo = None
        self.sets = self.questions = ()
        self.choose(MARKS)

    @Slot(str)
    def choose(self, name: str) -> None:
        """Show another set."""
        self.chosen = name
        self.set_chosen.emit(name)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Load the sets and the questions again."""
        if self._library is not None:
            self._ask(operations.golden_sets(self._library), self._on_sets)

    def read(self, path: Path) -> None:
        """Add the questions of a file, as a set with its name."""
        if self._library is not None:
            self._ask(operations.read_questions(self._library, path), self._on_read)

    def write(self, path: Path) -> None:
        """Write the questions of the chosen set to a file."""
        if self._library is not None:
            self._ask(operations.write_questions(self._library, self.chosen, path), self._on_written)

    def remove(self, question: GoldenQuestion) -> None:
        """Remove a question and offer to undo this."""
        if self._library is not None:
            self._ask(operations.remove_question(self._library, self.chosen, question), self._on_removed)

    @Slot()
    def remove_set(self) -> None:
        """Remove the chosen set and offer to undo this."""
        if self._library is not None:
            self._ask(operations.remove_set(self._library, self.chosen), self._on_set_removed)

    @Slot()
    def undo(self) -> None:
        """Undo the last removal or import."""
        undo, self._undo = self._undo, None
        if undo is not None:
            self._ask(undo, self._on_changed)

    def _on_sets(self, sets: tuple[GoldenSet, ...]) -> None:
        self.sets = sets
        if self.chosen not in {one.name for one in sets}:
            self.chosen = MARKS
            self.set_chosen.emit(MARKS)
        self.sets_listed.emit(sets)
        if self._library is not None:
            self._ask(operations.golden_questions(self._library, self.chosen), self._on_listed)

    def _on_listed(self, questions: tuple[GoldenQuestion, ...]) -> None:
        self.questions = questions
        self.listed.emit(questions)

    def _on_read(self, read: QuestionsRead) -> None:
        assert self._library is not None
        self._undo = operations.put_questions(self._library, read.set, read.before)
        self.choose(read.set)
        self.notified.emit(_describe_import(read), True)
        self.kept.emit()

    def _on_written(self, path: Path) -> None:
        self.notified.emit(tr("Exported to {path}", path=path), False)

    def _on_removed(self, question: GoldenQuestion) -> None:
        assert self._library is not None
        self._undo = operations.put_question(self._library, self.chosen, question)
        self.notified.emit(tr("Removed a question"), True)
        self._on_changed()

    def _on_set_removed(self, questions: tuple[GoldenQuestion, ...]) -> None:
        assert self._library is not None
        self._undo = operations.put_questions(self._library, self.chosen, questions)
        self.notified.emit(trn("Removed {n:,} question", "Removed {n:,} questions", len(questions)), True)
        self._on_changed()

    def _on_changed(self, _value: object = None) -> None:
        self.refresh()
        self.kept.emit()


def _describe_import(read: QuestionsRead) -> str:
    added = trn("{n:,} question added", "{n:,} questions added", read.questions)
    if not read.bad_lines:
        return added
    first = read.bad_lines[0]
    return trn(
        "{added}; skipped {n:,} line, first in line {line}: {reason}",
        "{added}; skipped {n:,} lines, first in line {line}: {reason}",
        len(read.bad_lines),
        added=added,
        line=first.number,
        reason=translate(first.reason),
    )


class _EvaluationSearchRequest:
    """Pending search; a separate object, so that an outdated result is recognised by its request."""

    def __init__(self, looking: EvaluationSearch, scope: Scope) -> None:
        self._search = looking
        self.scope = scope

    def done(self, result: SearchResult) -> None:
        """Pass the hits to the presenter."""
        self._search.receive(self, result)


class EvaluationSearch(EvaluationPart):
    """Presenter that searches for a question with the configuration of an evaluation.

    Signals:
        run_found: The hits, as a Run without an answer.
    """

    run_found = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(bridge, parent)
        self._request: _EvaluationSearchRequest | None = None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library."""
        self._library = library
        self._request = None

    def look(self, scope: Scope, configuration: SearchConfiguration | None, k: int) -> None:
        """Search for a question, and discard the results of earlier searches."""
        if self._library is None:
            return
        # Imported late to keep it out of the start of the window: most questions have no filter.
        from workbench.retrieval.filters.text_syntax import filter_of_text

        request = self._request = _EvaluationSearchRequest(self, scope)
        try:
            wanted = filter_of_text(scope.filter, scope.knowledge_base or None)
        except RetrievalError as error:  # a file of questions may contain any filter
            self.failed.emit(error, "")
            return
        searching = operations.search(self._library, scope.question, k=k, filter=wanted, configuration=configuration)
        self._ask(searching, request.done)

    def receive(self, request: _EvaluationSearchRequest, result: SearchResult) -> None:
        """Emit the hits, unless the request is outdated."""
        if request is self._request:
            self.run_found.emit(run_of_search(request.scope, result))


def run_of_search(scope: Scope, result: SearchResult) -> Run:
    """Return a search result as a run without an answer, which the inspector can show."""
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
    """Return the passage to show first: the first right hit, or else a right passage that no hit contains."""
    right = golden.right if golden is not None else ()
    for numbered in run.references[0].hits:
        if mark_of(right, PassageSpot.of_hit(numbered.hit)):
            return _cite_hit(numbered)
    for one in right:
        document = next((doc for doc in documents if doc.name == one.document), None)
        if document is not None and one.text:
            return _cite_judgement(one, document)
    return None


def _cite_hit(numbered: NumberedHit) -> Citation:
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
        lines=hit.lines_of(chunk.start, chunk.end),
    )


def _cite_judgement(one: Judgement, document: Document) -> Citation:
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
