"""Two programs on one library: one has it, the other reports that in a sentence, and nothing of either is lost."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.operations import Library

Started = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.md").write_text(f"# Paper {number}\n\nThe ferry of {1900 + number} was late.\n", "utf-8")
    return folder


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """Yield a function that starts the program on the test's library; running programs are ended afterwards."""
    processes: list[subprocess.Popen[str]] = []
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HF_HUB_OFFLINE": "1"}

    def start(*arguments: object, **more: Any) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "workbench", "--library", str(tmp_path / "library"), *map(str, arguments)]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
            env=environment,
            **more,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ended(process: "subprocess.Popen[str]") -> tuple[int, list[dict[str, Any]]]:
    out, _ = process.communicate(timeout=120)
    return process.returncode, [json.loads(line) for line in out.splitlines()]


def names(tmp_path: Path) -> list[str]:
    library = Library.open(tmp_path / "library")
    try:
        assert library.database.integrity_problem() in (None, "")
        return sorted(document.name for document in library.documents.list())
    finally:
        library.close()


def test_two_commands_that_add_at_once_lose_nothing(started: Started, papers: Path, tmp_path: Path) -> None:
    Library.open(tmp_path / "library").close()
    both = [started("--json", "add", papers) for _ in range(2)]
    results = [ended(one) for one in both]
    refused = [
        lines for status, lines in results if status and any(line.get("kind") == "LibraryLocked" for line in lines)
    ]
    done = [lines for status, lines in results if status == 0]
    assert len(done) >= 1
    assert len(done) + len(refused) == 2
    for lines in refused:
        assert "is open" in lines[-1]["error"]
        assert lines[-1]["hint"]
    assert names(tmp_path) == sorted(path.name for path in papers.iterdir())


def test_commands_that_read_and_that_write_work_beside_an_mcp_server(
    started: Started, papers: Path, empty_library: None, shell: Any
) -> None:
    server = started("mcp")
    assert server.stdin is not None
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    server.stdin.write(json.dumps(hello) + "\n")
    server.stdin.flush()
    assert server.stdout is not None
    assert json.loads(server.stdout.readline())["id"] == 1
    assert (shell("list"), shell.status) == ([], 0)
    assert (len(shell("add", papers)), shell.status) == (3, 0)
    called = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "search_knowledge_base", "arguments": {"query": "Which ferry was late?"}},
    }
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
    server.stdin.write(json.dumps(called) + "\n")
    server.stdin.flush()
    answer = json.loads(server.stdout.readline())
    assert "The ferry of 1901 was late." in json.dumps(answer["result"], ensure_ascii=False)
    server.communicate(timeout=60)


def test_a_report_of_problems_is_written_while_the_window_has_the_library(
    library: Library, shell: Any, tmp_path: Path
) -> None:
    shell.words("doctor", "--report", tmp_path / "report.md")
    report = (tmp_path / "report.md").read_text("utf-8")
    assert shell.status == 0
    assert str(tmp_path) not in report
