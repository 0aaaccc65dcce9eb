"""File modes: files are private to the user, unless the user chose a shared folder."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.files import modes
from workbench.model.session import Part
from workbench.operations import Library

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")

Run = Callable[[Any], Any]
FOLDERS = ("library", "other", "out")


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def quay(tmp_path: Path) -> Path:
    page = pymupdf.open()
    page.new_page().insert_text((72, 100), "The north quay stands on 212 piles of steel.")
    page.save(tmp_path / "quay.pdf")
    return tmp_path / "quay.pdf"


@pytest.fixture
def work(tmp_path: Path, embedder: Embedder, run: Run, quay: Path) -> Callable[[], dict[Path, int]]:
    """Import, ask, back up, export, import elsewhere; return the modes of all written files, read while in use."""
    first, second, out = (tmp_path / name for name in FOLDERS)

    def work() -> dict[Path, int]:
        with ExitStack() as open_ones:
            library, other = (Library.open(folder, embedder=embedder) for folder in (first, second))
            for one in (library, other):
                open_ones.callback(one.close)
            run(operations.add_documents(library, [quay]))
            answer = run(operations.ask(library, "How many piles carry the north quay?"))
            run(operations.create_backup(library))
            parts = frozenset({Part.PAGES, Part.ORIGINALS})
            bundle = run(
                operations.export_session(library, answer.session, "kwbundle", out / "a.kwbundle", parts=parts)
            )
            run(operations.export_session(library, answer.session, "pdf", out / "a.pdf"))
            run(operations.import_session(other, bundle, keep_originals=True))
            return {
                path: path.stat().st_mode for folder in (first, second, out) for path in (folder, *folder.rglob("*"))
            }

    return work


def test_libraries_with_their_backups_and_exports_are_the_users_alone(work: Callable[[], dict[Path, int]]) -> None:
    written = work()
    assert {path.name for path in written} >= {"originals", "index", "backups", "kept-pages", "kept-originals", "a.pdf"}
    assert [str(path) for path, mode in written.items() if mode & 0o077] == []


def test_files_in_shared_folders_have_the_permissions_that_the_umask_allows(
    work: Callable[[], dict[Path, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modes, "is_own_group", lambda _number: False)
    chosen = [tmp_path / name for name in FOLDERS]
    for folder in chosen:
        folder.mkdir()
        folder.chmod(0o775)
    found = {(stat.S_ISDIR(mode), stat.S_IMODE(mode)) for path, mode in work().items() if path not in chosen}
    assert found == {(True, 0o755), (False, 0o644)}


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o600])
def test_an_export_in_the_place_of_a_file_keeps_its_mode(
    library: Library, run: Run, papers: Path, tmp_path: Path, mode: int
) -> None:
    run(operations.add_documents(library, [papers]))
    answer = run(operations.ask(library, "When did the harbour freeze?"))
    target = tmp_path / "out.md"
    target.write_text("old")
    target.chmod(mode)
    run(operations.export_session(library, answer.session, "md", target, replace=True))
    assert "harbour" in target.read_text("utf-8")
    assert _mode(target) == mode


def test_opening_a_library_does_not_change_the_umask_of_the_process(tmp_path: Path, embedder: Embedder) -> None:
    Library.open(tmp_path / "library", embedder=embedder).close()
    assert os.umask(0o022) == 0o022
