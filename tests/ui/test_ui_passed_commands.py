"""Commands that change a library give the same results with and without a window that has it open."""

import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from ui_window import open_window

from workbench.ui.app_controller import AppController

pytestmark = pytest.mark.usefixtures("warm_readers")

TIMEOUT = 120_000  # milliseconds

SUPPORT = Path(__file__).resolve().parents[1] / "support"

# One process for all commands, so that modules are imported once, and its parser processes serve every command.
TYPED = """
import contextlib, io, json, sys
sys.path.append(sys.argv[2])
from warm_readers import SHELF, WarmPool
from workbench.cli import main
from workbench.operations.library import library
library.ProcessPool = WarmPool
for words in json.load(sys.stdin):
    out, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        status = main(["--library", sys.argv[1], "--json", *words])
    print(json.dumps([status, out.getvalue(), told.getvalue()]))
SHELF.close()
"""
# “|” separates arguments; earlier commands create what later ones need.
ABOUT_DOCUMENTS = """
add|birds.md
add|otter.md
metadata|set|1|--metadata|era=2024
metadata|unset|1|--key|era
metadata|import|table.csv
metadata|set|1|--metadata|no pair
kb|add|law
kb|rename|law|laws
kb|move|2|--to|laws
kb|move|1|--to|laws|--copy
kb|move|1|--to|laws
kb|remove|laws
kb|remove|default
chunk|edit|1|The heron flew in 1988.
chunk|undo|1
chunk|redo|1
chunk|undo|1
chunk|undo|1
chunk|edit|0|Nothing.
chunk|disable|1
chunk|tag|1|late
chunk|split|1|--at|10
chunk|split|1|--at|-3
chunk|merge|1
chunk|reset|1
reindex|1
add-query|rows.db|SELECT name FROM trees
add-query|rows.db|nonsense
refetch
link|linked
link|nowhere
links|--check
unlink|linked
unlink|linked
pause
resume
list
"""
ABOUT_THE_REST = """
settings|bin_days|9
settings|bin_days|many
settings|bin_days|--reset
network|close
network|open
network|clear
profiles|add|ours|--base-url|http://127.0.0.1:9/v1|--model|small
profiles|add|offline|--base-url|http://127.0.0.1:9/v1|--model|small
profiles|remove|ours
profiles|remove|ours
agents|put|clerk|--set|role=clerk
agents|remove|clerk
agents|remove|default
agents|import|workspace
agents|import|nowhere
memory|add|I like tea.
--user|lily|memory|add|I like milk.
memory|edit|1|I like coffee.
memory|edit|0|I like coffee.
memory|list
memory|remove|1
--user|lily|memory|clear
mcp-servers|add|files|--command|cat -|--allow
mcp-servers|forbid|files
mcp-servers|allow|files
mcp-servers|remove|files
plugins|forbid|none
note|The heron flew.
embedder|change
embedder|back
embedder|keep
embedder|recut
store|show
store|move|faiss
store|move|nowhere
store|keep
map
backup|create
import-session|nowhere.json
read-all|--delete|5
settings
"""
REFUSED = "check\nrepair\nread-all|heron|--yes\neval|--again"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a file for every kind of input of the commands."""
    monkeypatch.chdir(tmp_path)
    for folder in ("linked", "workspace/agents/brief", "r"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "birds.md").write_text("# Heron\n\nThe heron flew in 1987.\n\n## Nest\n\nIt stands in a willow.\n")
    (tmp_path / "otter.md").write_text("# Otter\n\nThe otter swims below the ice of the lake.\n")
    (tmp_path / "linked" / "crane.md").write_text("# Crane\n\nThe crane dances in spring.\n")
    (tmp_path / "workspace" / "agents" / "brief" / "AGENT.md").write_text("# Brief\n\nBe brief.\n")
    (tmp_path / "table.csv").write_text("file,dept\nbirds.md,birds\nnone.md,none\n")
    with sqlite3.connect(tmp_path / "rows.db") as rows:
        rows.execute("CREATE TABLE trees AS SELECT 'willow' AS name")
    rows.close()
    return tmp_path


@pytest.fixture
def shell(
    qtbot: QtBot, place: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> AppController:
    # Names of sockets are at most 107 bytes long.
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("r")))
    return open_window(qtbot, place / "beside")


def ended(qtbot: QtBot, library: Path, commands: str) -> dict[str, tuple[int, str, str]]:
    """Run commands one after another; return their results, without the parts that vary."""
    typed = [line.split("|") for line in commands.split("\n") if line]
    program = [sys.executable, "-c", TYPED, str(library), str(SUPPORT)]
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as running:
        assert running.stdin is not None
        running.stdin.write(json.dumps(typed))
        running.stdin.close()
        running.stdin = None
        try:
            qtbot.waitUntil(lambda: running.poll() is not None, timeout=TIMEOUT)
        finally:
            running.kill()
        out, told = running.communicate()
    assert running.returncode == 0, told
    results: list[Any] = [json.loads(line) for line in out.splitlines()]
    return {
        f"{number} {' '.join(words)}": (status, steady(said, library), steady(note, library))
        for number, (words, (status, said, note)) in enumerate(zip(typed, results, strict=True))
    }


def steady(said: str, library: Path) -> str:
    said = re.sub(r"\d{4}-\d\d-\d\dT[\d:.+]+Z?", "TIME", said.replace(str(library), "LIBRARY"))
    said = re.sub(r'"(seconds|size|backup)": [^,}]*', r'"\1": …', said)
    # Files that are read in parallel finish in any order.
    return "\n".join(sorted(said.splitlines()))


@pytest.mark.parametrize("commands", [ABOUT_DOCUMENTS, ABOUT_THE_REST], ids=["documents", "the rest"])
def test_every_command_ends_beside_the_window_as_without_it(
    shell: AppController, qtbot: QtBot, place: Path, commands: str
) -> None:
    alone = ended(qtbot, place / "alone", commands)
    assert {status for status, _, _ in alone.values()} == {0, 1}
    assert ended(qtbot, shell.folder, commands) == alone


def test_commands_that_need_the_library_exclusively_report_the_window_that_has_it_open(
    shell: AppController, qtbot: QtBot
) -> None:
    results = ended(qtbot, shell.folder, REFUSED)
    assert len(results) == len(REFUSED.splitlines())
    for status, _, told in results.values():
        assert status == 1
        assert "is open in another window" in told
        assert "Close it there first" in told


def test_the_window_shows_what_a_command_set(shell: AppController, qtbot: QtBot) -> None:
    words = "settings|bin_days|9\nprofiles|add|ours|--base-url|http://127.0.0.1:9/v1|--model|small\nagents|put|clerk\n"
    ended(qtbot, shell.folder, words + "mcp-servers|add|files|--command|cat -")
    qtbot.waitUntil(lambda: len(shell.settings.tool_servers.servers) == 1, timeout=TIMEOUT)
    assert shell.settings.settings.bin_days == 9
    assert [one.name for one in shell.settings.profiles][1:] == ["ours"]
    assert "clerk" in [one.name for one in shell.chat.agents.agents]
