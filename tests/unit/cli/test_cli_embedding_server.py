"""Embedding by a server on the command line: what goes out is shown and confirmed before it is sent."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from embedding_site import EmbeddingSite

from workbench.cli.main import main
from workbench.model.embedding_server import EmbeddingServer

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def site() -> Iterator[EmbeddingSite]:
    with EmbeddingSite() as made:
        yield made


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command on a library of the test; return the exit status and both outputs."""
    monkeypatch.setattr("workbench.operations.library.trust.config_folder", lambda: tmp_path / "config")

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main([*arguments, "--library", str(tmp_path / "library")])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_a_server_on_this_machine_needs_no_confirmation(call: Call, site: EmbeddingSite, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("The harbour froze in 1932.", "utf-8")
    code, _out, err = call("embedder", "change", site.server().text)
    assert (code, "nothing leaves it" in err) == (0, True)
    assert call("add", str(tmp_path / "note.md"))[0] == 0
    assert f"Searched with: m at 127.0.0.1:{site.port} (192 dimensions" in call("embedder", "show")[1]


def test_another_machine_gets_nothing_without_a_terminal_or_yes(
    call: Call, site: EmbeddingSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EmbeddingServer, "is_here", property(lambda _server: False))
    away = site.server().text
    code, _out, err = call("embedder", "change", away, "--price", "0.5")
    assert code == 1
    assert f"No passages are waiting to be sent to 127.0.0.1:{site.port}." in err
    assert "It costs $0.5 per million tokens." in err
    assert "Nothing was sent. Add --yes to confirm." in err
    assert site.requests == []
    assert call("embedder", "change", away, "--yes")[0] == 0
    assert site.requests != []


def test_a_server_is_tried_from_the_command_line(call: Call, site: EmbeddingSite) -> None:
    assert call("settings", "embedder", site.server().text)[0] == 0
    code, out, _err = call("embedder", "try", site.server().text)
    assert (code, out.startswith("It gives vectors of 192 dimensions, a sentence in")) == (0, True)
    assert call("embedder", "try", "BAAI/bge-m3")[0] != 0
