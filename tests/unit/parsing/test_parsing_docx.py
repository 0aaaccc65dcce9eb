"""Word documents: structure, tables, notes, formulas, pages, and reported omissions."""

from pathlib import Path

import docx as writer
import pytest
from docx.enum.text import WD_BREAK
from office_files import M, W, docx, paragraph, relations, zipped

from workbench.errors import DamagedDocument, EmptyDocument
from workbench.model.document import BlockKind, Finding, FindingKind, ParsedDocument
from workbench.parsing.docx_parser import DocxParser

NUMBERING = f"""<w:numbering {W}>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>
<w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/>
<w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>
<w:num w:numId="7"><w:abstractNumId w:val="1"/></w:num></w:numbering>"""


def listed(text: str, depth: int = 0) -> str:
    return paragraph(text, f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="7"/></w:numPr>')


def parse(path: Path) -> ParsedDocument:
    return DocxParser().parse(path)


def kinds(document: ParsedDocument) -> list[tuple[BlockKind, int, str]]:
    return [(block.kind, block.level, document.text[block.start : block.end]) for block in document.blocks]


def test_e9_headings_lists_tables_and_metadata_of_a_document_that_word_would_write(tmp_path: Path) -> None:
    made = writer.Document()
    made.core_properties.title, made.core_properties.author = "Annual report", "Ada"
    made.add_heading("Sales", 2)
    made.add_paragraph("They grew.")
    made.add_paragraph("north", style="List Bullet")
    made.add_paragraph("south", style="List Bullet")
    table = made.add_table(2, 2)
    for cell, text in zip([c for row in table.rows for c in row.cells], ("Region", "Sum", "north", "5"), strict=True):
        cell.text = text
    made.save(str(tmp_path / "a.docx"))
    document = parse(tmp_path / "a.docx")
    assert kinds(document) == [
        (BlockKind.HEADING, 2, "Sales"),
        (BlockKind.PARAGRAPH, 0, "They grew."),
        (BlockKind.LIST, 0, "- north\n- south"),
        (BlockKind.TABLE, 0, "| Region | Sum |\n| --- | --- |\n| north | 5 |"),
    ]
    assert (document.metadata.title, document.metadata.author) == ("Annual report", "Ada")
    assert document.findings == (Finding(FindingKind.TABLES, count=1),)


def test_heading_level_comes_from_a_localised_style_or_the_outline_level(tmp_path: Path) -> None:
    styles = f"""<w:styles {W}>
    <w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="Überschrift 2"/></w:style>
    <w:style w:type="paragraph" w:styleId="x"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
    <w:style w:type="paragraph" w:styleId="y"><w:name w:val="y"/><w:basedOn w:val="x"/></w:style></w:styles>"""
    body = paragraph("A", '<w:pStyle w:val="berschrift2"/>') + paragraph("B", '<w:pStyle w:val="y"/>')
    body += paragraph("C", '<w:outlineLvl w:val="0"/>') + paragraph("D", '<w:outlineLvl w:val="9"/>')
    levels = [level for _, level, _ in kinds(parse(docx(tmp_path / "a.docx", body, styles=styles)))]
    assert levels == [2, 3, 1, 0]


def test_numbers_of_lists_are_those_that_word_shows(tmp_path: Path) -> None:
    body = listed("one") + listed("sub", 1) + listed("sub", 1) + listed("two") + paragraph("between") + listed("three")
    texts = [text for _, _, text in kinds(parse(docx(tmp_path / "a.docx", body, numbering=NUMBERING)))]
    assert texts == ["1. one\n  1.a) sub\n  1.b) sub\n2. two", "between", "3. three"]


def test_styles_in_a_circle_end(tmp_path: Path) -> None:
    styles = f"""<w:styles {W}><w:style w:styleId="a"><w:name w:val="a"/><w:basedOn w:val="b"/></w:style>
    <w:style w:styleId="b"><w:name w:val="b"/><w:basedOn w:val="a"/></w:style></w:styles>"""
    body = paragraph("text", '<w:pStyle w:val="a"/>')
    assert parse(docx(tmp_path / "a.docx", body, styles=styles)).text == "text"


def test_insertions_are_read_and_deletions_and_hidden_text_are_not(tmp_path: Path) -> None:
    body = """<w:p><w:r><w:t>kept</w:t></w:r><w:ins><w:r><w:t> new</w:t></w:r></w:ins>
    <w:del><w:r><w:delText> old</w:delText></w:r></w:del>
    <w:r><w:rPr><w:vanish/></w:rPr><w:t> secret</w:t></w:r></w:p>"""
    document = parse(docx(tmp_path / "a.docx", body))
    assert document.text == "kept new"
    assert document.findings == (Finding(FindingKind.LEFT_OUT, detail="hidden text"),)


def test_merged_cells_are_repeated_and_nested_tables_are_read_in_their_cell(tmp_path: Path) -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"

    inner = f"<w:tbl><w:tr>{cell('x')}{cell('y')}</w:tr></w:tbl>"
    body = f"""<w:tbl><w:tr>{cell("wide", '<w:gridSpan w:val="2"/>')}{cell("c")}</w:tr>
    <w:tr>{cell("high", '<w:vMerge w:val="restart"/>')}{cell("1")}<w:tc>{inner}<w:p/></w:tc></w:tr>
    <w:tr>{cell("", "<w:vMerge/>")}{cell("3")}{cell("4")}</w:tr></w:tbl>"""
    assert parse(docx(tmp_path / "a.docx", body)).text == (
        "| wide | wide | c |\n| --- | --- | --- |\n| high | 1 | x y |\n| high | 3 | 4 |"
    )


def test_footnotes_and_comments_are_placed_at_the_end_with_their_marks(tmp_path: Path) -> None:
    body = '<w:p><w:r><w:t>Proven</w:t></w:r><w:r><w:footnoteReference w:id="5"/></w:r><w:r><w:t>.</w:t></w:r></w:p>'
    notes = f'<w:footnotes {W}><w:footnote w:id="5">{paragraph("By Euler.")}</w:footnote></w:footnotes>'
    comments = f'<w:comments {W}><w:comment w:id="1" w:author="Ada">{paragraph("Really?")}</w:comment></w:comments>'
    document = parse(docx(tmp_path / "a.docx", body, footnotes=notes, comments=comments))
    assert document.text == "Proven[1].\n\nNotes\n\n[1] By Euler.\n\nComments\n\nAda: Really?"
    assert document.metadata.title == "a"


def test_text_box_is_read_once_although_it_is_stored_twice(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{paragraph('in the box')}</w:txbxContent>"
    body = f"""<w:p><w:r><w:t>outside</w:t></w:r><w:r><mc:AlternateContent>
    <mc:Choice Requires="wps"><w:drawing>{box}</w:drawing></mc:Choice>
    <mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"""
    assert parse(docx(tmp_path / "a.docx", body)).text == "outside\n\nin the box"


def test_formula_alone_is_a_formula_and_one_in_a_sentence_stays_there(tmp_path: Path) -> None:
    square = (
        "<m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    )
    body = f"<w:p><m:oMathPara>{square}</m:oMathPara></w:p><w:p><w:r><w:t>with</w:t></w:r>{square}</w:p>"
    assert kinds(parse(docx(tmp_path / "a.docx", body))) == [
        (BlockKind.FORMULA, 0, "$$x^{2}$$"),
        (BlockKind.PARAGRAPH, 0, "with $x^{2}$"),
    ]


def test_typewriter_paragraphs_that_look_like_code_are_one_block(tmp_path: Path) -> None:
    font = '<w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr>'
    body = "".join(
        f'<w:p><w:r>{font}<w:t xml:space="preserve">{line}</w:t></w:r></w:p>' for line in ("def f():", "    return 1")
    )
    assert kinds(parse(docx(tmp_path / "a.docx", body))) == [(BlockKind.CODE, 0, "def f():\n    return 1")]


def paged(tmp_path: Path, pages: int) -> ParsedDocument:
    body = paragraph("one") + "<w:p><w:r><w:t>half </w:t><w:lastRenderedPageBreak/><w:t>way</w:t></w:r></w:p>"
    names = 'xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"'
    path = docx(tmp_path / "a.docx", body + paragraph("two"))
    files = {
        "_rels/.rels": relations(officeDocument="word/document.xml"),
        "word/document.xml": f"<w:document {W} {M}><w:body>{body}{paragraph('two')}</w:body></w:document>",
        "docProps/app.xml": f"<Properties {names}><Pages>{pages}</Pages></Properties>",
    }
    path.write_bytes(zipped(files))
    return parse(path)


def test_pages_are_those_of_word_where_its_marks_and_its_count_agree(tmp_path: Path) -> None:
    document = paged(tmp_path, 2)
    assert [document.text[page.start : page.end] for page in document.pages] == ["one\n\nhalf ", "way\n\ntwo"]
    assert [block.page for block in document.blocks] == [1, 1, 2]


def test_pages_that_cannot_be_trusted_are_not_given(tmp_path: Path) -> None:
    assert paged(tmp_path, 9).pages == ()


def test_explicit_page_breaks_alone_make_no_pages(tmp_path: Path) -> None:
    made = writer.Document()
    made.add_paragraph("one").add_run().add_break(WD_BREAK.PAGE)
    made.add_paragraph("two")
    made.save(str(tmp_path / "a.docx"))
    assert parse(tmp_path / "a.docx").pages == ()


def test_external_entities_are_never_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret", "utf-8")
    path = tmp_path / "a.docx"
    xml = f'<!DOCTYPE d [<!ENTITY s SYSTEM "{secret.as_uri()}"><!ENTITY i "inner">]>'
    xml += f"<w:document {W}><w:body>{paragraph('a &s; &i; b')}</w:body></w:document>"
    path.write_bytes(zipped({"_rels/.rels": relations(officeDocument="word/document.xml"), "word/document.xml": xml}))
    assert "secret" not in parse(path).text


@pytest.mark.parametrize("share", [0.3, 0.6, 0.97])
def test_an_interrupted_download_gives_its_readable_text_and_a_warning(tmp_path: Path, share: float) -> None:
    whole = docx(tmp_path / "a.docx", "".join(paragraph(f"line {number} of many") for number in range(3000)))
    whole.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * share)])
    document = parse(whole)
    assert document.text.startswith("line 0 of many")
    assert document.warnings == ("The file is damaged; what could still be read was read.",)


def test_document_of_nothing_but_a_picture_is_empty(tmp_path: Path) -> None:
    with pytest.raises(EmptyDocument):
        parse(docx(tmp_path / "a.docx", "<w:p/>"))


def test_archive_without_a_main_part_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(zipped({"readme.txt": "hello"}))
    with pytest.raises(DamagedDocument):
        parse(path)
