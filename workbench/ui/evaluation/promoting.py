"""Configurations that are kept under a name, and how each knowledge base is searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import tr
from workbench.model.evaluation import NamedConfiguration, Promotion, SearchSettings
from workbench.model.search_configuration import DEFAULT_SEARCH
from workbench.ui.bridge import Bridge
from workbench.ui.evaluation.part import Part
from workbench.ui.evaluation.wording import knowledge_base_words
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.model.search_configuration import SearchConfiguration
    from workbench.operations import Library


class PromotingPresenter(Part):
    """Makes a configuration the one that searches use, and takes it back.

    Signals:
        in_force_changed: How the knowledge base that is worked in is searched now: SearchSettings.
        configurations_listed: The named ones, a tuple of NamedConfiguration.
        bases_listed: The names of the knowledge bases, a tuple.
        base_chosen: Another knowledge base is the one that is worked in: its name, or nothing for all.
        promoted: A Promotion was made or taken back.
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
        """Take another library."""
        self._library = library
        self._last = None
        if library is not None:
            self.refresh()
            self._ask(operations.list_configurations(library), self._on_configurations)

    @property
    def target(self) -> str | None:
        """Which knowledge base one click is for: the one that is worked in, or the only one; None for all."""
        return self._chosen or (self.bases[0] if len(self.bases) == 1 else None)

    @Slot(list)
    def show_bases(self, names: list[str]) -> None:
        """Take note of which knowledge bases there are."""
        self.bases = tuple(names)
        self.bases_listed.emit(self.bases)
        self.refresh()

    @Slot(str)
    def choose_base(self, name: str) -> None:
        """Take note of which one is worked in, nothing for all."""
        self._chosen = name
        self.base_chosen.emit(name)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Ask anew how searches go."""
        if self._library is not None:
            self._ask(operations.search_settings(self._library, self.target), self._on_settings)

    def keep(self, name: str, configuration: SearchConfiguration) -> None:
        """Keep a configuration under a name."""
        if self._library is not None and name.strip():
            self._ask(
                operations.keep_configuration(self._library, name.strip(), configuration), self._on_configurations
            )

    def remove(self, name: str) -> None:
        """Forget a name."""
        if self._library is not None:
            self._ask(operations.remove_configuration(self._library, name), self._on_configurations)

    def promote(self, knowledge_base: str | None, configuration: SearchConfiguration | None) -> None:
        """Let searches of a knowledge base, or None for all, go like this; a configuration of None is the default."""
        if self._library is not None:
            self._ask(operations.promote(self._library, knowledge_base, configuration), self._on_promoted)

    @Slot()
    def undo(self) -> None:
        """Take the last promotion back."""
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
            said = tr("Searches of {where} go by the default again", where=where)
        else:
            said = tr("Searches of {where} go like this from now on", where=where)
        self.said.emit(said, True)
        self._on_undone()

    def _on_undone(self, _promotion: object = None) -> None:
        self.refresh()
        self.promoted.emit()
