"""Small valid files of every format, cut off and with bits flipped: a document that holds, or one clear sentence."""

import io
import json
import struct
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.errors import DocumentError
from workbench.model.document import BlockKind, ParsedDocument
from workbench.parsing.parse import parse_file
from workbench.parsing.registry import supported_suffixes

_TEXT = "# Harbour\n\nIt froze in 1987. 港口的水深是十二米。\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n"
_PAGE = (
    "<html><head><title>Harbour</title></head><body><h1>Harbour</h1><p>It froze.</p>"
    "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>"
)
_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_BOOK = (
    '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
    '<dc:title>Harbour</dc:title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
    '</manifest><spine><itemref idref="a"/></spine></package>'
)
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns"
_ODT = (
    f'<office:document-content xmlns:office="{_OFFICE}:office:1.0" xmlns:text="{_OFFICE}:text:1.0"><office:body>'
    "<office:text><text:h text:outline-level='1'>Harbour</text:h><text:p>It froze.</text:p></office:text></office:body>"
    "</office:document-content>"
)
_MAIL = (
    "From: Ann <ann@example.com>\r\nTo: Bob <bob@example.com>\r\nSubject: =?utf-8?q?Harbour?=\r\nMIME-Version: 1.0\r\n"
    "Date: Mon, 1 Jan 2024 10:00:00 +0100\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n"
    "Content-Type: text/html; charset=utf-8\r\n\r\n<p>It froze.</p>\r\n--x\r\n"
    'Content-Type: text/markdown; name="a.md"\r\nContent-Disposition: attachment; filename="a.md"\r\n'
    "Content-Transfer-Encoding: base64\r\n\r\nIyBBCgpUZXh0Cg==\r\n--x--\r\n"
)


def _zipped(contents: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    return file.getvalue()


def _pdf() -> bytes:
    import pymupdf

    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((72, 72), "Harbour", fontsize=20)
        page.insert_text((72, 120), "The harbour of Lindhamn froze in 1987.")
        return bytes(pdf.tobytes())


def _docx() -> bytes:
    docx = pytest.importorskip("docx")
    made, file = docx.Document(), io.BytesIO()
    made.add_heading("Harbour", 1)
    made.add_paragraph("It froze.")
    made.add_table(2, 2).cell(0, 0).text = "a"
    made.save(file)
    return file.getvalue()


def _pptx() -> bytes:
    pptx = pytest.importorskip("pptx")
    made, file = pptx.Presentation(), io.BytesIO()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Harbour"
    slide.placeholders[1].text = "It froze."
    made.save(file)
    return file.getvalue()


def _xlsx() -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    made, file = openpyxl.Workbook(), io.BytesIO()
    for row in (("year", "ice"), (1987, "yes"), (1988, "no")):
        made.active.append(row)
    made.save(file)
    return file.getvalue()


def _picture() -> bytes:
    # One black pixel: what OCR does with a picture is not what is tested here.
    import zlib

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(b"\0\0")) + part(b"IEND", b"")


_NOTEBOOK = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# Harbour\n"]}], "metadata": {}}

FILES: dict[str, Callable[[], bytes]] = {
    ".txt": _TEXT.encode,
    ".md": _TEXT.encode,
    ".html": _PAGE.encode,
    ".rst": b"Harbour\n=======\n\nIt froze.\n\n.. code:: python\n\n   print(1)\n".strip,
    ".adoc": b"= Harbour\n\nIt froze.\n\n|===\n|a |b\n|1 |2\n|===\n".strip,
    ".csv": b"year,ice\n1987,yes\n1988,no\n".strip,
    ".json": b'{"harbour": [{"year": 1987, "ice": true}]}'.strip,
    ".ipynb": (json.dumps({**_NOTEBOOK, "nbformat": 4, "nbformat_minor": 5})).encode,
    ".py": b'"""Harbour."""\n\n\ndef froze(year):\n    return year == 1987\n'.strip,
    ".rtf": rb"{\rtf1\ansi\ansicpg1252 {\b Harbour}\par It froze.\par}".strip,
    ".eml": _MAIL.encode,
    ".mbox": ("From ann Mon Jan  1 10:00:00 2024\r\n" + _MAIL).encode,
    ".pdf": _pdf,
    ".docx": _docx,
    ".pptx": _pptx,
    ".xlsx": _xlsx,
    ".png": _picture,
    ".epub": lambda: _zipped(
        {"mimetype": "application/epub+zip", "META-INF/container.xml": _CONTAINER, "b.opf": _BOOK, "a.xhtml": _PAGE}
    ),
    ".odt": lambda: _zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": _ODT}),
}


def _hold(document: ParsedDocument) -> None:
    """Assert what every document keeps: blocks cover the visible text in order, pages hold their blocks."""
    text, position = document.text, 0
    text.encode("utf-8")
    assert document.metadata.title.strip()
    for block in document.blocks:
        assert position <= block.start < block.end <= len(text)
        assert not text[position : block.start].strip()
        assert (block.level > 0) == (block.kind is BlockKind.HEADING)
        if document.pages:
            page = document.pages[(block.page or 0) - 1]
            assert page.start <= block.start < page.end
        position = block.end
    assert not text[position:].strip()


def _mutilated(data: bytes, end: int, changes: list[tuple[int, int]]) -> bytes:
    """Return data cut off at end thousandths, with bytes changed at places given in thousandths."""
    changed = bytearray(data)
    for place, byte in changes:
        if changed:
            changed[place * len(changed) // 1000] = byte
    return bytes(changed[: len(changed) * end // 1000])


def _mutilated_inside(data: bytes, member: int, end: int, changes: list[tuple[int, int]]) -> bytes:
    """Return a ZIP file that is sound, and one member of it is not."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as whole, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        names = whole.namelist()
        for name in names:
            content = whole.read(name)
            victim = name == names[member % len(names)]
            archive.writestr(name, _mutilated(content, end, changes) if victim else content)
    return made.getvalue()


@pytest.mark.parametrize("suffix", sorted(FILES))
def test_a_mutilated_file_is_read_or_refused_with_a_sentence(
    suffix: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if suffix not in supported_suffixes():
        pytest.skip(f"{suffix} is not read")
    whole = FILES[suffix]()
    path = tmp_path_factory.mktemp("fuzz") / f"file{suffix}"
    places = st.integers(0, 999)
    members = st.none() | st.integers(0, 50) if whole.startswith(b"PK") else st.none()

    # The same files in every run: a crash is found where it was made, and no run fails by chance.
    @settings(max_examples=30, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(members, st.just(1000) | places, st.lists(st.tuples(places, st.integers(0, 255)), max_size=12))
    def mutilate(member: int | None, end: int, changes: list[tuple[int, int]]) -> None:
        if member is None:
            path.write_bytes(_mutilated(whole, end, changes))
        else:
            path.write_bytes(_mutilated_inside(whole, member, end, changes))
        try:
            refused = None
            document = parse_file(path)
        except DocumentError as error:
            refused = error
        if refused is None:
            _hold(document)
        else:
            assert refused.message.endswith((".", "”"))
            assert refused.hint

    mutilate()
