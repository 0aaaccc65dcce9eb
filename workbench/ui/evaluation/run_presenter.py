"""Presenters of evaluation runs and of saved search configurations, with the wording of both."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench import operations
from workbench.language import mark, tr
from workbench.model.evaluation import (
    Comparison,
    EvaluatedAgain,
    Evaluation,
    EvaluationProgress,
    EvaluationSummary,
    NamedConfiguration,
    Promotion,
    SearchSettings,
)
from workbench.model.hit import SearchMode
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.model.reranker import RERANKERS
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.ui.bridge import Bridge
from workbench.ui.evaluation.passage_marks import EvaluationPart
from workbench.ui.library.document_wording import join_with_commas

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.ui.chat.empty_state import EmptyState
    from workbench.worker.job import JobHandle


AGAIN_MS = 1000
"""Milliseconds from a change of documents to the check of the figures on show; an import changes many documents."""


class ShownEvaluations:
    """Evaluation on show, or two side by side."""

    def __init__(self, first: Evaluation, comparison: Comparison | None = None) -> None:
        self.first = first
        self.comparison = comparison

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """Evaluation on show, or both of a comparison."""
        return (self.first, self.comparison.second) if self.comparison is not None else (self.first,)


class RunPresenter(EvaluationPart):
    """Presenter of the evaluations of one set of golden questions.

    Signals:
        running_changed: Whether an evaluation is running.
        progressed: An EvaluationProgress.
        shown: The ShownEvaluations to show, or None.
        listed: The saved evaluations of the set, newest first.
        aged: Descriptions of the changes since the evaluation on show; an empty tuple if nothing changed.
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
        self._opens_latest = True
        self.on_show: ShownEvaluations | None = None
        self.history: tuple[EvaluationSummary, ...] = ()
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(AGAIN_MS)
        self._again.timeout.connect(self.look_for_changes)
        bridge.domain_event.connect(self._on_domain_event)

    @property
    def running(self) -> bool:
        """True while an evaluation is running."""
        return self._handle is not None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library and stop the evaluation that runs in the old one."""
        self.stop()
        self._library = library
        self._on_listed(())

    @Slot(str)
    def choose_set(self, name: str) -> None:
        """Show the evaluations of another set, and open the newest one."""
        self._set = name
        self._opens_latest = True
        self._show(None)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Load the saved evaluations again."""
        if self._library is not None and self._set:
            self._ask(operations.list_evaluations(self._library, self._set), self._on_listed)

    def run(self, configurations: tuple[SearchConfiguration | None, ...], names: tuple[str, ...], k: int) -> None:
        """Evaluate one configuration, or two side by side; None stands for the configuration in force."""
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
        """Cancel the running evaluation; its result is not saved."""
        if self._handle is not None:
            self._handle.cancel()

    @Slot(int)
    def open(self, number: int) -> None:
        """Show a saved evaluation."""
        if self._library is not None:
            self._ask(operations.open_evaluation(self._library, number), self._on_opened)

    def compare(self, first: int, second: int) -> None:
        """Show two saved evaluations side by side."""
        if self._library is not None:
            self._ask(operations.compare_evaluations(self._library, first, second), self._on_opened_both)

    def remove(self, number: int) -> None:
        """Delete a saved evaluation permanently."""
        if self._library is not None:
            self._ask(operations.remove_evaluation(self._library, number), self._on_removed)

    @Slot()
    def look_for_changes(self) -> None:
        """Check whether the figures on show still hold."""
        if self._library is not None and self.on_show is not None and not self.running:
            number = self.on_show.evaluations[-1].summary.id
            self._ask(operations.evaluation_changes(self._library, number), self._on_changes)

    def _show(self, shown: ShownEvaluations | None) -> None:
        if shown is not None and shown.first.summary.set != self._set:
            return  # another set was chosen meanwhile
        self.on_show = shown
        self.aged.emit(())
        self.shown.emit(shown)

    def _finish(self) -> None:
        self._handle = None
        self.running_changed.emit(False)

    def _on_event(self, event: object) -> None:
        if isinstance(event, EvaluationProgress):
            self.progressed.emit(event)

    def _on_evaluated(self, evaluation: Evaluation) -> None:
        self._finish()
        self._show(ShownEvaluations(evaluation))
        self.refresh()

    def _on_compared(self, comparison: Comparison) -> None:
        self._finish()
        self._show(ShownEvaluations(comparison.first, comparison))
        self.refresh()

    def _on_opened(self, evaluation: Evaluation) -> None:
        self._show(ShownEvaluations(evaluation))
        self.look_for_changes()

    def _on_opened_both(self, comparison: Comparison) -> None:
        self._show(ShownEvaluations(comparison.first, comparison))
        self.look_for_changes()

    def _on_run_failed(self, error: BaseException, details: str) -> None:
        self._finish()
        self.failed.emit(error, details)

    def _on_cancelled(self) -> None:
        self._finish()

    def _on_listed(self, history: tuple[EvaluationSummary, ...]) -> None:
        if history and history[0].set != self._set:
            return
        self.history = history
        self.listed.emit(history)
        if history and self._opens_latest:
            self._opens_latest = False
            if self.on_show is None and not self.running:
                self.open(history[0].id)

    def _on_removed(self, _nothing: object) -> None:
        self.notified.emit(tr("Removed the evaluation"), False)
        self.refresh()

    def _on_changes(self, words: tuple[str, ...]) -> None:
        self.aged.emit(words)

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, EvaluatedAgain) and event.summary.set == self._set:
            self.refresh()
        changed = isinstance(event, (DocumentChanged, DocumentsRemoved))
        # Not restarted by each event: an import of an hour would delay the check by an hour.
        if changed and self.on_show is not None and not self._again.isActive():
            self._again.start()


