"""Abbreviations defined by the documents of a library, found by either form, as long as the documents exist."""

from collections.abc import Callable

import pytest
from store_content import Add

from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.store.abbreviation_table import AbbreviationTable, fill_in_later, phrase_of
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.recycle_bin import RecycleBin

RATE = "Free cash flow conversion (FCFC) rose.\n"


@pytest.fixture
def abbreviations(database: Database) -> AbbreviationTable:
    return AbbreviationTable(database)


@pytest.fixture
def defined(abbreviations: AbbreviationTable) -> Callable[..., list[tuple[str, str]]]:
    def found(*forms: str, filter: ChunkFilter = EVERYTHING) -> list[tuple[str, str]]:
        return [(one.short, one.long) for one in abbreviations.defined(forms, filter)]

    return found


Defined = Callable[..., list[tuple[str, str]]]


def test_a_definition_is_found_by_its_short_and_by_its_long_form(add: Add, defined: Defined) -> None:
    add(RATE)
    assert (
        defined("FCFC") == defined(phrase_of("free cash flows conversion")) == [("FCFC", "Free cash flow conversion")]
    )
    assert defined("fcfc", "cash flow") == []


def test_the_usual_meanings_of_a_short_form_go_first_and_no_more_than_two_are_given(add: Add, defined: Defined) -> None:
    for number in range(3):
        add(f"Physical education (PE) is taught. {number}\n", path=f"{number}.txt")
    for number, text in enumerate(("price to earnings (PE)", "price to earnings (PE), again", "plain edges (PE)")):
        add(f"{text}\n", path=f"other{number}.txt")
    assert [long for _, long in defined("PE")] == ["Physical education", "price to earnings"]


def test_documents_that_a_filter_leaves_out_define_nothing(add: Add, defined: Defined) -> None:
    add(RATE, knowledge_base="reports")
    add("A knowledge base of its own.\n", path="other.txt", knowledge_base="other")
    assert defined("FCFC", filter=ChunkFilter(knowledge_base="other")) == []
    assert defined("FCFC", filter=ChunkFilter(knowledge_base="reports")) != []


def test_definitions_go_with_their_document(
    add: Add, defined: Defined, documents: DocumentStore, bin: RecycleBin, abbreviations: AbbreviationTable
) -> None:
    document = add(RATE)
    documents.mark_removed([document.id])
    assert defined("FCFC") == []
    documents.restore([document.id])
    assert defined("FCFC") != []
    documents.mark_removed([document.id])
    bin.purge([document.id])
    assert abbreviations.of_document(document.id) == []


def test_documents_of_earlier_versions_are_looked_through_even_beside_one_that_is_damaged(
    add: Add, defined: Defined, abbreviations: AbbreviationTable, database: Database
) -> None:
    add(RATE)
    damaged = add("Emissions trading scheme (ETS).\n", path="damaged.txt")
    with database.write() as connection:
        connection.execute("DELETE FROM abbreviations")
        connection.execute("UPDATE contents SET text = X'00ff' WHERE document = ?", (damaged.id,))
        fill_in_later(connection)
    abbreviations.fill_in(lambda: True)
    assert defined("FCFC") == []
    abbreviations.fill_in(lambda: False)
    assert defined("FCFC", "ETS") == [("FCFC", "Free cash flow conversion")]
