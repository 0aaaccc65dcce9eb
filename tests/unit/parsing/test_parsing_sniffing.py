"""Detection of the format of a file from its bytes."""

import zipfile
from pathlib import Path

import pytest

from workbench.parsing.sniffing import sniff


def made(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "file"
    path.write_bytes(content)
    return path


def packed(tmp_path: Path, **parts: str) -> Path:
    path = tmp_path / "file"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return path


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"%PDF-1.7\n", "pdf"),
        (b"\n\n%PDF-1.7\n", "pdf"),
        (b"{\\rtf1 x}", "rtf"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "image"),
        (b"\xff\xd8\xff\xe0" + bytes(50), "image"),
        (b"RIFF\x00\x00\x01\x00WEBPVP8 " + bytes(50), "image"),
        (b"BM\x00\x00\x01\x00" + bytes(50), "image"),
        (b"\xef\xbb\xbf<?xml version='1.0'?><!-- x --><!DOCTYPE html>", "html"),
        (b"From ann@x.org Mon Jan  1 10:00:00 2024\nFrom: ann@x.org\n", "mbox"),
        (b"Received: by x\n\twith y\nFrom: a\nTo: b\nSubject: c\n\nHello", "eml"),
        (b"#!/bin/sh\necho", "code"),
        (b"<?xml version='1.0'?>\n<!-- x -->\n<FictionBook xmlns='x'>", "fb2"),
        (b"A <FictionBook> is a book", "text"),
        (b"Dear Sir", "text"),
        ("Größe".encode("cp1252"), "text"),
        ("知识 a\n".encode("utf-16"), "text"),
        ("Latin words".encode("utf-16-be"), "text"),
        (b"\x09\x04\x06\x00\x00\x00\x10\x00", "xls"),
        (b"\x7fELF" + bytes(50), ""),
        (b"ID3\x04" + bytes(50), ""),
        (b"\x00\x00\x00\x18ftypmp42" + bytes(50), ""),
    ],
)
def test_the_format_is_detected_from_the_bytes(tmp_path: Path, content: bytes, format: str) -> None:
    found = sniff(made(tmp_path, content))
    assert found is not None
    assert found.format == format


@pytest.mark.parametrize("rest", [b"", b"words of no picture " * 40, bytes(range(128, 256)) * 20])
@pytest.mark.parametrize(
    ("beginning", "format"),
    [(b"\x89PNG\r\n\x1a\n", "image"), (b"\xff\xd8\xff\xe0", "image"), (b"\x1f\x8b\x08", ""), (b"\x7fELF\x02", "")],
)
def test_a_file_with_the_signature_of_a_picture_is_never_text_regardless_of_the_bytes_after_it(
    tmp_path: Path, beginning: bytes, rest: bytes, format: str
) -> None:
    found = sniff(made(tmp_path, beginning + rest))
    assert found is not None
    assert (found.format, found.is_text) == (format, False)


@pytest.mark.parametrize(
    "text", [b"ID3 tags are in songs", b"BMW and MZ are makes", b"RIFF means", b"GIF89a is a format"]
)
def test_text_that_begins_like_a_picture_or_a_song_is_text(tmp_path: Path, text: bytes) -> None:
    found = sniff(made(tmp_path, text))
    assert found is not None
    assert found.format == "text"


def test_no_format_is_detected_in_bytes_of_an_unknown_kind(tmp_path: Path) -> None:
    assert sniff(made(tmp_path, bytes(range(256)) * 20)) is None


@pytest.mark.parametrize(
    ("parts", "format"),
    [
        ({"[Content_Types]_dot_xml": "x", "word__document_dot_xml": "x"}, "docx"),
        ({"[Content_Types]_dot_xml": "x", "ppt__presentation_dot_xml": "x"}, "pptx"),
        ({"[Content_Types]_dot_xml": "x", "xl__workbook_dot_xml": "x"}, "xlsx"),
        ({"[Content_Types]_dot_xml": "wordprocessingml", "document_dot_xml": "x"}, "docx"),
        ({"mimetype": "application/vnd.oasis.opendocument.text", "content_dot_xml": "x"}, "odt"),
        ({"mimetype": "application/vnd.oasis.opendocument.spreadsheet-template"}, "ods"),
        ({"mimetype": "application/epub+zip"}, "epub"),
        ({"META-INF__container_dot_xml": "x"}, "epub"),
        ({"[Content_Types]_dot_xml": "x", "xl__workbook_dot_bin": "x"}, "xlsb"),
        ({"[Content_Types]_dot_xml": "x", "FixedDocSeq_dot_fdseq": "x"}, "xps"),
        ({"word__document_dot_xml": "x"}, "zip"),
        ({"a_dot_txt": "x"}, "zip"),
    ],
)
def test_containers_are_looked_into(tmp_path: Path, parts: dict[str, str], format: str) -> None:
    found = sniff(packed(tmp_path, **parts))
    assert found is not None
    assert found.format == format


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("office/tika/testWORD.doc", "doc"),
        ("office/tika/testPPT.ppt", "ppt"),
        ("office/markitdown/test.xls", "xls"),
        ("office/tika/testEXCEL_4.xls", "xls"),
        ("office/markitdown/test_outlook_msg.msg", "msg"),
        ("hostile_office/protected_or_active/bug53475-password-is-solrcell.docx", "docx"),
    ],
)
def test_old_and_encrypted_office_files_are_known_by_their_streams(peer_data: Path, name: str, format: str) -> None:
    found = sniff(peer_data / name)
    assert found is not None
    assert found.format == format
