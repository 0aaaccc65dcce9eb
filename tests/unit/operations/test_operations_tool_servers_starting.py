"""A tool server that never becomes ready: it uses the time of the run, and a stop does not wait for it."""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from fakes import ScriptedProvider, says

from workbench import operations
from workbench.agent.mcp_servers import ServerConnection
from workbench.model.agent import Agent
from workbench.model.extensions import ToolServer
from workbench.model.profile import ModelProfile
from workbench.model.run import Notice, RunStatus
from workbench.operations import Library
from workbench.operations.questions.tool_servers import put_tool_server
from workbench.worker.job import JobContext, Operation

Run = Callable[[Operation[Any]], Any]
ANSWERS = """
import pathlib, signal, sys, time
from mcp.server import MCPServer
signal.signal(signal.SIGTERM, signal.SIG_IGN)
server = MCPServer("slow")
server.run()  # until the end of its input, which asks the program to end
(pathlib.Path(sys.argv[1]) / "told").touch()
time.sleep(60)
"""
STUBBORN = """
import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
folder = pathlib.Path(sys.argv[1])
(folder / "started").touch()
sys.stdin.read()  # until its end, which asks the program to end
(folder / "told").touch()
time.sleep(60)
"""
HANGS = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(60)"


@pytest.fixture
def mark(library: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Configure a server that hangs, and a model that answers at once; return the file that the server creates."""
    monkeypatch.setattr("platformdirs.user_config_dir", lambda *_, **__: str(tmp_path / "config"))
    mark = tmp_path / "started"
    run(put_tool_server(library, ToolServer("slow", (sys.executable, "-c", HANGS, str(mark))), allow=True))
    library.profiles.put(ModelProfile("model", "http://127.0.0.1:9/v1", "m"))
    provider = ScriptedProvider(says("Without it."))
    provider.counts = None  # type: ignore[attr-defined]
    monkeypatch.setattr("workbench.agent.providers.provider_factory.provider_for", lambda *_, **__: provider)
    return mark


async def until(file: Path) -> None:
    """Wait until a file exists."""
    while not file.exists():
        await asyncio.sleep(0.01)


def asked(library: Library, seconds: int) -> Operation[Any]:
    return operations.ask(library, "How much?", agent=Agent("a", profile="model", tools=("slow.*",), seconds=seconds))


def answered(operation: Operation[Any]) -> Any:
    """Run an operation like the worker, whose loop keeps running, so that an abandoned server can end afterwards."""

    async def main() -> Any:
        value = await operation(JobContext())
        left = asyncio.all_tasks() - {asyncio.current_task()}
        if left:
            await asyncio.wait(left, timeout=30)
        return value

    return asyncio.run(main())


def test_it_takes_half_of_the_runs_time_at_most_and_the_answer_has_the_rest(library: Library, mark: Path) -> None:
    kept = answered(asked(library, 4))
    assert (kept.status, kept.answer) == (RunStatus.COMPLETED, "Without it.")
    told = [one.event.text for one in kept.events if isinstance(one.event, Notice)]
    assert "“slow” did not start within 2 s. The answer was made without it." in told


def test_the_start_time_of_a_tool_server_counts_against_the_time_limit(
    library: Library, mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    provider = ScriptedProvider([never])
    provider.counts = None  # type: ignore[attr-defined]
    monkeypatch.setattr("workbench.agent.providers.provider_factory.provider_for", lambda *_, **__: provider)
    kept = answered(asked(library, 2))
    assert kept.status is RunStatus.FAILED
    assert "longer than 2 seconds" in kept.error
    assert kept.seconds < 1.9  # its own time: the server had the rest


def test_s16_a_stop_while_it_is_being_reached_takes_under_100_ms_and_is_kept_as_a_stop(
    library: Library, mark: Path
) -> None:
    async def scenario() -> float:
        task = asyncio.ensure_future(asked(library, 60)(JobContext()))
        await until(mark)
        programs = [one for one in psutil.Process().children() if str(mark) in one.cmdline()]
        assert len(programs) == 1
        began = time.perf_counter()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        seconds = time.perf_counter() - began
        _, alive = await asyncio.to_thread(psutil.wait_procs, programs, 10)
        assert alive == []
        return seconds

    assert asyncio.run(scenario()) < 0.1
    (kept,) = library.sessions.get(library.sessions.list()[0].id).runs
    assert kept.status is RunStatus.CANCELLED


def test_a_program_that_is_given_up_ends_also_when_the_loop_ends_meanwhile(tmp_path: Path) -> None:
    # The loop of a closed library cancels connections once more that are just being closed.
    connection = ServerConnection(ToolServer("slow", (sys.executable, "-c", STUBBORN, str(tmp_path))))
    programs: list[psutil.Process] = []

    async def given_up() -> None:
        reaching = asyncio.ensure_future(connection.tools())
        await until(tmp_path / "started")
        programs.extend(one for one in psutil.Process().children() if str(tmp_path) in one.cmdline())
        reaching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reaching
        await until(tmp_path / "told")

    asyncio.run(given_up())
    assert len(programs) == 1
    assert psutil.wait_procs(programs, 10)[1] == []


def test_a_program_that_is_let_go_ends_also_when_the_loop_ends_meanwhile(tmp_path: Path) -> None:
    connection = ServerConnection(ToolServer("slow", (sys.executable, "-c", ANSWERS, str(tmp_path))))
    programs: list[psutil.Process] = []

    async def let_go() -> None:
        assert await connection.tools() == []
        programs.extend(one for one in psutil.Process().children() if str(tmp_path) in one.cmdline())
        connection.close_soon()
        await until(tmp_path / "told")

    asyncio.run(let_go())
    assert len(programs) == 1
    assert psutil.wait_procs(programs, 10)[1] == []
