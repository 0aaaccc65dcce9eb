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