class ConfigurationPresenter(EvaluationPart):
    """Presenter that sets the search configuration of a knowledge base, undoes this, and saves named configurations.

    Signals:
        in_force_changed: The SearchSettings in force for the current knowledge base.
        configurations_listed: The named configurations, a tuple of NamedConfiguration.
        bases_listed: The names of the knowledge bases, a tuple.
        base_chosen: Name of the current knowledge base; empty for all of them.
        promoted: A Promotion was made or undone.
    """

    in_force_changed = Signal(object)
    configurations_listed = Signal(object)
    bases_listed = Signal(object)
    base_chosen = Signal(str)
    promoted = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(bridge, parent)
        self.in_force = DEFAULT_SEARCH
        self.is_own = False
        self.configurations: tuple[NamedConfiguration, ...] = ()
        self.bases: tuple[str, ...] = ()
        self._chosen = ""
        self._last: Promotion | None = None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library."""
        self._library = library
        self._last = None
        if library is not None:
            self.refresh()
            self._ask(operations.list_configurations(library), self._on_configurations)

    @property
    def target(self) -> str | None:
        """Knowledge base that a promotion applies to: the current one, or the only one; None for all of them."""
        return self._chosen or (self.bases[0] if len(self.bases) == 1 else None)

    @Slot(list)
    def show_bases(self, names: list[str]) -> None:
        """Store the names of the knowledge bases."""
        self.bases = tuple(names)
        self.bases_listed.emit(self.bases)
        self.refresh()

    @Slot(str)
    def choose_base(self, name: str) -> None:
        """Store the name of the current knowledge base; empty for all of them."""
        self._chosen = name
        self.base_chosen.emit(name)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Load the search settings again."""
        if self._library is not None:
            self._ask(operations.search_settings(self._library, self.target), self._on_settings)

    def keep(self, name: str, configuration: SearchConfiguration) -> None:
        """Save a configuration under a name."""
        if self._library is not None and name.strip():
            self._ask(
                operations.keep_configuration(self._library, name.strip(), configuration), self._on_configurations
            )

    def remove(self, name: str) -> None:
        """Delete a named configuration."""
        if self._library is not None:
            self._ask(operations.remove_configuration(self._library, name), self._on_configurations)

    def promote(self, knowledge_base: str | None, configuration: SearchConfiguration | None) -> None:
        """Set the search configuration of a knowledge base (None: of all); a configuration of None is the default."""
        if self._library is not None:
            self._ask(operations.promote(self._library, knowledge_base, configuration), self._on_promoted)

    @Slot()
    def undo(self) -> None:
        """Undo the last promotion."""
        last, self._last = self._last, None
        if self._library is not None and last is not None:
            self._ask(operations.promote(self._library, last.knowledge_base, last.before), self._on_undone)

    def _on_settings(self, settings: SearchSettings) -> None:
        if settings.knowledge_base != self.target:
            return
        self.in_force, self.is_own = settings.configuration, settings.is_own
        self.in_force_changed.emit(settings)

    def _on_configurations(self, configurations: tuple[NamedConfiguration, ...]) -> None:
        self.configurations = configurations
        self.configurations_listed.emit(configurations)

    def _on_promoted(self, promotion: Promotion) -> None:
        self._last = promotion
        where = knowledge_base_words(promotion.knowledge_base)
        if promotion.now is None:
            message = tr("Reset the search settings of {where}", where=where)
        else:
            message = tr("Applied the search settings to {where}", where=where)
        self.notified.emit(message, True)
        self._on_undone()

    def _on_undone(self, _promotion: object = None) -> None:
        self.refresh()
        self.promoted.emit()


