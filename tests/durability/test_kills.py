"""A few of the many kills of “make kills”, and a check that the driver detects faults."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills are driven by fork and /proc")

FAULTS = """
import kills
from workbench.operations.sessions import atomic_write
from workbench.store.sessions import SessionMaintenance

acts = {act.name: act for act in kills.ACTS}

def found(name, place, loss=None):
    killed, problems = driver.strike(kills.Kill(acts[name], place, loss))
    print(name, killed, *problems, sep="; ")

with kills.opened() as driver:
    found("export", ("after rename", 1), kills.Loss.BYTES)
    found("chat", ("after commit", 9))
    atomic_write.fsync_file = lambda path: None
    found("export", ("after rename", 1), kills.Loss.BYTES)
    SessionMaintenance.interrupt_unfinished = lambda self: 0
    found("chat", ("after commit", 9))
"""


def _driven(*arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=240, check=False, env=environment
    )


def test_a_program_that_is_killed_loses_nothing_that_it_had_acknowledged() -> None:
    acts = [f"--only={act}" for act in ("add files", "change the embedder", "chat", "export")]
    done = _driven(str(HERE / "kills.py"), "--kills", "8", "--seed", "7", *acts)
    assert (done.returncode, "VIOLATION" in done.stdout) == (0, False), done.stdout + done.stderr
    assert "8 kills, 0 with violations" in done.stdout


def test_the_driver_sees_what_it_is_there_to_see() -> None:
    """Run the same two kills, with the unchanged program and with one that has two faults."""
    done = _driven("-c", FAULTS)
    sound_export, sound_chat, faulty_export, faulty_chat = done.stdout.splitlines()
    assert (sound_export, sound_chat) == ("export; True", "chat; True"), done.stderr
    assert "cut short" in faulty_export
    assert "is said to be on its way" in faulty_chat or "is running" in faulty_chat


def test_a_killed_worker_or_server_of_a_shared_library_loses_no_document_and_doubles_none() -> None:
    done = _driven(str(HERE / "shared_kills.py"), "--kills", "1", "--of", "worker", "server")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "0 violations"), done.stdout + done.stderr
