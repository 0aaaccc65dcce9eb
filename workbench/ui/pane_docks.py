"""Docks of the panes below the chat and beside it; the content of each is created when it is first shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from shiboken6 import isValid

from workbench import operations
from workbench.language import tr
from workbench.model.evaluation import MARKS
from workbench.ui.dock import LazyDock
from workbench.ui.evaluation.passage_marks import Marks
from workbench.ui.exhaustive.presenter import estimate_lines, estimate_words, what_leaves

if TYPE_CHECKING:
    from workbench.model.egress import NetworkRequest
    from workbench.model.exhaustive import ReadingOffer
    from workbench.model.hit import Citation, Hit
    from workbench.model.run import Run
    from workbench.operations import Library
    from workbench.ui.app_controller import AppController
    from workbench.ui.chat.run_card import RunCard
    from workbench.ui.chat.run_cards import RunCards
    from workbench.ui.evaluation.pane import EvaluationPane
    from workbench.ui.evaluation.presenter import EvaluationPresenter
    from workbench.ui.exhaustive.pane import ExhaustivePane
    from workbench.ui.exhaustive.presenter import ExhaustivePresenter
    from workbench.ui.map.pane import MapPane
    from workbench.ui.map.presenter import MapPresenter
    from workbench.ui.network.pane import NetworkPane
    from workbench.ui.network.presenter import NetworkPresenter


_READING_SHARE = 0.62
"""Share of the window's height at first: the chat above keeps a line for a question."""


class ExhaustiveDock(LazyDock):
    """Dock below the chat; not tabbed with the inspector, which shows the passages that are opened from it."""

    presenter: ExhaustivePresenter | None
    pane: ExhaustivePane | None

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell, "reading", tr("Read everything"))
        self._offers: dict[int, ReadingOffer] = {}
        self.dock.setMinimumWidth(320)
        shell.window.add_dock(self.dock, Qt.DockWidgetArea.BottomDockWidgetArea)

    @Slot()
    def reveal(self) -> None:
        """Show the dock and set the keyboard focus to it."""
        first = self.dock.isHidden()
        super().reveal()
        if first:
            QTimer.singleShot(0, self._enlarge)

    def follow(self, cards: RunCards) -> None:
        """Connect the cards of answers, so that those that would benefit offer to read every passage."""
        cards.reading_wanted.connect(self._on_wanted)
        cards.reading_asked.connect(self._on_asked)

    @Slot(object)
    def _on_wanted(self, card: RunCard) -> None:
        from workbench.retrieval.request_recognition import request_of  # not before the window is there

        run = card.transcript.run
        if self._library is not None and run is not None and request_of(run.question) is not None:
            offering = operations.offer_reading(self._library, run)
            # Without an estimate nothing is offered: the profile or the documents may have been deleted.
            self._shell.bridge.submit(offering, done=partial(self._on_offered, card, run.id), failed=_ignore_error)

    def _on_offered(self, card: RunCard, run: int, offer: ReadingOffer | None) -> None:
        if offer is None or not isValid(card):
            return
        self._offers[run] = offer
        details = "\n".join([*estimate_lines(offer.estimate), what_leaves(offer.estimate)])
        card.offer_reading(estimate_words(offer.estimate), details)

    @Slot(object)
    def _on_asked(self, run: Run) -> None:
        offer = self._offers.get(run.id)
        if offer is None:
            return
        self.reveal()
        if self.presenter is not None and self.presenter.busy:
            self._shell.window.toast.show_message(tr("A reading is already running: wait for it, or stop it."))
        elif self.presenter is not None:
            self.presenter.read(offer)

    @Slot()
    def _enlarge(self) -> None:
        """Give the dock most of the height once it is shown; the chat keeps its minimum height."""
        window = self._shell.window
        middle = window.centralWidget()
        if middle is None or self.dock.isFloating():
            return
        most = middle.height() + self.dock.height() - middle.minimumSizeHint().height()
        window.resizeDocks([self.dock], [min(most, round(window.height() * _READING_SHARE))], Qt.Orientation.Vertical)

    def _made(self) -> tuple[ExhaustivePresenter, ExhaustivePane]:
        from workbench.ui.exhaustive.pane import ExhaustivePane
        from workbench.ui.exhaustive.presenter import ExhaustivePresenter

        shell = self._shell
        presenter = ExhaustivePresenter(shell.bridge, self)
        presenter.preparing.knowledge_base = shell.documents.knowledge_base or None
        pane = ExhaustivePane(presenter, shell.theme)
        presenter.notified.connect(self._on_notified)
        pane.citation_activated.connect(self._on_citation)
        shell.documents.knowledge_base_changed.connect(self._on_knowledge_base)
        shell.settings.profiles_changed.connect(presenter.refresh)
        shell.settings.settings_changed.connect(presenter.refresh)
        return presenter, pane

    @Slot(object)
    def _on_knowledge_base(self, name: str) -> None:
        if self.presenter is not None and self.pane is not None:
            self.presenter.preparing.knowledge_base = name or None
            self.pane.form.set_knowledge_base(name or None)


