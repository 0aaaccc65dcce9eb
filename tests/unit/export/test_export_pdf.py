"""PDF export: embedded fonts, outline, links from citations to sources, and nothing that runs or loads."""

import re
from dataclasses import replace

import pymupdf
import pytest
from export_session import THOUGHT, cited, invalid, made_run, made_session
from hostile_text import HOSTILE, PLACES, TEXTS
from hypothesis import HealthCheck, given, settings

from workbench.export.base import ExportContext, no_page
from workbench.export.cited_pages import merge_marks
from workbench.export.pdf import PdfExporter

PLAIN = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", no_page)
ACTIVE = re.compile(rb"/(JavaScript|JS|Launch|SubmitForm|ImportData|EmbeddedFile|OpenAction|AA|GoToR|RichMedia)\b")


def opened(session, context=PLAIN):
    return pymupdf.open("pdf", PdfExporter().render(session, context))


def text_of(document):
    return "\n".join(page.get_text() for page in document)


def page_picture():
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 600, 800))
    picture.clear_with(220)
    return picture.tobytes("png")


def links_of(document):
    return [link for page in document for link in page.get_links()]


def objects_of(document):
    return b"\n".join(document.xref_object(number).encode() for number in range(1, document.xref_length()))


def test_questions_are_headings_in_the_outline_and_those_of_answers_are_not():
    session = made_session(made_run("# Loud\n\nDeep [1]."), made_run(number=2))
    with opened(session) as document:
        outline = [(level, title) for level, title, _page in document.get_toc()]
    assert outline[:3] == [
        (1, "Harbour depths"),
        (2, "1. How deep is the channel?"),
        (2, "2. How deep is the channel?"),
    ]
    assert "Loud" not in str(outline)


def test_each_marker_leads_to_its_source_and_the_source_back():
    with opened(made_session(made_run())) as document:
        there, back = links_of(document)
        source = document[0].search_for("survey.pdf, page 7")[0]
        marker = document[0].search_for("[1]")[0]
    assert (there["kind"], back["kind"]) == (pymupdf.LINK_GOTO, pymupdf.LINK_GOTO)
    assert abs(there["to"].y - source.y0) < 12
    assert abs(back["to"].y - marker.y0) < 12


def test_chinese_is_text_and_every_font_is_inside():
    with opened(
        made_session(made_run(quote="闸门每季度检查一次。", name="维护手册.pdf"), title="港口水深")
    ) as document:
        text = text_of(document)
        fonts = {font[0]: font for page in document for font in page.get_fonts()}
        assert all(document.extract_font(number)[3] for number in fonts)
        assert document.metadata["title"] == "港口水深"
    for part in ("闸门每季度检查一次。", "维护手册.pdf", "港口水深"):
        assert part in text


def test_pages_are_numbered():
    with opened(made_session(*(made_run(number=n) for n in range(6)))) as document:
        assert document.page_count > 2
        last = document.page_count
        assert f"2 / {last}" in document[1].get_text()
        number = document[1].search_for(f"2 / {last}")[0]
        assert number.y0 > document[1].rect.height - 60


def test_a_table_and_code_of_an_answer_keep_their_form():
    answer = "Deep [1].\n\n| Year | Depth |\n| --- | --: |\n| 2024 | 14.2 |\n\n```python\ndef f():\n    return 1\n```"
    with opened(made_session(made_run(answer, (cited(answer, 1),)))) as document:
        text = text_of(document)
        rows = [document[0].search_for(word)[0] for word in ("2024", "14.2")]
    assert abs(rows[0].y0 - rows[1].y0) < 2
    assert "def f():" in text
    assert "    return 1" in text


def test_the_cited_page_is_shown_as_a_picture():
    context = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", lambda _citation: page_picture())
    with opened(made_session(made_run()), context) as document:
        (picture,) = [image for page in document for image in page.get_images()]
        (placed,) = [info["bbox"] for page in document for info in page.get_image_info()]
        frames = [drawing["rect"] for page in document for drawing in page.get_drawings() if drawing["type"] == "s"]
    assert picture[2:4] == (600, 800)
    assert any(frame == pytest.approx(placed, abs=1) for frame in map(tuple, frames))


def test_a_page_that_several_answers_cite_is_shown_once_and_small():
    context = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", lambda _citation: page_picture())
    with opened(made_session(made_run(), made_run(number=2)), context) as document:
        placed = [info for page in document for info in page.get_image_info()]
    assert len(placed) == 1
    assert placed[0]["bbox"][2] - placed[0]["bbox"][0] < 240


