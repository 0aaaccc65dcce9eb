"""A pause and a change of the embedding model on the command line."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.embedding.base import Embedder
from workbench.errors import EmbeddingError
from workbench.model.embedder import EmbedderChoice
from workbench.operations import Library
from workbench.operations.library.models import SearchModels
from workbench.store.intake import FileStamp

LOADED_EMBEDDER = SearchModels.embedder


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for town in ("Lindhamn", "Vinga"):
        (folder / f"{town}.md").write_text(f"# {town}\n\nThe harbour of {town} froze in 1987.\n", "utf-8")
    return folder


@pytest.fixture
def queued(tmp_path: Path) -> Callable[[Path], None]:
    """Return a function that leaves a file in the library's queue, like a kill."""

    def queue(path: Path) -> None:
        library = Library.open(tmp_path / "library")
        library.documents.ensure_knowledge_base("default")
        library.intake.queue("default", {path: (FileStamp(0, 0), "")})
        library.close()

    return queue


def test_a_paused_library_reports_how_many_documents_wait_and_resume_reads_them(
    shell: Any, papers: Path, queued: Callable[[Path], None]
) -> None:
    queued(papers / "Lindhamn.md")
    assert shell("pause") == [{"paused": True, "waiting": 1}]
    (read,) = shell("resume")
    assert (read["path"], read["status"], shell.status) == (str(papers / "Lindhamn.md"), "ready", 0)
    assert (shell("resume"), "No documents are waiting" in shell.errors) == ([], True)
    assert shell("pause") == [{"paused": True, "waiting": 0}]


def test_resume_fails_when_what_waited_cannot_be_read(shell: Any, papers: Path, queued: Callable[[Path], None]) -> None:
    (papers / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    queued(papers / "broken.pdf")
    (failed,) = shell("resume")
    assert (failed["status"], shell.status) == ("failed", 1)


@pytest.mark.parametrize(
    "command", [["add", "{}/Vinga.md"], ["link", "{}"], ["note", "The ferry."], ["reindex", "Lindhamn.md"]]
)
def test_a_command_that_reads_documents_works_in_a_paused_library_and_reports_the_waiting_ones(
    shell: Any, papers: Path, queued: Callable[[Path], None], command: list[str]
) -> None:
    shell("add", papers / "Lindhamn.md")
    queued(papers.parent / "waits.md")
    shell("pause")
    shell(*(word.format(papers) for word in command))
    assert (shell.status, "read the others with: workbench resume" in shell.errors) == (0, True)
    assert shell("pause")[0]["waiting"] == 1
    shell("search", "Lindhamn")
    assert "waits" not in shell.errors


@dataclasses.dataclass(eq=False)
class Renamed:
    """The built-in embedder with another id, which makes it a different one for a library."""

    id: str
    real: Embedder
    has_token_vectors = False
    """Their codec would be fitted for each id, which takes 6 s and stays in the cache of models."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@pytest.fixture
def models(embedder: Embedder, monkeypatch: pytest.MonkeyPatch, shell: Any) -> None:
    """Provide two models, the built-in one and “other”."""

    def load(_self: SearchModels, choice: EmbedderChoice) -> Any:
        if choice.model not in ("", "other"):
            raise EmbeddingError(f"There is no model “{choice.model}”.", "Check its spelling.")
        return Renamed(f"{choice.model or 'minilm'}/{embedder.dim}/0123456789ab/fp32", embedder)

    monkeypatch.setattr(SearchModels, "load_embedder", load)
    monkeypatch.setattr(SearchModels, "embedder", LOADED_EMBEDDER)  # the shell replaced it


@pytest.mark.usefixtures("models")
def test_the_embedding_model_is_changed_and_changed_back(shell: Any, papers: Path) -> None:
    shell("add", papers)
    (before,) = shell("embedder", "show")
    assert (before["embedder"]["name"], before["previous"], before["pending"]) == ("minilm", None, False)
    (changed,) = shell("embedder", "change", "other")
    assert (changed["embedder"]["name"], changed["previous"]["name"], shell.status) == ("other", "minilm", 0)
    assert "2 of 2 passages embedded" in shell.errors
    assert shell("search", "Vinga", "--mode", "dense")[0]["hits"][0]["rank"] == 1
    (back,) = shell("embedder", "back")
    assert (back["embedder"]["model"], back["previous"]["name"]) == ("built-in", "other")
    (kept,) = shell("embedder", "keep")
    assert kept["previous"] is None
    (error,) = shell("embedder", "back")
    assert (error["kind"], shell.status) == ("NotFound", 1)


@pytest.mark.usefixtures("models")
def test_a_model_that_is_not_there_leaves_the_old_one_and_fails(shell: Any, papers: Path) -> None:
    shell("add", papers)
    (error,) = shell("embedder", "change", "nonsense")
    assert (error["error"], shell.status) == ("There is no model “nonsense”.", 1)
    (state,) = shell("embedder", "show")
    assert (state["embedder"]["name"], state["wanted"], state["pending"]) == ("minilm", "built-in", False)


@pytest.mark.usefixtures("models")
def test_a_change_that_the_settings_ask_for_waits_until_it_is_asked_for_here(shell: Any, papers: Path) -> None:
    shell("add", papers)
    shell("settings", "embedder", "other")
    said = shell.words("embedder", "show")
    assert "Searched with: minilm" in said
    assert "In settings:   other" in said
    assert "Searched with: other" in shell.words("embedder", "change")
    assert "“embedder back” returns to it" in shell.words("embedder", "change", "other")


@pytest.mark.usefixtures("models")
def test_an_empty_library_reports_which_model_will_embed_its_first_document(shell: Any) -> None:
    assert shell.words("embedder", "change", "other") == "The first document will be embedded with: other\n"
    assert shell("embedder", "recut") == []