def _ignore_error(_error: BaseException, _details: str) -> None:
    """Ignore the error: nothing is offered."""


class EvaluationDock(LazyDock):
    """Dock that is tabbed with the inspector.

    Attributes:
        marks: Marks of passages, shared with the chat and the inspector.
    """

    presenter: EvaluationPresenter | None
    pane: EvaluationPane | None

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell, "evaluation", tr("Evaluation"))
        self.marks = Marks(shell.bridge, self)
        self.marks.notified.connect(self._on_marked)
        self.marks.failed.connect(shell.window.banner.show_error)
        self.dock.setMinimumWidth(280)
        shell.window.add_dock(self.dock, shell.window.inspector_dock)
        shell.chat.show_marks(self.marks)
        shell.inspector.show_marks(self.marks)

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to None."""
        self.marks.set_library(library)
        super().set_library(library)

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        super()._on_visible(visible)
        if visible and self.presenter is not None:
            # The settings dialog may have changed the search configuration meanwhile.
            self.presenter.promoting.refresh()

    def _made(self) -> tuple[EvaluationPresenter, EvaluationPane]:
        # Importing and creating it takes 0.15 s, and most sessions never need it.
        from workbench.ui.evaluation.pane import EvaluationPane
        from workbench.ui.evaluation.presenter import EvaluationPresenter

        presenter = EvaluationPresenter(self._shell.bridge, self.marks, self._shell.documents, self)
        presenter.notified.connect(self._on_notified)
        presenter.hits_found.connect(self._on_hits_found)
        self._shell.settings.settings_changed.connect(presenter.measuring.look_for_changes)
        return presenter, EvaluationPane(presenter, self._shell.theme)

    @Slot(str, bool)
    def _on_marked(self, text: str, undoable: bool) -> None:
        self._shell.window.toast.show_message(
            text, action=tr("Undo") if undoable else "", on_action=self.marks.undo if undoable else None
        )

    @Slot(object, object)
    def _on_hits_found(self, run: Run, first: Citation | None) -> None:
        self._shell.window.inspector_dock.reveal()
        chosen = self.presenter.questions.chosen if self.presenter is not None else MARKS
        self._shell.inspector.show_run(run, "" if chosen == MARKS else chosen)
        if first is not None:
            self._shell.inspector.show_citation(first)


_NETWORK_SHARE = 0.55
"""Share of the window's height when the dock is first shown."""
_OF_OTHERS = 370
"""Pixels of the height that are reserved for the chat and the bars of the window."""


