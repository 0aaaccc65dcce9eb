"""OpenDocument: text, slides and sheets."""

import base64
import hashlib
import os
import zlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from office_files import ODF_NAMES, opendocument, zipped

from workbench.errors import DamagedDocument, EncryptedDocument
from workbench.model.document import BlockKind, PageKind, ParsedDocument
from workbench.parsing.odf_parser import OdpParser, OdsParser, OdtParser


def text(tmp_path: Path, body: str, **more: str) -> ParsedDocument:
    return OdtParser().parse(opendocument(tmp_path / "a.odt", "text", body, **more))


def kinds(document: ParsedDocument) -> list[tuple[BlockKind, int, str]]:
    return [(block.kind, block.level, document.text[block.start : block.end]) for block in document.blocks]


def test_e9_headings_paragraphs_code_and_metadata_of_a_text(tmp_path: Path) -> None:
    styles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    styles += '<style:style style:name="P2" style:parent-style-name="Preformatted_20_Text"/>'
    body = '<text:p text:style-name="P1">Ducks</text:p><text:h text:outline-level="2">Rivers</text:h>'
    body += '<text:p>They<text:s text:c="2"/>swim<text:line-break/>fast.</text:p>'
    body += '<text:p text:style-name="P2">a = 1</text:p><text:p text:style-name="P2"><text:s text:c="4"/>b</text:p>'
    meta = "<dc:title>All ducks</dc:title><meta:initial-creator>Ada</meta:initial-creator>"
    meta += "<meta:creation-date>2024-05-01T10:00:00.123</meta:creation-date><meta:keyword>bird</meta:keyword>"
    document = text(tmp_path, body, styles=styles, meta=meta)
    assert kinds(document) == [
        (BlockKind.HEADING, 1, "Ducks"),
        (BlockKind.HEADING, 2, "Rivers"),
        (BlockKind.PARAGRAPH, 0, "They  swim\nfast."),
        (BlockKind.CODE, 0, "a = 1\n    b"),
    ]
    said = document.metadata
    assert (said.title, said.author, said.created) == ("All ducks", "Ada", "2024-05-01T10:00:00")
    assert said.keywords == ("bird",)


def test_lists_count_and_nest(tmp_path: Path) -> None:
    styles = '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" '
    styles += 'style:num-suffix="."/><text:list-level-style-bullet text:level="2"/></text:list-style>'
    inner = "<text:list><text:list-item><text:p>sub</text:p></text:list-item></text:list>"
    body = '<text:list text:style-name="L"><text:list-item><text:p>one</text:p></text:list-item>'
    body += f"<text:list-item><text:p>two</text:p>{inner}</text:list-item></text:list>"
    again = '<text:list text:style-name="L"{}><text:list-item><text:p>next</text:p></text:list-item></text:list>'
    body += again.format(' text:continue-numbering="true"') + again.format("")
    assert text(tmp_path, body, styles=styles).text == "1. one\n2. two\n  - sub\n\n3. next\n\n1. next"


def test_tables_notes_comments_and_boxes_are_read_and_deletions_are_not(tmp_path: Path) -> None:
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"
    row = "<table:table-row>{}</table:table-row>"
    body = "<text:tracked-changes><text:changed-region><text:p>deleted</text:p></text:changed-region>"
    body += "</text:tracked-changes>"
    body += '<text:p>Fact<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
    body += "<text:note-body><text:p>source</text:p></text:note-body></text:note>"
    body += "<office:annotation><dc:creator>Ada</dc:creator><text:p>why?</text:p></office:annotation>"
    body += "<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p><table:table>"
    body += row.format(cell.format(' table:number-columns-spanned="2"', "wide") + "<table:covered-table-cell/>")
    body += row.format(cell.format("", "a") + cell.format("", "b")) + "</table:table>"
    assert text(tmp_path, body).text == (
        "Fact[1]\n\nboxed\n\n| wide | wide |\n| --- | --- |\n| a | b |\n\nNotes\n\n[1] source\n\nComments\n\nAda: why?"
    )


