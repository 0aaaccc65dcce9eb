"""Deceptive file names: read, displayed without deception, stored, exported and imported again."""

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hostile import NAMES

from workbench import operations
from workbench.export.base import ExportContext, no_page
from workbench.export.session_json import JsonExporter, rewritten
from workbench.model.hit import Citation, Hit
from workbench.model.visible import visible_name
from workbench.operations import Library

Run = Callable[[Any], Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    for number, name in enumerate(NAMES):
        stem = name if name.endswith((".md", ".txt")) else f"{name[:80]}.md"
        (made / stem).write_text(f"# Report {number}\n\nThe heron number {number} nests in willow {number}.\n", "utf-8")
    return made


def test_each_is_read_and_shown_on_one_line_with_nothing_unseen(library: Library, run: Run, folder: Path) -> None:
    finished = run(operations.add_documents(library, sorted(folder.iterdir())))
    assert {one.outcome.value for one in finished} == {"ready"}, [one for one in finished if one.reason]
    documents = run(operations.list_documents(library))
    assert len(documents) == len(NAMES)
    assert {document.name for document in documents} == {
        visible_name(Path(document.path).name) for document in documents
    }
    assert all(len(document.name.splitlines()) == 1 for document in documents)
    assert "photo⟨U+202E⟩gpj.exe.md" in {document.name for document in documents}
    # The path is that of the file, whatever its name is.
    assert all(Path(document.path).is_file() for document in documents)


def test_a_document_is_found_by_the_name_that_is_shown_and_by_its_own(library: Library, run: Run, folder: Path) -> None:
    run(operations.add_documents(library, sorted(folder.iterdir())))
    assert library.documents.find("photo\u202egpj.exe.md").id == library.documents.find("photo⟨U+202E⟩gpj.exe.md").id


def test_originals_are_kept_inside_the_library(library: Library, run: Run, folder: Path) -> None:
    run(operations.add_documents(library, sorted(folder.iterdir())))
    kept = [path for path in library.folder.rglob("*") if path.is_file() and path.read_bytes().startswith(b"# Report")]
    assert len(kept) == len(NAMES)
    assert all(path.resolve().is_relative_to(library.folder.resolve()) for path in kept)


def test_a_session_about_them_goes_into_a_bundle_and_comes_back(
    library: Library, run: Run, folder: Path, tmp_path: Path
) -> None:
    run(operations.add_documents(library, sorted(folder.iterdir())))
    answered = run(operations.ask(library, "Where does heron number 0 nest?"))
    for format in ("kwbundle", "md", "html", "docx", "json"):
        run(operations.export_session(library, answered.session, format, tmp_path / f"out.{format}"))
    with zipfile.ZipFile(tmp_path / "out.kwbundle") as bundle:
        for name in bundle.namelist():
            assert ".." not in name
            assert not name.startswith(("/", "\\", "-"))
            assert name.isprintable()
    again = run(operations.import_session(library, tmp_path / "out.kwbundle", documents=tmp_path / "taken"))
    assert again.info.runs == 1


def test_names_in_an_imported_session_contain_no_invisible_characters(
    library: Library, run: Run, papers: Path, tmp_path: Path
) -> None:
    run(operations.add_documents(library, [papers]))
    answered = run(operations.ask(library, "When did the harbour freeze?"))
    assert answered.citations
    session = library.sessions.get(answered.session)
    named = rewritten(
        session,
        lambda one: replace(one, document_name="photo\u202egpj.exe") if isinstance(one, Citation | Hit) else one,
    )
    named = replace(named, info=replace(named.info, title="title\u202eeltit"))
    file = tmp_path / "foreign.json"
    file.write_bytes(JsonExporter().render(named, ExportContext("0.1.0", "", "lib", no_page)))
    taken = run(operations.import_session(library, file))
    there = library.sessions.get(taken.info.id)
    assert {one.document_name for one in there.runs[0].citations} == {"photo⟨U+202E⟩gpj.exe"}
    assert there.info.title == "title⟨U+202E⟩eltit"


def test_invisible_characters_in_the_title_that_a_file_gives_itself_are_shown(
    library: Library, run: Run, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text("<title>photo\u202egpj</title><p>The heron nests in a willow.</p>", "utf-8")
    run(operations.add_documents(library, [page]))
    (document,) = run(operations.list_documents(library))
    assert document.metadata.title == "photo⟨U+202E⟩gpj"
    # The words of the title are searchable until it is changed.
    run(operations.edit_metadata(library, document.id, {"title": "Another"}))
    assert library.documents.get(document.id).metadata.title == "Another"
