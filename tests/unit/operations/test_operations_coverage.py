"""Coverage: every answer reports how much of the library was searchable."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pptx import Presentation

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.model.diagnosis import symptoms_of
from workbench.model.document import DocumentStatus, Finding, FindingKind
from workbench.model.hit import Coverage, SearchMode, narrowest
from workbench.model.run import Certainty
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.retrieval.filters.json_forms import filter_of
from workbench.store.document_rows import findings_value
from workbench.store.intake import IN_PART

Run = Callable[[Any], Any]


@pytest.mark.parametrize(
    ("coverage", "sentence"),
    [
        (Coverage(0), "There was no document to search."),
        (Coverage(1), "Searched the only document."),
        (Coverage(2960), "Searched all 2,960 documents."),
        (Coverage(1, by_keyword=1), "Searched the only document, only by keyword."),
        (Coverage(296, by_keyword=30), "Searched all 296 documents, 30 of them only by keyword."),
        (Coverage(9, locked=1), "Searched 8 of 9 documents. Not searched: 1 locked by a password."),
        (
            Coverage(296, by_keyword=30, waiting=150, locked=2, failed=24),
            "Searched 120 of 296 documents, 30 of them only by keyword."
            " Not searched: 150 still to be read, 2 locked by a password and 24 not read (failed or cancelled).",
        ),
        (Coverage(3, pages=13), "Searched 3 documents. Not searched: 13 pages without text."),
        (
            Coverage(1, pages=1, cut=1),
            "Searched 1 document. Not searched: 1 page without text and the end of 1 document.",
        ),
        (Coverage(3, not_embedded=1), "Searched 2 of 3 documents. Not searched: 1 still being prepared."),
    ],
)
def test_search_coverage_is_described_in_a_plain_sentence(coverage: Coverage, sentence: str) -> None:
    assert coverage.sentence == sentence


def test_of_several_searches_the_one_that_saw_least_counts() -> None:
    assert narrowest([Coverage(9), Coverage(9, by_keyword=4), Coverage(9, waiting=2)]) == Coverage(9, by_keyword=4)
    assert narrowest([Coverage(1), Coverage(9, pages=2)]) == Coverage(9, pages=2)
    assert narrowest([Coverage(9), Coverage(9, unreached=1)]) == Coverage(9, unreached=1)
    assert narrowest([]) is None


def test_a_complete_library_is_reported_as_fully_searched(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    found = run(operations.search(library, "ferry"))
    assert (found.coverage, found.notes) == (Coverage(2), ())
    kept = run(operations.ask(library, "How long did the ferry stay in port?"))
    assert (kept.coverage, kept.knowledge_base) == (Coverage(2), "")


def test_documents_without_vectors_are_counted_by_what_the_search_is(
    library: Library, run: Run, papers: Path, embedder: Embedder
) -> None:
    run(operations.add_documents(library, [papers]))
    first = library.documents.list()[0]
    with library.database.write() as connection:
        connection.execute("DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)", (first.id,))
        connection.execute("UPDATE documents SET embedded = 0 WHERE id = ?", (first.id,))
    seen = {
        mode: run(operations.search(library, "ferry", configuration=SearchConfiguration(mode))).coverage
        for mode in SearchMode
    }
    assert seen == {
        SearchMode.HYBRID: Coverage(2, by_keyword=1),
        SearchMode.DENSE: Coverage(2, not_embedded=1),
        SearchMode.KEYWORD: Coverage(2),
    }


def test_a_document_still_to_be_read_counts_only_where_it_is(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    run(operations.add_knowledge_base(library, "Other"))
    library.intake.set_status([library.documents.list()[0].id], DocumentStatus.QUEUED)
    with library.database.write() as connection:
        connection.execute("UPDATE documents SET chunks = 0, embedded = 0 WHERE status = 'queued'")
    assert run(operations.ask(library, "ferry?", knowledge_base="default")).coverage == Coverage(2, waiting=1)
    elsewhere = run(operations.ask(library, "ferry?", knowledge_base="Other"))
    assert (elsewhere.coverage, elsewhere.knowledge_base) == (Coverage(0), "Other")


def test_a_search_of_one_document_reports_no_coverage_of_the_others(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    one = filter_of({"name": "harbour.md"})
    assert run(operations.search(library, "ferry", filter=one)).coverage is None


def test_e32_a_question_about_an_unread_document_reports_that_it_is_still_to_be_read(
    library: Library, run: Run, papers: Path
) -> None:
    run(operations.add_documents(library, [papers]))
    document = next(one for one in library.documents.list() if one.name == "harbour.md")
    library.intake.set_status([document.id], DocumentStatus.QUEUED)
    with library.database.write() as connection:
        connection.execute("DELETE FROM chunks WHERE document = ?", (document.id,))
        connection.execute("UPDATE documents SET chunks = 0, embedded = 0 WHERE status = 'queued'")
    answer = run(operations.ask(library, "How long was the ferry in port?", filter=filter_of({"name": "harbour.md"})))
    assert (answer.certainty, answer.refused) == (Certainty.UNKNOWN, False)
    assert answer.answer.startswith("Not found in what was read so far.")


def leave_unread(library: Library, name: str, status: DocumentStatus) -> None:
    """Make a document one that was not read."""
    document = next(one for one in library.documents.list() if one.name == name)
    library.intake.set_status([document.id], status)
    with library.database.write() as connection:
        connection.execute("DELETE FROM chunks WHERE document = ?", (document.id,))
        connection.execute("UPDATE documents SET chunks = 0, embedded = 0 WHERE id = ?", (document.id,))


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (DocumentStatus.QUEUED, Coverage(2, waiting=1)),
        (DocumentStatus.FAILED, Coverage(2, failed=1)),
        (DocumentStatus.LOCKED, Coverage(2, locked=1)),
    ],
)
def test_a_filtered_search_with_hits_reports_the_unread_documents_of_its_filter(
    library: Library, run: Run, papers: Path, status: DocumentStatus, expected: Coverage
) -> None:
    run(operations.add_documents(library, [papers]))
    read, unread = library.documents.list()
    leave_unread(library, unread.name, status)
    among = filter_of({"name": [read.name, unread.name]})
    found = run(operations.search(library, "ferry", filter=among))
    assert (len(found.hits) > 0, found.coverage) == (True, expected)
    answer = run(operations.ask(library, "Who painted the Mona Lisa?", filter=among))
    assert (answer.certainty, answer.refused) == (Certainty.UNKNOWN, False)


@pytest.mark.parametrize("status", [DocumentStatus.FAILED, DocumentStatus.LOCKED])
def test_a_filtered_search_without_hits_reports_failed_and_locked_documents(
    library: Library, run: Run, papers: Path, status: DocumentStatus
) -> None:
    run(operations.add_documents(library, [papers]))
    leave_unread(library, "harbour.md", status)
    answer = run(operations.ask(library, "How long was the ferry in port?", filter=filter_of({"name": "harbour.md"})))
    assert (answer.certainty, answer.refused) == (Certainty.UNKNOWN, False)


@pytest.mark.parametrize("where", [{"author": "Nobody"}, {"page": 4}, {"title": "harbour"}])
def test_an_unread_document_counts_where_only_reading_tells_whether_it_passes_the_filter(
    library: Library, run: Run, papers: Path, where: dict[str, str]
) -> None:
    run(operations.add_documents(library, [papers]))
    leave_unread(library, "harbour.md", DocumentStatus.QUEUED)
    assert run(operations.search(library, "ferry", filter=filter_of(where))).coverage.waiting == 1


def test_an_unread_document_outside_the_filter_does_not_count(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    read, unread = library.documents.list()
    leave_unread(library, unread.name, DocumentStatus.QUEUED)
    assert run(operations.search(library, "ferry", filter=filter_of({"name": read.name}))).coverage is None


def put_findings(library: Library, document: int, findings: Sequence[Finding]) -> None:
    with library.database.write() as connection:
        value = findings_value(tuple(findings))
        connection.execute("UPDATE documents SET findings = ?, pages = 10 WHERE id = ?", (value, document))


def test_e32_a_scanned_document_that_waits_for_ocr_is_not_reported_as_searched(
    library: Library, run: Run, papers: Path
) -> None:
    run(operations.add_documents(library, [papers]))
    scan = library.documents.list()[0].id
    with library.database.write() as connection:
        connection.execute("DELETE FROM chunks WHERE document = ?", (scan,))
        connection.execute("UPDATE documents SET status = 'indexed', chunks = 0, embedded = 0 WHERE id = ?", (scan,))
    answer = run(operations.ask(library, "Who painted the Mona Lisa?"))
    assert (answer.coverage, answer.certainty) == (Coverage(2, waiting=1), Certainty.UNKNOWN)
    assert answer.answer.startswith("Not found in what was read so far.")


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ([Finding(FindingKind.NO_TEXT, (3, 4, 5), 3)], Coverage(2, pages=3)),
        ([Finding(FindingKind.GARBLED, (3, 4), 2), Finding(FindingKind.OCR, (4,), 1)], Coverage(2, pages=1)),
        ([Finding(FindingKind.SKIPPED, (9,), 1), Finding(FindingKind.UNREAD, count=252)], Coverage(2, pages=243)),
        ([Finding(FindingKind.TRUNCATED, detail="rows after the 100,000th")], Coverage(2, cut=1)),
        ([Finding(FindingKind.IMAGES, (2,), 1), Finding(FindingKind.OCR, (3,), 1)], Coverage(2)),
    ],
)
def test_e32_pages_without_text_are_counted_as_not_searched(
    library: Library, run: Run, papers: Path, findings: list[Finding], expected: Coverage
) -> None:
    run(operations.add_documents(library, [papers]))
    put_findings(library, library.documents.list()[0].id, findings)
    answer = run(operations.ask(library, "Who painted the Mona Lisa?"))
    assert answer.coverage == expected
    assert answer.certainty is (Certainty.NOT_FOUND if expected.is_complete else Certainty.UNKNOWN)


def test_a_slide_that_is_only_a_picture_is_not_reported_as_searched(library: Library, run: Run, tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), "red").save(tmp_path / "a.png")
    made = Presentation()
    for text in ("The ferry stayed in port.", ""):
        slide = made.slides.add_slide(made.slide_layouts[6])
        if text:
            slide.shapes.add_textbox(0, 0, 99, 99).text_frame.text = text
        slide.shapes.add_picture(str(tmp_path / "a.png"), 0, 0)
    made.save(str(tmp_path / "talk.pptx"))
    run(operations.add_documents(library, [tmp_path / "talk.pptx"]))
    answer = run(operations.ask(library, "Who painted the Mona Lisa?"))
    assert (answer.coverage, answer.certainty) == (Coverage(1, pages=1), Certainty.UNKNOWN)
    (symptom,) = (one for one in symptoms_of(library.documents.list()[0]) if one.title == "1 slide without text")
    assert (symptom.remedy, "save the presentation as a PDF" in symptom.detail) == (None, True)
    assert run(operations.prioritise_unread(library)) == 0


def test_e32_a_question_about_one_document_reports_only_its_own_unread_pages(
    library: Library, run: Run, papers: Path
) -> None:
    run(operations.add_documents(library, [papers]))
    for number, document in enumerate(library.documents.list()):
        put_findings(library, document.id, [Finding(FindingKind.NO_TEXT, tuple(range(1, 2 + number)), 1 + number)])
    name = library.documents.list()[0].name
    assert run(operations.search(library, "ferry", filter=filter_of({"name": name}))).coverage == Coverage(1, pages=1)


def test_counting_unread_pages_reads_an_index_and_no_table_of_a_hundred_thousand_rows(library: Library) -> None:
    with library.database.read() as connection:
        rows = connection.execute(f"EXPLAIN QUERY PLAN SELECT findings FROM documents WHERE {IN_PART}").fetchall()
    assert any("USING INDEX documents_in_part" in row[3] for row in rows)


def test_e32_documents_that_a_search_could_not_cover_are_read_first_even_if_imports_are_paused(
    library: Library, run: Run, papers: Path
) -> None:
    run(operations.add_documents(library, [papers]))
    _first, second = (document.id for document in library.documents.list())
    put_findings(library, second, [Finding(FindingKind.NO_TEXT, (3,), 1)])
    library.active.add(second)
    run(operations.pause_imports(library))
    steered = Steered()
    with library.queue.steering(steered):
        assert run(operations.prioritise_unread(library)) == 1
    assert (steered.firsts, library.queue.paused) == ([second], False)


def test_documents_that_a_question_is_about_are_read_before_the_others(
    library: Library, run: Run, papers: Path
) -> None:
    run(operations.add_documents(library, [papers]))
    numbers = {document.name: document.id for document in library.documents.list()}
    library.active.update(numbers.values())
    steered = Steered()
    with library.queue.steering(steered):
        run(operations.search(library, "ferry", filter=filter_of({"name": "harbour.md"})))
    assert steered.firsts == [numbers["harbour.md"]]


class Steered:
    """An import that records which documents it is to read first."""

    def __init__(self) -> None:
        self.firsts: list[int] = []

    def wake(self) -> None:
        """Do nothing."""

    def first(self, documents: Iterable[int]) -> None:
        """Record the documents."""
        self.firsts += documents

    def cancel(self, documents: Iterable[int]) -> None:
        """Do nothing."""
