"""EPUB books, built part by part in the tests."""

import zipfile
from pathlib import Path

import pytest
from parser_contract import assert_contract, parts

from workbench.errors import DamagedDocument, DocumentError, EmptyDocument, UnsupportedFormat
from workbench.model.document import BlockKind, FindingKind, PageKind, ParsedDocument
from workbench.parsing.parse import parse_file

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
NAV = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>'
    '<nav epub:type="toc"><ol><li><a href="one.xhtml">The First</a></li>'
    '<li><a href="sub/two%20x.xhtml#part">The Second</a></li></ol></nav></body></html>'
)
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>
<dc:title>A Book</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator><dc:date>2021-03-04</dc:date>
<dc:language>en</dc:language><dc:subject>Cats</dc:subject><meta property="dcterms:modified">2022-01-02T03:04:05Z</meta>
</metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>
<item id="b" href="sub/two%20x.xhtml" media-type="application/xhtml+xml"/>
<item id="p" href="p.png" media-type="image/png"/></manifest>
<spine><itemref idref="nav"/><itemref idref="b"/><itemref idref="a"/></spine></package>"""


def chapter(words: str, head: str = "<title/>") -> str:
    return f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head>{head}</head><body>{words}</body></html>'


def made(tmp_path: Path, name: str = "a.epub", **changed: str | None) -> Path:
    parts: dict[str, str | None] = {
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": PACKAGE,
        "OPS/nav.xhtml": NAV,
        "OPS/one.xhtml": chapter("<h1>One</h1><p>First words.</p>"),
        "OPS/sub/two x.xhtml": chapter("<p><a id='x'/>Second words.</p><table><tr><td>1</td><td>2</td></tr></table>"),
    }
    parts |= {key.replace("__", "/").replace("_dot_", "."): value for key, value in changed.items()}
    path = tmp_path / name
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        for part, content in parts.items():
            if content is not None:
                archive.writestr(part, content)
    return path


EPUB_HTML = '<html xmlns:epub="http://www.idpf.org/2007/ops"'


def left_out(document: ParsedDocument) -> list[tuple[tuple[int, ...], int, str]]:
    return [(one.pages, one.count, one.detail) for one in document.findings if one.kind is FindingKind.LEFT_OUT]


def read(path: Path) -> ParsedDocument:
    document = parse_file(path)
    assert_contract(document)
    return document


def test_chapters_are_places_in_reading_order_with_their_titles(tmp_path: Path) -> None:
    document = read(made(tmp_path))
    assert document.page_kind is PageKind.CHAPTER
    assert [page.label for page in document.pages] == ["The Second", "The First"]
    texts = [document.text[page.start : page.end].split("\n\n")[:2] for page in document.pages]
    assert texts == [["The Second", "Second words."], ["The First", "One"]]


def test_package_gives_the_metadata_and_pictures_are_counted(tmp_path: Path) -> None:
    document = read(made(tmp_path))
    said = document.metadata
    assert (said.title, said.author, said.created, said.language) == ("A Book", "Ann, Bob", "2021-03-04", "en")
    assert (said.keywords, said.modified) == (("Cats",), "2022-01-02T03:04:05+00:00")
    assert {(f.kind, f.count) for f in document.findings} == {(FindingKind.IMAGES, 1), (FindingKind.TABLES, 1)}


def test_a_chapter_without_an_entry_in_the_table_of_contents_is_labelled_by_its_heading(tmp_path: Path) -> None:
    document = read(made(tmp_path, OPS__nav_dot_xhtml=None))
    assert [page.label for page in document.pages] == ["", "One"]


def test_book_without_package_is_read_by_its_pages(tmp_path: Path) -> None:
    path = made(tmp_path, OPS__book_dot_opf=None)
    assert "First words." in read(path).text


def test_a_missing_chapter_is_reported(tmp_path: Path) -> None:
    document = read(made(tmp_path, OPS__one_dot_xhtml=None))
    assert FindingKind.LEFT_OUT in {finding.kind for finding in document.findings}
    assert document.warnings


def test_titles_found_only_in_the_table_of_contents_are_added_to_the_text_of_their_chapter(tmp_path: Path) -> None:
    entries = '<li><span>Part I</span><ol><li><a href="one.xhtml">ONE: first words</a></li></ol></li>'
    more = '<li><a href="one.xhtml#x">The ebb</a></li><li><a href="sub/two%20x.xhtml">Second words</a></li>'
    nav = chapter(f'<nav epub:type="toc"><ol>{entries}{more}</ol></nav>').replace("<html", EPUB_HTML)
    document = read(made(tmp_path, OPS__nav_dot_xhtml=nav))
    assert [page.label for page in document.pages] == ["Second words", "ONE: first words"]
    assert parts(document)[2:] == [
        (BlockKind.LIST, "- Part I\n- The ebb"),
        (BlockKind.HEADING, "One"),
        (BlockKind.PARAGRAPH, "First words."),
    ]


def test_words_left_out_of_chapters_are_reported_with_their_chapter(tmp_path: Path) -> None:
    words = "<h1>One</h1><p>First words.</p><footer>Set in Garamond</footer><p hidden=''>Secret note here now</p>"
    document = read(made(tmp_path, OPS__one_dot_xhtml=chapter(words)))
    assert left_out(document) == [((2,), 3, "menus and footers, 3 words"), ((2,), 4, "hidden text, 4 words")]


def test_a_chapter_of_a_footer_alone_is_read(tmp_path: Path) -> None:
    document = read(made(tmp_path, OPS__one_dot_xhtml=chapter("<footer>Set in Garamond</footer>")))
    assert document.text.endswith("Set in Garamond")
    assert left_out(document) == []


def test_parts_of_the_book_that_are_not_read_as_chapters_are_reported(tmp_path: Path) -> None:
    package = PACKAGE.replace(
        "</manifest>",
        '<item id="v" href="map.svg" media-type="image/svg+xml"/>'
        '<item id="n" href="notes.xhtml" media-type="application/xhtml+xml"/></manifest>',
    ).replace("</spine>", '<itemref idref="v"/><itemref idref="gone"/></spine>')
    nav = NAV.replace("</ol>", '<li><a href="map.svg">The Map</a></li></ol>')
    document = read(made(tmp_path, OPS__book_dot_opf=package, OPS__nav_dot_xhtml=nav))
    assert left_out(document) == [
        ((), 1, "chapters that are missing from the file"),
        ((), 1, "chapters that are not text (image/svg+xml)"),
        ((), 1, "files with text outside of the reading order"),
        ((), 1, "entries of the contents that lead to no text: “The Map”"),
    ]


def test_a_protected_book_is_rejected_with_a_drm_error_and_one_with_obfuscated_fonts_is_read(tmp_path: Path) -> None:
    data = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
        '<e:EncryptedData><e:EncryptionMethod Algorithm="{}"/><e:CipherData><e:CipherReference URI="OPS/one.xhtml"/>'
        "</e:CipherData></e:EncryptedData></encryption>"
    )
    locked = {"META-INF__encryption_dot_xml": data.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")}
    with pytest.raises(UnsupportedFormat, match="DRM"):
        parse_file(made(tmp_path, **locked))
    fonts = {"META-INF__encryption_dot_xml": data.format("http://www.idpf.org/2008/embedding")}
    assert read(made(tmp_path, **fonts)).text


def test_book_under_another_name_is_still_a_book(tmp_path: Path) -> None:
    document = read(made(tmp_path, "a.docx"))
    assert document.format == "epub"
    assert "EPUB" in document.warnings[0]


@pytest.mark.parametrize("keep", [10, 200, 1200])
def test_broken_download_is_read_in_part_or_refused(tmp_path: Path, keep: int) -> None:
    path = made(tmp_path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DocumentError) as caught:
        parse_file(path)
    assert isinstance(caught.value, DamagedDocument | EmptyDocument)


def test_book_of_pictures_is_empty(tmp_path: Path) -> None:
    empty = chapter("<img src='p.png'/>")
    with pytest.raises(EmptyDocument, match="no text"):
        parse_file(made(tmp_path, OPS__one_dot_xhtml=empty, **{"OPS/sub/two x.xhtml": empty}))


def test_real_books_are_read(peer_data: Path) -> None:
    document = read(peer_data / "office" / "tika" / "testEPUB_xml_ext.epub")
    assert (document.metadata.title, document.metadata.author) == ("1984", "George Orwell")
