"""HTML export: one page that is valid, self-contained and cannot be broken by its content."""

import re
from html.parser import HTMLParser

import pytest
from export_session import THOUGHT, invalid, made_run, made_session
from selectolax.lexbor import LexborHTMLParser

from workbench.errors import NotFound
from workbench.export.base import ExportContext
from workbench.export.html import HtmlExporter
from workbench.export.rendering import table_size
from workbench.export.run_transcript import argument_fields
from workbench.model.run import TimedEvent, ToolCompleted, ToolStarted

HOSTILE = (
    '</details><script>alert(1)</script>"\'>\n<img src="http://x/y" onerror=alert(1)>\n\u202ereversed ]]> --> \x00'
)
VOID = {"meta", "img", "br", "hr"}


def page_of(session, context):
    return HtmlExporter().render(session, context).decode("utf-8")


class Checker(HTMLParser):
    """Parser that matches every tag with its end, and collects identifiers, targets and addresses."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.ids, self.targets, self.sources = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.faults.append(f"doubled attribute in {tag}")
        values = dict(attrs)
        self.ids += [values["id"]] if "id" in values else []
        self.targets += [values["href"]] if "href" in values else []
        self.sources += [values["src"]] if "src" in values else []
        self.faults += [f"handler {name}" for name in names if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> out of place")


def checked(page):
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.faults == []
    assert checker.open == []
    return checker


def test_page_is_well_formed_and_every_link_leads_to_something_in_it(context):
    checker = checked(page_of(made_session(made_run(), made_run(number=2)), context))
    assert len(checker.ids) == len(set(checker.ids))
    assert checker.targets
    assert all(target.removeprefix("#") in checker.ids for target in checker.targets)


def test_page_loads_nothing(context):
    page = page_of(made_session(made_run("Deep [1] ![p](http://x/y.png) <img src=http://x/z>")), context)
    checker = checked(page)
    assert all(source.startswith("data:image/png;base64,") for source in checker.sources)
    assert "default-src 'none'" in page
    assert not re.search(r"<(script|link|iframe|object|embed|base|form)\b|@import|url\(", page)


def test_a_chip_leads_to_the_card_with_quote_page_image_and_hash(context):
    tree = LexborHTMLParser(page_of(made_session(made_run()), context))
    assert tree.css_first(".answer sup.cite a").attributes["href"] == "#q1-1"
    card = tree.css_first("li#q1-1")
    assert "survey.pdf, page 7" in card.text()
    assert card.css_first("blockquote").text() == "The channel is dredged to 14.2 m."
    assert "sha256 abababababab" in card.text()
    assert card.css_first("img").attributes["src"].startswith("data:image/png;base64,")


def test_the_page_of_a_passage_is_drawn_once():
    drawn = []
    context = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "lib", lambda c: drawn.append(c))
    HtmlExporter().render(made_session(made_run(), made_run(number=2)), context)
    assert len(drawn) == 1


def test_a_missing_document_leaves_out_only_the_image():
    def gone(_citation):
        raise NotFound("No such document.")

    context = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "lib", gone)
    tree = LexborHTMLParser(HtmlExporter().render(made_session(made_run()), context).decode())
    assert tree.css_first("li#q1-1 blockquote")
    assert not tree.css("img")


def test_an_image_that_is_no_png_is_left_out():
    context = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "lib", lambda _c: b"<svg onload=alert(1)>")
    assert "<img" not in page_of(made_session(made_run()), context)


def test_an_invented_marker_is_flagged_and_is_no_link(context):
    answer = "It is pink [9]."
    tree = LexborHTMLParser(page_of(made_session(made_run(answer, (invalid(answer, 9),))), context))
    assert tree.css_first(".answer .invalid").text() == "[9] not a source of this run"
    assert not tree.css(".answer a")


def test_c13_thoughts_are_in_the_steps_and_not_in_the_answer(context):
    tree = LexborHTMLParser(page_of(made_session(made_run()), context))
    assert THOUGHT not in tree.css_first(".answer").text()
    assert THOUGHT in tree.css_first("ol.steps").text()


@pytest.mark.parametrize("place", ["quote", "name", "question", "answer", "title"])
def test_hostile_text_adds_no_element(context, place):
    title = HOSTILE if place == "title" else "Harbour depths"
    if place == "answer":
        run = made_run(f"Deep [1].\n\n{HOSTILE}")
    else:
        run = made_run(**{place: HOSTILE} if place != "title" else {})
    page = page_of(made_session(run, title=title), context)
    checker = checked(page)
    tree = LexborHTMLParser(page)
    assert not tree.css("script")
    assert len(tree.css("details")) == 4
    assert all(source.startswith("data:") for source in checker.sources)
    assert "\u202e" not in page
    assert "\x00" not in page


def test_export_is_the_same_bytes_each_time(context):
    session = made_session(made_run())
    assert HtmlExporter().render(session, context) == HtmlExporter().render(session, context)


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("A line of prose goes on to its end\nand ends.", "A line of prose goes on to its end and ends."),
        ("Year | m\n2024 | 14.2\n2025", "Year | m\n2024 | 14.2\n2025"),
    ],
)
def test_lines_of_prose_flow_and_lines_of_a_table_stay(context, quote, shown):
    tree = LexborHTMLParser(page_of(made_session(made_run(quote=quote)), context))
    assert tree.css_first("li#q1-1 blockquote").text() == shown


def test_the_arguments_of_a_tool_are_lines_of_name_and_value(context):
    called = ToolStarted("c9", "find", '{"words": ["depth", "tide"], "note": "<b>", "by": {"year": 2}, "none": null}')
    events = (TimedEvent(1, 0.1, called), TimedEvent(2, 0.2, ToolCompleted("c9", "find", "Nothing", 1.0)))
    page = page_of(made_session(made_run(events=events)), context)
    checked(page)
    shown = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page)
    assert shown == [
        ("words", "depth, tide"),
        ("note", "&lt;b&gt;"),
        ("by", "{&quot;year&quot;: 2}"),
        ("Result", "Nothing"),
    ]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [("", ()), ("{}", ()), ("{broken", (("Arguments", "{broken"),)), ("[1]", (("Arguments", "[1]"),))],
)
def test_arguments_that_are_no_object_are_shown_as_they_are(arguments, shown):
    assert argument_fields(arguments) == shown


def test_tables_with_many_columns_are_printed_in_smaller_type(context):
    _, _, printed = page_of(made_session(made_run()), context).partition("@media print {")
    sizes = re.findall(r"table:has\(tr > :nth-child\((\d+)\)\) \{ font-size: ([\d.]+)pt", printed)
    assert [(table_size(int(column) - 1), table_size(int(column))) for column, _size in sizes] == [
        ("few", "many"),
        ("many", "most"),
    ]
    assert [float(size) for _column, size in sizes] == [7.5, 6.5]
