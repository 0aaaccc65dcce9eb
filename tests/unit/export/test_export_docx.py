"""Word export: real styles, lists, tables and footnotes, read again by python-docx and by this program's parser."""

import io
import zipfile

import docx
import pytest
from export_session import PNG, cited, made_run, made_session
from hostile_text import HOSTILE, PLACES, TEXTS
from hypothesis import HealthCheck, given, settings
from lxml import etree

from workbench.export.base import ExportContext, no_page
from workbench.export.format_registry import DocxExporter
from workbench.model.document import BlockKind
from workbench.parsing.parse import parse_file

PLAIN = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", no_page)
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
ANSWER = """The channel is **14.2 m** deep [1], as the `survey` says [2]. Again [1].

| Year | Depth |
| ---- | ----: |
| 2024 | 14.2 |

1. first
   - inside
2. second

```python
def f():
    return 1
```
"""


def rendered(session, context=PLAIN):
    return DocxExporter().render(session, context)


def answered():
    again = cited(ANSWER, 1)
    last = ANSWER.rindex("[1]")
    from dataclasses import replace

    return made_run(
        ANSWER,
        (
            again,
            cited(ANSWER, 2, document=2, document_name="维护手册.pdf", quote="闸门每季度检查一次。"),
            replace(again, answer_start=last, answer_end=last + 3),
        ),
    )


def parts_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def parsed(data, tmp_path):
    (tmp_path / "out.docx").write_bytes(data)
    return parse_file(tmp_path / "out.docx")


def test_it_is_opened_again_with_its_styles():
    document = docx.Document(io.BytesIO(rendered(made_session(answered()))))
    styles = {paragraph.text: paragraph.style.name for paragraph in document.paragraphs}
    assert styles["Harbour depths"] == "Title"
    assert styles["1. How deep is the channel?"] == "Heading 1"
    assert styles["first"] == "List Number"
    assert styles["inside"] == "List Bullet"
    assert styles["def f():\n    return 1"] == "Code"
    assert document.core_properties.title == "Harbour depths"
    assert [[cell.text for cell in row.cells] for row in document.tables[0].rows] == [
        ["Year", "Depth"],
        ["2024", "14.2"],
    ]
    assert document.tables[0].style.name == "Table Grid"


def test_our_own_parser_reads_headings_table_code_and_footnotes(tmp_path):
    document = parsed(rendered(made_session(answered())), tmp_path)
    kinds = {block.kind: document.text[block.start : block.end] for block in document.blocks}
    assert "| 2024 | 14.2 |" in document.text
    assert BlockKind.TABLE in kinds
    headings = [document.text[b.start : b.end].lstrip("# ") for b in document.blocks if b.kind is BlockKind.HEADING]
    assert "1. How deep is the channel?" in headings
    assert "闸门每季度检查一次。" in document.text
    assert document.metadata.title == "Harbour depths"


def test_each_passage_is_one_footnote_and_later_marks_refer_to_it():
    parts = parts_of(rendered(made_session(answered())))
    body, notes = etree.fromstring(parts["word/document.xml"]), etree.fromstring(parts["word/footnotes.xml"])
    marks = [mark.get(f"{W}id") for mark in body.iter(f"{W}footnoteReference")]
    texts = {note.get(f"{W}id"): "".join(note.itertext()) for note in notes}
    assert marks == ["1", "2"]
    assert "survey.pdf, page 7" in texts["1"]
    assert "闸门每季度检查一次。" in texts["2"]
    (asked,) = [text.text for text in body.iter(f"{W}instrText")]
    names = [mark.get(f"{W}name") for mark in body.iter(f"{W}bookmarkStart")]
    assert asked.split()[:2] == ["NOTEREF", names[0]]


def test_chinese_has_a_font_of_its_own():
    styles = etree.fromstring(parts_of(rendered(made_session(answered())))["word/styles.xml"])
    normal = next(style for style in styles if style.get(f"{W}styleId") == "Normal")
    assert normal.find(f".//{W}rFonts").get(f"{W}eastAsia") == "Microsoft YaHei"


def test_lists_count_for_themselves():
    answer = "1. one\n2. two\n\ntext\n\n4. four"
    parts = parts_of(rendered(made_session(made_run(answer, ()))))
    body = etree.fromstring(parts["word/document.xml"])
    used = [number.get(f"{W}val") for number in body.iter(f"{W}numId")]
    numbering = etree.fromstring(parts["word/numbering.xml"])
    starts = {
        one.get(f"{W}numId"): one.find(f".//{W}startOverride").get(f"{W}val")
        for one in numbering.iter(f"{W}num")
        if one.find(f".//{W}startOverride") is not None
    }
    assert [starts[number] for number in dict.fromkeys(used[:3])] == ["1", "4"]


def test_the_cited_page_is_a_picture_with_a_description():
    context = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", lambda _citation: PNG)
    parts = parts_of(rendered(made_session(made_run()), context))
    assert parts["word/media/image1.png"] == PNG
    assert b'descr="survey.pdf, page 7, with the passage marked"' in parts["word/document.xml"]


