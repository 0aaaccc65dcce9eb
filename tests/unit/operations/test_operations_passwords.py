"""Locked files: they wait for their password, one password opens all files that it fits, and the keyring stores it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keyring.errors
import pymupdf
import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.model.document import FailureKind
from workbench.operations import Library

Run = Callable[[Any], Any]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Return three locked files, two of them with the same password, and one that is open."""
    folder = tmp_path / "vault"
    folder.mkdir()
    for name, password in (("a", "sesame"), ("b", "sesame"), ("c", "other")):
        with pymupdf.open() as pdf:
            pdf.new_page().insert_text((72, 72), f"The vault {name} opens at seven in the morning.")
            pdf.save(folder / f"{name}.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=password, owner_pw="o")
    (folder / "note.md").write_text("# Note\n\nThe heron flew.\n", "utf-8")
    return folder


def _statuses(library: Library) -> dict[str, str]:
    return {document.name: document.status.value for document in library.documents.list()}


def test_b13_a_locked_file_waits_and_holds_nothing_up(library: Library, run: Run, vault: Path) -> None:
    files = run(operations.add_documents(library, [vault]))
    assert sorted(file.outcome.value for file in files) == ["locked", "locked", "locked", "ready"]
    assert _statuses(library) == {"a.pdf": "locked", "b.pdf": "locked", "c.pdf": "locked", "note.md": "ready"}
    locked = library.documents.list()[0]
    assert locked.failure is FailureKind.PASSWORD
    assert "password" in locked.reason
    assert "Enter password" in locked.hint


def test_b13_one_password_opens_every_file_that_it_fits(library: Library, run: Run, vault: Path) -> None:
    run(operations.add_documents(library, [vault]))
    files = run(operations.unlock_documents(library, "sesame"))
    assert sorted(file.outcome.value for file in files) == ["locked", "ready", "ready"]
    assert _statuses(library) == {"a.pdf": "ready", "b.pdf": "ready", "c.pdf": "locked", "note.md": "ready"}
    assert "wrong" in next(d.reason for d in library.documents.list() if d.name == "c.pdf")


def test_e2_the_password_travels_with_the_files(library: Library, run: Run, vault: Path) -> None:
    run(operations.add_documents(library, [vault], password="sesame"))
    assert _statuses(library)["a.pdf"] == "ready"
    assert _statuses(library)["c.pdf"] == "locked"


def test_a_locked_document_does_not_count_as_unfinished(library: Library, run: Run, vault: Path) -> None:
    run(operations.add_documents(library, [vault]))
    assert library.documents.unfinished() == []
    assert run(operations.resume_import(library)) == []


def test_a_remembered_password_opens_files_after_a_restart(
    tmp_path: Path, embedder: Embedder, run: Run, vault: Path, ring: Any
) -> None:
    library = Library.open(tmp_path / "library", embedder=embedder)
    run(operations.add_documents(library, [vault / "a.pdf"], password="sesame", remember_password=True))
    library.close()
    assert "sesame" in str(ring.entries)
    library = Library.open(tmp_path / "library", embedder=embedder)
    try:
        (file,) = run(operations.add_documents(library, [vault / "b.pdf"]))
        assert file.outcome.value == "ready"
        drawn = run(operations.page_image(library, library.documents.list()[0].id, 1))
        assert drawn.png.startswith(b"\x89PNG")
    finally:
        library.close()


def test_a_wrong_password_is_not_remembered(library: Library, run: Run, vault: Path, ring: Any) -> None:
    run(operations.add_documents(library, [vault], password="guess", remember_password=True))
    assert ring.entries == {}


def test_without_a_keyring_a_password_is_kept_as_long_as_the_library_is_open(
    library: Library, run: Run, vault: Path, ring: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(*_args: str) -> None:
        raise keyring.errors.NoKeyringError

    monkeypatch.setattr(ring, "set_password", refusing)
    run(operations.add_documents(library, [vault / "a.pdf"], password="sesame", remember_password=True))
    (file,) = run(operations.add_documents(library, [vault / "b.pdf"]))
    assert file.outcome.value == "ready"


def test_an_invalid_keyring_entry_of_another_program_is_ignored(
    library: Library, run: Run, vault: Path, ring: Any
) -> None:
    library.setting_values.set_state("library id", "x")
    ring.set_password("knowledge-workbench documents", "x", "not JSON")
    (file,) = run(operations.add_documents(library, [vault / "a.pdf"]))
    assert file.outcome.value == "locked"


def test_every_search_reports_the_documents_that_it_could_not_search(library: Library, run: Run, vault: Path) -> None:
    (vault / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    run(operations.add_documents(library, [vault]))
    seen = "Searched 1 of 5 documents. Not searched: 3 locked by a password and 1 not read (failed or cancelled)."
    assert run(operations.search(library, "heron")).coverage.sentence == seen
    assert run(operations.ask(library, "Where did the heron fly?")).coverage.sentence == seen
