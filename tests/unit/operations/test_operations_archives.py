"""ZIP archives in a library: members as documents, changed and deleted members, passwords, choices."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import pyzipper

from workbench import operations
from workbench.model.document import DocumentStatus, Origin
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.operations import Library

Run = Callable[[Any], Any]


def _zip(path: Path, contents: dict[str, str], *, age: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    os.utime(path, ns=(1_700_000_000_000_000_000 + age, 1_700_000_000_000_000_000 + age))
    return path


def _outcomes(files: list[FileFinished], below: Path) -> dict[str, str]:
    return {Path(file.path).relative_to(below).as_posix(): file.outcome.value for file in files}


def _texts(library: Library) -> dict[str, str]:
    return {document.name: library.documents.text(document.id) for document in library.documents.list()}


def test_each_member_of_an_archive_is_a_document(library: Library, run: Run, tmp_path: Path) -> None:
    path = _zip(tmp_path / "Deals.zip", {"2024/offer.md": "# Offer\n\nWe offer 12 boats.", "note.txt": "Call Anna."})
    run(operations.add_documents(library, [path]))
    offer, note = library.documents.list()
    assert (offer.path, offer.name, offer.folder) == (f"{path}/2024/offer.md", "offer.md", "Deals.zip/2024")
    assert (note.folder, note.origin, note.status) == ("Deals.zip", Origin.ARCHIVE, DocumentStatus.READY)
    assert [hit.document_name for hit in run(operations.search(library, "How many boats?")).hits][:1] == ["offer.md"]
    assert not list(library.folder.glob("unpacked/*"))


def test_archives_in_a_folder_are_opened_too(library: Library, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "Contracts"
    (folder / "old").mkdir(parents=True)
    _zip(folder / "old" / "a.zip", {"in/x.md": "A lease of nine years."})
    run(operations.add_documents(library, [folder]))
    (document,) = library.documents.list()
    assert document.folder == "Contracts/old/a.zip/in"


def test_members_that_cannot_be_read_are_named_one_by_one(library: Library, run: Run, tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", {"run.exe": "MZ", "empty.md": "", "good.md": "Good.", "bomb.txt": "0" * 40 * 2**20})
    files = run(operations.add_documents(library, [path]))
    assert _outcomes(files, path) == {
        "bomb.txt": "failed", "empty.md": "failed", "good.md": "ready", "run.exe": "skipped",
    }  # fmt: skip
    assert all(file.reason.endswith(".") for file in files if file.outcome is not FileOutcome.READY)


def test_b8_an_unchanged_archive_is_not_unpacked_again(
    library: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _zip(tmp_path / "a.zip", {f"{n}.md": f"Note {n}." for n in range(20)})
    run(operations.add_documents(library, [path]))
    monkeypatch.setattr("workbench.operations.imports.archives._Archive.unpack", None)
    files = run(operations.add_documents(library, [path]))
    assert [file.outcome for file in files] == [FileOutcome.UNCHANGED] * 20


def test_b8_a_changed_archive_replaces_what_changed(library: Library, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    _zip(path, {"same.md": "The same.", "changed.md": "Before.", "gone.md": "Gone.", "renamed.md": "Only the name."})
    run(operations.add_documents(library, [path]))
    before = {document.name: document.id for document in library.documents.list()}
    _zip(path, {"same.md": "The same.", "changed.md": "After it.", "other.md": "Only the name."}, age=5)
    run(operations.add_documents(library, [path]))
    after = {document.name: document.id for document in library.documents.list()}
    assert _texts(library) == {"same.md": "The same.", "changed.md": "After it.", "other.md": "Only the name."}
    assert after["same.md"] == before["same.md"]
    assert after["changed.md"] == before["changed.md"]
    assert after["other.md"] == before["renamed.md"]


def test_a_file_that_is_also_in_an_archive_is_one_document_at_either_place(
    library: Library, run: Run, tmp_path: Path
) -> None:
    path = _zip(tmp_path / "a.zip", {"note.md": "Twice."})
    (tmp_path / "note.md").write_text("Twice.")
    run(operations.add_documents(library, [path]))
    (file,) = run(operations.add_documents(library, [tmp_path / "note.md"]))
    assert (file.outcome, file.reason) == (FileOutcome.UNCHANGED, "Same content as “note.md”.")
    (document,) = library.documents.list()
    assert document.path == f"{path}/note.md"


def test_a_broken_archive_does_not_stop_the_others(library: Library, run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 nothing")
    good = _zip(tmp_path / "good.zip", {"a.md": "Good."})
    files = run(operations.add_documents(library, [tmp_path / "broken.zip", good]))
    assert _outcomes(files, tmp_path) == {"broken.zip": "failed", "good.zip/a.md": "ready"}


def test_an_empty_archive_is_reported(library: Library, run: Run, tmp_path: Path) -> None:
    (file,) = run(operations.add_documents(library, [_zip(tmp_path / "a.zip", {})]))
    assert (file.outcome, "no file" in file.reason) == (FileOutcome.SKIPPED, True)


def _locked(path: Path) -> Path:
    with pyzipper.AESZipFile(path, "w", encryption=pyzipper.WZ_AES) as archive:
        archive.setpassword(b"sesame")
        archive.writestr("secret.md", "The vault opens at seven.")
    return path


def test_b13_members_of_a_locked_archive_wait_for_the_password(library: Library, run: Run, tmp_path: Path) -> None:
    path = _locked(tmp_path / "a.zip")
    run(operations.add_documents(library, [path], password="wrong"))
    (document,) = library.documents.list()
    assert (document.status, "a.zip" in document.reason) == (DocumentStatus.LOCKED, True)
    run(operations.add_documents(library, [path], password="sesame"))
    assert _texts(library) == {"secret.md": "The vault opens at seven."}


def test_b13_one_prompt_opens_all_members_of_a_locked_archive(library: Library, run: Run, tmp_path: Path) -> None:
    run(operations.add_documents(library, [_locked(tmp_path / "a.zip")]))
    run(operations.unlock_documents(library, "wrong"))
    assert [document.status for document in library.documents.list()] == [DocumentStatus.LOCKED]
    run(operations.unlock_documents(library, "sesame"))
    assert [document.status for document in library.documents.list()] == [DocumentStatus.READY]


def test_members_that_were_queued_when_the_program_ended_are_read_at_the_next_start(
    library: Library, run: Run, tmp_path: Path
) -> None:
    path = _zip(tmp_path / "a.zip", {"in/note.md": "Read later."})
    (member,) = library.archives.members(path)
    library.intake.queue("default", {member.path: (member.stamp, "a.zip/in")}, archived={member.path})
    run(operations.resume_import(library))
    assert _texts(library) == {"note.md": "Read later."}


def test_an_archive_that_vanished_before_it_was_read_is_reported(library: Library, run: Run, tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", {"note.md": "Gone."})
    (member,) = library.archives.members(path)
    library.intake.queue("default", {member.path: (member.stamp, "a.zip")}, archived={member.path})
    path.unlink()
    run(operations.resume_import(library))
    (document,) = library.documents.list()
    assert (document.status, "does not exist" in document.reason) == (DocumentStatus.FAILED, True)


def test_b10_patterns_choose_among_members(library: Library, run: Run, tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", {"a.md": "One.", "b.txt": "Two.", "drafts/c.md": "Three."})
    run(operations.add_documents(library, [path], include=["*.md"], exclude=["drafts/*"]))
    assert [document.name for document in library.documents.list()] == ["a.md"]