def test_slides_are_pages_with_titles_and_notes(tmp_path: Path) -> None:
    frame = (
        '<draw:frame presentation:class="{}" svg:y="{}"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>'
    )
    body = "<draw:page>" + frame.format("outline", "9cm", "below") + frame.format("subtitle", "4cm", "above")
    body += frame.format("title", "1cm", "Ducks") + frame.format("page-number", "0cm", "17")
    body += f"<presentation:notes>{frame.format('notes', '1cm', 'slowly')}</presentation:notes></draw:page>"
    document = OdpParser().parse(opendocument(tmp_path / "a.odp", "presentation", body))
    assert document.text == "Ducks\n\nabove\n\nbelow\n\nNotes: slowly"
    assert document.page_kind is PageKind.SLIDE
    assert [page.label for page in document.pages] == ["Ducks"]


def test_sheets_show_what_their_cells_show_and_fillers_are_not_copied(tmp_path: Path) -> None:
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"
    body = '<table:table table:name="Sums"><table:table-row>' + cell.format("", "What") + cell.format("", "Sum")
    body += '<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
    body += '<table:table-row table:number-rows-repeated="2">' + cell.format("", "rent")
    body += cell.format(' office:value-type="percentage" office:value="0.1234"', "12.3%") + "</table:table-row>"
    body += '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row></table:table>'
    document = OdsParser().parse(opendocument(tmp_path / "a.ods", "spreadsheet", body))
    assert document.text == "Sums\n\n| What | Sum |\n| --- | --- |\n| rent | 12.3% |\n| rent | 12.3% |"
    assert (document.page_kind, document.pages[0].label) == (PageKind.SHEET, "Sums")


def encrypted(path: Path, password: str) -> Path:
    body = f"<office:document-content {ODF_NAMES}><office:body><office:text><text:p>locked</text:p></office:text>"
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress((body + "</office:body></office:document-content>").encode()) + deflate.flush()
    salt, vector = os.urandom(16), os.urandom(16)
    key = hashlib.pbkdf2_hmac("sha1", hashlib.sha256(password.encode()).digest(), salt, 1000, 32)
    padding = 16 - len(packed) % 16
    cipher = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
    secret = cipher.update(packed + os.urandom(padding - 1) + bytes([padding])) + cipher.finalize()
    checksum, salted, first = (
        base64.b64encode(part).decode() for part in (hashlib.sha256(packed[:1024]).digest(), salt, vector)
    )
    manifest = f"""<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">
    <m:file-entry m:full-path="content.xml">
    <m:encryption-data m:checksum-type="urn:x#sha256-1k" m:checksum="{checksum}">
    <m:algorithm m:algorithm-name="http://www.w3.org/2001/04/xmlenc#aes256-cbc" m:initialisation-vector="{first}"/>
    <m:key-derivation m:key-derivation-name="PBKDF2" m:key-size="32" m:iteration-count="1000" m:salt="{salted}"/>
    <m:start-key-generation m:start-key-generation-name="http://www.w3.org/2000/09/xmldsig#sha256"/>
    </m:encryption-data></m:file-entry></m:manifest>"""
    path.write_bytes(zipped({"content.xml": secret, "META-INF/manifest.xml": manifest}))
    return path


def test_e2_encrypted_text_opens_with_its_password_and_a_blank_one_is_tried_first(tmp_path: Path) -> None:
    path = encrypted(tmp_path / "a.odt", "geheim")
    with pytest.raises(EncryptedDocument, match="protected by a password"):
        OdtParser().parse(path)
    with pytest.raises(EncryptedDocument, match="password is wrong"):
        OdtParser().parse(path, password="x")
    assert OdtParser().parse(path, password="geheim").text == "locked"
    assert OdtParser().parse(encrypted(tmp_path / "b.odt", ""), password="x").text == "locked"


def test_archive_without_content_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.odt"
    path.write_bytes(zipped({"mimetype": "application/vnd.oasis.opendocument.text"}))
    with pytest.raises(DamagedDocument):
        OdtParser().parse(path)
