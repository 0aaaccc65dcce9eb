"""Approval of tool calls at the terminal."""

import asyncio
import io
import sys

import pytest

from workbench.agent.planning.plan_format import asked_about
from workbench.cli.output import Output
from workbench.cli.tool_approval import TerminalApprover, approver_of
from workbench.model.approval import Approval, Decision
from workbench.model.run import ApprovalAsked, Plan

ASKED = ApprovalAsked("c", "weather", '{"place": "Paris"}', "Sends the place to a server.")


def decided(*lines: str) -> tuple[Approval, TerminalApprover]:
    """Return the decision of a user who types these lines."""
    typed = iter([*(f"{line}\n" for line in lines), ""])

    async def read() -> str:
        return next(typed)

    async def scenario() -> tuple[Approval, TerminalApprover]:
        approver = TerminalApprover(Output(json=False), read)
        return await approver.decide(ASKED), approver

    return asyncio.run(scenario())


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        (["y"], Approval(Decision.APPROVE)),
        ([" YES "], Approval(Decision.APPROVE)),
        (["n"], Approval(Decision.DENY)),
        (["what?", "n"], Approval(Decision.DENY)),
        ([], Approval(Decision.DENY)),
        (["e", '{"place": "Rome"}'], Approval(Decision.EDIT, '{"place": "Rome"}')),
        (["e", "Rome", "y"], Approval(Decision.APPROVE)),
    ],
)
def test_a_word_is_read_and_the_end_of_the_input_is_a_no(lines: list[str], word: Approval) -> None:
    assert decided(*lines)[0] == word


def test_always_is_remembered() -> None:
    word, approver = decided("a")
    assert word == Approval(Decision.APPROVE)
    assert approver.remembers("weather")
    assert not approver.remembers("web_search")


def test_a_plan_is_shown_as_text_before_it_is_executed(capsys: pytest.CaptureFixture[str]) -> None:
    async def read() -> str:
        return "y\n"

    asked = asked_about(Plan("Both", ("Find one", "Find the other")))
    asyncio.run(TerminalApprover(Output(json=False), read).decide(asked))
    said = capsys.readouterr().err
    assert "Execute this plan?" in said
    assert "  STEP2: Find the other" in said


def test_the_approval_question_names_the_tool_its_reason_and_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    decided("y")
    said = capsys.readouterr().err
    assert "May “weather” be called? Sends the place to a server." in said
    assert '{"place": "Paris"}' in said


def test_approval_is_not_requested_when_stdin_is_not_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert approver_of(Output(json=False)) is None
