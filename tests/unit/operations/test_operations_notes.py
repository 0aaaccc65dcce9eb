"""Notes: typed text as documents."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import DiskFull, EmptyDocument, LibraryError, LibraryUnwritable, NotFound
from workbench.model.document import DocumentStatus, Origin
from workbench.model.import_progress import FileOutcome
from workbench.model.visible import visible_name
from workbench.operations import Library
from workbench.operations.imports.notes import first_words
from workbench.operations.imports.temp_files import write_staged

Run = Callable[[Any], Any]


def test_b9_three_unnamed_notes_leave_three_documents(library: Library, run: Run) -> None:
    for text in ("The harbour froze in 1987.", "The ferry is called Aurora.", "The keeper is Ottilia Brandt."):
        run(operations.add_note(library, text))
    notes = library.documents.list()
    assert [note.name for note in notes] == [
        "The harbour froze in 1987.", "The ferry is called Aurora.", "The keeper is Ottilia Brandt."
    ]  # fmt: skip
    assert {(note.status, note.origin) for note in notes} == {(DocumentStatus.READY, Origin.NOTE)}


def test_b9_the_same_text_added_twice_stays_one_note_and_is_reported(library: Library, run: Run) -> None:
    run(operations.add_note(library, "Milk and bread.", title="Shopping"))
    [again] = run(operations.add_note(library, "Milk and bread.\r\n", title="Another"))
    assert (again.outcome, again.reason) == (FileOutcome.UNCHANGED, "You have this note already: “Shopping”.")
    assert len(library.documents.list()) == 1


def test_a_note_is_markdown_and_is_found(library: Library, run: Run) -> None:
    run(operations.add_note(library, "# Ports\n\nThe **ferry** Aurora stayed in port.\n\n- ice\n- wind"))
    [hit] = run(operations.search(library, "Which ferry stayed?")).hits
    assert hit.document_name == "Ports"
    assert hit.chunk.headings == ("Ports",)


def test_a_note_can_be_read_and_edited(library: Library, run: Run) -> None:
    [first] = run(operations.add_note(library, "The harbour froze in 1987.", title="Ice"))
    assert run(operations.note_text(library, first.document)) == "The harbour froze in 1987.\n"
    [second] = run(operations.edit_note(library, first.document, "The harbour froze in 1963.", title="Old ice"))
    assert (second.outcome, second.document) == (FileOutcome.READY, first.document)
    [note] = library.documents.list()
    assert (note.name, library.documents.text(note.id)) == ("Old ice", "The harbour froze in 1963.\n")
    assert run(operations.note_text(library, note.id)) == "The harbour froze in 1963.\n"


def test_an_emptied_note_is_refused_and_stays(library: Library, run: Run) -> None:
    [first] = run(operations.add_note(library, "Keep me."))
    with pytest.raises(EmptyDocument):
        run(operations.edit_note(library, first.document, "  \n"))
    assert library.documents.text(first.document) == "Keep me.\n"


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_an_empty_note_is_refused(library: Library, run: Run, text: str) -> None:
    with pytest.raises(EmptyDocument):
        run(operations.add_note(library, text))
    assert library.documents.list() == []


def test_only_notes_are_edited(library: Library, run: Run, papers: Any) -> None:
    [file] = run(operations.add_documents(library, [papers / "harbour.md"]))
    with pytest.raises(NotFound, match="not a note"):
        run(operations.edit_note(library, file.document, "x"))


@pytest.mark.parametrize("title", ['a/b: "c"', "..", "\u202egnp", "x" * 300, "港" * 100])
def test_any_title_will_do(library: Library, run: Run, title: str) -> None:
    [note] = run(operations.add_note(library, "Text.", title=title))
    assert note.outcome is FileOutcome.READY
    assert library.documents.get(note.document).name == visible_name(title)


def test_half_a_character_does_no_harm(library: Library, run: Run) -> None:
    [note] = run(operations.add_note(library, "broken \ud83d emoji"))
    assert note.outcome is FileOutcome.READY


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Ports of the **north**\n\nText", "Ports of the north"),
        ("\n\n- `milk`\n- bread", "milk"),
        ("word " * 30, "word word word word word word word word word word word word…"),
        ("x" * 100, "x" * 60 + "…"),
        ("***", "Note"),
    ],
)
def test_a_note_without_a_title_is_named_by_its_first_words(text: str, words: str) -> None:
    assert first_words(text) == words


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        (errno.ENOSPC, DiskFull, "The disk is full"),
        (errno.EDQUOT, DiskFull, "The disk is full"),
        (errno.EACCES, LibraryUnwritable, os.strerror(errno.EACCES)),
        (errno.EIO, LibraryUnwritable, os.strerror(errno.EIO)),
    ],
)
def test_a_text_that_cannot_be_written_before_it_is_read_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, kind: type[LibraryError], reason: str
) -> None:
    def fail(_path: Path, _data: bytes) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(kind, match=reason):
        write_staged(tmp_path / "note.md", b"Ice")
