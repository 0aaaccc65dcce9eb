"""Fixtures for every test: real data where it is there, no network but loopback."""

import socket
from pathlib import Path

import pytest

from workbench.embedding.base import Embedder
from workbench.embedding.sentence_transformer import load_embedder
from workbench.operations.library import model_cache

PEER_DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.fixture
def peer_data() -> Path:
    """The folder of real documents beside the project; the test is skipped where it is absent."""
    if not PEER_DATA.is_dir():
        pytest.skip("no ../shared/data here")
    return PEER_DATA


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