def test_a_source_with_several_cited_passages_is_named_once_at_its_page():
    context = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", lambda _citation: page_picture())
    answer = "Deep [1]. And wide [1]."
    last = answer.rindex("[1]")
    first = cited(answer, 1, start=0, end=9)
    both = (first, replace(first, start=40, end=60, answer_start=last, answer_end=last + 3))
    with opened(made_session(made_run(answer, both, events=(), references=())), context) as document:
        assert re.search(r"question 1 (.*)", text_of(document))[1].strip() == "[1]"


def test_the_marks_of_all_citations_of_a_page_are_in_its_picture():
    def marked(row):
        picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 6, 8))
        picture.clear_with(255)
        picture.set_rect(pymupdf.IRect(0, row, 6, row + 1), (255, 236, 173))
        return picture.tobytes("png")

    merged = pymupdf.Pixmap(merge_marks([marked(1), marked(5)]))
    assert [merged.pixel(0, row) == (255, 236, 173) for row in range(8)] == [row in (1, 5) for row in range(8)]


def test_a_table_that_fits_on_a_page_is_not_divided():
    table = "| Row | Value |\n| --- | --- |\n" + "\n".join(f"| row {n} | {n} |" for n in range(25))
    answers = [f"{'Some words. ' * 60}\n\n{table}\n\nAfter {number}." for number in range(4)]
    with opened(made_session(*(made_run(answer, (), number=n) for n, answer in enumerate(answers)))) as document:
        on_page = [len(re.findall(r"row \d", page.get_text())) for page in document]
    assert {count for count in on_page if count} <= {25, 50}


def test_an_invented_marker_is_flagged_and_no_link():
    answer = "It is pink [9]."
    with opened(made_session(made_run(answer, (invalid(answer, 9),)))) as document:
        assert "[9] not a source of this run" in text_of(document)
        assert links_of(document) == []


def test_c13_thoughts_are_printed_after_all_answers():
    with opened(made_session(made_run(), made_run(number=2))) as document:
        (place,) = [page for _level, title, page in document.get_toc() if title == "How the answers were made"]
        pages = [page.number + 1 for page in document if THOUGHT[:30] in page.get_text()]
    assert pages
    assert min(pages) >= place


@pytest.mark.parametrize("place", PLACES)
def test_hostile_text_runs_nothing_loads_nothing_and_leads_nowhere(place):
    run = made_run(f"Deep [1].\n\n{HOSTILE}") if place == "answer" else made_run()
    if place in ("quote", "name", "question"):
        run = made_run(**{place: HOSTILE})
    with opened(made_session(run, title=HOSTILE if place == "title" else "x")) as document:
        assert not ACTIVE.search(objects_of(document))
        assert document.embfile_count() == 0
        # An image from the web becomes a plain link to it.
        assert {link["uri"] for link in links_of(document) if "uri" in link} <= {"http://x/p.png"}
        assert {link["kind"] for link in links_of(document)} <= {pymupdf.LINK_GOTO, pymupdf.LINK_URI}
        assert [image for page in document for image in page.get_images()] == []
        assert "alert(1)" in text_of(document) + str(document.get_toc()) + str(document.metadata)