def external(parts):
    """Return the link targets outside of the file, by kind."""
    found = []
    for name, data in parts.items():
        if name.endswith(".rels"):
            found += [
                (relation.get("Type").rsplit("/", 1)[1], relation.get("Target"))
                for relation in etree.fromstring(data)
                if relation.get("TargetMode") == "External"
            ]
    return found


def test_plain_links_are_the_only_way_out_of_the_file():
    answer = "See [the site](https://example.org/a?b=1&c=2), [x](file:///etc/passwd) and ![p](http://x/p.png)."
    parts = parts_of(rendered(made_session(made_run(answer, ()))))
    assert external(parts) == [("hyperlink", "https://example.org/a?b=1&c=2"), ("hyperlink", "http://x/p.png")]
    assert not [name for name in parts if "media" in name]


@pytest.mark.parametrize("place", PLACES)
def test_hostile_text_adds_no_relation_field_or_element(place, tmp_path):
    calm = parts_of(rendered(made_session(made_run(), title="x")))
    run = made_run(f"Deep [1].\n\n{HOSTILE}") if place == "answer" else made_run()
    if place in ("quote", "name", "question"):
        run = made_run(**{place: HOSTILE})
    data = rendered(made_session(run, title=HOSTILE if place == "title" else "x"))
    parts = parts_of(data)
    assert set(parts) == set(calm)
    assert set(external(parts)) <= {("hyperlink", "http://x/p.png")}
    body = etree.fromstring(parts["word/document.xml"])
    known = {element.tag for element in etree.fromstring(calm["word/document.xml"]).iter()}
    assert {element.tag for element in body.iter()} - known <= {f"{W}br", f"{W}rStyle", f"{W}hyperlink"}
    assert not list(body.iter(f"{W}instrText"))
    assert "\u202e" not in parts["word/document.xml"].decode("utf-8")
    assert "alert(1)" in parsed(data, tmp_path).text


