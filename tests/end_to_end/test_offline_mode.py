"""With offline mode on, 0 bytes leave, counted by the kernel at an interface outside of the program."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NO_NETWORK = Path(__file__).resolve().parents[2] / "packaging" / "no_network.py"
CANNOT, LEFT = 77, 3

CONTROL = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x' * 100, ('192.0.2.7', 53))"

PROGRAM = """
import asyncio, sys
from pathlib import Path
import httpx2
from workbench import operations
from workbench.egress.clients import async_client
from workbench.errors import WorkbenchError
from workbench.model.egress import Purpose
from workbench.model.profile import ModelProfile
from workbench.model.extensions import ToolServer
from workbench.operations import Library
from workbench.operations.questions.tool_servers import check_tool_server, put_tool_server
from workbench.worker.job import JobContext

library = Library.open(Path(sys.argv[1]))
library.setting_values.put("offline_mode", sys.argv[2])
library.setting_values.put("allow_private_addresses", "yes")
library.setting_values.put("reranking", "server")
library.setting_values.put("rerank_url", "http://192.0.2.1")
library.setting_values.put("model_hub", "http://192.0.2.2")
library.profiles.put(ModelProfile("far", "http://192.0.2.3/v1", "m"))
note = Path(sys.argv[1]) / "harbour.md"
note.write_text("# Harbour\\n\\nThe harbour of Lindhamn froze in 1987.\\n")
said = {}

async def do():
    silent = JobContext()
    async def done(name, work):
        try:
            said[name] = await work(silent)
        except WorkbenchError as error:
            said[name] = error
    if sys.argv[2] == "on":
        await done("add", operations.add_documents(library, [note]))
        await done("search", operations.search(library, "When did the harbour freeze?"))
        await done("page", operations.add_urls(library, ["http://192.0.2.4/", "https://pages.example/"]))
        await done("query", operations.add_query(library, "postgresql://192.0.2.5/shop", "SELECT 1"))
        await done("server", put_tool_server(library, ToolServer("far", url="http://192.0.2.6/mcp"), allow=True))
        await done("server", check_tool_server(library, "far"))
        await done("rerank", operations.check_reranker(library))
        library.setting_values.put("reranking", "model")
        library.setting_values.put("rerank_model", "org/tiny")
        await done("hub", operations.check_reranker(library))
        await done("ask", operations.ask(library, "When did the harbour freeze?", profile="far"))
        return
    async with async_client(library.gate, Purpose.ANSWER, timeout=0.5) as client:
        try:
            await client.get("http://192.0.2.3/v1")
        except httpx2.ConnectTimeout:
            pass

asyncio.run(do())
hosts = {one.host for one in library.network.all() if not one.is_here}
outcomes = {one.outcome.value for one in library.network.all() if not one.is_here}
library.close()
print("HOSTS", " ".join(sorted(hosts)), "|", " ".join(sorted(outcomes)))
"""


def measured(*command: str, **more: Any) -> tuple[int, int, str]:
    """Return exit status, sent bytes, and output; skip the test if the system has no such network."""
    done = subprocess.run(
        [sys.executable, str(NO_NETWORK), *command], capture_output=True, text=True, timeout=120, check=False, **more
    )
    if done.returncode == CANNOT:
        pytest.skip(done.stderr.strip())
    figures = [line for line in done.stdout.splitlines() if line.startswith("NO_NETWORK ")]
    assert figures, done.stderr[-3000:]
    return done.returncode, json.loads(figures[0].partition(" ")[2])["bytes"], done.stdout + done.stderr


def test_bytes_sent_to_another_machine_are_counted() -> None:
    status, left, _said = measured(sys.executable, "-c", CONTROL)
    assert (status, left >= 100) == (LEFT, True)


def test_no_operation_sends_a_single_byte_while_offline_mode_is_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://192.0.2.99:3128")
    status, left, said = measured(sys.executable, "-c", PROGRAM, str(tmp_path / "library"), "on")
    assert (status, left) == (0, 0), said[-3000:]
    refused = "192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4 192.0.2.5 192.0.2.6 pages.example | refused"
    assert f"HOSTS {refused}" in said


def test_with_it_off_bytes_would_have_left(tmp_path: Path) -> None:
    status, left, said = measured(sys.executable, "-c", PROGRAM, str(tmp_path / "library"), "off")
    assert (status, left > 0) == (LEFT, True), said[-3000:]
