"""kill -9 during an update of linked folders or a change of the embedder: the next start continues it."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.model.hit import Coverage, SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.folders import folder_linking
from workbench.operations.library import embedder_change
from workbench.operations.library.models import SearchModels
from workbench.worker.job import JobContext

HERE = Path(__file__).parent
SMALL = HERE.parent / "support"
FILES = 30


def run(operation: Any) -> Any:
    return asyncio.run(operation(JobContext()))


def _text(number: int) -> str:
    parts = "\n\n".join(
        f"## Part {part}\n\nStation {number} reported {part * number} in part {part}." for part in range(8)
    )
    return f"# Report {number}\n\n{parts}\n"


@pytest.fixture(scope="module")
def small_models() -> Iterator[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as changed:
        for module, name in (
            (SearchModels, "load_embedder"),
            (embedder_change, "BATCH"),
            (folder_linking, "SETTLE_SECONDS"),
        ):
            changed.setattr(module, name, getattr(module, name))  # restored at the end
        changed.syspath_prepend(SMALL)
        changed.syspath_prepend(HERE)
        from killed_child import use_small_models

        yield use_small_models()


@pytest.fixture
def models(small_models: dict[str, Any]) -> dict[str, Any]:
    for model in small_models.values():
        model.texts.clear()
    return small_models


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, small_models: dict[str, Any]) -> Path:
    """Return a folder with a linked folder of 30 reports and its library; beside it lies a copy, “kept”."""
    place = tmp_path_factory.mktemp("sync") / "place"
    (place / "reports").mkdir(parents=True)
    for number in range(FILES):
        (place / "reports" / f"report-{number:02}.md").write_text(_text(number), "utf-8")
    library = Library.open(place / "library")
    run(operations.link_folder(library, place / "reports"))
    library.close()
    shutil.copytree(place, place.with_name("kept"))
    return place


@pytest.fixture
def folder(place: Path, models: dict[str, Any], warm_readers: None) -> Path:
    """Return the linked folder as it was at first, where its library expects it; the library is closed."""
    shutil.rmtree(place)
    shutil.copytree(place.with_name("kept"), place)
    return place / "reports"


def _killed(library: Path, verb: str, event: str, how_many: int) -> None:
    command = [sys.executable, str(HERE / "killed_child.py"), str(library), verb, event, str(how_many)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(SMALL)}, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.fixture
def reopened(place: Path) -> Iterator[Callable[[], Library]]:
    opened: list[Library] = []

    def reopen() -> Library:
        opened.append(Library.open(place / "library"))
        return opened[-1]

    yield reopen
    for library in opened:
        library.close()


def _given(model: Any) -> list[str]:
    """Return the passages that a model embedded, without the texts of its probe."""
    return [text for text in model.texts if "Station" in text]


def _must_agree(library: Library) -> None:
    assert library.database.integrity_problem() == ""
    embedder = library.models.embedder().id
    ids, _ = library.vectors.all(embedder)
    assert library.models.index().count == len(ids)
    assert len(ids) == sum(document.embedded for document in library.documents.list())


@pytest.mark.parametrize(("event", "how_many"), [("DocumentsRemoved", 1), ("DocumentChanged", 4), ("FileFinished", 3)])
def test_a_killed_check_of_a_linked_folder_is_made_up_for_by_the_next(
    folder: Path, models: dict[str, Any], reopened: Callable[[], Library], event: str, how_many: int
) -> None:
    library = reopened()
    before = {document.name: document.id for document in library.documents.list()}
    library.close()
    for number in range(5):
        (folder / f"report-{number:02}.md").unlink()
    for number in range(5, 10):
        (folder / f"report-{number:02}.md").rename(folder / f"moved-{number:02}.md")
    for number in range(10, 15):
        changed = _text(number).replace("in part 3.", "in part 3, and once more.")
        (folder / f"report-{number:02}.md").write_text(changed, "utf-8")
    (folder / "new.md").write_text(_text(99), "utf-8")
    _killed(folder.with_name("library"), "check_linked_folders", event, how_many)
    models["old"].texts.clear()
    library = reopened()
    run(operations.resume_import(library))
    run(operations.check_linked_folders(library))
    names = {document.name: document.id for document in library.documents.list()}
    assert sorted(names) == sorted(path.name for path in folder.iterdir())
    assert [names[f"moved-{number:02}.md"] for number in range(5, 10)] == [
        before[f"report-{number:02}.md"] for number in range(5, 10)
    ]
    assert all(d.embedded == d.chunks > 0 for d in library.documents.list())
    assert len(run(operations.list_bin(library))) == 5
    # At most the 5 edited chunks and those of the new file, which may have been embedded before the kill.
    new_chunks = next(d.chunks for d in library.documents.list() if d.name == "new.md")
    assert len(_given(models["old"])) <= 5 + new_chunks
    _must_agree(library)


@pytest.mark.parametrize("how_many", [1, 4, 1000])
def test_a_killed_change_of_the_embedder_resumes_where_it_stopped(
    folder: Path, models: dict[str, Any], reopened: Callable[[], Library], how_many: int
) -> None:
    library = reopened()
    models["old"].texts.clear()
    run(operations.put_setting(library, "embedder", "new"))
    total = sum(document.chunks for document in library.documents.list())
    library.close()
    event = "EmbedderChangeProgress" if how_many < 1000 else "EmbedderChanged"
    _killed(folder.with_name("library"), "change_embedder", event, how_many if how_many < 1000 else 1)
    library = reopened()
    _must_agree(library)
    assert library.models.embedder().id.split("/")[0] == ("old" if how_many < 1000 else "new")
    found = run(
        operations.search(library, "report Station", configuration=SearchConfiguration(SearchMode.DENSE), k=total)
    )
    assert (len(found.hits), found.coverage) == (total, Coverage(FILES))
    state = run(operations.change_embedder(library)) or run(operations.embedder_state(library))
    assert (state.current.name, state.previous.name) == ("new", "old")
    done = max(0, how_many - 3) * 8 if how_many < 1000 else total
    assert len(_given(models["new"])) <= total - done
    _must_agree(library)
    run(operations.revert_embedder(library))
    assert library.models.embedder().id.startswith("old/")
    assert _given(models["old"]) == []
