"""Sample documents: made by the generator, and with the answers to the tour's questions."""

import json
import runpy
import sys
from pathlib import Path

import pymupdf
import pytest

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "resources" / "sample"
REPORT = SAMPLES / "harbour-survey.pdf"
QUESTIONS = [
    json.loads(line) for line in (ROOT / "resources" / "sample_questions.jsonl").read_text("utf-8").splitlines()
]


def flat(text):
    return " ".join(text.split())


@pytest.fixture
def pages():
    with pymupdf.open(REPORT) as document:
        yield [flat(page.get_text()) for page in document]


def test_the_report_is_what_its_generator_makes(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "packaging"), *sys.path])
    report = runpy.run_path(str(ROOT / "packaging" / "make_sample.py"))["report"]
    assert report() == REPORT.read_bytes()


def test_the_report_has_pages_outline_tables_and_metadata(pages):
    assert 20 <= len(pages) <= 24
    assert REPORT.stat().st_size < 400_000
    with pymupdf.open(REPORT) as document:
        assert {level for level, _, _ in document.get_toc()} == {1, 2, 3}
        assert all(title in pages[page - 1] for _, title, page in document.get_toc())
        assert document.metadata["title"] == "Vessmark Harbour Condition Survey 2025"
        assert document.metadata["author"]
        assert document.metadata["creationDate"].startswith("D:20260218")
    assert sum(page.count("Table ") > 0 for page in pages) >= 5


def test_printed_page_numbers_are_those_of_the_file(pages):
    assert len(pages) > 1
    assert all(f"Page {number}" in page for number, page in enumerate(pages, start=1) if number > 1)


@pytest.mark.parametrize("question", [q for q in QUESTIONS if not q["refused"]], ids=lambda q: q["language"])
def test_a_tour_question_is_answered_in_one_place_only(question, pages):
    files = {path.name: flat(path.read_text("utf-8")) for path in SAMPLES.iterdir() if path.suffix in (".md", ".txt")}
    places = {name: None for name, text in files.items() if question["phrase"] in text}
    found = [number for number, page in enumerate(pages, start=1) if question["phrase"] in page]
    if question["document"] == REPORT.name:
        assert (found, places) == ([question["page"]], {})
    else:
        assert (found, list(places)) == ([], [question["document"]])


def test_one_tour_question_has_no_answer_and_one_is_chinese():
    assert [question["refused"] for question in QUESTIONS] == [False, False, True]
    assert [question["language"] for question in QUESTIONS] == ["en", "zh", "en"]


def test_the_folder_of_samples_holds_none_of_the_questions_so_that_none_answers_itself() -> None:
    texts = [path.read_bytes() for path in SAMPLES.iterdir() if path != REPORT]
    assert len(texts) == 3
    assert not [one["question"] for one in QUESTIONS for text in texts if one["question"].encode() in text]
