"""The small button beside the question: is it to be answered by a plan?"""

from PySide6.QtCore import Signal, Slot

from workbench.language import mark, tr
from workbench.model.run import PlanWhen
from workbench.ui.chat.answerer import Answerer
from workbench.ui.controls import IconButton
from workbench.ui.theme import Theme

NAME = mark("Plan first")
_HELP = mark("Plan first: the model writes down its steps and carries them out, one after another")


class PlanToggle(IconButton):
    """On while the next question is answered by a plan; not there where nobody plans.

    Signals:
        chosen: True or False, what is said beside the next question; None where nothing is.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "plan", tr(NAME))
        self._usual = False
        self.setToolTip(tr(_HELP))
        self.setAccessibleDescription(tr(_HELP))
        self.setCheckable(True)
        self.toggled.connect(self._on_toggled)
        self.hide()

    def show_answerer(self, answerer: Answerer) -> None:
        """Offer a plan as who answers makes them: never, where that is said, or always unless it is taken back."""
        agent = answerer.agent
        when = (agent.plan if agent is not None else None) or PlanWhen(answerer.settings.plan)
        self._usual = when is PlanWhen.ALWAYS
        self.setVisible(not answerer.profile.is_offline and when is not PlanWhen.NEVER)
        self.reset()

    @Slot()
    def reset(self) -> None:
        """Go back to what is usual: it is said for one question at a time."""
        self.setChecked(self._usual)
        self._on_toggled(self._usual)

    @Slot(bool)
    def _on_toggled(self, on: bool) -> None:
        self.chosen.emit(on if on != self._usual else None)
