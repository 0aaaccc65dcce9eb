"""ZIP archives in linked folders: opened like folders, and followed through every change."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import UnreadableFile
from workbench.model.document import Origin
from workbench.model.knowledge_base import NOW_EMPTY, FolderCheck
from workbench.operations import Library
from workbench.operations.folders import folder_linking, linked_archives

Run = Callable[[Any], Any]
Check = Callable[[], dict[str, int]]
SECOND = 1_000_000_000


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_linking, "SETTLE_SECONDS", 0.01)


def _zip(path: Path, contents: dict[str, str], *, age: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    os.utime(path, ns=((1_700_000_000 + age) * SECOND,) * 2)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a note, and an archive of two members in a subfolder."""
    folder = tmp_path / "notes"
    (folder / "old").mkdir(parents=True)
    (folder / "a.md").write_text("The ferry Aurora.", "utf-8")
    _zip(folder / "old" / "Deals.zip", {"2024/offer.md": "We offer 12 boats.", "note.txt": "Call Anna."})
    return folder


def _told(check: FolderCheck) -> dict[str, int]:
    names = ("added", "edited", "moved", "removed", "restored", "failed", "unsteady")
    return {name: getattr(check, name) for name in names if getattr(check, name)}


@pytest.fixture
def check(library: Library, run: Run, folder: Path) -> Check:
    """Return a function that checks the linked folder."""
    (first,) = run(operations.link_folder(library, folder))
    assert _told(first) == {"added": 3}

    def check() -> dict[str, int]:
        (found,) = run(operations.check_linked_folders(library))
        return _told(found)

    return check


def _members(library: Library) -> dict[str, int]:
    return {d.path.rpartition(".zip/")[2]: d.id for d in library.documents.list() if d.origin is Origin.ARCHIVE}


def test_archive_members_become_documents_at_their_place_in_the_folder(
    library: Library, check: Check, folder: Path
) -> None:
    offer, note = sorted((d for d in library.documents.list() if d.origin is Origin.ARCHIVE), key=lambda d: d.name)[
        ::-1
    ]
    assert (offer.path, offer.folder) == (f"{folder}/old/Deals.zip/2024/offer.md", "notes/old/Deals.zip/2024")
    assert (note.folder, note.status.value) == ("notes/old/Deals.zip", "ready")
    assert check() == {}


def test_an_unchanged_archive_is_not_opened_again_after_a_restart_either(
    library: Library, run: Run, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.imports.archives._Archive.__init__", None)
    assert check() == {}
    library.archives.followed.clear()
    assert check() == {}


def test_a_changed_archive_updates_its_members(library: Library, check: Check, folder: Path) -> None:
    before = _members(library)
    _zip(folder / "old" / "Deals.zip", {"2024/offer.md": "We offer 9 boats.", "new.txt": "Call Bo."}, age=5)
    assert check() == {"added": 1, "edited": 1}
    after = _members(library)
    assert set(after) == {"2024/offer.md", "new.txt"}
    assert after["2024/offer.md"] == before["2024/offer.md"]
    assert check() == {}


def test_a_deleted_archive_takes_its_members_to_the_bin_and_brings_them_back(
    library: Library, run: Run, check: Check, folder: Path, tmp_path: Path
) -> None:
    before = _members(library)
    (folder / "old" / "Deals.zip").rename(tmp_path / "away")
    assert check() == {"removed": 2}
    assert _members(library) == {}
    assert len(run(operations.list_bin(library))) == 2
    (tmp_path / "away").rename(folder / "old" / "Deals.zip")
    assert check() == {"restored": 2}
    assert _members(library) == before
    assert check() == {}


def test_an_archive_that_moved_keeps_its_documents(library: Library, check: Check, folder: Path) -> None:
    before = _members(library)
    (folder / "old" / "Deals.zip").rename(folder / "Contracts.zip")
    check()
    assert _members(library) == before
    assert check() == {}


def test_a_member_that_the_user_removed_stays_away(library: Library, run: Run, check: Check, folder: Path) -> None:
    run(operations.remove_documents(library, [_members(library)["note.txt"]]))
    assert check() == {}
    run(operations.empty_bin(library))
    _zip(folder / "old" / "Deals.zip", {"2024/offer.md": "We offer 9 boats.", "note.txt": "Call Anna!"}, age=5)
    assert check() == {"edited": 1}
    assert set(_members(library)) == {"2024/offer.md"}


def test_a_member_that_left_its_archive_does_not_come_and_go(library: Library, check: Check, folder: Path) -> None:
    _zip(folder / "old" / "Deals.zip", {"2024/offer.md": "We offer 12 boats."}, age=5)
    check()
    _zip(folder / "old" / "Deals.zip", {"2024/offer.md": "We offer 8 boats."}, age=9)
    assert check() == {"edited": 1}
    assert set(_members(library)) == {"2024/offer.md"}


def test_a_broken_archive_is_reported_once_and_keeps_the_documents_already_read(
    library: Library, check: Check, folder: Path
) -> None:
    (folder / "old" / "Deals.zip").write_bytes(b"PK\x03\x04 half of it")
    assert check() == {"failed": 1}
    assert set(_members(library)) == {"2024/offer.md", "note.txt"}
    assert check() == {}


def test_an_archive_that_may_not_be_read_is_read_once_it_may(
    library: Library, check: Check, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _zip(folder / "new.zip", {"plan.md": "The plan is to sail."})

    def refuse(path: Path, *_more: object) -> Any:
        raise UnreadableFile(f"“{path.name}” may not be read.")

    with monkeypatch.context() as patch:
        patch.setattr(library.archives, "members", refuse)
        patch.setattr(linked_archives, "_can_be_opened", lambda _path: False)
        assert [check(), check()] == [{"failed": 1}, {}]
    assert [check(), check()] == [{"added": 1}, {}]


def test_an_archive_that_met_bad_luck_twice_is_left_alone(
    library: Library, check: Check, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _zip(folder / "new.zip", {"plan.md": "The plan is to sail."})

    def refuse(path: Path, *_more: object) -> Any:
        raise UnreadableFile(f"“{path.name}” may not be read.")

    monkeypatch.setattr(library.archives, "members", refuse)
    assert [check(), check(), check()] == [{"failed": 1}, {"failed": 1}, {}]


def test_a_drive_that_vanishes_keeps_the_members(library: Library, run: Run, check: Check, folder: Path) -> None:
    before = _members(library)
    folder.rename(folder.with_name("unplugged"))
    folder.mkdir()
    (found,) = run(operations.check_linked_folders(library))
    assert (_told(found), found.folder.reason, _members(library)) == ({}, NOW_EMPTY, before)


def test_unlinking_takes_the_members_along(library: Library, run: Run, check: Check) -> None:
    (linked,) = run(operations.list_linked_folders(library))
    assert linked.documents == 3
    run(operations.unlink_folder(library, linked.id, remove_documents=True))
    assert library.documents.list() == []
