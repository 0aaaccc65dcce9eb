"""One click that makes the better configuration the one that searches use; others, and the way back, in a menu."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from workbench.language import tr
from workbench.model.search_configuration import SearchConfiguration
from workbench.ui.controls import IconButton, button, caption_of
from workbench.ui.evaluation.measuring import Shown
from workbench.ui.evaluation.promoting import PromotingPresenter
from workbench.ui.evaluation.wording import knowledge_base_words
from workbench.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Choice:
    """A configuration for a knowledge base; None for the default, and for all of them."""

    configuration: SearchConfiguration | None
    knowledge_base: str | None


class PromoteRow(QWidget):
    """“Use B for “papers””, and a menu."""

    def __init__(self, promoting: PromotingPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._promoting = promoting
        self._offered: dict[str, SearchConfiguration] = {}
        self._use = button("", "secondary", self._on_use)
        self._reset = button(tr("Reset"), "ghost", self._on_reset)
        words = tr("Use it for another knowledge base, or reset one")
        self._more = IconButton(theme, "more", words, self._on_more)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self._use)
        row.addWidget(self._reset)
        row.addStretch(1)
        row.addWidget(self._more)
        promoting.bases_listed.connect(self._say)
        promoting.base_chosen.connect(self._say)
        promoting.in_force_changed.connect(self._say)
        self._say()

    def show_result(self, shown: Shown) -> None:
        """Offer the configurations of a result; of two, one click takes the second."""
        letters = "AB" if shown.comparison is not None else "A"
        self._offered = {
            letter: evaluation.summary.configuration
            for letter, evaluation in zip(letters, shown.evaluations, strict=True)
        }
        self._say()

    @Slot()
    def _say(self) -> None:
        where = knowledge_base_words(self._promoting.target)
        use = (
            tr("Use this for {where}", where=where) if len(self._offered) < 2 else tr("Use B for {where}", where=where)
        )
        is_used = self._promoting.is_own and self._promoting.in_force == self._chosen()
        self._use.setText(caption_of(tr("In use for {where}", where=where) if is_used else use))
        self._use.setEnabled(not is_used)
        self._reset.setEnabled(self._promoting.is_own)
        self._reset.setToolTip(tr("Let searches of {where} go by the default again", where=where))
        self._reset.setAccessibleName(tr("Reset searches of {where} to the default", where=where))

    @Slot()
    def _on_use(self) -> None:
        self._promoting.promote(self._promoting.target, self._chosen())

    def _chosen(self) -> SearchConfiguration | None:
        """Return the configuration that one click takes: of two the second."""
        return list(self._offered.values())[-1] if self._offered else None

    @Slot()
    def _on_reset(self) -> None:
        self._promoting.promote(self._promoting.target, None)

    @Slot()
    def _on_more(self) -> None:
        menu = QMenu(self)
        bases = (None, *self._promoting.bases)
        for letter, configuration in self._offered.items():
            part = menu.addMenu(tr("Use {letter} for", letter=letter))
            for base in bases:
                name = caption_of(knowledge_base_words(base))
                part.addAction(name, self._on_chosen).setData(Choice(configuration, base))
        part = menu.addMenu(tr("Reset"))
        for base in bases:
            part.addAction(caption_of(knowledge_base_words(base)), self._on_chosen).setData(Choice(None, base))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    @Slot()
    def _on_chosen(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and isinstance(choice := action.data(), Choice):
            self._promoting.promote(choice.knowledge_base, choice.configuration)
