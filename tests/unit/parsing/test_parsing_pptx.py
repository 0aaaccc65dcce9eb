"""PowerPoint: a page for each slide, in reading order."""

from pathlib import Path

from office_files import relations, zipped
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from workbench.model.document import BlockKind, Finding, FindingKind, PageKind, ParsedDocument, count_unread_pages
from workbench.parsing.pptx_parser import PptxParser


def saved(made: object, tmp_path: Path) -> ParsedDocument:
    made.save(str(tmp_path / "a.pptx"))  # type: ignore[attr-defined]
    return PptxParser().parse(tmp_path / "a.pptx")


def test_slides_are_pages_with_their_titles_and_notes(tmp_path: Path) -> None:
    made = Presentation()
    for title in ("First", "Second"):
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, f"point of {title}"
    slide.notes_slide.notes_text_frame.text = "Say it slowly."
    document = saved(made, tmp_path)
    assert document.page_kind is PageKind.SLIDE
    assert [(page.number, page.label) for page in document.pages] == [(1, "First"), (2, "Second")]
    assert document.text == "First\n\n- point of First\n\nSecond\n\n- point of Second\n\nNotes: Say it slowly."
    assert [(block.kind, block.page) for block in document.blocks if block.kind is BlockKind.HEADING] == [
        (BlockKind.HEADING, 1),
        (BlockKind.HEADING, 2),
    ]


def test_shapes_are_read_by_their_position_and_not_in_drawing_order(tmp_path: Path) -> None:
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    for text, left, top in (("right", 5, 1), ("below", 1, 4), ("left", 1, 1)):
        slide.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(1)).text_frame.text = text
    assert saved(made, tmp_path).text == "left\n\nright\n\nbelow"


def test_groups_tables_with_merged_cells_and_charts_are_read(tmp_path: Path) -> None:
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "in a group"
    table = slide.shapes.add_table(2, 2, 0, Inches(2), Inches(4), Inches(1)).table
    table.cell(0, 0).text, table.cell(1, 0).text, table.cell(1, 1).text = "both", "1", "2"
    table.cell(0, 0).merge(table.cell(0, 1))
    data = CategoryChartData()
    data.categories = ["2019", "2020"]
    data.add_series("Ducks", (1.5, 3))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, Inches(4), Inches(4), Inches(2), data)
    document = saved(made, tmp_path)
    assert document.text == (
        "in a group\n\n| both | both |\n| --- | --- |\n| 1 | 2 |\n\n"
        "|  | Ducks |\n| --- | --- |\n| 2019 | 1.5 |\n| 2020 | 3 |"
    )
    assert document.findings == (Finding(FindingKind.TABLES, count=1),)


def test_numbered_paragraphs_carry_their_numbers(tmp_path: Path) -> None:
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    frame = slide.placeholders[1].text_frame
    for number, text in enumerate(("one", "two")):
        added = frame.paragraphs[0] if not number else frame.add_paragraph()
        added.text = text
        added._p.get_or_add_pPr().append(
            added._p.makeelement(
                "{http://schemas.openxmlformats.org/drawingml/2006/main}buAutoNum", {"type": "romanLcParenR"}
            )
        )
    assert saved(made, tmp_path).text == "i) one\nii) two"


def test_a_hidden_slide_is_read_and_reported_in_a_warning(tmp_path: Path) -> None:
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Reserve"
    slide._element.set("show", "0")
    assert saved(made, tmp_path).warnings == ("Slide 1 is hidden in the presentation; it was read too.",)


def test_slide_without_text_keeps_its_number(tmp_path: Path) -> None:
    made = Presentation()
    for title in ("One", "", "Three"):
        made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = title
    document = saved(made, tmp_path)
    assert [document.text[page.start : page.end].strip() for page in document.pages] == ["One", "", "Three"]


def test_slides_are_found_without_the_list_of_slides(tmp_path: Path) -> None:
    names = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    names += ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    slide = f"<p:sld {names}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>%s</a:t></a:r></a:p></p:txBody></p:sp>"
    slide += "</p:spTree></p:cSld></p:sld>"
    parts = {f"ppt/slides/slide{number}.xml": slide % f"slide {number}" for number in (1, 2, 10)}
    parts |= {"_rels/.rels": relations(officeDocument="ppt/presentation.xml"), "ppt/presentation.xml": "<broken"}
    path = tmp_path / "a.pptx"
    path.write_bytes(zipped(parts))
    assert PptxParser().parse(path).text == "slide 1\n\nslide 2\n\nslide 10"


def test_a_slide_that_is_only_a_picture_is_a_slide_without_text(tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), "red").save(tmp_path / "a.png")
    made = Presentation()
    for text, has_picture in (("Ducks", True), ("", True), ("", False)):
        slide = made.slides.add_slide(made.slide_layouts[6])
        if text:
            slide.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = text
        if has_picture:
            slide.shapes.add_picture(str(tmp_path / "a.png"), 0, Inches(2))
    document = saved(made, tmp_path)
    (found,) = (finding for finding in document.findings if finding.kind is FindingKind.NO_TEXT)
    assert (found.pages, found.count) == ((2,), 1)
    assert count_unread_pages(document.findings, len(document.pages)) == 1
