"""ZIP containers that are malicious, damaged, or encrypted."""

import zipfile
from io import BytesIO
from pathlib import Path

import docx as writer
import pytest
from msoffcrypto import OfficeFile
from office_files import W, docx, paragraph, relations, zipped

from workbench.errors import DamagedDocument, EncryptedDocument
from workbench.parsing.docx_parser import DocxParser
from workbench.parsing.zip_package import ZipPackage, xml_tree


def test_part_that_inflates_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    body = f"<w:document {W}><w:body><w:p><w:r><w:t>{'a' * 40_000_000}</w:t></w:r></w:p></w:body></w:document>"
    path = tmp_path / "bomb.docx"
    path.write_bytes(zipped({"_rels/.rels": relations(officeDocument="word/document.xml"), "word/document.xml": body}))
    with pytest.raises(DamagedDocument, match="megabytes"):
        DocxParser().parse(path)


def test_a_part_with_a_false_declared_size_is_rejected_too() -> None:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.xml", b"b" * 40_000_000)
    data = out.getvalue().replace((40_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    try:
        read = ZipPackage(data).read("a.xml")
    except DamagedDocument:
        return
    assert read is not None
    assert len(read) <= 10


def test_entities_that_multiply_are_not_resolved() -> None:
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    root = xml_tree(f'<!DOCTYPE a [<!ENTITY e0 "lol">{lines}]><a>x&e11;y</a>'.encode())
    assert root is not None
    assert "lol" not in "".join(root.itertext())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_part_may_be_in_any_unicode(encoding: str) -> None:
    name = "utf-16" if encoding == "utf-16" else "utf-8"
    root = xml_tree(f'<?xml version="1.0" encoding="{name}"?><a>文档</a>'.encode(encoding))
    assert root is not None
    assert root.text == "文档"


def test_part_names_are_found_with_any_case_and_any_slashes() -> None:
    package = ZipPackage(zipped({"Word\\Document.XML": "<a/>"}))
    assert "/word/document.xml" in package
    assert package.tree("word/document.xml") is not None


def test_deeply_nested_document_ends(tmp_path: Path) -> None:
    deep = "<w:ins>" * 50_000
    path = docx(tmp_path / "a.docx", paragraph("above") + deep)
    assert DocxParser().parse(path).text == "above"


def test_strict_document_is_read_like_any_other(tmp_path: Path) -> None:
    body = f"<w:document {W}><w:body>{paragraph('strict')}</w:body></w:document>"
    strict = body.replace(
        "http://schemas.openxmlformats.org/wordprocessingml/2006/", "http://purl.oclc.org/ooxml/wordprocessingml/"
    )
    path = tmp_path / "a.docx"
    path.write_bytes(
        zipped({"_rels/.rels": relations(officeDocument="word/document.xml"), "word/document.xml": strict})
    )
    assert DocxParser().parse(path).text == "strict"


def sealed(path: Path, password: str) -> Path:
    made = writer.Document()
    made.add_paragraph("between us")
    plain, secret = BytesIO(), BytesIO()
    made.save(plain)
    OfficeFile(plain).encrypt(password, secret)
    path.write_bytes(secret.getvalue())
    return path


def test_e2_encrypted_document_opens_with_its_password_and_a_blank_one_is_tried_first(tmp_path: Path) -> None:
    path = sealed(tmp_path / "a.docx", "geheim")
    with pytest.raises(EncryptedDocument, match="protected by a password"):
        DocxParser().parse(path)
    with pytest.raises(EncryptedDocument, match="password is wrong"):
        DocxParser().parse(path, password="x")
    assert DocxParser().parse(path, password="geheim").text == "between us"


def test_e2_workbook_sealed_with_excels_own_password_opens_without_one(tmp_path: Path) -> None:
    assert DocxParser().parse(sealed(tmp_path / "a.docx", "VelvetSweatshop")).text == "between us"


def test_text_before_a_damaged_place_in_a_part_is_read_and_the_damage_is_reported(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", "".join(paragraph(f"line {number * 7919 % 10_007}") for number in range(5000)))
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 200] = b"\xff" * 200
    path.write_bytes(data)
    document = DocxParser().parse(path)
    assert document.text.startswith("line 0\n\nline 7919")
    assert document.warnings == ("The file is damaged; what could still be read was read.",)
