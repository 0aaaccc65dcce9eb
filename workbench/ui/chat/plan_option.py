"""Option of the question field that selects an answer by a plan."""

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from workbench.language import mark, tr
from workbench.model.run import PlanWhen
from workbench.ui.actions import command
from workbench.ui.chat.answerer import Answerer

_HELP = mark("Plan first: the model writes a plan and runs it step by step")


class PlanOption(QAction):
    """Checked while the next question is answered by a plan; invisible if the answerer never makes plans.

    Signals:
        chosen: True or False if the next question differs from the default; None otherwise.
    """

    chosen = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(command("plan_first").title, parent)
        self._default = False
        self.setToolTip(tr(_HELP))
        self.setCheckable(True)
        self.setVisible(False)
        self.toggled.connect(self._on_toggled)

    def show_answerer(self, answerer: Answerer) -> None:
        """Set the default for an answerer: invisible for "never" and offline, checked for "always"."""
        agent = answerer.agent
        when = (agent.plan if agent is not None else None) or PlanWhen(answerer.settings.plan)
        self._default = when is PlanWhen.ALWAYS
        self.setVisible(not answerer.profile.is_offline and when is not PlanWhen.NEVER)
        self.reset()

    @Slot()
    def reset(self) -> None:
        """Return to the default, since the choice applies to one question only."""
        self.setChecked(self._default)
        self._on_toggled(self._default)

    @Slot(bool)
    def _on_toggled(self, on: bool) -> None:
        self.chosen.emit(on if on != self._default else None)
