"""Linked folders, library check, repair and backups, from a script."""

import asyncio
from pathlib import Path

import pytest

import workbench
from workbench.store.database import FILE_NAME


@pytest.fixture
def logbook(tmp_path: Path) -> Path:
    """Return a folder of one file."""
    folder = tmp_path / "logbook"
    folder.mkdir()
    (folder / "ice.md").write_text("# Ice\n\nThe harbour of Lindhamn froze on 3 May 1893.\n", "utf-8")
    return folder


def test_a_linked_folder_is_followed_and_unlinked(library: workbench.Library, logbook: Path) -> None:
    check = library.folders.link(logbook, metadata={"ship": "Ada"})
    assert (check.added, check.failed, check.folder.path) == (1, 0, str(logbook))
    assert library.document("ice.md").custom_values == {"ship": "Ada"}
    (logbook / "ice.md").rename(logbook / "frost.md")
    (again,) = library.folders.check(logbook)
    assert (again.moved, [one.name for one in library.documents()]) == (1, ["frost.md"])
    library.folders.unlink(check.folder, remove_documents=True)
    assert (library.folders.list(), library.documents()) == ([], [])


def test_an_unlinked_or_missing_folder_raises_an_error(library: workbench.Library, tmp_path: Path) -> None:
    with pytest.raises(workbench.NotFound):
        library.folders.check([3])
    with pytest.raises(workbench.DocumentError):
        library.folders.link(tmp_path / "none")
    with pytest.raises(TypeError, match="its number, its path or a LinkedFolder"):
        library.folders.check([True])


def test_a_sound_library_is_reported_as_sound_and_its_document_has_no_symptoms(filled: workbench.Library) -> None:
    parts: list[str] = []
    found = filled.integrity.check(on_event=lambda event: parts.append(event.part))
    assert (found.is_sound, parts[0]) == (True, "database")
    assert filled.integrity.documents() == []
    assert filled.integrity.document("Ice").symptoms == ()
    assert "packages" in [one.check for one in filled.integrity.examine()]
    assert filled.integrity.report().startswith("#")


def test_backups_are_made_and_put_in_use_again(folder: Path) -> None:
    with workbench.open_library(folder) as library:
        made = library.integrity.create_backup()
        library.knowledge_bases.create("later")
        assert library.integrity.backups() == [made]
        with pytest.raises(workbench.LibraryLocked):
            workbench.restore_backup(folder, made.name)
    assert workbench.restore_backup(folder, made.name).backup.name == made.name
    assert [one.reason for one in workbench.list_backups(folder)] == ["restore", "by hand"]
    with workbench.open_library(folder) as library:
        assert [base.name for base in library.knowledge_bases.list()] == ["default"]
        library.integrity.delete_backup(made.name)


def test_a_damaged_library_is_found_and_repaired(folder: Path) -> None:
    with workbench.open_library(folder):
        pass
    with (folder / FILE_NAME).open("r+b") as file:
        file.write(bytes(100))
    assert [fault.part for fault in workbench.check_library(folder).faults] == ["database"]
    assert workbench.repair_library(folder, dry_run=True).is_trial
    assert asyncio.run(workbench.repair_library_async(folder)).left == ()
    assert workbench.check_library(folder).is_sound


def test_a_folder_without_a_library_and_an_unknown_repair_option_raise_an_error(tmp_path: Path) -> None:
    for function in (workbench.check_library, workbench.repair_library, workbench.list_backups):
        with pytest.raises(workbench.LibraryMissing):
            function(tmp_path / "none")
    with pytest.raises(TypeError, match=r"repair_library\(\) has no option 'trial'"):
        workbench.repair_library(tmp_path, trial=True)  # type: ignore[call-arg]
