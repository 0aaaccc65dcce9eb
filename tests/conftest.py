"""Fixtures for every test: real data if available, and no network but loopback."""

import contextlib
import gc
import logging
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from quick_libraries import use_quick_libraries
from quick_model import use_quick_model
from warm_readers import SHELF, WarmExportPool, WarmPool

from workbench.egress.telemetry import disable_telemetry
from workbench.embedding.base import Embedder
from workbench.embedding.sentence_transformer import load_embedder
from workbench.operations.library.models import model_cache
from workbench.parsing.mupdf import mupdf
from workbench.settings.preferences import config_folder

# As each entry point does: tests that use a library directly must not send telemetry either.
disable_telemetry()
# Also for tests that import PyMuPDF directly: by itself it would load its layout model too, 1.5 s and 100 MB a process.
mupdf()
# Show no window that takes the focus; the tests also run without a display.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
PEER_DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.fixture(scope="session", autouse=True)
def _places_of_their_own() -> Iterator[None]:
    """Keep logs and permissions of the tests, and of programs they start, out of the user's folders."""
    with (
        tempfile.TemporaryDirectory(prefix="workbench-tests-", ignore_cleanup_errors=True) as folder,
        pytest.MonkeyPatch.context() as changed,
    ):
        changed.setenv("XDG_STATE_HOME", f"{folder}/state")
        changed.setenv("XDG_CONFIG_HOME", f"{folder}/config")
        yield


@pytest.fixture(autouse=True)
def _personal_settings() -> Iterator[None]:
    """Begin each test with default personal settings, which all libraries of a user share."""
    yield
    with contextlib.suppress(OSError):  # none there, or no folder for it
        (config_folder() / "preferences.json").unlink()


@pytest.fixture
def peer_data() -> Path:
    """Return the folder of real documents next to the project; skip the test if it is absent."""
    if not PEER_DATA.is_dir():
        pytest.skip("no ../shared/data here")
    return PEER_DATA


def pytest_collection_finish() -> None:
    """Exclude 10,000 tests from later garbage collections."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn any connection that leaves the machine into an error."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple):
            host = str(address[0])
            assert host.startswith("127.") or host in ("::1", "localhost"), f"a test tried to reach {host}"
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """Return the built-in embedder, exported to the program's own cache because the export takes about 10 s."""
    with pytest.MonkeyPatch.context() as patch:  # created before the fixtures of a module
        use_quick_model(patch)
        return load_embedder("", cache=model_cache())


@pytest.fixture(autouse=True, scope="module")
def _quick_libraries(request: pytest.FixtureRequest) -> Iterator[None]:
    """Create and write libraries in less time, and run the model less, except where just these are tested."""
    with pytest.MonkeyPatch.context() as patch:
        if "durability" not in request.path.parts:
            use_quick_libraries(patch)
        if not {"durability", "embedding"} & set(request.path.parts):
            use_quick_model(patch)
        yield


@pytest.fixture(scope="session")
def _shelf() -> Iterator[None]:
    yield
    SHELF.close()


@pytest.fixture
def warm_readers(_shelf: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let libraries reuse child processes of earlier tests; not for tests of their start and end."""
    monkeypatch.setattr("workbench.operations.library.library.ProcessPool", WarmPool)
    monkeypatch.setattr("workbench.operations.imports.page_reading.ProcessPool", WarmPool)
    monkeypatch.setattr("workbench.operations.sessions.session_export.ProcessPool", WarmExportPool)
    monkeypatch.setattr("workbench.operations.sessions.session_import.ProcessPool", WarmExportPool)


@pytest.fixture(scope="module")
def _garbage_goes() -> Iterator[None]:
    yield
    if qt := sys.modules.get("PySide6.QtCore"):
        # No event loop runs between tests, so deleteLater() has deleted nothing: 50,000 widgets in the end, each of
        # which every new style sheet was applied to, 20 s in one test.
        qt.QCoreApplication.sendPostedEvents(None, qt.QEvent.Type.DeferredDelete.value)
    gc.collect()
    # The remaining objects belong to pytest and later tests: scanning them after each module took 4 s, 160 in all.
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _no_garbage_off_the_main_thread(request: pytest.FixtureRequest) -> None:
    """Collect garbage as the program does: a widget collected by the worker thread once hung a test run."""
    if {"ui", "end_to_end"} & set(request.path.parts):
        request.getfixturevalue("_garbage_goes")
        gc.disable()


@pytest.fixture(autouse=True)
def _no_unexpected_warning(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test in which the program logs a warning or an error, unless it is marked as expecting that."""
    yield
    if request.node.get_closest_marker("logs_warnings") is None:
        logged = [
            r for r in caplog.get_records("call") if r.levelno >= logging.WARNING and r.name.startswith("workbench")
        ]
        assert [record.getMessage() for record in logged] == []


@pytest.fixture(autouse=True)
def _no_leaked_thread() -> Iterator[None]:
    """Fail a test that leaves a thread running."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + 5
    while leaked := [t for t in threading.enumerate() if t not in before and t.is_alive() and not _is_shared(t)]:
        if time.monotonic() > deadline:
            pytest.fail(f"left running: {[thread.name for thread in leaked]}")
        leaked[0].join(0.1)


def _is_shared(thread: threading.Thread) -> bool:
    """Return whether a thread belongs to an object that outlives a test, such as the session's embedder."""
    # LanceDB runs one event loop thread for the whole process.
    return thread.name.startswith(("shared-", "pytest", "Dummy", "LanceDBBackgroundEventLoop"))


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Yield the address of a PostgreSQL server with pgvector; skip if none can be started."""
    from vector_databases import postgres, require

    require("pgvector")
    with postgres() as url:
        yield url