class NetworkDock(LazyDock):
    """Dock below the chat; not tabbed with the inspector, which shows the passages that are opened from it."""

    presenter: NetworkPresenter | None
    pane: NetworkPane | None

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell, "network", tr("Network"))
        self.dock.setMinimumHeight(180)
        shell.window.add_dock(self.dock, Qt.DockWidgetArea.BottomDockWidgetArea)

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        super()._on_visible(visible)
        if self.presenter is not None:
            self.presenter.see(visible)

    def _make(self) -> None:
        is_first = self.pane is None
        super()._make()
        if is_first and self.presenter is not None:
            self.presenter.see(self.dock.isVisible())

    def _made(self) -> tuple[NetworkPresenter, NetworkPane]:
        from workbench.ui.network.pane import NetworkPane
        from workbench.ui.network.presenter import NetworkPresenter

        shell = self._shell
        if not self.dock.isFloating():
            whole = shell.window.height()
            height = min(round(_NETWORK_SHARE * whole), whole - _OF_OTHERS)
            shell.window.resizeDocks([self.dock], [height], Qt.Orientation.Vertical)
        presenter = NetworkPresenter(shell.bridge, self)
        presenter.notified.connect(self._on_notified)
        presenter.passages_found.connect(self._on_passages)
        pane = NetworkPane(presenter, shell.settings.offline_mode, shell.theme)
        pane.session_asked.connect(shell.sessions.open)
        return presenter, pane

    @Slot(object, object)
    def _on_passages(self, request: NetworkRequest, hits: tuple[Hit, ...]) -> None:
        from workbench.ui.network.model import host_words, moment_words

        self._shell.window.inspector_dock.reveal()
        title = tr("Sent to {host}", host=host_words(request))
        self._shell.inspector.show_hits(title, moment_words(request), hits)


_MAP_SHARE = 0.46
"""Share of the window's height when the dock is first shown."""


class MapDock(LazyDock):
    """Dock below the chat, so that the answer and the inspector remain visible."""

    presenter: MapPresenter | None
    pane: MapPane | None

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell, "map", tr("Map"))
        self._run: Run | None = None
        self.dock.setMinimumHeight(180)
        shell.window.add_dock(self.dock, Qt.DockWidgetArea.BottomDockWidgetArea)
        shell.chat.run_selected.connect(self._on_run_selected)

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to None."""
        self._run = None
        super().set_library(library)

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        super()._on_visible(visible)
        if self.presenter is not None:
            self.presenter.see(visible)

    def _made(self) -> tuple[MapPresenter, MapPane]:
        # Importing and creating it with numpy takes 0.1 s, and most sessions never need it.
        from workbench.ui.map.pane import MapPane
        from workbench.ui.map.presenter import MapPresenter, MapScope

        window = self._shell.window
        if not self.dock.isFloating():
            window.resizeDocks([self.dock], [round(_MAP_SHARE * window.height())], Qt.Orientation.Vertical)
        presenter = MapPresenter(self._shell.bridge, self)
        presenter.show_within(MapScope(self._shell.documents.knowledge_base))
        self._shell.documents.knowledge_base_changed.connect(self._on_knowledge_base)
        presenter.opened.connect(self._on_citation)
        presenter.noticed.connect(self._on_noticed)
        return presenter, MapPane(presenter, self._shell.bridge, self._shell.theme)

    def _make(self) -> None:
        is_first = self.pane is None
        super()._make()
        if is_first and self.presenter is not None:
            if self._run is not None:
                self.presenter.show_run(self._run)
            self.presenter.see(self.dock.isVisible())

    @Slot(str)
    def _on_knowledge_base(self, name: str) -> None:
        from workbench.ui.map.presenter import MapScope

        if self.presenter is not None:
            self.presenter.show_within(MapScope(name))

    @Slot(str)
    def _on_noticed(self, text: str) -> None:
        self._shell.window.toast.show_message(text)

    @Slot(object)
    def _on_run_selected(self, run: Run) -> None:
        self._run = run
        if self.presenter is not None:
            self.presenter.show_run(run)
