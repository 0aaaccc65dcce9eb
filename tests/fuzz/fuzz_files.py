"""Small valid documents of the binary formats, written by libraries or part by part."""

import io
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from fuzz_texts import CODE, MAIL, MARKDOWN, PAGE, PROSE
from office_files import W, docx, opendocument, paragraph, zipped
from xlsb_file import xlsb
from xps_file import xps

_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="in/b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_BOOK = (
    '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Harbour</dc:title><dc:creator>Ann</dc:creator>'
    "<dc:language>en</dc:language><dc:date>2024-01-31</dc:date></metadata><manifest>"
    '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b%20b.xhtml" '
    'media-type="application/xhtml+xml"/><item id="n" href="nav.xhtml" properties="nav" '
    'media-type="application/xhtml+xml"/><item id="t" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
    '<spine toc="t"><itemref idref="a"/><itemref idref="b" linear="no"/></spine></package>'
)
_NAVIGATION = (
    '<html xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><ol><li><a href="a.xhtml">Part</a>'
    '<ol><li><a href="b%20b.xhtml#x">Second</a></li></ol></li></ol></nav></body></html>'
)
_NCX = (
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Part</text></navLabel>'
    '<content src="a.xhtml"/></navPoint></navMap></ncx>'
)
_WORD_BODY = (
    paragraph("Harbour", '<w:pStyle w:val="Heading1"/><w:outlineLvl w:val="0"/>')
    + '<w:p><w:r><w:t>It froze</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:tab/><w:br/></w:r></w:p>'
    + paragraph("one", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    + "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/><w:vMerge w:val='restart'/></w:tcPr><w:p><w:r><w:t>a</w:t>"
    "</w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc><w:tc><w:p><w:r><w:t>2</w:t></w:r></w:p>"
    "</w:tc></w:tr></w:tbl><w:p><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>x</m:t></m:r>"
    "</m:den></m:f><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    "</w:p><w:sdt><w:sdtContent><w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r>"
    "</w:del></w:p></w:sdtContent></w:sdt><w:p><w:r><w:lastRenderedPageBreak/><w:t>Page two</w:t></w:r><w:fldSimple "
    'w:instr="PAGE"><w:r><w:t>2</w:t></w:r></w:fldSimple></w:p><w:sectPr/>'
)
_NUMBERING = (
    f'<w:numbering {W}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt '
    'w:val="lowerRoman"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId '
    'w:val="0"/></w:num></w:numbering>'
)
_NOTES = f'<w:footnotes {W}><w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>'
_STYLES = (
    f'<w:styles {W}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn '
    'w:val="Normal"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style></w:styles>'
)
_ODT_BODY = (
    '<text:h text:outline-level="1">Harbour</text:h><text:p>It froze<text:note text:note-class="footnote"><text:'
    "note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note>"
    '<text:s text:c="3"/><text:tab/><text:line-break/></text:p><text:list><text:list-item><text:p>one</text:p>'
    "<text:list><text:list-item><text:p>two</text:p></text:list-item></text:list></text:list-item></text:list>"
    '<table:table table:name="T"><table:table-row table:number-rows-repeated="2"><table:table-cell '
    'table:number-columns-spanned="2" table:number-rows-spanned="2"><text:p>a</text:p></table:table-cell>'
    "<table:covered-table-cell/></table:table-row></table:table><text:section><text:p>in</text:p></text:section>"
)
_ODS_BODY = (
    '<table:table table:name="Sums"><table:table-row><table:table-cell office:value-type="string"><text:p>year</text:p>'
    '</table:table-cell><table:table-cell table:number-columns-repeated="3" office:value-type="float" '
    'office:value="1.5"><text:p>1.5</text:p></table:table-cell></table:table-row><table:table-row '
    'table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>'
    '<table:table-row><table:table-cell office:value-type="date" office:date-value="2024-01-31"><office:annotation>'
    "<text:p>note</text:p></office:annotation><text:p>31</text:p></table:table-cell></table:table-row></table:table>"
)
_ODP_BODY = (
    '<draw:page draw:name="One"><draw:frame svg:x="1cm" svg:y="2cm" presentation:class="title"><draw:text-box><text:p>'
    'Harbour</text:p></draw:text-box></draw:frame><draw:frame svg:x="1cm" svg:y="9cm"><draw:text-box><text:list>'
    "<text:list-item><text:p>It froze.</text:p></text:list-item></text:list></draw:text-box></draw:frame>"
    "<presentation:notes><draw:frame><draw:text-box><text:p>note</text:p></draw:text-box></draw:frame>"
    "</presentation:notes></draw:page>"
)


def _written(write: Callable[[Path], object]) -> bytes:
    """Return the bytes of a file that a function writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "made")
        write(path)
        return path.read_bytes()


@cache
def pdf_files() -> tuple[bytes, ...]:
    """Return PDF files whose streams are readable, with a table, an outline, a link and two columns."""
    import pymupdf

    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((72, 72), "Harbour", fontsize=20)
        page.insert_textbox((72, 100, 280, 300), "The harbour of Lindhamn froze in 1987. " * 6)
        page.insert_textbox((300, 100, 520, 300), "People walked over the ice to the other side. " * 6)
        for at in range(4):
            page.draw_line((72, 320 + 20 * at), (272, 320 + 20 * at))
            page.draw_line((72 + 66 * at, 320), (72 + 66 * at, 380))
        for row, column in ((0, 0), (0, 1), (1, 0), (2, 2)):
            page.insert_text((76 + 66 * column, 334 + 20 * row), f"c{row}{column}")
        page.insert_link(
            {"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(72, 60, 150, 80), "uri": "https://example.org"}
        )
        second = pdf.new_page(width=400, height=300)
        second.insert_text((40, 40), "冰", fontname="china-s")
        second.set_rotation(90)
        pdf.set_toc([[1, "Harbour", 1], [2, "Ice", 2]])
        pdf.set_metadata({"title": "Harbour", "author": "Ann", "creationDate": "D:20240131120000+01'00'"})
        plain = pdf.tobytes(deflate=False, no_new_id=True)
        return bytes(plain), bytes(pdf.tobytes(deflate=True, use_objstms=1, no_new_id=True))


@cache
def word_files() -> tuple[bytes, ...]:
    """Return Word files: one part by part, one by a library."""
    import docx as library

    made, file = library.Document(), io.BytesIO()
    made.add_heading("Harbour", 1)
    made.add_paragraph("It froze.", style="List Bullet")
    made.add_table(2, 2).cell(0, 0).text = "a"
    made.save(file)
    parts = {"numbering": _NUMBERING, "footnotes": _NOTES, "styles": _STYLES}
    by_hand = _members(_written(lambda path: docx(path, _WORD_BODY, **parts)))
    return zipped({**by_hand, "[Content_Types].xml": _members(file.getvalue())["[Content_Types].xml"]}), file.getvalue()


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@cache
def locked_files() -> tuple[bytes, ...]:
    """Return an encrypted Word file: a compound file."""
    from msoffcrypto.format.ooxml import OOXMLFile

    made = io.BytesIO()
    OOXMLFile(io.BytesIO(word_files()[0])).encrypt("secret", made)
    return (made.getvalue(),)


@cache
def slide_files() -> tuple[bytes, ...]:
    """Return PowerPoint files with bullets, a table, a chart, a group and notes."""
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    made, file = Presentation(), io.BytesIO()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Harbour"
    slide.placeholders[1].text = "It froze.\nAgain."
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(2), Inches(1)).table
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(1, 1).text = "b"
    data = CategoryChartData()
    data.categories = ["a", "b"]
    data.add_series("s", (1, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, Inches(1), Inches(3), Inches(2), Inches(2), data)
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "in a group"
    slide.notes_slide.notes_text_frame.text = "note"
    made.save(file)
    return (_lean(file.getvalue()),)


def _lean(data: bytes) -> bytes:
    """Return a presentation without the parts that no parser reads, which are most of it."""
    parts = _members(data)
    idle = ("printerSettings", "thumbnail", "theme", "presProps", "viewProps", "tableStyles")
    layouts = tuple(f"slideLayout{number}." for number in (1, *range(3, 12)))
    return zipped({name: part for name, part in parts.items() if not any(word in name for word in (*idle, *layouts))})


@cache
def sheet_files() -> tuple[bytes, ...]:
    """Return Excel files with merged cells, a comment, number formats, a formula and a chart."""
    from openpyxl import Workbook
    from openpyxl.chart import BarChart, Reference
    from openpyxl.comments import Comment

    made, file = Workbook(), io.BytesIO()
    sheet = made.active
    for row in (("year", "ice", "sum"), (1987, "yes", 0.25), (1988, "no", "=A2+1")):
        sheet.append(row)
    sheet["C2"].number_format = "0.0%"
    sheet["A2"].number_format = '[Red]"("0.00")";yyyy-mm-dd'
    sheet["B2"].comment = Comment("cold", "Ann")
    sheet.merge_cells("A5:B6")
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=1, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "E2")
    made.create_sheet("Hidden").sheet_state = "hidden"
    made.save(file)
    return (file.getvalue(),)


def binary_sheet_files() -> tuple[bytes, ...]:
    """Return binary Excel files."""
    return (_written(lambda path: xlsb(path, "Sums", (("year", 1987.0), ("ice", 1.0)))),)


def opendocument_files(kind: str) -> tuple[bytes, ...]:
    """Return OpenDocument files: kind is text, presentation or spreadsheet."""
    body = {"text": _ODT_BODY, "presentation": _ODP_BODY, "spreadsheet": _ODS_BODY}[kind]
    meta = "<dc:title>Harbour</dc:title><meta:initial-creator>Ann</meta:initial-creator><dc:date>2024-01-31</dc:date>"
    styles = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Heading_20_1"/>'
    return (_written(lambda path: opendocument(path, kind, body, styles=styles, meta=meta)),)


def books() -> tuple[bytes, ...]:
    """Return EPUB books."""
    chapter = PAGE.replace("<!DOCTYPE html>", "")
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": _CONTAINER, "in/b.opf": _BOOK}
    parts |= {"in/nav.xhtml": _NAVIGATION, "in/toc.ncx": _NCX, "in/a.xhtml": chapter, "in/b b.xhtml": "<p>Second.</p>"}
    return (zipped(parts),)


def archives() -> tuple[bytes, ...]:
    """Return ZIP archives, one of them nested."""
    inner = zipped({"a.txt": PROSE, "b/c.md": MARKDOWN})
    return inner, zipped({"x.zip": inner, "港口.txt": PROSE, "mail.eml": MAIL, "__MACOSX/._a": "x", "code/a.py": CODE})


@cache
def xps_files() -> tuple[bytes, ...]:
    """Return XPS documents."""
    return (_written(lambda path: xps(path, (("Harbour", "It froze in 1987."), ("Page two",)))),)


@cache
def pictures() -> dict[str, bytes]:
    """Return small images by file extension; the TIFF has two pages."""
    from PIL import Image

    exif = Image.Exif()
    exif[306], exif[315], exif[274] = "2024:01:31 12:00:00", "Ann", 6
    made: dict[str, bytes] = {}
    picture = Image.new("RGB", (7, 5), "teal")
    for suffix, options in {
        ".png": {"exif": exif},
        ".jpg": {"exif": exif},
        ".gif": {"save_all": True, "append_images": [picture.rotate(90)]},
        ".bmp": {},
        ".webp": {"exif": exif},
        ".tif": {"save_all": True, "append_images": [picture.rotate(90)], "compression": "tiff_lzw"},
    }.items():
        file = io.BytesIO()
        kind = {".jpg": "JPEG", ".tif": "TIFF"}.get(suffix, suffix[1:].upper())
        picture.save(file, kind, **options)
        made[suffix] = file.getvalue()
    return made
