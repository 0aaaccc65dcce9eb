"""Files that cannot be added: each produces one clear sentence, and the others are added."""

import errno
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import DiskFull, LibraryUnwritable
from workbench.model.document import DocumentStatus
from workbench.model.import_progress import DocumentsRemoved, FileFinished
from workbench.model.visible import visible_name
from workbench.operations import Library
from workbench.operations.imports import original_copies

Run = Callable[[Any], Any]
TEXT = "The heron stands in the reeds at {}.\n"


def _note(path: Path, word: str) -> Path:
    path.write_text(TEXT.format(word), "utf-8")
    return path


def _add(run: Run, library: Library, *paths: Path, **more: Any) -> dict[str, FileFinished]:
    files = run(operations.add_documents(library, list(paths), **more))
    found = {Path(file.path).name: file for file in files}
    assert len(found) == len(files)
    return found


def _texts(library: Library) -> dict[str, str]:
    return {d.name: library.documents.text(d.id).strip() for d in library.documents.list()}


def test_e10_a_folder_of_every_evil_is_added_file_by_file(library: Library, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "evil"
    folder.mkdir()
    _note(folder / "good.md", "dawn")
    os.mkfifo(folder / "pipe.md")
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "dangling.md").symlink_to("nowhere.md")
    (folder / "up").symlink_to("..", target_is_directory=True)
    (folder / "empty.md").touch()
    (folder / "binary.txt").write_bytes(bytes(range(256)) * 20)
    (folder / "zip.pdf").write_bytes(b"PK\x03\x04 something")
    found = _add(run, library, folder)
    assert {name for name, file in found.items() if file.outcome == "ready"} == {"good.md"}
    links = {"up", "loop.md", "dangling.md"}
    assert {found[name].outcome.value for name in links} == {"skipped"}
    assert {file.outcome.value for name, file in found.items() if name not in links | {"good.md"}} == {"failed"}
    assert "is not a file" in found["pipe.md"].reason
    assert "link" in found["loop.md"].reason
    assert "link" in found["dangling.md"].reason
    assert all(file.reason.endswith(".") for name, file in found.items() if name != "good.md")