@given(TEXTS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_becomes_a_document_that_opens(text):
    data = rendered(made_session(made_run(f"Deep [1]. {text}", quote=text, question=text), title=text))
    document = docx.Document(io.BytesIO(data))
    assert document.paragraphs[0].style.name == "Title"
    assert all(target.startswith(("http:", "https:", "mailto:")) for _kind, target in external(parts_of(data)))


def test_struck_raised_and_nested_text_keeps_its_look():
    answer = "~~gone~~ and **bold *both***\n\n> quoted\n> - point"
    body = etree.fromstring(parts_of(rendered(made_session(made_run(answer, ()))))["word/document.xml"])
    looks = {
        "".join(text.text for text in one.iter(f"{W}t")): {child.tag.removeprefix(W) for child in one.find(f"{W}rPr")}
        for one in body.iter(f"{W}r")
        if one.find(f"{W}rPr") is not None
    }
    assert looks["gone"] == {"strike"}
    assert looks["bold "] == {"b", "bCs"}
    assert looks["both"] == {"b", "bCs", "i", "iCs"}
    document = docx.Document(io.BytesIO(rendered(made_session(made_run(answer, ())))))
    assert {p.text: p.style.name for p in document.paragraphs}["quoted"] == "Quote"


def test_the_arguments_of_a_tool_are_lines_and_not_json():
    text = "\n".join(one.text for one in docx.Document(io.BytesIO(rendered(made_session(made_run())))).paragraphs)
    assert "query: channel depth" in text
    assert '{"query"' not in text


@pytest.mark.parametrize(("columns", "style"), [(6, "Table Text"), (9, "Table Text Many"), (14, "Table Text Most")])
def test_the_more_columns_a_table_has_the_smaller_is_its_type(columns, style):
    answer = f"| {' | '.join('abcdefghijklmn'[:columns])} |\n|{' --- |' * columns}\n|{' 1 |' * columns}"
    (table,) = docx.Document(io.BytesIO(rendered(made_session(made_run(answer, (), references=()))))).tables
    assert {one.style.name for row in table.rows for cell in row.cells for one in cell.paragraphs} == {style}
    sizes = [
        table.part.document.styles[name].font.size for name in ("Table Text", "Table Text Many", "Table Text Most")
    ]
    assert sizes == sorted(sizes, reverse=True)


def body_of(answer, *citations, context=PLAIN, **fields):
    run = made_run(answer, citations, **{"references": (), "events": (), **fields})
    return etree.fromstring(parts_of(rendered(made_session(run), context))["word/document.xml"])


def text_of(element):
    return "".join(text.text for text in element.iter(f"{W}t"))


def paragraphs_of(body):
    """Return the paragraphs by their text: the names of their properties, with the style under "style"."""
    found = {}
    for one in body.iter(f"{W}p"):
        properties = one.find(f"{W}pPr")
        named = {child.tag.removeprefix(W): child for child in (properties if properties is not None else ())}
        found[text_of(one)] = {**named, "style": named["pStyle"].get(f"{W}val") if "pStyle" in named else ""}
    return found


def test_headings_of_an_answer_follow_that_of_its_question_without_a_gap():
    shown = paragraphs_of(body_of("# Top\n\n## Part\n\n### Detail\n\ntext"))
    assert [shown[name]["style"] for name in ("Top", "Part", "Detail")] == ["Heading2", "Heading2", "Heading3"]


def test_a_column_is_as_wide_as_its_longest_word_and_a_mark_takes_no_more_than_its_digits():
    answer = "| Segment | Revenue | Change |\n| --- | --- | --- |\n| Pharmaceuticals abroad | 12,199 | 1 % [1] |"
    body = body_of(answer, cited(answer, 1))
    widths = [int(column.get(f"{W}w")) for column in body.iter(f"{W}gridCol")]
    assert [int(cell.get(f"{W}w")) for cell in body.iter(f"{W}tcW")] == widths * 2
    assert widths[0] > 2 * widths[2]
    assert max(widths[1:]) < 1.2 * min(widths[1:])


def test_a_long_cell_leaves_short_columns_on_one_line():
    answer = f"| No. | Item | Description |\n| --- | --- | --- |\n| 60 | Item 60 | {'so and then some words ' * 20} |"
    letters = [int(column.get(f"{W}w")) / 9300 * 92 for column in body_of(answer).iter(f"{W}gridCol")]
    assert letters[1] > len("Item 60") + 2
    assert letters[2] > 60


def test_rows_are_not_divided_and_the_head_is_repeated_and_stays_with_them():
    body = body_of("Figures:\n\n| Year |\n| --- |\n| 2024 |")
    rows = list(body.iter(f"{W}tr"))
    assert all(row.find(f".//{W}cantSplit") is not None for row in rows)
    assert [row.find(f".//{W}tblHeader") is not None for row in rows] == [True, False]
    shown = paragraphs_of(body)
    assert "keepNext" in shown["Figures:"]
    assert "keepNext" in shown["Year"]
    assert "keepNext" not in shown["2024"]


def test_only_the_first_paragraph_of_an_item_has_its_number():
    shown = paragraphs_of(body_of("1. first\n\n   goes on\n\n   ```\n   code\n   ```\n\n2. second"))
    assert "numPr" in shown["first"]
    assert shown["goes on"]["style"] == "ListContinue"
    assert "numPr" not in shown["goes on"]
    assert shown["code"]["ind"].get(f"{W}left") == "360"


def test_a_footnote_leads_to_the_picture_of_its_page_and_the_picture_to_the_footnotes():
    pictured = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", lambda _citation: PNG)
    parts = parts_of(rendered(made_session(made_run(references=())), pictured))
    body, notes = etree.fromstring(parts["word/document.xml"]), etree.fromstring(parts["word/footnotes.xml"])
    marks = {mark.get(f"{W}name") for mark in body.iter(f"{W}bookmarkStart")}
    (to_page,) = notes.iter(f"{W}hyperlink")
    assert text_of(to_page) == "page 7"
    (to_note,) = body.iter(f"{W}hyperlink")
    assert text_of(to_note) == "1"
    assert {link.get(f"{W}anchor") for link in (to_page, to_note)} <= marks
    assert "Source 1 of question" not in text_of(notes)


def test_the_quote_of_a_footnote_flows_and_the_technical_details_come_with_the_searches():
    quote = "The channel is dredged every year to the depth\nthat the pilots ask for."
    for references, is_technical in ((None, True), ((), False)):
        run = made_run(quote=quote) if references is None else made_run(quote=quote, references=references)
        notes = etree.fromstring(parts_of(rendered(made_session(run)))["word/footnotes.xml"])
        assert f"“{quote.replace(chr(10), ' ')}”" in text_of(notes)
        assert ("Source 1 of question 1" in text_of(notes)) is is_technical


def test_a_formula_is_set_and_not_shown_as_its_source():
    body = body_of("So:\n\n$$ g = \\frac{x_1}{2} $$\n\nand $E = mc^2$.")
    assert "g = x1/2" in {text_of(one) for one in body.iter(f"{W}p")}
    raised = [text_of(one) for one in body.iter(f"{W}r") if one.find(f".//{W}vertAlign") is not None]
    assert raised == ["1", "2"]


def test_word_opens_the_file_in_its_current_layout_and_finds_its_language():
    parts = parts_of(rendered(made_session(made_run())))
    settings = etree.fromstring(parts["word/settings.xml"])
    (mode,) = [one for one in settings.iter(f"{W}compatSetting") if one.get(f"{W}name") == "compatibilityMode"]
    assert mode.get(f"{W}val") == "15"
    assert docx.Document(io.BytesIO(rendered(made_session(made_run())))).core_properties.language == "en"
    assert settings.find(f"{W}themeFontLang").get(f"{W}eastAsia") == "zh-CN"
