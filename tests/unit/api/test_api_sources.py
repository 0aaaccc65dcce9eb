"""Documents from other sources than plain files, and the options for adding them, from a script."""

import sqlite3
from pathlib import Path

import pymupdf
import pytest
from web_site import Site, body, page

import workbench


def locked_pdf(path: Path) -> Path:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "The harbour of Lindhamn froze in 1893.")
        document.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="sesame")
    return path


def outcomes(files: list[workbench.FileFinished]) -> list[str]:
    return [file.outcome.value for file in files]


def test_a_text_a_name_and_tags(library: workbench.Library) -> None:
    (file,) = library.add(text="The ferry stays in port.", name="Ferry", tags="weather")
    (document,) = library.documents()
    assert (file.outcome, document.name, document.tags) == (workbench.FileOutcome.READY, "Ferry", ("weather",))
    assert [hit.document_name for hit in library.search("ferry", filter="tag:weather").hits] == ["Ferry"]


def test_b9_several_texts_are_several_documents(library: workbench.Library) -> None:
    library.knowledge().insert_many(texts=["The ferry stays in port.", "The harbour froze."])
    assert len(library.documents()) == 2


def test_a_web_page_by_its_address(library: workbench.Library) -> None:
    library.settings.set("allow_private_addresses", True)
    with Site({"/ice": body(page("Ice", "The harbour of Lindhamn froze in 1893."))}) as site:
        files = library.add([site.url("/ice"), site.url("/none")])
    assert sorted(outcomes(files)) == ["failed", "ready"]
    assert library.search("frozen harbour").hits[0].document_title == "Ice"


def test_a_database_is_asked(library: workbench.Library, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "ships.db") as connection:
        connection.execute("CREATE TABLE ships (name TEXT)")
        connection.execute("INSERT INTO ships VALUES ('Merewake')")
    connection.close()
    library.add(query="SELECT name FROM ships", database=str(tmp_path / "ships.db"), name="Ships")
    assert [hit.document_name for hit in library.search("Merewake").hits] == ["Ships"]


def test_b10_b13_patterns_and_a_password(library: workbench.Library, tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    locked_pdf(shelf / "locked.pdf")
    for name in ("note.md", "draft.md"):
        (shelf / name).write_text(f"# The {name} of the harbour\n\nIce.", "utf-8")
    library.add(shelf, include=["*.pdf", "*.md"], exclude="draft*", password="sesame")
    assert sorted(document.name for document in library.documents()) == ["locked.pdf", "note.md"]
    assert {document.status.value for document in library.documents()} == {"ready"}


def test_a_locked_file_is_unlocked_later(library: workbench.Library, tmp_path: Path) -> None:
    assert outcomes(library.add(locked_pdf(tmp_path / "locked.pdf"))) == ["locked"]
    assert outcomes(library.unlock("sesame", "locked.pdf")) == ["ready"]


def test_a_file_is_given_a_title(library: workbench.Library, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The harbour froze.", "utf-8")
    library.knowledge().insert(path=tmp_path / "a.md", name="Ice")
    assert library.document("a.md").metadata.title == "Ice"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "nothing to add"),
        ({"text": ""}, "nothing to add"),
        ({"query": "SELECT 1"}, "its database"),
        ({"text": ["a", "b"], "name": "Both"}, "one by one"),
    ],
)
def test_b14_input_that_cannot_be_added_raises_a_value_error(
    library: workbench.Library, options: dict, told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        library.add(**options)


def test_an_option_name_of_another_library_raises_an_error_with_our_name_for_it(library: workbench.Library) -> None:
    with pytest.raises(TypeError, match="Did you mean 'text'"):
        library.knowledge().insert(text_content="Ice.")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'paths' takes a path or several, not 5"):
        library.add([5])  # type: ignore[list-item]
