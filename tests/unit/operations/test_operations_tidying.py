"""Remains of a killed program are deleted at the next start, and nothing else is."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.model.document import Origin
from workbench.operations import Library
from workbench.operations.imports.original_copies import keep_original
from workbench.operations.imports.source_files import digest, find_copy
from workbench.operations.imports.temp_files import CopyReferences, TempFiles, delete_orphans
from workbench.operations.sessions.imported_page_images import store_page_image
from workbench.store.intake import Origins

Run = Callable[[Any], Any]


@pytest.fixture
def unfinished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TempFiles:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return TempFiles(tmp_path / "notes")


def _below(*folders: Path) -> list[str]:
    return sorted(path.name for folder in folders for path in folder.rglob("*"))


def _killed(lent: Any) -> Path:
    """Enter a context and never leave it, like a killed program."""
    path: Path = lent.__enter__()
    _LEFT.append(lent)
    return path


_LEFT: list[Any] = []


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    while _LEFT:
        _LEFT.pop().__exit__(None, None, None)


def test_a_partial_file_and_a_temporary_folder_are_deleted_when_their_block_ends(
    unfinished: TempFiles, tmp_path: Path
) -> None:
    with unfinished.partial_file(tmp_path / "report.md") as partial, unfinished.folder() as folder:
        partial.write_bytes(b"half")
        (folder / "page.png").write_bytes(b"picture")
        assert partial.parent == tmp_path
    assert _below(tmp_path) == ["notes", "temporary"]


def test_the_next_start_deletes_what_a_kill_left_outside_the_library(unfinished: TempFiles, tmp_path: Path) -> None:
    _killed(unfinished.partial_file(tmp_path / "report.md")).write_bytes(b"half")
    (_killed(unfinished.folder()) / "page.png").write_bytes(b"picture")
    TempFiles(tmp_path / "notes").drop()
    assert _below(tmp_path) == ["notes", "temporary"]


@pytest.mark.parametrize("name", ["thesis.docx", ".workbench-0123456789ab.part.docx", "workbench-0123456789ab"])
def test_a_note_of_another_hand_deletes_nothing_else(unfinished: TempFiles, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"dear")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "ba9876543210").write_bytes(os.fsencode(tmp_path / name))
    unfinished.drop()
    assert (tmp_path / name).read_bytes() == b"dear"


def test_a_copy_that_an_import_relies_on_outlives_a_sweep(tmp_path: Path) -> None:
    held, copy = CopyReferences(tmp_path), tmp_path / "ab" / "abcd"
    copy.mkdir(parents=True)
    held.hold("abcd")
    held.begin_sweep()
    held.let_go(["abcd"])  # its document exists now, although the sweep may have asked for it before
    held.delete(copy)
    assert copy.exists()
    held.end_sweep()
    held.delete(copy)
    assert not copy.exists()


@pytest.mark.logs_warnings
def test_a_sweep_deletes_nothing_where_a_link_in_the_library_leads(library: Library, tmp_path: Path) -> None:
    """A library may come from another user, with links to folders of the user who opens it."""
    (tmp_path / "documents" / "thesis").mkdir(parents=True)
    library.originals.mkdir(exist_ok=True)
    (library.originals / "ab").symlink_to(tmp_path / "documents")
    library.drop_copies()
    assert (tmp_path / "documents" / "thesis").is_dir()


def test_emptying_the_bin_leaves_the_copy_of_a_file_on_its_way(
    library: Library, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new version of a changed file is copied before its document refers to the copy."""
    run(operations.add_documents(library, [papers / "harbour.md"]))
    (papers / "harbour.md").write_text("# Harbour\n\nIt froze again in 1996.\n", "utf-8")
    put = library.documents.put_content

    def emptied_first(*args: Any, **more: Any) -> Any:
        library.drop_copies()
        return put(*args, **more)

    monkeypatch.setattr(library.documents, "put_content", emptied_first)
    run(operations.add_documents(library, [papers / "harbour.md"]))
    (document,) = library.documents.list()
    copy = find_copy(library.originals, document)
    assert copy is not None
    assert "1996" in copy.read_text("utf-8")


def test_after_a_kill_copies_indexes_and_maps_that_belong_to_nothing_go(
    library: Library, run: Run, papers: Path
) -> None:
    run(operations.add_documents(library, [papers]))
    kept = {path.name for path in library.originals.glob("??/*")}
    keep_original(Path(__file__), library.originals, digest(Path(__file__)))
    (library.folder / "index" / "gone_384_fp32").mkdir()
    (library.folder / "map").mkdir()
    (library.folder / "map" / "gone_384_fp32.chart").write_bytes(b"")
    delete_orphans(library)
    assert {path.name for path in library.originals.glob("??/*")} == kept
    assert [path.name for path in (library.folder / "index").iterdir()] == [
        library.models.index_path(library.models.embedder().id).name
    ]
    assert list((library.folder / "map").iterdir()) == []


def test_only_a_start_after_a_kill_looks_for_such(tmp_path: Path, embedder: Embedder) -> None:
    folder = tmp_path / "library"
    Library.open(folder, embedder=embedder).close()
    orphan = keep_original(Path(__file__), folder / "originals", digest(Path(__file__)))
    Library.open(folder, embedder=embedder).close()
    assert orphan.exists()
    (folder / "library.lock").write_text("1\nopen\n")
    library = Library.open(folder, embedder=embedder)
    library._storing.submit(lambda: None).result()
    library.close()
    assert not orphan.exists()


def test_a_note_whose_text_was_not_written_is_not_there_after_a_kill(tmp_path: Path, embedder: Embedder) -> None:
    library = Library.open(tmp_path / "library", embedder=embedder)
    Origins(library.database).queue("default", "text", path="note:x", name="x", origin=Origin.NOTE, details={})
    library.close()
    library = Library.open(tmp_path / "library", embedder=embedder)
    assert library.documents.list() == []
    library.close()


def test_a_start_deletes_what_was_being_written_of_index_map_and_backups_and_all_that_was_staged(
    tmp_path: Path, embedder: Embedder
) -> None:
    folder = tmp_path / "library"
    Library.open(folder, embedder=embedder).close()
    made = ("index/old/000005.vectors.new", "map/old.chart.new", "staging/tmpabc/page.html")
    for name in (*made, "backups/0001.sqlite3.unfinished", "backups/0001.sqlite3.unfinished-journal"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"half")
    Library.open(folder, embedder=embedder).close()
    assert [path for path in folder.rglob("*") if path.is_file() and path.read_bytes() == b"half"] == []


def test_the_picture_of_a_page_is_stored_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(_source: Path, target: Path) -> None:
        target.write_bytes(b"half")
        raise KeyboardInterrupt

    (tmp_path / "staging").mkdir()
    (tmp_path / "staging" / "0.png").write_bytes(b"whole picture")
    monkeypatch.setattr(shutil, "copyfile", killed)
    with pytest.raises(KeyboardInterrupt):
        store_page_image(tmp_path, 1, -7, (1, 0, 9), tmp_path / "staging" / "0.png")
    assert [path for path in (tmp_path / "kept-pages").rglob("*") if path.is_file()] == []
