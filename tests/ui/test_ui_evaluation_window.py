"""The evaluation in the whole window, on a real library with documents."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless

from workbench.app import build_window
from workbench.ui.app_controller import AppController
from workbench.ui.chat.source_list import SourceRating
from workbench.ui.evaluation.pane import EvaluationPane
from workbench.ui.evaluation.presenter import EvaluationPresenter
from workbench.ui.inspector.passage_list import MARK_ROLE

HERON = "The grey heron nests on the east pier and counts forty pairs."
TIDE = "保修期为三年，自交货之日起计算。"
QUESTION = "How many pairs of herons nest there?"


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path, warm_readers: None) -> Iterator[AppController]:
    for name, text in (("heron.md", HERON), ("保修.md", TIDE), ("tide.md", "The tide turns twice a day.")):
        (tmp_path / name).write_text(f"# {name}\n\n{text}\n", "utf-8")
    made = build_window(tmp_path / "library", appearance="light")
    try:
        with qtbot.waitSignal(made.settled, timeout=20_000):
            made.window.show()
        with qtbot.waitSignal(made.documents.notified, timeout=60_000):
            made.documents.add(sorted(tmp_path.glob("*.md")))
        yield made
    finally:
        made.window.close()
        made.shut_down()
        made.window.deleteLater()


def revealed(shell: AppController, qtbot: QtBot) -> tuple[EvaluationPresenter, EvaluationPane]:
    shell.window.actions_by_name["focus_evaluation"].trigger()
    presenter, pane = shell.evaluation.presenter, shell.evaluation.pane
    assert presenter is not None
    assert pane is not None
    qtbot.waitUntil(lambda: bool(presenter.questions.sets), timeout=20_000)
    return presenter, pane


def asked_and_marked(shell: AppController, qtbot: QtBot) -> SourceRating:
    with qtbot.waitSignal(shell.chat.session_updated, timeout=60_000):
        shell.chat.ask(QUESTION)
    card = shell.chat.cards[-1]
    qtbot.waitUntil(lambda: card.findChild(SourceRating) is not None)  # the sources come after the text
    source = card.findChild(SourceRating)
    assert source is not None
    with qtbot.waitSignal(shell.evaluation.marks.notified, timeout=20_000):
        next(action for action in source.actions() if action.data() is True).trigger()
    return source


def press(pane: EvaluationPane, text: str) -> None:
    next(one for one in pane.findChildren(QPushButton) if one.text() == text and one.isVisible()).click()


def test_no_evaluation_module_is_imported_before_the_window_is_shown() -> None:
    program = (
        "import sys, pathlib, tempfile\n"
        "from workbench import app\n"
        "application = app.application()\n"
        "shell = app.build_window(pathlib.Path(tempfile.mkdtemp()))\n"
        "shell.window.show()\n"
        "shell.window.grab()\n"
        "print([name for name in sys.modules if 'evaluation' in name or 'golden' in name])\n"
        "shell.shut_down()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_the_pane_is_opened_and_a_run_begun_with_the_keyboard_alone(shell: AppController, qtbot: QtBot) -> None:
    asked_and_marked(shell, qtbot)
    qtbot.waitActive(shell.window)
    qtbot.keyClick(shell.window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    presenter, pane = shell.evaluation.presenter, shell.evaluation.pane
    assert presenter is not None
    assert pane is not None
    qtbot.waitUntil(lambda: len(presenter.questions.questions) == 1, timeout=20_000)
    bar = pane.tabs.tabBar()
    bar.setFocus()
    qtbot.keyClick(bar, Qt.Key.Key_Right)
    assert pane.tabs.currentWidget() is pane.compare
    qtbot.keyClick(shell.window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    with qtbot.waitSignal(presenter.measuring.shown, timeout=60_000):
        qtbot.keyClick(shell.window.focusWidget(), Qt.Key.Key_Space)
    assert "1 of 1 question" in pane.compare.result._sentence.text()


def test_the_view_menu_shows_and_hides_the_pane(shell: AppController) -> None:
    (toggle,) = [action for action in shell.window._view_menu.actions() if action.text() == "Evaluation"]
    assert shell.evaluation.pane is None
    toggle.trigger()
    assert not shell.evaluation.dock.isHidden()
    assert shell.evaluation.pane is not None
    toggle.trigger()
    assert shell.evaluation.dock.isHidden()


def test_a_marked_source_is_a_golden_question_until_undo(shell: AppController, qtbot: QtBot) -> None:
    source = asked_and_marked(shell, qtbot)
    assert shell.window.toast.text == f"Marked as right for “{QUESTION}”"
    presenter, pane = revealed(shell, qtbot)
    qtbot.waitUntil(lambda: len(presenter.questions.questions) == 1, timeout=20_000)
    assert HERON in presenter.questions.questions[0].right[0].text
    assert shell.inspector.findChild(type(pane.questions.list).__base__).model().index(0, 0).data(MARK_ROLE) is True
    shell.window.toast.act()
    qtbot.waitUntil(lambda: source.mark is None, timeout=20_000)
    qtbot.waitUntil(lambda: not any(one.right for one in presenter.questions.questions), timeout=20_000)


def test_two_ways_to_search_are_compared_used_and_taken_back(
    shell: AppController, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "exam.jsonl"
    lines = [{"question": QUESTION, "document": "heron.md"}, {"question": "保修期多长？", "document": "保修.md"}]
    file.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    presenter, pane = revealed(shell, qtbot)
    presenter.questions.read(file)
    qtbot.waitUntil(lambda: len(presenter.questions.questions) == 2, timeout=20_000)
    pane.tabs.setCurrentWidget(pane.compare)
    form = pane.compare.panel.form
    form._compare.setChecked(True)
    form._columns[1]._lists.setCurrentIndex(2)
    form._columns[1]._lists.activated.emit(2)
    with qtbot.waitSignal(presenter.measuring.listed, timeout=60_000):
        press(pane, "Run")
    result = pane.compare.result
    assert [row.title for row in result.list.rows.rows] == [QUESTION, "保修期多长？"]
    assert result.dumbbells.figures[1].name == "Hit@10"
    assert len(presenter.measuring.history) == 2
    assert nameless(shell.window) == []
    with qtbot.waitSignal(presenter.promoting.promoted, timeout=20_000):
        press(pane, "Use B for “default”")
    with qtbot.waitSignal(presenter.promoting.promoted, timeout=20_000):
        shell.window.toast.act()


def test_the_hits_of_a_golden_question_are_shown_in_the_inspector(shell: AppController, qtbot: QtBot) -> None:
    asked_and_marked(shell, qtbot)
    presenter, pane = revealed(shell, qtbot)
    qtbot.waitUntil(lambda: len(presenter.questions.questions) == 1, timeout=20_000)
    rows = pane.questions.list
    qtbot.waitActive(shell.window)
    rows.setFocus()
    rows.setCurrentIndex(rows.rows.index(0))
    with qtbot.waitSignal(presenter.hits_found, timeout=20_000):
        qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert shell.window.inspector_dock.isVisible()
    assert shell.inspector.shown is not None
    assert HERON in shell.inspector.shown.text


def test_a_document_more_makes_the_figures_out_of_date(shell: AppController, qtbot: QtBot, tmp_path: Path) -> None:
    asked_and_marked(shell, qtbot)
    presenter, pane = revealed(shell, qtbot)
    qtbot.waitUntil(lambda: len(presenter.questions.questions) == 1, timeout=20_000)
    pane.tabs.setCurrentWidget(pane.compare)
    with qtbot.waitSignal(presenter.measuring.shown, timeout=60_000):
        press(pane, "Run")
    assert pane.compare.notice == ""
    (tmp_path / "crane.txt").write_text("The crane was painted in May.", "utf-8")
    shell.documents.add([tmp_path / "crane.txt"])
    qtbot.waitUntil(lambda: "1 document more" in pane.compare.notice, timeout=60_000)


def test_the_pane_is_where_it_was_at_the_next_start(qtbot: QtBot, tmp_path: Path) -> None:
    for expected in (False, True):
        shell = build_window(tmp_path / "library", appearance="light")
        with qtbot.waitSignal(shell.settled, timeout=20_000):
            shell.window.show()
        shell.window.resize(1280, 800)  # restored to the size of the small screen of tests
        shown = [] if shell.evaluation.dock.isHidden() else [shell.evaluation.dock]
        shell.window.actions_by_name["focus_evaluation"].trigger()
        shell.window.show_content(shell.window.inspector_dock)
        behind = shell.window.tabifiedDockWidgets(shell.window.inspector_dock)
        shell.window.close()
        shell.shut_down()
        shell.window.deleteLater()
        assert bool(shown) is expected
        assert behind == [shell.evaluation.dock]


def test_an_outdated_evaluation_is_run_again_automatically(
    shell: AppController, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.library.background_work.QUIET_SECONDS", 0.0)
    asked_and_marked(shell, qtbot)
    presenter, pane = revealed(shell, qtbot)
    qtbot.waitUntil(lambda: pane.compare.panel._run.isEnabled(), timeout=20_000)
    pane.compare.panel.run()
    qtbot.waitUntil(lambda: len(presenter.measuring.history) == 1, timeout=60_000)
    (tmp_path / "owl.md").write_text("The owl sleeps in the lighthouse.\n", "utf-8")
    shell.documents.add([tmp_path / "owl.md"])
    qtbot.waitUntil(lambda: len(presenter.measuring.history) == 2, timeout=60_000)
    assert [one.by_itself for one in presenter.measuring.history] == [True, False]
