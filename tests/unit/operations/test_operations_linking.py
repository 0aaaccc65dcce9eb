"""Linked folders: read in place, followed through every change, and nothing lost when they vanish."""

import asyncio
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import DiskFull, LibraryError, LibraryLocked, MissingFile, ParserKilled, UnreadableFile
from workbench.model.document import DocumentStatus
from workbench.model.import_progress import DocumentChanged
from workbench.model.knowledge_base import (
    NOT_REACHABLE,
    NOT_WATCHED,
    NOW_EMPTY,
    FolderCheck,
    FoldersChecked,
    FolderState,
)
from workbench.operations import Library
from workbench.operations.folders import folder_linking, folder_scan, folder_watching
from workbench.operations.folders.folder_scan import scan_folder
from workbench.operations.imports import file_reading, register_files
from workbench.operations.imports.source_files import Digest
from workbench.store.intake import FileStamp
from workbench.store.linked_folders import LinkedFilePlace
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_linking, "SETTLE_SECONDS", 0.02)
    monkeypatch.setattr(folder_watching, "QUIET_SECONDS", 0.02)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with three notes, one of them in a subfolder."""
    folder = tmp_path / "notes"
    (folder / "old").mkdir(parents=True)
    for name, town in (("a.md", "Lindhamn"), ("b.md", "Vinga"), ("old/c.md", "Marstrand")):
        (folder / name).write_text(f"# {town}\n\nThe harbour of {town} froze in the winter of that year.\n", "utf-8")
    return folder


@pytest.fixture
def check(library: Library, run: Run, folder: Path) -> Callable[[], FolderCheck]:
    """Return a function that checks the linked folder."""
    run(operations.link_folder(library, folder))

    def check() -> FolderCheck:
        (found,) = run(operations.check_linked_folders(library))
        return found

    return check


def _refuse(path: Path, *_more: object) -> Digest:
    raise UnreadableFile(f"“{path.name}” may not be read.", "Ask its owner.")


def _told(check: FolderCheck) -> dict[str, int]:
    names = ("added", "edited", "moved", "removed", "restored", "failed", "unsteady")
    return {name: getattr(check, name) for name in names if getattr(check, name)}


def _paths(library: Library) -> dict[int, str]:
    return {d.id: d.path for d in library.documents.list()}


def _found(run: Run, library: Library, question: str) -> list[str]:
    return [hit.document_name for hit in run(operations.search(library, question, k=1)).hits]


def test_a_linked_folder_is_read_in_place_without_copies(library: Library, run: Run, folder: Path) -> None:
    (found,) = run(operations.link_folder(library, folder))
    assert (_told(found), found.folder.documents, found.folder.state) == ({"added": 3}, 3, FolderState.FOLLOWED)
    assert not [path for path in library.originals.rglob("*") if path.is_file()]
    assert sorted(d.folder for d in library.documents.list()) == ["notes", "notes", "notes/old"]
    assert _found(run, library, "Where did Marstrand freeze?") == ["c.md"]


def test_a_second_look_at_an_unchanged_folder_does_nothing(
    library: Library, check: Callable[[], FolderCheck], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = library.documents.list()
    monkeypatch.setattr(folder_linking, "digest_at", lambda *_: pytest.fail("a file was read"))
    assert (_told(check()), library.documents.list()) == ({}, before)


def test_moved_and_renamed_files_keep_document_and_chunks(
    library: Library, check: Callable[[], FolderCheck], folder: Path
) -> None:
    before = {d.id: [chunk.id for chunk in library.documents.chunks(d.id)] for d in library.documents.list()}
    (folder / "a.md").rename(folder / "old" / "renamed.md")
    (folder / "old").rename(folder / "archive")
    assert _told(check()) == {"moved": 2}
    assert {d.id: [c.id for c in library.documents.chunks(d.id)] for d in library.documents.list()} == before
    assert sorted(Path(path).relative_to(folder).as_posix() for path in _paths(library).values()) == [
        "archive/c.md", "archive/renamed.md", "b.md",
    ]  # fmt: skip
    assert {d.name for d in library.documents.list()} == {"renamed.md", "b.md", "c.md"}


def test_a_file_moved_to_another_linked_folder_is_the_same_document(
    library: Library, run: Run, check: Callable[[], FolderCheck], folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.md").write_text("Something else altogether.\n", "utf-8")
    run(operations.link_folder(library, other))
    before = set(_paths(library))
    (folder / "a.md").rename(other / "a.md")
    checks = run(operations.check_linked_folders(library))
    assert [_told(one) for one in checks] == [{}, {"moved": 1}]
    assert set(_paths(library)) == before


def test_two_files_that_swap_names_are_distinguished_and_keep_their_documents(
    library: Library, check: Callable[[], FolderCheck], folder: Path
) -> None:
    before = {Path(path).name: id for id, path in _paths(library).items()}
    (folder / "a.md").rename(folder / "x")
    (folder / "b.md").rename(folder / "a.md")
    (folder / "x").rename(folder / "b.md")
    assert _told(check()) == {"moved": 2}
    now = {Path(path).name: id for id, path in _paths(library).items()}
    assert now == {"a.md": before["b.md"], "b.md": before["a.md"], "c.md": before["c.md"]}


def test_an_edited_paragraph_is_all_that_is_embedded_again(
    library: Library, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sections = [f"## Section {n}\n\n" + f"Sentence {n} of the winter in harbour {n}. " * 12 for n in range(40)]
    (folder / "long.md").write_text("# Long\n\n" + "\n\n".join(sections) + "\n", "utf-8")
    run(operations.link_folder(library, folder))
    (document,) = (d for d in library.documents.list() if d.name == "long.md")
    assert document.chunks >= 40
    embedded: list[str] = []
    embed = library.models.embedder().embed_with_tokens  # type: ignore[attr-defined]

    def counted(texts: list[str], keep: Any) -> Any:
        embedded.extend(texts)
        return embed(texts, keep)

    monkeypatch.setattr(library.models.embedder(), "embed_with_tokens", counted)
    sections[17] += "A new sentence on the ferry Aurora."
    (folder / "long.md").write_text("# Long\n\n" + "\n\n".join(sections) + "\n", "utf-8")
    (found,) = run(operations.check_linked_folders(library))
    assert (_told(found), len(embedded)) == ({"edited": 1}, 1)
    assert "Aurora" in embedded[0]
    assert library.documents.get(document.id).embedded == document.chunks


def test_the_document_of_a_deleted_file_moves_to_the_bin_and_is_restored_with_the_file(
    library: Library, run: Run, check: Callable[[], FolderCheck], folder: Path, tmp_path: Path
) -> None:
    chunks = {chunk.id for d in library.documents.list() for chunk in library.documents.chunks(d.id)}
    (folder / "b.md").rename(tmp_path / "away.md")
    assert _told(check()) == {"removed": 1}
    assert _found(run, library, "Vinga") != ["b.md"]
    assert [one.document.name for one in run(operations.list_bin(library))] == ["b.md"]
    (tmp_path / "away.md").rename(folder / "back.md")
    assert _told(check()) == {"restored": 1}
    assert {chunk.id for d in library.documents.list() for chunk in library.documents.chunks(d.id)} == chunks
    assert _found(run, library, "Vinga") == ["back.md"]


def test_a_deleted_file_that_is_written_again_later_keeps_its_document(
    library: Library, check: Callable[[], FolderCheck], folder: Path
) -> None:
    (before,) = (id for id, path in _paths(library).items() if path.endswith("b.md"))
    (folder / "b.md").unlink()
    check()
    (folder / "b.md").write_text("# Vinga\n\nThe lighthouse was painted red.\n", "utf-8")
    assert _told(check()) == {"edited": 1}
    assert [id for id, path in _paths(library).items() if path.endswith("b.md")] == [before]


def test_a_document_that_the_user_removed_stays_removed_even_when_the_bin_is_emptied(
    library: Library, run: Run, check: Callable[[], FolderCheck], folder: Path
) -> None:
    (document,) = (d for d in library.documents.list() if d.name == "a.md")
    run(operations.remove_documents(library, [document.id]))
    assert _told(check()) == {}
    run(operations.empty_bin(library))
    (folder / "a.md").write_text("# Lindhamn\n\nEdited.\n", "utf-8")
    (folder / "a.md").rename(folder / "a-new-name.md")
    assert _told(check()) == {"added": 1}  # another name and other bytes: another file
    assert (run(operations.list_bin(library)), len(_paths(library))) == ([], 3)


@pytest.mark.parametrize(("left", "reason"), [("nothing", NOT_REACHABLE), ("an empty folder", NOW_EMPTY)])
def test_a_drive_that_vanishes_takes_nothing_along(
    library: Library, run: Run, check: Callable[[], FolderCheck], folder: Path, tmp_path: Path, left: str, reason: str
) -> None:
    before = library.documents.list()
    folder.rename(tmp_path / "unplugged")
    if left != "nothing":
        folder.mkdir()
    gone = check()
    assert (_told(gone), gone.folder.reason, gone.folder.state) == ({}, reason, FolderState.NOT_REACHABLE)
    assert library.documents.list() == before
    assert _found(run, library, "Vinga") == ["b.md"]
    if left != "nothing":
        folder.rmdir()
    (tmp_path / "unplugged").rename(folder)
    back = check()
    assert (_told(back), back.folder.reason) == ({}, "")


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may read everything")
def test_a_folder_that_may_not_be_read_keeps_its_documents(
    library: Library, check: Callable[[], FolderCheck], folder: Path
) -> None:
    (folder / "old").chmod(0)
    found = check()
    (folder / "old").chmod(0o755)
    assert (_told(found), "“old”" in found.folder.reason) == ({}, True)


def test_links_to_files_in_a_linked_folder_are_not_followed_and_are_reported(
    library: Library, check: Callable[[], FolderCheck], folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.md").write_text("Out of the folder.", "utf-8")
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    found = check()
    assert (_told(found), found.folder.state) == ({}, FolderState.NOTE)
    assert found.folder.reason.startswith("Links to files in it are not followed: 1.")


def test_documents_behind_links_go_to_the_bin_and_are_restored_when_links_are_followed_again(
    library: Library, check: Callable[[], FolderCheck], run: Run, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "other.md").write_text("The lighthouse of Måseskär.", "utf-8")
    (folder / "out.md").symlink_to(tmp_path / "other.md")
    run(operations.put_setting(library, "follow_links", "yes"))
    assert _told(check()) == {"added": 1}
    run(operations.reset_setting(library, "follow_links"))
    assert _told(check()) == {"removed": 1}
    assert [one.document.name for one in run(operations.list_bin(library))] == ["out.md"]
    run(operations.put_setting(library, "follow_links", "yes"))
    assert _told(check()) == {"restored": 1}


def test_the_document_of_a_link_moves_to_the_file_of_the_same_folder_behind_it(
    library: Library, check: Callable[[], FolderCheck], run: Run, folder: Path
) -> None:
    (folder / "0.md").symlink_to("z.md")
    (folder / "z.md").write_text("The lighthouse of Måseskär.", "utf-8")
    run(operations.put_setting(library, "follow_links", "yes"))
    check()
    (number,) = (number for number, path in _paths(library).items() if Path(path).name in ("0.md", "z.md"))
    library.linked.place([LinkedFilePlace(number, str(folder / "0.md"), FileStamp(1, 1), "notes")])
    run(operations.reset_setting(library, "follow_links"))
    check()
    assert _paths(library)[number] == str(folder / "z.md")


def test_files_on_their_way_and_lock_files_are_passed_over(folder: Path) -> None:
    for name in ("~$a.md", ".hidden.md", "b.md~", "paper.pdf", "paper.pdf.part", "d.md.tmp", "e.exe"):
        (folder / name).touch()
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    look = scan_folder(folder)
    assert look is not None
    assert sorted(Path(path).relative_to(folder).as_posix() for path in look.files) == ["a.md", "b.md", "old/c.md"]


def test_a_file_that_is_being_written_waits_for_the_next_look(
    library: Library, check: Callable[[], FolderCheck], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    growing = folder / "growing.md"
    growing.write_text("The first half", "utf-8")
    wait = asyncio.sleep

    async def write_on(seconds: float) -> None:
        growing.write_text("The first half and the second half.\n", "utf-8")
        await wait(seconds)

    with monkeypatch.context() as patch:
        patch.setattr(folder_linking.asyncio, "sleep", write_on)
        assert _told(check()) == {"unsteady": 1}
    assert _told(check()) == {"added": 1}


def test_a_file_that_cannot_be_read_is_not_tried_again_until_it_changes(
    library: Library, check: Callable[[], FolderCheck], folder: Path
) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    assert _told(check()) == {"failed": 1}
    assert _told(check()) == {}
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 still broken")
    assert _told(check()) == {"failed": 1}


def test_pages_of_a_linked_document_are_drawn_from_its_file_while_it_fits(
    library: Library, run: Run, folder: Path
) -> None:
    import pymupdf

    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The vault opens at seven in the morning.")
        pdf.save(folder / "vault.pdf")
    run(operations.link_folder(library, folder))
    (document,) = (d for d in library.documents.list() if d.name == "vault.pdf")
    assert run(operations.page_image(library, document.id, 1)).png.startswith(b"\x89PNG")
    with (folder / "vault.pdf").open("ab") as file:
        file.write(b"% changed")
    with pytest.raises(MissingFile):
        run(operations.page_image(library, document.id, 1))


def test_unlinking_leaves_the_documents_with_copies_of_their_files(
    library: Library, run: Run, check: Callable[[], FolderCheck], folder: Path
) -> None:
    (linked,) = run(operations.list_linked_folders(library))
    run(operations.unlink_folder(library, linked.id))
    assert (run(operations.list_linked_folders(library)), len(_paths(library))) == ([], 3)
    assert len([path for path in library.originals.rglob("*") if path.is_file()]) == 3


def test_unlinking_can_take_the_documents_to_the_bin(
    library: Library, run: Run, check: Callable[[], FolderCheck]
) -> None:
    (linked,) = run(operations.list_linked_folders(library))
    run(operations.unlink_folder(library, linked.id, remove_documents=True))
    assert (_paths(library), len(run(operations.list_bin(library)))) == ({}, 3)


def test_folders_inside_each_other_and_around_the_library_are_refused(
    library: Library, run: Run, check: Callable[[], FolderCheck], folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(LibraryError, match="or is inside it"):
        run(operations.link_folder(library, folder / "old"))
    with pytest.raises(UnreadableFile, match="is the library's folder"):
        run(operations.link_folder(library, tmp_path))
    with pytest.raises(MissingFile):
        run(operations.link_folder(library, tmp_path / "nowhere"))
    assert _told(*run(operations.link_folder(library, folder))) == {}


def test_b29_the_same_folder_linked_to_two_knowledge_bases_is_followed_in_both(
    library: Library, run: Run, check: Callable[[], FolderCheck], folder: Path
) -> None:
    run(operations.link_folder(library, folder, knowledge_base="second"))
    (folder / "a.md").unlink()
    checks = run(operations.check_linked_folders(library))
    assert [_told(one) for one in checks] == [{"removed": 1}, {"removed": 1}]
    assert [len(library.documents.list(base)) for base in ("default", "second")] == [2, 2]


def _follow_until(library: Library, act: Callable[[], None], wanted: Callable[[FolderCheck], bool]) -> FolderCheck:
    """Watch the folders, act after the first check, and return the first check that fulfils the condition."""

    async def main() -> FolderCheck:
        checks: asyncio.Queue[FolderCheck] = asyncio.Queue()

        def emit(event: object) -> None:
            if isinstance(event, FoldersChecked):
                for check in event.checks:
                    checks.put_nowait(check)

        following = asyncio.ensure_future(operations.watch_linked_folders(library)(JobContext(emit)))
        try:
            await checks.get()
            act()
            async with asyncio.timeout(20):
                while not wanted(found := await checks.get()):
                    pass
            return found
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    return asyncio.run(main())


def test_an_edit_is_noticed_while_the_folder_is_watched(
    library: Library, run: Run, check: Callable[[], FolderCheck], folder: Path
) -> None:
    found = _follow_until(
        library,
        lambda: (folder / "a.md").write_text("The ferry Aurora.\n", "utf-8"),  # type: ignore[arg-type, return-value]
        lambda check: bool(check.edited),
    )
    assert found.edited == 1
    assert _found(run, library, "ferry Aurora") == ["a.md"]


def test_a_folder_beyond_the_limit_of_the_system_is_looked_at_instead(
    library: Library, check: Callable[[], FolderCheck], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(folder_watching.FolderWatch, "_schedule", full)
    monkeypatch.setattr(folder_watching, "LOOK_SECONDS", 0.05)
    found = _follow_until(library, (folder / "a.md").unlink, lambda check: bool(check.removed))
    assert (found.folder.reason, found.folder.state) == (NOT_WATCHED, FolderState.NOTE)


def test_a_drive_that_is_away_does_not_keep_the_safety_look_from_the_other_folders(
    library: Library, run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    run(operations.link_folder(library, away))
    away.rmdir()
    run(operations.link_folder(library, folder))
    monkeypatch.setattr(folder_watching.FolderWatch, "_schedule", lambda *_: None)
    monkeypatch.setattr(folder_watching, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(folder_watching, "SAFETY_SECONDS", 0.1)
    found = _follow_until(library, (folder / "a.md").unlink, lambda check: bool(check.removed))
    assert found.folder.path == str(folder)


def test_a_document_brought_back_without_its_file_stays(
    library: Library, run: Run, check: Callable[[], FolderCheck], folder: Path
) -> None:
    text = (folder / "b.md").read_text("utf-8")
    (folder / "b.md").unlink()
    assert _told(check()) == {"removed": 1}
    (binned,) = run(operations.list_bin(library))
    run(operations.restore_documents(library, [binned.document.id]))
    (folder / "a.md").write_text("# Lindhamn\n\nEdited.\n", "utf-8")
    assert [_told(check()), _told(check())] == [{"edited": 1}, {}]
    assert binned.document.id in _paths(library)
    (folder / "b.md").write_text(text, "utf-8")
    assert _told(check()) == {}
    (folder / "b.md").unlink()
    assert _told(check()) == {"removed": 1}


def test_an_empty_place_for_a_drive_can_hold_what_the_system_hides(
    library: Library, check: Callable[[], FolderCheck], folder: Path, tmp_path: Path
) -> None:
    folder.rename(tmp_path / "unplugged")
    (folder / ".Trash-1000").mkdir(parents=True)
    gone = check()
    assert (_told(gone), gone.folder.reason, len(_paths(library))) == ({}, NOW_EMPTY, 3)


def test_a_new_file_that_may_not_be_read_is_tried_so_that_its_reason_is_listed(
    library: Library, check: Callable[[], FolderCheck], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "locked.md").write_text("The ferry.\n", "utf-8")
    monkeypatch.setattr(folder_linking, "digest_at", _refuse)
    monkeypatch.setattr(register_files, "digest", _refuse)
    assert _told(check()) == {"failed": 1}
    (document,) = (d for d in library.documents.list() if d.name == "locked.md")
    assert document.reason == "“locked.md” may not be read."
    assert _told(check()) == {}


def test_a_file_that_may_not_be_read_is_tried_at_each_look_and_read_once_it_may(
    library: Library, check: Callable[[], FolderCheck], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "locked.md").write_text("The ferry.\n", "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(folder_linking, "digest_at", _refuse)
        patch.setattr(register_files, "digest", _refuse)
        assert _told(check()) == {"failed": 1}
        assert _told(check()) == {}
    assert _told(check()) == {"edited": 1}
    (document,) = (d for d in library.documents.list() if d.name == "locked.md")
    assert (document.status, document.reason) == (DocumentStatus.READY, "")
    assert _told(check()) == {}


@pytest.mark.parametrize("error", [ParserKilled("The system stopped it."), UnreadableFile("The drive is gone.")])
def test_a_file_that_only_met_bad_luck_is_tried_once_more(
    library: Library, check: Callable[[], FolderCheck], folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    tried: list[str] = []

    async def fail(_library: Library, path: Path, _password: str | None, **_: object) -> Any:
        tried.append(path.name)
        raise error

    (folder / "big.md").write_text("The ferry.\n", "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(file_reading, "prepare_isolated", fail)
        assert [_told(check()), _told(check()), _told(check())] == [{"failed": 1}, {"failed": 1}, {}]
    assert tried == ["big.md", "big.md"]
    (folder / "big.md").write_text("The ferry Aurora.\n", "utf-8")
    assert _told(check()) == {"edited": 1}


def test_a_file_that_the_system_took_the_memory_from_is_read_at_the_next_look(
    library: Library, check: Callable[[], FolderCheck], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> Any:
        raise ParserKilled("The system stopped it.")

    (folder / "big.md").write_text("The ferry.\n", "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(file_reading, "prepare_isolated", fail)
        assert _told(check()) == {"failed": 1}
    assert [_told(check()), _told(check())] == [{"edited": 1}, {}]
    assert all(d.status is DocumentStatus.READY for d in library.documents.list())


def test_an_edit_that_could_not_be_read_for_a_while_is_read_later(
    library: Library, run: Run, check: Callable[[], FolderCheck], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> Any:
        raise ParserKilled("The system stopped it.")

    (folder / "a.md").write_text("The ferry Aurora stayed in port.\n", "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(file_reading, "prepare_isolated", fail)
        assert _told(check()) == {"failed": 1}
    assert _found(run, library, "Where did Lindhamn freeze?") == ["a.md"]
    assert _told(check()) == {"edited": 1}
    assert _found(run, library, "Where did the ferry Aurora stay?") == ["a.md"]


@pytest.mark.parametrize("error", [DiskFull("No room.", "Make some."), LibraryLocked("It is locked.", "Wait.")])
def test_files_that_the_library_had_no_room_for_are_read_at_the_next_look(
    library: Library, check: Callable[[], FolderCheck], folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    (folder / "new.md").write_text("The ferry.\n", "utf-8")

    def full(*_: object, **_more: object) -> Any:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(library.documents, "put_content", full)
        with pytest.raises(type(error)):
            check()
    assert [_told(check()), _told(check())] == [{"edited": 1}, {}]


def test_a_file_without_an_ending_that_may_not_be_opened_any_more_stays(
    library: Library, check: Callable[[], FolderCheck], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "README").write_text("The ferry Aurora stayed in port.\n", "utf-8")
    assert _told(check()) == {"added": 1}

    def refuse(path: Path, _stamp: object) -> str:
        raise UnreadableFile(f"“{path.name}” may not be read.")

    with monkeypatch.context() as patch:
        patch.setattr(folder_scan, "refusal", refuse)
        assert (_told(check()), len(_paths(library))) == ({}, 4)


def test_new_documents_are_reported_with_their_folder_in_the_tree(
    library: Library, run: Run, folder: Path, events: list[Any]
) -> None:
    run(operations.link_folder(library, folder))
    last = {event.document.name: event.document.folder for event in events if isinstance(event, DocumentChanged)}
    assert last == {"a.md": "notes", "b.md": "notes", "c.md": "notes/old"}


def _folders(library: Library) -> dict[str, str]:
    return {document.name: document.folder for document in library.documents.list()}


def test_files_added_before_their_folder_was_linked_are_shown_in_its_tree(
    library: Library, run: Run, folder: Path, events: list[Any]
) -> None:
    run(operations.add_documents(library, [folder / "a.md"]))
    run(operations.add_documents(library, [folder / "old"], folder="Elsewhere"))
    assert _folders(library) == {"a.md": "", "c.md": "Elsewhere/old"}
    events.clear()
    run(operations.link_folder(library, folder))
    assert _folders(library) == {"a.md": "notes", "b.md": "notes", "c.md": "notes/old"}
    shown = {one.document.name: one.document.folder for one in events if isinstance(one, DocumentChanged)}
    assert shown == _folders(library)


def test_archives_added_before_their_folder_was_linked_are_shown_in_its_tree(
    library: Library, run: Run, folder: Path
) -> None:
    with zipfile.ZipFile(folder / "more.zip", "w") as archive:
        archive.writestr("inside/d.md", "# Koster\n\nThe harbour of Koster froze too.\n")
    run(operations.add_documents(library, [folder / "more.zip"]))
    run(operations.link_folder(library, folder))
    assert _folders(library)["d.md"] == "notes/more.zip/inside"
    run(operations.check_linked_folders(library))
    assert _folders(library)["d.md"] == "notes/more.zip/inside"


def test_a_linked_file_dropped_on_a_folder_of_the_library_stays_in_its_tree(
    library: Library, run: Run, check: Callable[[], FolderCheck], folder: Path
) -> None:
    run(operations.add_documents(library, [folder / "a.md"], folder="Elsewhere"))
    assert _folders(library)["a.md"] == "notes"


def test_two_linked_folders_of_the_same_name_have_trees_of_their_own(
    library: Library, run: Run, check: Callable[[], FolderCheck], tmp_path: Path
) -> None:
    for around in ("2023", "2024", "more/2024"):
        (tmp_path / around / "notes").mkdir(parents=True)
        (tmp_path / around / "notes" / f"{around[:4]}.md").write_text(f"# {around}\n\nIce in {around}.\n", "utf-8")
        run(operations.link_folder(library, tmp_path / around / "notes"))
    run(operations.check_linked_folders(library))
    folders = _folders(library)
    assert [folders[name] for name in ("a.md", "2023.md", "2024.md", "more.md")] == [
        "notes", "notes (2023)", "notes (2024)", "notes (2)",
    ]  # fmt: skip
