"""Ingestion doctor: symptoms of real documents, lengths of their chunks, and remedies."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench import operations
from workbench.model.diagnosis import Diagnosis, Gravity, Remedy, page_words, symptoms_of, to_be_treated, troubles
from workbench.model.document import Document, DocumentStatus, FailureKind, Finding, FindingKind, Metadata, PageKind
from workbench.operations import Library
from workbench.parsing.parser_registry import current_version
from workbench.parsing.sandboxed import SandboxedParser

Run = Callable[[Any], Any]
READY = Document(1, "default", "/a.pdf", "a.pdf", "", 1, "pdf", DocumentStatus.READY, Metadata("A"), 9, 5, 5)


def diagnosed(library: Library, run: Run, path: Path) -> Diagnosis:
    run(operations.add_documents(library, [path]))
    diagnosis: Diagnosis = run(operations.diagnose(library, run(operations.list_documents(library))[-1].id))
    return diagnosis


def test_every_chunk_is_in_the_histogram_and_the_bars_join(library: Library, run: Run, papers: Path) -> None:
    path = papers / "long.md"
    path.write_text("# Long\n\n" + "\n\n".join(f"Sentence {n} says that {n} is a number." for n in range(400)), "utf-8")
    diagnosis = diagnosed(library, run, path)
    assert sum(bar.chunks for bar in diagnosis.bars) == diagnosis.document.chunks
    assert [bar.high + 1 for bar in diagnosis.bars[:-1]] == [bar.low for bar in diagnosis.bars[1:]]
    assert (diagnosis.window, diagnosis.beyond) == (256, 0)


def test_a_code_block_longer_than_the_embedding_model_sees_is_reported_with_its_share(
    library: Library, run: Run, papers: Path
) -> None:
    path = papers / "code.md"
    path.write_text(
        "# Code\n\n```python\n" + "\n".join(f"value_{n} = {n} * {n}" for n in range(400)) + "\n```\n", "utf-8"
    )
    diagnosis = diagnosed(library, run, path)
    assert diagnosis.beyond >= 1
    assert 0 < diagnosis.beyond_share < 1
    assert any("longer than the embedding model reads" in symptom.title for symptom in diagnosis.symptoms)


def test_paragraphs_that_repeat_are_counted_and_quoted(library: Library, run: Run, papers: Path) -> None:
    notice = "This message is confidential and meant for the person to whom it is addressed and for nobody else."
    path = papers / "mails.md"
    path.write_text("\n\n".join(f"# Mail {n}\n\nText of mail {n}.\n\n{notice}" for n in range(4)), "utf-8")
    symptom = next(one for one in diagnosed(library, run, path).symptoms if "repeated in it" in one.title)
    assert symptom.title.startswith("3 paragraphs")
    assert "4 times: “This message is confidential" in symptom.detail


def test_pages_without_text_are_named_and_can_be_read_by_ocr(library: Library, run: Run, tmp_path: Path) -> None:
    import pymupdf

    path = tmp_path / "half.pdf"
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The vault opens at seven in the morning, says the keeper of the keys.")
        pdf.new_page()
        pdf.save(path)
    symptoms = diagnosed(library, run, path).symptoms
    blank = next(symptom for symptom in symptoms if "without text" in symptom.title)
    assert (blank.pages, blank.remedy) == ((2,), Remedy.OCR)


def test_an_older_parser_version_is_reported_and_reading_the_document_again_fixes_it(
    library: Library, run: Run, papers: Path
) -> None:
    document = diagnosed(library, run, papers / "harbour.md").document
    with library.database.write() as connection:
        connection.execute("UPDATE documents SET parser_version = 0")
    (patient,) = run(operations.diagnose_library(library))
    assert [symptom.remedy for symptom in patient.symptoms] == [Remedy.READ_AGAIN]
    run(operations.reindex_documents(library, [document.id]))
    assert run(operations.diagnose_library(library)) == []
    assert library.documents.get(document.id).parser_version == current_version("markdown")


def test_a_healthy_document_has_no_symptom_that_matters(library: Library, run: Run, papers: Path) -> None:
    diagnosis = diagnosed(library, run, papers / "harbour.md")
    assert [one for one in diagnosis.symptoms if one.gravity is not Gravity.NOTE] == []


def test_a_locked_file_asks_for_its_password_and_a_broken_one_to_be_read_again() -> None:
    locked = dataclasses.replace(READY, status=DocumentStatus.LOCKED, chunks=0)
    broken = dataclasses.replace(READY, status=DocumentStatus.FAILED, reason="It is damaged.", chunks=0)
    assert [symptoms_of(one)[0].remedy for one in (locked, broken)] == [Remedy.UNLOCK, Remedy.READ_AGAIN]


@pytest.mark.parametrize("kind", list(FindingKind))
def test_every_finding_of_a_parser_has_words(kind: FindingKind) -> None:
    finding = Finding(kind, (1, 2, 3), 4, "something of note")
    (symptom,) = symptoms_of(dataclasses.replace(READY, findings=(finding,), page_kind=PageKind.SLIDE))
    assert symptom.title
    assert "page" not in f"{symptom.title} {symptom.detail}".lower()


def test_pictures_beside_text_can_be_read_but_make_no_patient(library: Library, run: Run, tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((72, 90), "The harbour master counted every lamp along the quay and wrote it down.")
        picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 120, 120))
        picture.clear_with(90)
        page.insert_image(pymupdf.Rect(72, 200, 192, 320), pixmap=picture)
        pdf.save(tmp_path / "figure.pdf")
    (symptom,) = diagnosed(library, run, tmp_path / "figure.pdf").symptoms
    assert (symptom.title, symptom.remedy, symptom.pages) == ("1 picture not read", Remedy.OCR, (1,))
    assert run(operations.diagnose_library(library)) == []


def test_a_scan_that_failed_offers_ocr_once() -> None:
    missing = Finding(FindingKind.NO_TEXT, (1, 2), 2)
    reason = "The file holds no text."
    failed = dataclasses.replace(READY, status=DocumentStatus.FAILED, reason=reason, chunks=0, findings=(missing,))
    assert [symptom.remedy for symptom in symptoms_of(failed)] == [None, Remedy.OCR]


def test_a_document_stopped_by_a_time_limit_is_offered_a_retry_with_more_time() -> None:
    failure = FailureKind.TIME
    failed = dataclasses.replace(READY, status=DocumentStatus.FAILED, reason="Slow.", failure=failure, chunks=0)
    cut = dataclasses.replace(
        READY, findings=(Finding(FindingKind.UNREAD, count=252),), reason="Slow.", failure=failure
    )
    skipped = dataclasses.replace(READY, findings=(Finding(FindingKind.SKIPPED, (7,), 1),))
    by_ocr = dataclasses.replace(READY, findings=(Finding(FindingKind.NO_TEXT, (7,), 1, "Slow.", failure),))
    for document in (failed, cut, skipped, by_ocr):
        symptom = to_be_treated(document)
        assert symptom is not None
        assert symptom.remedy is Remedy.MORE_TIME


def test_more_time_extends_the_limit_of_the_settings(
    library: Library, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    def limited(*args: Any, seconds: float, **more: Any) -> SandboxedParser:
        limits.append(seconds)
        return SandboxedParser(*args, seconds=seconds, **more)

    run(operations.add_documents(library, [papers]))
    monkeypatch.setattr("workbench.operations.imports.reader_process.SandboxedParser", limited)
    number = library.documents.list()[0].id
    for more_time in (False, True):
        run(operations.reindex_documents(library, [number], more_time=more_time))
    assert limits == [120, 1200]


LOST = (Finding(FindingKind.LOST_TABLES, (3,), 1), Finding(FindingKind.NO_TEXT, (4,), 1))


@pytest.mark.parametrize("status", [DocumentStatus.PARSING, DocumentStatus.INDEXED, DocumentStatus.EMBEDDING])
def test_while_a_document_is_read_the_user_has_nothing_to_treat(status: DocumentStatus) -> None:
    assert to_be_treated(dataclasses.replace(READY, status=status, findings=LOST, embedded=2)) is None


@pytest.mark.parametrize(
    ("findings", "kinds", "remedy"),
    [
        (LOST, "pdf", Remedy.OCR),
        (LOST[:1], "pdf", Remedy.TABLES),
        (LOST[:1], "docx", None),
        (LOST[1:], "image", Remedy.OCR),
        (LOST[1:], "pptx", None),
        ((Finding(FindingKind.REPLACED, (1,), 7),), "txt", None),
        ((Finding(FindingKind.UNREAD, count=99),), "pdf", Remedy.READ_AGAIN),
    ],
)
def test_a_read_document_names_only_what_the_user_can_treat(
    findings: tuple[Finding, ...], kinds: str, remedy: Remedy | None
) -> None:
    symptom = to_be_treated(dataclasses.replace(READY, format=kinds, findings=findings))
    assert (symptom.remedy if symptom else None) == remedy


def test_advice_that_the_program_cannot_carry_out_is_named_too() -> None:
    symptom = to_be_treated(dataclasses.replace(READY, findings=(Finding(FindingKind.ENCODING, detail="big5"),)))
    assert symptom is not None
    assert "save the file as UTF-8" in symptom.detail


def test_a_document_whose_embedding_failed_is_in_trouble_but_not_to_be_treated_alone() -> None:
    failed = dataclasses.replace(READY, status=DocumentStatus.INDEXED, embedded=2, reason="The model is gone.")
    assert [symptom.remedy for symptom in troubles(failed)] == [Remedy.EMBED]
    assert to_be_treated(failed) is None


def test_documents_that_an_import_works_on_are_no_patients(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers / "harbour.md"]))
    (document,) = library.documents.list()
    with library.database.write() as connection:
        connection.execute("UPDATE documents SET embedded = 0, status = 'indexed'")
    assert [one.document.id for one in run(operations.diagnose_library(library))] == [document.id]
    library.active.add(document.id)
    assert run(operations.diagnose_library(library)) == []


def test_the_most_severe_symptom_comes_first() -> None:
    findings = (Finding(FindingKind.TABLES, (1,), 2), Finding(FindingKind.ENCODING, detail="big5"))
    symptoms = symptoms_of(dataclasses.replace(READY, findings=(*findings, Finding(FindingKind.GARBLED, (4,)))))
    assert [symptom.gravity for symptom in symptoms] == [Gravity.PROBLEM, Gravity.WARNING, Gravity.NOTE]


def test_pages_are_named_in_runs() -> None:
    assert page_words(PageKind.PAGE, (4,)) == "page 4"
    assert page_words(PageKind.PAGE, (1, 3, 4, 5, 9)) == "pages 1, 3–5 and 9"
    assert page_words(PageKind.SHEET, tuple(range(1, 80, 2))).endswith("21, 23 …")
