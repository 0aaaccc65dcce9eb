"""Agents edited, chosen, duplicated, removed; and the prompt inspector."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QTreeWidget,
)
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations, shown_chat
from ui_runs import run, session

from workbench.agent.built_in_agent import BUILT_IN
from workbench.errors import SettingError
from workbench.model.agent import Agent, AgentChoices, AgentListing, OptionChoice, ReferencesFormat
from workbench.model.message import PromptSection
from workbench.model.run import PromptAssembled, TimedEvent
from workbench.settings import Settings
from workbench.ui.agents.agent_fields import PAGES, pairs_of, rules_of
from workbench.ui.agents.agent_form import AgentForm
from workbench.ui.agents.agents_dialog import AgentsDialog
from workbench.ui.agents.presenter import AgentsPresenter
from workbench.ui.chat.prompt_dialog import PromptDialog
from workbench.ui.theme import Theme

CLERK = replace(BUILT_IN, name="Clerk", role="a clerk", tools=("juggler", "calculator"), state={"city": "Kyoto"})
CHOICES = AgentChoices(
    (OptionChoice("offline"),),
    (OptionChoice("Papers"), OptionChoice("Letters")),
    (OptionChoice("calculator", "Calculator"), OptionChoice("weather")),
    ask_before=(OptionChoice("search_knowledge_base", "Search"), OptionChoice("calculator", "Calculator")),
)
TOLD = PromptAssembled(
    (PromptSection("Role", "\nA clerk.\n\n"), PromptSection("Knowledge base", "Search.")),
    (PromptSection("Question", "When?"),),
    '[{"name": "think"}]',
)


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge) -> AgentsPresenter:
    made = AgentsPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(object())  # type: ignore[arg-type]
    bridge.last("agent_shelf").succeed(AgentListing((BUILT_IN, CLERK), "Clerk"))
    return made


@pytest.fixture
def dialog(qtbot: QtBot, presenter: AgentsPresenter, bridge: FakeBridge) -> AgentsDialog:
    made = AgentsDialog(presenter, Theme(choice="light"))
    qtbot.addWidget(made)
    made.begin()
    bridge.last("agent_choices").succeed(CHOICES)
    return made


def line(dialog: AgentsDialog, name: str) -> QLineEdit:
    return next(one for one in dialog.findChildren(QLineEdit) if one.accessibleName() == name)


def button(dialog: AgentsDialog, text: str) -> QPushButton:
    return next(one for one in dialog.findChildren(QPushButton) if one.text() == text)


def test_every_control_of_the_agents_and_of_the_prompt_has_a_name(qtbot: QtBot, dialog: AgentsDialog) -> None:
    prompt = PromptDialog("When?", [TOLD, TOLD])
    qtbot.addWidget(prompt)
    assert nameless(dialog) == []
    assert nameless(prompt) == []


def test_every_field_of_an_agent_can_be_edited_or_is_kept_as_it_is() -> None:
    edited = {field.name for page in PAGES for field in page.fields}
    others = set(Agent("").as_dict()) - edited
    assert others == {"id"}


@pytest.mark.parametrize("agent", [CLERK, Agent("x", instructions=("a\n\nb", " c "), role=" r ", num_documents=3)])
def test_an_unedited_agent_form_returns_the_agent_exactly_unchanged(qtbot: QtBot, agent: Agent) -> None:
    form = AgentForm()
    qtbot.addWidget(form)
    form.offer(CHOICES)
    form.show_agent(agent)
    assert form.agent() == agent


def test_edited_fields_are_returned_and_the_order_of_the_tools_is_kept(qtbot: QtBot) -> None:
    form = AgentForm()
    qtbot.addWidget(form)
    form.show_agent(CLERK)
    form.offer(CHOICES)
    tools = next(one for one in form.findChildren(QListWidget) if one.accessibleName() == "Tools")
    assert [tools.item(row).text() for row in range(3)] == ["Calculator", "weather", "juggler (missing)"]
    tools.item(1).setCheckState(Qt.CheckState.Checked)
    next(one for one in form.findChildren(QCheckBox) if one.text() == "Search tool").setChecked(False)
    next(one for one in form.findChildren(QSpinBox) if one.accessibleName() == "Rounds per answer").setValue(4)
    made = form.agent()
    assert made.tools == ("juggler", "calculator", "weather")
    assert (made.search_knowledge, made.rounds, made.role) == (False, 4, "a clerk")


def test_individual_tools_ask_for_confirmation_or_not_regardless_of_the_general_setting(qtbot: QtBot) -> None:
    form = AgentForm()
    qtbot.addWidget(form)
    form.show_agent(replace(CLERK, ask_before={"gone": True, "calculator": True}))
    form.offer(CHOICES)
    assert form.agent().ask_before == {"gone": True, "calculator": True}
    boxes = {box.accessibleName().removeprefix("For individual tools: "): box for box in form.findChildren(QComboBox)}
    boxes["Calculator"].setCurrentText("As above")
    boxes["Search"].setCurrentText("Do not ask me")
    assert form.agent().ask_before == {"gone": True, "search_knowledge_base": False}


def test_sections_examples_and_marks_are_written_as_text(qtbot: QtBot) -> None:
    form = AgentForm()
    qtbot.addWidget(form)
    told = replace(CLERK, sections=(PromptSection("Tone", "# Be kind\n\nAlways."), PromptSection("", "Bye.")))
    form.show_agent(told)
    texts = {one.accessibleName(): one for one in form.findChildren(QPlainTextEdit)}
    assert texts["Custom sections"].toPlainText() == "== Tone ==\n# Be kind\n\nAlways.\n\n==  ==\nBye."
    texts["Custom sections"].setPlainText("Before all.\n== Tone ==\nBe kind.\n\n== Empty ==\n")
    texts["Your own examples"].setPlainText("Question: 1?\nThink of it.")
    texts["Your own explanation"].setPlainText("Think hard.")
    texts["Marks"].setPlainText("team=legal")
    made = form.agent()
    assert made.sections == (PromptSection("", "Before all."), PromptSection("Tone", "Be kind."))
    assert (made.few_shot_text, made.reasoning_text) == ("Question: 1?\nThink of it.", "Think hard.")
    assert made.metadata == {"team": "legal"}


def test_a_choice_comes_back_in_its_own_type(qtbot: QtBot) -> None:
    form = AgentForm()
    qtbot.addWidget(form)
    form.show_agent(CLERK)
    form.fill(replace(CLERK, references_format=ReferencesFormat.YAML))
    assert form.agent().references_format is ReferencesFormat.YAML


def test_rules_are_separated_by_empty_lines_and_pairs_are_one_per_line() -> None:
    assert rules_of("One.\nStill one.\n \n\nTwo.\n") == ("One.\nStill one.", "Two.")
    assert pairs_of("city = Kyoto\nnothing\nsum=1=1") == {"city": "Kyoto", "sum": "1=1"}


def test_the_agent_that_is_asked_is_shown_first_and_marked(dialog: AgentsDialog) -> None:
    names = next(one for one in dialog.findChildren(QListWidget) if one.accessibleName() == "Agents")
    assert [names.item(row).text() for row in range(2)] == ["default", "Clerk  ✓"]
    assert line(dialog, "Name").text() == "Clerk"


def test_the_built_in_agent_can_be_read_and_duplicated_only(dialog: AgentsDialog, bridge: FakeBridge) -> None:
    next(one for one in dialog.findChildren(QListWidget) if one.accessibleName() == "Agents").setCurrentRow(0)
    assert line(dialog, "Role").isReadOnly()
    assert not button(dialog, "Save").isVisibleTo(dialog)
    button(dialog, "Duplicate").click()
    assert bridge.last("copy_agent").args == ("default",)
    bridge.last("copy_agent").succeed(replace(BUILT_IN, name="My agent"))
    bridge.last("agent_shelf").succeed(AgentListing((BUILT_IN, CLERK, replace(BUILT_IN, name="My agent")), "Clerk"))
    assert line(dialog, "Name").text() == "My agent"


def test_saving_keeps_the_agent_under_its_new_name(dialog: AgentsDialog, bridge: FakeBridge, qtbot: QtBot) -> None:
    assert not button(dialog, "Save").isEnabled()
    field = line(dialog, "Name")
    field.clear()
    qtbot.keyClicks(field, "Judge")
    button(dialog, "Save").click()
    job = bridge.last("put_agent")
    assert (job.args, job.kwargs) == ((replace(CLERK, name="Judge"),), {"renamed": "Clerk"})


def test_choosing_another_agent_keeps_what_was_changed(dialog: AgentsDialog, bridge: FakeBridge, qtbot: QtBot) -> None:
    qtbot.keyClicks(line(dialog, "Role"), "!")
    next(one for one in dialog.findChildren(QListWidget) if one.accessibleName() == "Agents").setCurrentRow(0)
    assert bridge.last("put_agent").args == (replace(CLERK, role="!a clerk"),)
    assert line(dialog, "Name").text() == "default"


def test_an_agent_that_cannot_be_saved_is_reported_and_its_input_stays_in_the_form(
    dialog: AgentsDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    qtbot.keyClicks(line(dialog, "Filter"), "pages>soon")
    button(dialog, "Save").click()
    bridge.last("put_agent").fail(SettingError("That is no filter.", "Write another."))
    assert dialog._banner.text == "That is no filter. Write another."
    assert line(dialog, "Filter").text() == "pages>soon"


def test_a_copy_can_be_made_as_the_built_in_one_again(dialog: AgentsDialog, bridge: FakeBridge) -> None:
    button(dialog, "Reset to built-in").click()
    button(dialog, "Save").click()
    assert bridge.last("put_agent").args == (replace(BUILT_IN, name="Clerk"),)


def test_a_removed_agent_comes_back_and_is_asked_again(dialog: AgentsDialog, bridge: FakeBridge) -> None:
    button(dialog, "Remove").click()
    bridge.last("remove_agent").succeed(CLERK)
    assert dialog._toast.text == "The agent “Clerk” was removed."
    dialog._toast.act()
    job = bridge.last("restore_agent")
    assert (job.args, job.kwargs) == ((CLERK,), {"is_asked": True})


def test_the_picker_is_there_with_several_agents_and_chooses_one(
    qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = shown_chat(qtbot, bridge, monkeypatch)
    picker = chat._answers.agent_picker
    assert not picker.isVisible()
    bridge.last("agent_shelf").succeed(AgentListing((BUILT_IN, CLERK), "default"))
    assert (picker.isVisible(), picker.names, picker.text()) == (True, ["default", "Clerk"], "Agent: default ▾")
    picker.menu().actions()[1].trigger()
    assert bridge.last("put_setting").args == ("agent", "Clerk")
    bridge.last("put_setting").succeed(Settings(agent="Clerk"))
    assert picker.accessibleName() == "Agent: Clerk"
    with qtbot.waitSignal(chat.agents_asked):
        picker.menu().actions()[-1].trigger()


def test_s1_the_prompt_is_listed_in_its_parts_each_with_its_size(qtbot: QtBot) -> None:
    dialog = PromptDialog("When?", [TOLD])
    qtbot.addWidget(dialog)
    parts = dialog.findChild(QTreeWidget)
    tops = [parts.topLevelItem(row) for row in range(parts.topLevelItemCount())]
    assert [top.text(0) for top in tops] == ["System prompt", "Conversation", "Tools"]
    assert [tops[0].child(row).text(0) for row in range(2)] == ["Role", "Knowledge base"]
    assert tops[0].child(0).text(1) == "≈ 3 tokens"
    assert dialog.findChild(QPlainTextEdit).toPlainText() == "\nA clerk.\n\nSearch."


def test_s1_a_part_is_chosen_by_keyboard_and_copied(qtbot: QtBot) -> None:
    dialog = PromptDialog("When?", [TOLD, replace(TOLD, sections=())])
    qtbot.addWidget(dialog)
    qtbot.keyClick(dialog.findChild(QTreeWidget), Qt.Key.Key_Down)
    next(one for one in dialog.findChildren(QPushButton) if one.text() == "Copy this part").click()
    assert QGuiApplication.clipboard().text() == "A clerk."
    dialog._turn.setCurrentIndex(1)
    assert dialog.part is not None
    assert dialog.part.label == "No system prompt was sent"


def test_s1_the_prompt_of_an_answer_is_opened_from_its_card(
    qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = shown_chat(qtbot, bridge, monkeypatch)
    old, new = run(), run(number=2)
    new = replace(new, events=(*new.events, TimedEvent(99, 0.0, TOLD)))
    chat.open_session(session(old, new))
    qtbot.waitUntil(lambda: all(card.is_finished for card in chat.cards))
    prompts = [card.findChild(QAction, "Prompt") for card in chat.cards]
    assert [one.isVisible() for one in prompts] == [False, True]
    prompts[1].trigger()
    (dialog,) = chat.window().findChildren(PromptDialog)
    assert dialog.isVisible()
    dialog.close()
