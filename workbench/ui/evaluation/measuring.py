"""Evaluations: begun, watched, stopped; compared, kept over time, and whether they are out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench.language import tr
from workbench.model.evaluation import (
    Comparison,
    EvaluatedAgain,
    Evaluation,
    EvaluationProgress,
    EvaluationSummary,
)
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.ui.bridge import Bridge
from workbench.ui.evaluation.part import Part
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.model.search_configuration import SearchConfiguration
    from workbench.operations import Library
    from workbench.worker.job import JobHandle

AGAIN_MS = 1000
"""After documents changed, it is asked that much later whether the figures still hold: an import changes many."""


class Shown:
    """What is on show: one evaluation, or two side by side."""

    def __init__(self, first: Evaluation, comparison: Comparison | None = None) -> None:
        self.first = first
        self.comparison = comparison

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """One or two."""
        return (self.first, self.comparison.second) if self.comparison is not None else (self.first,)


class MeasuringPresenter(Part):
    """The evaluations of one set of golden questions.

    Signals:
        running_changed: Whether an evaluation is under way.
        progressed: An EvaluationProgress.
        shown: What is to be shown, a Shown; or None for nothing.
        listed: The kept evaluations of the set, newest first.
        aged: What changed since the evaluation that is shown, in words; an empty tuple where nothing did.
    """

    running_changed = Signal(bool)
    progressed = Signal(object)
    shown = Signal(object)
    listed = Signal(object)
    aged = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(bridge, parent)
        self._set = ""
        self._handle: JobHandle[Evaluation] | JobHandle[Comparison] | None = None
        self._begins = True
        self.on_show: Shown | None = None
        self.history: tuple[EvaluationSummary, ...] = ()
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(AGAIN_MS)
        self._again.timeout.connect(self.look_for_changes)
        bridge.domain_event.connect(self._on_domain_event)

    @property
    def running(self) -> bool:
        """Whether an evaluation is under way."""
        return self._handle is not None

    def set_library(self, library: Library | None) -> None:
        """Take another library; what is under way in the old one is stopped."""
        self.stop()
        self._library = library
        self._on_listed(())

    @Slot(str)
    def choose_set(self, name: str) -> None:
        """Show the evaluations of another set, the newest first."""
        self._set = name
        self._begins = True
        self._show(None)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Read the kept evaluations anew."""
        if self._library is not None and self._set:
            self._ask(operations.list_evaluations(self._library, self._set), self._on_listed)

    def run(self, configurations: tuple[SearchConfiguration | None, ...], names: tuple[str, ...], k: int) -> None:
        """Evaluate one configuration, or two side by side; None is how searches go now."""
        if self._library is None or self.running:
            return
        if len(configurations) > 1:
            both = (configurations[0], configurations[1])
            compared = operations.evaluate_both(self._library, self._set, *both, names=(names[0], names[1]), k=k)
            self._handle = self._bridge.submit(
                compared,
                done=self._on_compared,
                event=self._on_event,
                failed=self._on_run_failed,
                cancelled=self._on_cancelled,
            )
        else:
            single = operations.evaluate(self._library, self._set, configuration=configurations[0], name=names[0], k=k)
            self._handle = self._bridge.submit(
                single,
                done=self._on_evaluated,
                event=self._on_event,
                failed=self._on_run_failed,
                cancelled=self._on_cancelled,
            )
        self.running_changed.emit(True)

    @Slot()
    def stop(self) -> None:
        """Stop the evaluation that is under way; it is not kept."""
        if self._handle is not None:
            self._handle.cancel()

    @Slot(int)
    def open(self, number: int) -> None:
        """Show a kept evaluation."""
        if self._library is not None:
            self._ask(operations.open_evaluation(self._library, number), self._on_opened)

    def compare(self, first: int, second: int) -> None:
        """Show two kept evaluations side by side."""
        if self._library is not None:
            self._ask(operations.compare_evaluations(self._library, first, second), self._on_opened_both)

    def remove(self, number: int) -> None:
        """Remove a kept evaluation for good."""
        if self._library is not None:
            self._ask(operations.remove_evaluation(self._library, number), self._on_removed)

    @Slot()
    def look_for_changes(self) -> None:
        """Ask whether the figures that are shown still hold."""
        if self._library is not None and self.on_show is not None and not self.running:
            number = self.on_show.evaluations[-1].summary.id
            self._ask(operations.evaluation_changes(self._library, number), self._on_changes)

    def _show(self, shown: Shown | None) -> None:
        if shown is not None and shown.first.summary.set != self._set:
            return  # another set was chosen meanwhile
        self.on_show = shown
        self.aged.emit(())
        self.shown.emit(shown)

    def _ended(self) -> None:
        self._handle = None
        self.running_changed.emit(False)

    def _on_event(self, event: object) -> None:
        if isinstance(event, EvaluationProgress):
            self.progressed.emit(event)

    def _on_evaluated(self, evaluation: Evaluation) -> None:
        self._ended()
        self._show(Shown(evaluation))
        self.refresh()

    def _on_compared(self, comparison: Comparison) -> None:
        self._ended()
        self._show(Shown(comparison.first, comparison))
        self.refresh()

    def _on_opened(self, evaluation: Evaluation) -> None:
        self._show(Shown(evaluation))
        self.look_for_changes()

    def _on_opened_both(self, comparison: Comparison) -> None:
        self._show(Shown(comparison.first, comparison))
        self.look_for_changes()

    def _on_run_failed(self, error: BaseException, details: str) -> None:
        self._ended()
        self.failed.emit(error, details)

    def _on_cancelled(self) -> None:
        self._ended()

    def _on_listed(self, history: tuple[EvaluationSummary, ...]) -> None:
        if history and history[0].set != self._set:
            return
        self.history = history
        self.listed.emit(history)
        if history and self._begins:
            self._begins = False
            if self.on_show is None and not self.running:
                self.open(history[0].id)

    def _on_removed(self, _nothing: object) -> None:
        self.said.emit(tr("Removed the evaluation"), False)
        self.refresh()

    def _on_changes(self, words: tuple[str, ...]) -> None:
        self.aged.emit(words)

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, EvaluatedAgain) and event.summary.set == self._set:
            self.refresh()
        changed = isinstance(event, (DocumentChanged, DocumentsRemoved))
        # Not started anew by each: an import of an hour would put it off for an hour.
        if changed and self.on_show is not None and not self._again.isActive():
            self._again.start()
