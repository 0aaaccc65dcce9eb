"""Documents meant by the words of a request."""

import pytest

from workbench.model.document import Document, DocumentStatus, Metadata
from workbench.retrieval.document_names import referenced_documents


def document(number: int, name: str, title: str = "", *, author: str = "", format: str = "pdf") -> Document:
    about = Metadata(title or name.rpartition(".")[0], author)
    return Document(number, "default", f"/x/{name}", name, str(number), 1, format, DocumentStatus.READY, about)


SHELF = (
    document(1, "corran-gate-maintenance.zh.md", "科兰潮汐闸门及水质浮标维护规程", format="markdown"),
    document(2, "forum-minutes.txt", format="text"),
    document(3, "harbour-survey.pdf", "Vessmark Harbour Condition Survey 2025", author="Vessmark Harbour Authority"),
    document(4, "merewake-m4-manual.md", "Merewake M4 Sonde – Operating Manual", format="markdown"),
)
ALL = (1, 2, 3, 4)


def meant(said: str) -> tuple[int, ...] | None:
    found = referenced_documents(said, SHELF)
    return tuple(one.id for one in found.documents) if found else None


@pytest.mark.parametrize(
    "said",
    [
        "",
        "this",
        "it",
        "everything",
        "all documents",
        "my library",
        "this report",
        "the two files",
        "这份报告",
        "全部文件",
    ],
)
def test_words_that_only_point_mean_all_documents(said: str) -> None:
    assert meant(said) == ALL


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("the survey", 3),
        ("the harbour condition survey", 3),
        ("the Vessmark survey 2025", 3),
        ("harbor survey", 3),
        ("harbour-survey.pdf", 3),
        ("@harbour-survey.pdf", 3),
        ("“Vessmark Harbour Condition Survey 2025”", 3),
        ("#3", 3),
        ("the PDF", 3),
        ("the minutes of the last meeting", 2),
        ("the sonde manual", 4),
        ("维护规程", 1),
        ("这份规程", 1),
    ],
)
def test_a_document_is_referenced_by_words_of_its_name_or_title(said: str, number: int) -> None:
    assert meant(said) == (number,)


@pytest.mark.parametrize(
    "said", ["oxygen", "the oxygen problem", "oxygen levels in the survey", "Corran Gate", "闸门", "report.pdf"]
)
def test_a_subject_that_no_document_is_called_by_means_none(said: str) -> None:
    assert meant(said) is None


@pytest.mark.parametrize(
    ("said", "part", "numbers"),
    [
        ("chapter 3 of the survey", "chapter 3", (3,)),
        ("规程的第三章", "第三章", (1,)),
        ("section 2.1", "section 2.1", ALL),
    ],
)
def test_a_part_of_a_document_is_separated_from_the_document(said: str, part: str, numbers: tuple[int, ...]) -> None:
    found = referenced_documents(said, SHELF)
    assert found is not None
    assert (found.part, tuple(one.id for one in found.documents)) == (part, numbers)


def test_all_documents_of_one_kind_are_referenced_unless_one_is_named_exactly() -> None:
    reports = (document(1, "annual report 2021.pdf"), document(2, "annual report 2022.pdf"), document(3, "notes.txt"))
    both = referenced_documents("the annual reports", reports)
    later = referenced_documents("the annual report 2022", reports)
    assert both is not None
    assert [one.id for one in both.documents] == [1, 2]
    assert later is not None
    assert [one.id for one in later.documents] == [2]


def test_no_document_is_referenced_in_an_empty_library() -> None:
    assert referenced_documents("this", ()) is None
