"""Exports in another language: the words of the program are translated, machine-readable parts are not."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import docx
import pymupdf
import pytest
from export_session import PNG, cited, made_run, made_session
from test_export_exhaustive import made as made_reading

from workbench.export.base import ExportContext, no_page
from workbench.export.bundle import unpack
from workbench.export.exhaustive_report import reading_csv, reading_markdown
from workbench.export.format_registry import PackedSession, exporter_for, write_file
from workbench.language import Catalogue, language, speak
from workbench.model.session import CitedDocument, Session

WORDS = {
    ("Sources", ""): "来源",
    ("Steps", ""): "步骤",
    ("Steps ({n})", ""): "步骤（{n}）",
    ("Question {n}", ""): "问题 {n}",
    ("Question {n}: {question}", ""): "问题 {n}：{question}",
    ("Answer", ""): "回答",
    ("Cited pages", ""): "引用的页面",
    ("Read {passages}, {documents}", ""): "已读 {passages}、{documents}",
    ("{read:,} of {n:,} passage", ""): "{read:,} / {n:,} 个段落",
    ("yes", ""): "是",
    ("page {0}", ""): "第 {0} 页",
}
CONTEXT = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", lambda _citation: PNG)


@pytest.fixture
def chinese() -> Iterator[None]:
    speak(Catalogue("zh_CN", WORDS))
    yield
    speak(None)


def session() -> Session:
    answer = "The channel is 14.2 m deep [1]. 航道很深。"
    return made_session(made_run(answer, (cited(answer, 1),)), made_run(number=2))


def exported(format: str, context: ExportContext = CONTEXT) -> bytes:
    return exporter_for(format).render(session(), context)


@pytest.mark.usefixtures("chinese")
def test_markdown_has_its_headings_in_the_language_of_the_window_and_the_answer_as_it_was() -> None:
    text = exported("md").decode()
    assert "## 问题 1" in text
    assert "### 回答" in text
    assert "<summary>步骤（" in text
    assert "survey.pdf**, 第 7 页" in text
    assert "The channel is 14.2 m deep [^q1-1]. 航道很深。" in text
    assert "## Question" not in text


@pytest.mark.usefixtures("chinese")
def test_an_exported_web_page_declares_its_language() -> None:
    page = exported("html").decode()
    assert '<html lang="zh-CN">' in page
    assert "<h3>来源</h3>" in page
    assert "第 7 页" in page


def test_an_english_web_page_declares_english() -> None:
    assert '<html lang="en">' in exported("html").decode()


@pytest.mark.usefixtures("chinese")
def test_a_pdf_has_its_headings_in_it() -> None:
    with pymupdf.open("pdf", exported("pdf")) as pdf:
        text = "".join(page.get_text() for page in pdf)
        outline = [title for _, title, *_ in pdf.get_toc()]
    assert "来源" in text
    assert any(title.startswith("问题 1：") for title in outline)


@pytest.mark.usefixtures("chinese")
def test_a_word_document_has_its_headings_in_it() -> None:
    paragraphs = [one.text for one in docx.Document(io.BytesIO(exported("docx"))).paragraphs]
    assert "引用的页面" in paragraphs
    assert "步骤" in paragraphs


@pytest.mark.usefixtures("chinese")
def test_the_markdown_of_a_reading_is_translated_but_its_csv_table_is_not() -> None:
    text = reading_markdown(made_reading()).decode()
    assert "已读 2 / 2 个段落" in text
    assert "| a.pdf | 是 |" in text
    rows = reading_csv(made_reading()).decode("utf-8-sig").splitlines()
    assert rows[0].startswith('"document","verdict"')
    assert rows[1].startswith('"a.pdf","yes"')


def test_json_and_the_data_of_a_bundle_are_the_same_in_every_language(chinese: None) -> None:
    there = exported("json"), bundled()
    speak(None)
    here = exported("json"), bundled()
    assert there[0] == here[0]
    data = ("session.json", "passages.json", "documents.json")
    assert [there[1][name] for name in data] == [here[1][name] for name in data]
    assert "来源" in there[1]["index.html"].decode()


@pytest.mark.usefixtures("chinese")
def test_a_bundle_written_in_it_is_taken_in_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "b.kwbundle").write_bytes(exported("kwbundle"))
    (tmp_path / "into").mkdir()
    speak(None)
    unpacked = unpack(tmp_path / "b.kwbundle", tmp_path / "into")
    assert unpacked.info == session().info
    assert len(unpacked.runs) == 2
    assert unpacked.pictures


def test_a_child_process_writes_in_the_language_that_the_session_was_packed_in(tmp_path: Path, chinese: None) -> None:
    packed = PackedSession.of(session())
    speak(None)
    write_file(packed, "html", frozenset(), ExportContext("1", "", "L", no_page), tmp_path / "a.html")
    assert '<html lang="zh-CN">' in (tmp_path / "a.html").read_text("utf-8")
    assert language() == "zh_CN"


def bundled() -> dict[str, bytes]:
    document = CitedDocument(1, "survey.pdf", "Survey", "ab" * 32, 9, 3, "pdf", True, 4)
    context = ExportContext("0.1.0", CONTEXT.exported, "Library", CONTEXT.page_image, (document,))
    with zipfile.ZipFile(io.BytesIO(exported("kwbundle", context))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
