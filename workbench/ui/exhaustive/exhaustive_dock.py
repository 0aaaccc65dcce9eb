"""Dock of exhaustive reading below the chat; its content is created when it is first shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from shiboken6 import isValid

from workbench.language import tr
from workbench.ui.dock import LazyDock
from workbench.ui.exhaustive.reading_wording import estimate_lines, estimate_words, what_leaves
from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.model.exhaustive import ReadingOffer
    from workbench.model.run import Run
    from workbench.ui.app_controller import AppController
    from workbench.ui.chat.run_card import RunCard
    from workbench.ui.chat.run_cards import RunCards
    from workbench.ui.exhaustive.pane import ExhaustivePane
    from workbench.ui.exhaustive.presenter import ExhaustivePresenter

_SHARE = 0.62
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
            self._shell.window.toast.show_message(tr("Something is being read already: wait for it, or stop it."))
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
        window.resizeDocks([self.dock], [min(most, round(window.height() * _SHARE))], Qt.Orientation.Vertical)

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