@given(TEXTS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_becomes_a_pdf_whose_links_are_plain(text):
    with opened(made_session(made_run(f"Deep [1]. {text}", quote=text, question=text), title=text)) as document:
        links = links_of(document)
        assert not ACTIVE.search(objects_of(document))
    assert all(link.get("uri", "https:").startswith(("http:", "https:", "mailto:")) for link in links)


def test_a_web_address_in_an_answer_is_a_link():
    answer = "See [the site](https://example.org/a?b=1&c=2) [1]."
    with opened(made_session(made_run(answer, (cited(answer, 1),)))) as document:
        (link,) = [link for link in links_of(document) if link["kind"] == pymupdf.LINK_URI]
    assert link["uri"] == "https://example.org/a?b=1&c=2"


def test_a_word_longer_than_a_line_stays_on_the_page():
    with opened(made_session(made_run(quote="x" * 4000, question="How?"))) as document:
        boxes = [word[2] for page in document for word in page.get_text("words")]
        assert max(boxes) <= document[0].rect.width


def table_of(rows, columns, cell="{row}-{column}"):
    head = f"| {' | '.join(f'Head {column}' for column in range(columns))} |\n|{' --- |' * columns}"
    lines = (" | ".join(cell.format(row=row, column=column) for column in range(columns)) for row in range(rows))
    return head + "".join(f"\n| {line} |" for line in lines)


def opened_answer(*answers):
    return opened(
        made_session(*(made_run(answer, (), number=n, events=(), references=()) for n, answer in enumerate(answers)))
    )


def test_a_table_longer_than_a_page_begins_below_its_text_and_repeats_its_head_on_each_page():
    with opened_answer(f"{'Some words. ' * 60}\n\n{table_of(80, 3, 'row {row} {column}')}") as document:
        texts = [page.get_text() for page in document]
        columns = {round(page.search_for("Head 2")[0].x0) for page in document}
    assert "Some words." in texts[0]
    assert [("Head 1" in text, "row" in text) for text in texts] == [(True, True)] * len(texts)
    assert [int(row) for row in re.findall(r"row (\d+) 0", "".join(texts))] == list(range(80))
    assert len(columns) == 1


def test_a_row_of_a_table_is_not_divided_between_pages():
    with opened_answer(table_of(40, 2, "{row}-{column} begins " + "and goes on " * 30 + "ends")) as document:
        pages = [page.get_text() for page in document]
    assert len(pages) > 2
    assert all(page.count("begins") == page.count("ends") for page in pages)


def test_a_row_longer_than_a_page_is_printed_whole():
    with opened_answer(table_of(2, 2, "{row}-{column} begins " + "and goes on " * 800 + "ends")) as document:
        text = text_of(document)
    assert text.count("begins") == text.count("ends") == 4


@pytest.mark.parametrize("columns", [5, 9, 14])
def test_the_more_columns_a_table_has_the_smaller_is_its_type(columns):
    with opened_answer(table_of(3, columns)) as document:
        lines = [line for block in document[0].get_text("dict")["blocks"] for line in block["lines"]]
        cells = {round(span["size"], 1) for line in lines for span in line["spans"] if span["text"].strip() == "2-3"}
    assert cells == {{5: 8.5, 9: 7.5, 14: 6.5}[columns]}


@pytest.mark.parametrize("columns", [10, 40])
def test_a_table_of_long_words_stays_on_the_page_and_loses_nothing(columns):
    with opened_answer(table_of(3, columns, "incomprehensibility{row}x{column}")) as document:
        words = [word for page in document for word in page.get_text("words")]
        edge = document[0].rect.width - 60
    assert max(word[2] for word in words) <= edge
    letters = "".join(word[4] for word in words)
    assert f"2x{columns - 1}" in letters
    assert letters.count("incompre") == 3 * columns


def test_a_table_in_a_list_is_divided_and_the_list_goes_on_below_it():
    nested = table_of(60, 2, "row {row} {column}").replace("\n", "\n   ")
    with opened_answer(f"1. One.\n2. Two:\n\n   {nested}\n\n   After it.\n3. Three.\n\nEnd.") as document:
        texts = [page.get_text() for page in document]
    assert "Two:" in texts[0]
    assert "row 0 0" in texts[0]
    assert all(("Head 1" in text) == ("row" in text) for text in texts)
    rest = texts[-1].replace("\n", " ")
    assert rest.index("After it.") < rest.index("3.") < rest.index("Three.") < rest.index("End.")


def test_a_table_leaves_no_half_empty_page_before_it():
    with opened_answer(f"{'Some words. ' * 120}\n\n{table_of(38, 2)}") as document:
        lowest = [max(word[3] for word in page.get_text("words") if word[3] < 790) for page in document]
    assert min(lowest[:-1]) > 500


def test_21_short_questions_fit_on_few_pages():
    with opened(made_session(*(made_run(number=n, events=(), references=()) for n in range(21)))) as document:
        assert document.page_count <= 5


def test_a_page_that_is_cited_very_often_is_shown_with_all_its_links():
    context = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", lambda _citation: page_picture())
    runs = [made_run(number=n, events=(), references=()) for n in range(400)]
    with opened(made_session(*runs), context) as document:
        text = " ".join(text_of(document).split())
        (placed,) = [info for page in document for info in page.get_image_info()]
    assert placed["bbox"][3] < 790
    assert text.count("question 1 [1]") == text.count("question 400 [1]") == 1


def test_a_long_cell_leaves_short_columns_on_one_line():
    answer = f"| No. | Item | Description |\n| --- | --- | --- |\n| 60 | Item 60 | {'so and then some words ' * 20} |"
    with opened_answer(answer) as document:
        assert "Item 60" in document[0].get_text()


def test_a_word_without_an_end_leaves_room_for_the_other_columns():
    answer = f"| A | B |\n| --- | --- |\n| {'abcdefgh' * 12} | {'begins and goes on for a while ' * 6} |"
    with opened_answer(answer) as document:
        (start,) = document[0].search_for("begins")[:1]
        assert start.x0 < document[0].rect.width * 0.6


def test_four_cited_pages_fit_on_a_printed_page():
    context = ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "Library", lambda _citation: page_picture())
    cites = [(cited("Deep [1].", 1, page=n),) for n in range(8)]
    runs = [made_run("Deep [1].", cite, number=n, events=(), references=()) for n, cite in enumerate(cites)]
    with opened(made_session(*runs), context) as document:
        assert max(len(page.get_image_info()) for page in document) == 4