def test_a_path_that_is_not_a_file_is_rejected_at_once(library: Library, run: Run, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.md"))
        found = _add(run, library, tmp_path / "s.md", Path("/dev/zero"), tmp_path / ("y" * 300))
    assert [file.outcome.value for file in found.values()] == ["failed"] * 3
    assert found["zero"].reason.startswith("“zero” is not a file.")
    assert "too long" in found["y" * 300].reason


def test_a_strange_name_is_only_a_name(library: Library, run: Run, tmp_path: Path) -> None:
    names = [
        b"\"quote' .md",
        b"new\nline.md",
        "\u202egnp.md".encode(),
        b"x" * 252 + b".md",
        "漢".encode() * 84 + b".md",
    ]
    names += [b"caf\xe9.md", b"~$lock.md", b"100%s{0}.md", b"back\\slash.md", "😀.md".encode()]
    paths = [Path(os.fsdecode(bytes(tmp_path) + b"/" + name)) for name in names]
    for number, path in enumerate(paths):
        _note(path, str(number))
    found = _add(run, library, *paths)
    assert {file.outcome.value for file in found.values()} == {"ready"}
    assert {file.path for file in found.values()} == {str(path) for path in paths}
    assert [run(operations.show_document(library, str(path))).name for path in paths] == [
        visible_name(path.name) for path in paths
    ]
    assert {hit.path for hit in run(operations.search(library, "heron")).hits} == {str(path) for path in paths}


def test_a_relative_name_that_begins_with_a_tilde_is_a_file(
    library: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _note(tmp_path / "~$report.md", "noon")
    assert _add(run, library, Path("~$report.md"))["~$report.md"].outcome == "ready"
    assert run(operations.show_document(library, "~$report.md")).name == "~$report.md"


def test_a_folder_that_may_not_be_read_is_reported(
    library: Library, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (papers / "closed").mkdir()
    scandir = os.scandir

    def refusing(path: Any) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found = _add(run, library, papers)
    assert found["closed"].reason == "The folder “closed” cannot be read. Check that you may open it."
    assert found["harbour.md"].outcome == "ready"


def test_an_unsupported_file_is_refused_before_it_is_copied(
    library: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.imports.register_files.digest", None)
    (tmp_path / "film.mkv").write_bytes(b"\x1aE\xdf\xa3")
    (file,) = run(operations.add_documents(library, [tmp_path / "film.mkv"]))
    assert (file.outcome.value, file.document) == ("failed", None)
    assert file.reason.endswith("(audio and video) cannot be read. Only written text can be searched.")
    assert library.documents.list() == []


@pytest.mark.parametrize("happening", ["vanishes", "changes"])
def test_a_file_that_does_not_stay_as_it_was_is_refused(
    library: Library, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch, happening: str
) -> None:
    copy = original_copies.copy_file

    def meddling(source: Path, target: Path, root: Path | None) -> Any:
        if source.name == "harbour.md":
            source.unlink() if happening == "vanishes" else source.write_text("something else")
        return copy(source, target, root)

    monkeypatch.setattr(original_copies, "copy_file", meddling)
    found = _add(run, library, papers)
    assert (found["harbour.md"].outcome.value, found["港口.txt"].outcome.value) == ("failed", "ready")
    assert found["harbour.md"].reason.startswith("“harbour.md” c")
    assert list(library.originals.glob("*.part")) == []


@pytest.mark.parametrize(
    ("number", "kind", "said"),
    [(errno.ENOSPC, DiskFull, "The disk is full"), (errno.EROFS, LibraryUnwritable, "cannot be written")],
)
def test_a_copy_that_the_library_cannot_take_ends_the_import_with_the_reason(
    library: Library, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type, said: str
) -> None:
    run(operations.add_documents(library, [papers / "港口.txt"]))

    def failing(source: Path, target: Path, root: Path | None) -> None:
        raise OSError(number, os.strerror(number), str(target))

    with monkeypatch.context() as patch:
        patch.setattr(original_copies, "copy_file", failing)
        with pytest.raises(kind, match=said):
            run(operations.add_documents(library, [papers]))
    assert {file.outcome.value for file in _add(run, library, papers).values()} == {"ready", "unchanged"}


def test_copies_of_a_file_that_fails_fail_too(library: Library, run: Run, tmp_path: Path) -> None:
    for name in ("a.html", "b.md", "c.pdf", "d.txt"):
        (tmp_path / name).touch()
    files = run(operations.add_documents(library, [tmp_path / name for name in ("a.html", "b.md", "c.pdf", "d.txt")]))
    assert sorted((Path(file.path).name, file.outcome.value) for file in files) == [
        ("a.html", "failed"), ("b.md", "failed"), ("c.pdf", "failed"), ("d.txt", "failed"),
    ]  # fmt: skip
    assert all("empty" in file.reason for file in files)


def test_a_file_that_failed_under_a_wrong_name_is_added_under_the_right_one(
    library: Library, run: Run, tmp_path: Path
) -> None:
    wrong = _note(tmp_path / "note.pdf", "night")
    assert _add(run, library, wrong)["note.pdf"].outcome == "failed"
    right = wrong.rename(tmp_path / "note.md")
    assert _add(run, library, right)["note.md"].outcome == "ready"
    assert [d.name for d in library.documents.list()] == ["note.md"]


def test_b8_two_files_that_change_places_are_both_kept(library: Library, run: Run, tmp_path: Path) -> None:
    a, b = _note(tmp_path / "a.md", "one"), _note(tmp_path / "b.md", "two")
    os.utime(a, (1, 1))  # the clock of a file system may not advance for 4 ms
    _add(run, library, a, b)
    a.rename(tmp_path / "c")
    b.rename(a)
    (tmp_path / "c").rename(b)
    _add(run, library, a, b)
    assert _texts(library) == {"a.md": TEXT.format("two").strip(), "b.md": TEXT.format("one").strip()}


def test_b8_a_file_that_is_kept_under_a_new_name_while_the_old_one_changes_is_kept(
    library: Library, run: Run, tmp_path: Path
) -> None:
    log = _note(tmp_path / "log.md", "monday")
    _add(run, library, log)
    log.rename(tmp_path / "log.old.md")
    _note(log, "tuesday")
    found = _add(run, library, log, tmp_path / "log.old.md")
    assert {file.outcome.value for file in found.values()} == {"ready"}
    assert _texts(library) == {"log.md": TEXT.format("tuesday").strip(), "log.old.md": TEXT.format("monday").strip()}


def test_a_row_whose_content_is_another_documents_now_is_taken_out_of_the_list(
    library: Library, run: Run, tmp_path: Path, events: list[Any]
) -> None:
    a, b = _note(tmp_path / "a.md", "one"), _note(tmp_path / "b.md", "two")
    ids = {file.path: file.document for file in run(operations.add_documents(library, [a, b]))}
    shutil.copyfile(b, a)
    _add(run, library, a)
    assert DocumentsRemoved((ids[str(a)],)) in events
    assert list(_texts(library)) == ["b.md"]


def test_a_change_that_was_taken_back_leaves_no_complaint(library: Library, run: Run, tmp_path: Path) -> None:
    path = _note(tmp_path / "a.md", "one")
    _add(run, library, path)
    path.write_bytes(b"")
    assert _add(run, library, path)["a.md"].outcome == "failed"
    assert "earlier version" in library.documents.list()[0].reason
    _note(path, "one")
    assert _add(run, library, path)["a.md"].outcome == "unchanged"
    assert library.documents.list()[0].reason == ""


def test_missing_original_copies_are_reported_and_restored_by_adding_the_file_again(
    library: Library, run: Run, tmp_path: Path
) -> None:
    path = _note(tmp_path / "a.md", "one")
    number = _add(run, library, path)["a.md"].document
    shutil.rmtree(library.originals)
    path.unlink()
    (again,) = run(operations.reindex_documents(library, [number]))
    assert again.outcome == "failed"
    assert "copy of this file is missing" in again.reason
    assert library.documents.get(number).status is DocumentStatus.READY
    _add(run, library, _note(path, "one"))
    assert run(operations.reindex_documents(library, [number]))[0].outcome == "ready"


def test_the_copies_of_removed_documents_stay_for_the_bin_and_unfinished_ones_go(
    library: Library, run: Run, papers: Path
) -> None:
    found = _add(run, library, papers)
    run(operations.remove_documents(library, [found["harbour.md"].document]))
    (library.originals / "killed.part").touch()
    library.close()
    Library.open(library.folder).close()
    assert [path.name for path in library.originals.rglob("*") if path.suffix == ".part"] == []


def test_e22_the_same_file_twice_in_one_call_and_in_two_knowledge_bases(
    library: Library, run: Run, papers: Path
) -> None:
    path = papers / "harbour.md"
    (file,) = run(operations.add_documents(library, [path, path, papers / ".." / "papers" / "harbour.md"]))
    assert file.outcome == "ready"
    assert _add(run, library, path, knowledge_base="home")["harbour.md"].outcome == "ready"
    assert [d.knowledge_base for d in library.documents.list()] == ["default", "home"]
