"""What the chat pane needs only for answers: the questions under way and the cards that show them."""

from PySide6.QtWidgets import QWidget

from workbench.ui.agents.presenter import AgentPicker, AgentsPresenter
from workbench.ui.bridge import Bridge
from workbench.ui.chat.conversation import Conversation
from workbench.ui.chat.going_on import GoingOn
from workbench.ui.chat.place_pictures import PlacePictures
from workbench.ui.chat.preview import CitationPreview
from workbench.ui.chat.question_filter import QuestionFilter
from workbench.ui.chat.run_cards import RunCards
from workbench.ui.chat.surroundings import Surroundings
from workbench.ui.chat.timeline import Timeline
from workbench.ui.comparison.opening import Comparisons
from workbench.ui.theme import Theme


class Answers:
    """Made after the window's first paint: importing and building all this takes as long as the rest of the chat."""

    def __init__(self, bridge: Bridge, theme: Theme, pane: QWidget) -> None:
        self.conversation = Conversation(bridge, pane)
        self.question_filter = QuestionFilter(bridge, self.conversation, pane)
        self.agents = AgentsPresenter(bridge, pane)
        self.surroundings = Surroundings(bridge, self.agents, pane)
        self.agent_picker = AgentPicker(self.agents, pane)
        self.timeline = Timeline(theme)
        self.pictures = PlacePictures(bridge, pane)
        self.cards = RunCards(theme, self.timeline, CitationPreview(theme, pane, self.pictures), pane)
        self.comparisons = Comparisons(bridge, theme, self.cards, pane)
        self.going_on = GoingOn(theme, self.conversation)