LISTS: dict[SearchMode, str] = {
    SearchMode.HYBRID: mark("Both"),
    SearchMode.DENSE: mark("Meaning only"),
    SearchMode.KEYWORD: mark("Keywords only"),
}
_SEARCHED = {
    SearchMode.HYBRID: mark("meaning and keywords"),
    SearchMode.DENSE: mark("meaning only"),
    SearchMode.KEYWORD: mark("keywords only"),
}
RERANKING: dict[str, str] = {"": mark("As in the settings"), **{one.name: one.short for one in RERANKERS.values()}}


def configuration_words(configuration: SearchConfiguration) -> str:
    """Return a one-line description of a configuration: "meaning and keywords, reranked word by word, names, parts"."""
    parts = [tr(_SEARCHED[configuration.mode]), _describe_reranking(configuration.reranking)]
    parts += [tr("names")] if configuration.names else []
    parts += [tr("parts")] if configuration.parts else []
    parts += [tr("diversity {n:.1f}", n=configuration.diversity)] if configuration.diversity else []
    weight, floor = configuration.dense_weight, configuration.floor
    parts += [] if weight is None else [tr("weight of meaning {n:.2f}", n=weight)]
    parts += [] if floor is None else [tr("minimum relevance {n:.2f}", n=floor)]
    return join_with_commas(parts)


def _describe_reranking(reranking: str) -> str:
    if reranking in ("", "none"):
        return tr("no reranking") if reranking else tr("default reranking")
    return tr("reranked {how}", how=tr(RERANKING.get(reranking, reranking)).lower())


def sentences(*told: str) -> str:
    """Join sentences, leaving out empty ones."""
    kept = [one for one in told if one]
    return reduce(lambda before, one: tr("{sentence} {next}", sentence=before, next=one) if before else one, kept, "")


def knowledge_base_words(name: str | None) -> str:
    """Return the quoted name of a knowledge base, or the words for all of them."""
    return f"“{name}”" if name else tr("all knowledge bases")


def invite(state: EmptyState, words: tuple[str, str, str]) -> None:
    """Show an icon, a title and a text in an empty state; the title and the text are marked for translation."""
    icon, title, text = words
    state.show_state(icon, tr(title), tr(text))


def seconds_words(seconds: float) -> str:
    """Return a formatted duration: "8 s", "2 min"."""
    return tr("{n} s", n=max(1, round(seconds))) if seconds < 90 else tr("{n} min", n=round(seconds / 60))
