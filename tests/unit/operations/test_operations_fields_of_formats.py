"""E-9 and E-26 for every format: metadata are read, and every chunk has all required fields."""

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.operations import Library
from workbench.parsing.parse import parse_file

DAY = datetime.datetime(2024, 5, 31, 12)
TEXT = "The tide turns twice a day, and the harbour fills."


def pdf(path: Path) -> None:
    import pymupdf

    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), TEXT)
        document.set_metadata(
            {"title": "Tides", "author": "Ada Lee", "keywords": "sea, moon", "creationDate": "D:20240531120000Z"}
        )
        document.save(path)


def docx(path: Path) -> None:
    import docx

    document = docx.Document()
    document.add_paragraph(TEXT)
    _fill(document.core_properties)
    document.save(str(path))


def pptx(path: Path) -> None:
    import pptx

    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.placeholders[1].text = TEXT  # type: ignore[attr-defined]
    _fill(presentation.core_properties)
    presentation.save(str(path))


def _fill(properties: Any) -> None:
    properties.title, properties.author, properties.keywords = "Tides", "Ada Lee", "sea, moon"
    properties.created = DAY


def xlsx(path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["Place", "What happens"], ["Lindhamn", TEXT]):
        book.active.append(row)
    properties = book.properties
    properties.title, properties.creator, properties.keywords, properties.created = "Tides", "Ada Lee", "sea, moon", DAY
    book.save(path)


def notebook(path: Path) -> None:
    cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": [TEXT]}
    metadata = {"title": "Tides", "authors": [{"name": "Ada Lee"}]}
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": [cell]}), "utf-8")


def written(text: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(text, "utf-8")

    return write


MARKDOWN = f"---\ntitle: Tides\nauthor: Ada Lee\ndate: 2024-05-31\nkeywords: [sea, moon]\n---\n\n{TEXT}\n"
HTML = (
    '<html><head><title>Tides</title><meta name="author" content="Ada Lee"><meta name="keywords" content="sea, moon">'
    f'<meta name="date" content="2024-05-31"></head><body><p>{TEXT}</p></body></html>'
)
ASCIIDOC = f"= Tides\nAda Lee <ada@example.org>\n2024-05-31\n:keywords: sea, moon\n\n{TEXT}\n"
RTF = (
    r"{\rtf1\ansi{\info{\title Tides}{\author Ada Lee}{\keywords sea, moon}{\creatim\yr2024\mo5\dy31}}"
    + TEXT
    + r"\par}"
)
MAIL = (
    "From: Ada Lee <ada@example.org>\nTo: b@example.org\nSubject: Tides\nDate: Fri, 31 May 2024 12:00:00 +0000\n"
    f"MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n{TEXT}\n"
)
FILES: dict[str, Callable[[Path], None]] = {
    "a.pdf": pdf,
    "a.md": written(MARKDOWN),
    "a.html": written(HTML),
    "a.docx": docx,
    "a.pptx": pptx,
    "a.xlsx": xlsx,
    "a.adoc": written(ASCIIDOC),
    "a.rtf": written(RTF),
    "a.eml": written(MAIL),
    "a.ipynb": notebook,
}
NO_KEYWORDS = ("a.eml", "a.ipynb")
NO_DATE = ("a.ipynb",)


@pytest.fixture(params=FILES)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a file of one format that names its author, date and subject."""
    path = tmp_path / str(request.param)
    FILES[path.name](path)
    return path


def test_e9_the_metadata_inside_a_file_is_read(file: Path) -> None:
    metadata = parse_file(file).metadata
    assert metadata.title == "Tides"
    assert metadata.author.startswith("Ada Lee")
    assert file.name in NO_DATE or metadata.created.startswith("2024-05-31")
    assert file.name in NO_KEYWORDS or metadata.keywords == ("sea", "moon")


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "---\ntitle: ''\nauthor: ''\n---\n\n# The first heading\n\nText.\n", "The first heading"),
        (
            "a.html",
            "<html><head><title> </title></head><body><h1>The first heading</h1></body></html>",
            "The first heading",
        ),
        ("tides of 2024.txt", TEXT, "tides of 2024"),
        ("tides.csv", "tide,hour\nhigh,12\n", "tides"),
    ],
)
def test_e9_an_empty_title_falls_back_to_the_first_heading_then_to_the_name(
    tmp_path: Path, name: str, text: str, title: str
) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert parse_file(path).metadata.title == title


def test_e26_every_chunk_carries_its_source_place_offsets_metadata_and_embedder(
    library: Library, run: Callable[[Any], Any], file: Path
) -> None:
    run(operations.add_documents(library, [file], knowledge_base="work"))
    (document,) = run(operations.list_documents(library))
    text = library.documents.text(document.id)
    chunks = library.documents.chunks(document.id)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.document == document.id
        assert len(chunk.sha256) == 64
        assert (chunk.page is not None) == (document.pages > 0)
        assert isinstance(chunk.headings, tuple)
    assert (document.name, document.path, document.knowledge_base) == (file.name, str(file), "work")
    assert (document.metadata.title, len(document.sha256)) == ("Tides", 64)
    assert document.format
    assert document.embedded == len(chunks) > 0
    assert library.vectors.embedder == library.models.embedder().id
