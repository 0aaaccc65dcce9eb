"""A function of a script as the approver of tool calls."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedProvider, calls, says

import workbench

AGENT = workbench.Agent("clerk", profile="model", tools="send", knowledge=False)


@pytest.fixture
def sent(library: workbench.Library, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the recipients of a tool's calls; a scripted model calls it for “Ann”."""
    to_whom: list[str] = []

    def send(to: str) -> str:
        """Sends a letter."""
        to_whom.append(to)
        return "sent"

    library.use_tool(send, reach="changes")
    library.put_profile(workbench.ModelProfile("model", "http://127.0.0.1:9/v1", "m"))
    answers = calls(("send", {"to": "Ann"})), says("Done.")
    monkeypatch.setattr(
        "workbench.agent.providers.provider_factory.provider_for", lambda *_, **__: ScriptedProvider(*answers)
    )
    return to_whom


async def later(_asked: workbench.ApprovalAsked) -> bool:
    await asyncio.sleep(0)
    return True


@pytest.mark.parametrize(
    ("approve", "expected"),
    [
        (lambda asked: asked.tool == "send", ["Ann"]),
        (lambda _asked: False, []),
        (lambda _asked: {"to": "Bo"}, ["Bo"]),
        (lambda _asked: workbench.Approval(workbench.Decision.APPROVE), ["Ann"]),
        (later, ["Ann"]),
        (lambda asked: later(asked), ["Ann"]),
        (None, []),
    ],
)
def test_a_tool_call_follows_the_decision_of_the_approve_function(
    library: workbench.Library, sent: list[str], approve: Any, expected: list[str]
) -> None:
    assert library.ask("Write to Ann.", agent=AGENT, approve=approve).status is workbench.RunStatus.COMPLETED
    assert sent == expected


def test_it_is_asked_on_the_thread_that_waits(library: workbench.Library, sent: list[str]) -> None:
    threads: list[threading.Thread] = []

    def approve(_asked: workbench.ApprovalAsked) -> bool:
        threads.append(threading.current_thread())
        return True

    library.ask("Write to Ann.", agent=AGENT, approve=approve)
    assert threads == [threading.current_thread()]


def refuse(_asked: workbench.ApprovalAsked) -> bool:
    raise KeyError("nobody is here")


async def refuse_later(asked: workbench.ApprovalAsked) -> bool:
    return refuse(asked)


@pytest.mark.parametrize("approve", [refuse, refuse_later])
def test_an_exception_in_the_approve_function_stops_the_run_and_reaches_the_caller(
    library: workbench.Library, sent: list[str], approve: Callable[..., Any]
) -> None:
    with pytest.raises(KeyError, match="nobody is here"):
        library.ask("Write to Ann.", agent=AGENT, approve=approve)
    assert sent == []


def test_an_invalid_approve_value_is_reported_with_the_valid_values(
    library: workbench.Library, sent: list[str]
) -> None:
    with pytest.raises(TypeError, match="must return True, False, a dict"):
        library.ask("Write to Ann.", agent=AGENT, approve=lambda _asked: "yes")  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError, match="'approve' must be a function"):
        library.ask("Write to Ann.", agent=AGENT, approve=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("approve", [lambda _asked: True, later])
def test_the_same_awaited(folder: Path, monkeypatch: pytest.MonkeyPatch, approve: Any) -> None:
    called: list[str] = []

    def send(to: str) -> None:
        """Sends a letter."""
        called.append(to)

    async def main() -> None:
        async with workbench.open_library_async(folder) as library:
            library.use_tool(send, reach="changes")
            await library.put_profile(workbench.ModelProfile("model", "http://127.0.0.1:9/v1", "m"))
            await library.ask("Write to Ann.", agent=AGENT, approve=approve)

    provider = ScriptedProvider(calls(("send", {"to": "Ann"})), says("Done."))
    monkeypatch.setattr("workbench.agent.providers.provider_factory.provider_for", lambda *_, **__: provider)
    asyncio.run(main())
    assert called == ["Ann"]
