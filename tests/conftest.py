"""Fixtures for every test: real data where it is there, no network but loopback."""

import gc
import logging
import os
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from warm_readers import SHELF, WarmPool

from workbench.egress.telemetry import disable_telemetry
from workbench.embedding.base import Embedder
from workbench.embedding.sentence_transformer import load_embedder
from workbench.operations.library.models import model_cache

# As every program of ours does: a test that asks a library directly is not to be the one from which something leaves.
disable_telemetry()
# No window comes up and takes the keyboard, and a machine without a screen runs them, too.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
PEER_DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.fixture(scope="session", autouse=True)
def _places_of_their_own() -> Iterator[None]:
    """Keep what the tests log and allow out of the user's own folders; of programs that they start, too."""
    with (
        tempfile.TemporaryDirectory(prefix="workbench-tests-", ignore_cleanup_errors=True) as folder,
        pytest.MonkeyPatch.context() as changed,
    ):
        changed.setenv("XDG_STATE_HOME", f"{folder}/state")
        changed.setenv("XDG_CONFIG_HOME", f"{folder}/config")
        yield


@pytest.fixture
def peer_data() -> Path:
    """The folder of real documents beside the project; the test is skipped where it is absent."""
    if not PEER_DATA.is_dir():
        pytest.skip("no ../shared/data here")
    return PEER_DATA


def pytest_collection_finish() -> None:
    """Leave 10,000 tests out of every later look for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make any connection that leaves the machine an error."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple):
            host = str(address[0])
            assert host.startswith("127.") or host in ("::1", "localhost"), f"a test tried to reach {host}"
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The built-in embedder, exported to where the program itself keeps it, because that takes about 10 s."""
    return load_embedder("", cache=model_cache())


@pytest.fixture(scope="session")
def _shelf() -> Iterator[None]:
    yield
    SHELF.close()


@pytest.fixture
def warm_readers(_shelf: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let libraries read with child processes that earlier tests left; not for tests of how these start and end."""
    monkeypatch.setattr("workbench.operations.library.library.ProcessPool", WarmPool)


@pytest.fixture(scope="module")
def _garbage_goes() -> Iterator[None]:
    yield
    gc.collect()
    # What is left belongs to pytest and to later tests: to look through it after each module took 4 s, 160 in all.
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _no_garbage_off_the_main_thread(request: pytest.FixtureRequest) -> None:
    """As in the program (ui/garbage.py): a widget that the worker collected once hung a run of the tests."""
    if {"ui", "end_to_end"} & set(request.path.parts):
        request.getfixturevalue("_garbage_goes")
        gc.disable()


@pytest.fixture(autouse=True)
def _no_unexpected_warning(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test in which the program logged a warning or worse, unless it is marked as expecting that."""
    yield
    if request.node.get_closest_marker("logs_warnings") is None:
        logged = [
            r for r in caplog.get_records("call") if r.levelno >= logging.WARNING and r.name.startswith("workbench")
        ]
        assert [record.getMessage() for record in logged] == []


@pytest.fixture(autouse=True)
def _no_leaked_thread() -> Iterator[None]:
    """Fail a test that leaves a thread of its own running."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + 5
    while leaked := [t for t in threading.enumerate() if t not in before and t.is_alive() and not _is_shared(t)]:
        if time.monotonic() > deadline:
            pytest.fail(f"left running: {[thread.name for thread in leaked]}")
        leaked[0].join(0.1)


def _is_shared(thread: threading.Thread) -> bool:
    """Whether a thread belongs to something that outlives a test, such as the session's embedder."""
    # LanceDB keeps one loop for the whole process.
    return thread.name.startswith(("shared-", "pytest", "Dummy", "LanceDBBackgroundEventLoop"))


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a PostgreSQL server with pgvector; skips where none can be started."""
    from vector_databases import postgres, require

    require("pgvector")
    with postgres() as url:
        yield url
