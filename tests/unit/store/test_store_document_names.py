"""Names of documents, maintained by the schema's triggers after every kind of write."""

from pathlib import Path

from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.name_index import NameIndex
from workbench.store.name_words import name_words
from workbench.store.segmentation import stem


def add(database: Database, name: str, title: str = "", *, chunks: int = 1) -> int:
    documents = DocumentStore(database)
    sha256 = f"{len(documents.list()) + 1:064x}"
    number = documents.queue(Path("/d") / name, knowledge_base="default", sha256=sha256, size=1, format="pdf").id
    with database.write() as connection:
        connection.execute("UPDATE documents SET title = ?, chunks = ? WHERE id = ?", (title, chunks, number))
    return number


def test_a_year_that_is_glued_to_letters_is_a_word_of_its_own() -> None:
    assert {"2023", "2022"} <= {*name_words("JPMORGAN_2023Q2_10Q.pdf").split(), *name_words("FY2022.xlsx").split()}


def test_stop_words_and_lone_characters_name_nothing() -> None:
    assert name_words("The history of the 合同.txt").split() == [stem("history"), "合同"]


def test_a_document_is_found_by_its_name_and_its_title(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    names = NameIndex(database)
    number = add(database, "jones_contract.pdf", "Lease of the old mill")
    (called,) = names.called(stem("jones"), most=5)
    assert called.document == number
    assert called.name == {stem("jones"), "contract"}
    assert [one.document for one in names.called(stem("mill"), most=5)] == [number]
    assert names.frequencies(["contract", stem("mill"), "nowhere"]) == {"contract": 1, stem("mill"): 1}
    database.close()


def test_a_new_title_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    names = NameIndex(database)
    number = add(database, "a.pdf", "Lease")
    with database.write() as connection:
        connection.execute("UPDATE documents SET title = 'Deed' WHERE id = ?", (number,))
    assert names.called("leas", most=5) == names.called("lease", most=5) == []
    assert names.called("deed", most=5)
    with database.write() as connection:
        connection.execute("DELETE FROM documents")
    assert names.frequencies(["deed"]) == {}
    database.close()


def test_documents_in_the_bin_or_not_read_yet_are_not_found_by_name(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    names = NameIndex(database)
    binned, _unread = add(database, "deed one.pdf"), add(database, "deed two.pdf", chunks=0)
    DocumentStore(database).mark_removed([binned])
    assert names.called("deed", most=5) == []
    database.close()


def test_names_are_rebuilt_when_the_text_segmentation_has_changed(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    NameIndex(database)
    add(database, "deed.pdf")
    with database.write() as connection:
        connection.execute("UPDATE document_names SET name = 'old'")
        connection.execute("UPDATE remembered SET value = '1' WHERE key = 'named_by'")
    assert NameIndex(database).called("deed", most=5)
    database.close()
