"""Contract of every exporter; a registered format is added to FORMATS."""

import io
import zipfile
from dataclasses import replace

import pymupdf
import pytest

from workbench.export.base import ExportContext, Exporter
from workbench.export.format_registry import exporter_for, formats
from workbench.export.session_parts import trim_session
from workbench.model.hit import Citation, Reference
from workbench.model.run import Run, RunStatus
from workbench.model.session import CitedDocument, Part, Session, SessionInfo

QUOTE = "The north quay stands on 212 piles."
CONTEXT = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "library", lambda _citation: None)


def session(
    *, status: RunStatus = RunStatus.COMPLETED, answer: str = "It stands on 212 piles [1].", runs: int = 1
) -> Session:
    citations = (Citation(1, True, 1, "quay.pdf", "/quay.pdf", 3, 9, 2, 40, 75, QUOTE, "0" * 64, 24, 27, ("Quay",)),)
    times = ("2026-11-20T10:00:00+00:00", "2026-11-20T10:00:01+00:00")
    made = Run(1, 1, "What carries it?", "offline", "", status, answer, False, times[0], 0.5, citations, (), (), "", "")
    missing = Run(
        2, 1, "And this?", "offline", "", status, answer, False, times[0], 0.5, (), (Reference("x", (), 0.1),), ()
    )
    return Session(SessionInfo(1, "Quay", *times, runs), (made, missing)[:runs])


@pytest.fixture(params=formats())
def exporter(request: pytest.FixtureRequest) -> Exporter:
    return exporter_for(request.param)


def text_of(exporter: Exporter, data: bytes) -> str:
    """Return the readable text of a file."""
    if exporter.format == "pdf":
        with pymupdf.open("pdf", data) as document:
            return " ".join(" ".join(page.get_text().split()) for page in document)
    if exporter.format in ("docx", "kwbundle"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert archive.testzip() is None
            named = [name for name in archive.namelist() if name.endswith((".xml", ".json", ".html"))]
            return "".join(archive.read(name).decode("utf-8") for name in named)
    return data.decode("utf-8")


def test_question_answer_quote_document_and_page_are_in_the_file(exporter: Exporter) -> None:
    text = text_of(exporter, exporter.render(session(), CONTEXT))
    for part in ("What carries it?", "It stands on 212 piles", QUOTE, "quay.pdf", "3"):
        assert part in text


def test_the_same_session_gives_the_same_bytes(exporter: Exporter) -> None:
    assert exporter.render(session(runs=2), CONTEXT) == exporter.render(session(runs=2), CONTEXT)


def test_a_session_without_runs_is_a_file(exporter: Exporter) -> None:
    assert "Quay" in text_of(exporter, exporter.render(session(runs=0), CONTEXT))


@pytest.mark.parametrize("status", list(RunStatus))
def test_a_run_is_exported_however_it_ended(exporter: Exporter, status: RunStatus) -> None:
    assert "212 piles" in text_of(exporter, exporter.render(session(status=status), CONTEXT))


def test_a_lone_surrogate_is_no_reason_to_fail(exporter: Exporter) -> None:
    data = exporter.render(session(answer="It stands on 212 piles [1]. \udcff"), CONTEXT)
    assert "212 piles" in text_of(exporter, data)


def test_suffix_belongs_to_the_format(exporter: Exporter) -> None:
    assert exporter.suffix == f".{exporter.format}"


def test_the_file_names_each_cited_document_with_its_hash(exporter: Exporter) -> None:
    if exporter.format == "json":
        pytest.skip("its fields are those of the runs")
    documents = tuple(
        CitedDocument(number, name, "", f"{number}f" * 32, 4096, 3, "pdf", number == 1)
        for number, name in ((1, "quay <b>.pdf"), (2, "other.pdf"))
    )
    data = exporter.render(session(runs=2), replace(CONTEXT, documents=documents))  # the second run has a search
    text = text_of(exporter, data).replace(" ", "").replace("\n", "")
    assert "1f" * 32 in text
    assert ("2f" * 32 in text) is (exporter.format == "kwbundle")


@pytest.mark.parametrize("format", ["pdf", "html", "docx", "md"])
def test_a_file_to_read_and_print_has_no_technical_details_unless_they_are_chosen(format: str) -> None:
    exporter = exporter_for(format)
    assert exporter.usual == {Part.PAGES} & exporter.offered
    trimmed = trim_session(session(runs=2), exporter.usual)
    documents = (CitedDocument(1, "quay.pdf", "", "1f" * 32, 4096, 3, "pdf", True),)
    text = text_of(exporter, exporter.render(trimmed, replace(CONTEXT, documents=documents)))
    assert "quay.pdf" in text
    assert not [word for word in ("sha256", "1f1f", "characters 40") if word in text]


def test_default_parts_are_a_subset_of_the_offered_parts(exporter: Exporter) -> None:
    assert exporter.usual <= exporter.offered
    assert exporter.title
    assert exporter.description.endswith(".")
