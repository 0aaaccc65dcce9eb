"""Quotes are displayed as in the document, even if they contain characters of Markdown."""

import html
import re
from dataclasses import replace

import pytest
from fakes import make_hit

from workbench.agent.citations import find_citations
from workbench.agent.offline.conversation import FoundPassage
from workbench.agent.offline.quotes import lay_out_quotes, quote_of, sentences_to_quote
from workbench.agent.offline.wording import quoted_answer
from workbench.export.rendering import answer_html
from workbench.model.hit import Citation, NumberedHit
from workbench.retrieval.answer_sentences import RankedSentence
from workbench.retrieval.markdown_stripping import strip_markdown
from workbench.retrieval.quotable_spans import quotables


def answered(text: str) -> tuple[str, tuple[Citation, ...]]:
    """Return the displayed text of an answer that quotes a whole passage, without tags, and its citations."""
    sentences = [
        RankedSentence(1, one.start, one.end, one.text, 1.0, one.header, one.is_code, one.cells, one.reads)
        for one in quotables(text)
        if one.is_statement
    ]
    answer = "".join(quoted_answer("What?", [quote_of(one) for one in sentences]))
    citations = find_citations(answer, {1: NumberedHit(1, make_hit(text, chunk=9, start=100))})
    shown = answer_html(answer, citations, link=lambda _: "#x")
    return html.unescape(re.sub(r"<[^>]*>", "", shown)), citations


@pytest.mark.parametrize(
    "sentence",
    [
        "Use max_tokens or snake_case_name, *args or **kwargs, __init__, and `*code*` here.",
        "A generic List<T> holds <b>bold</b> & &amp; items | pipes and ~~struck~~ ones.",
        "The formula \\(x^2\\) costs $5 or $6 \\[y\\] as in [12] and 【3】.",
        "It is 2 * 3 * 4 in C:\\dir\\*new.",
        "See [12](x) and [this] or <http://c.d>.",
        "Issue #12 is # of no importance - or + so.",
        "Half a backtick ` stands in this sentence.",
        "A line break<br>stays and so does &#92; here.",
        "He said “stop it now” and then [4] “went” away.",
        "A name with __two__ marks and a footnote* here.",
        "Where x > y the path is > 5 km long.",
    ],
)
def test_a_quote_is_shown_and_cited_word_for_word(sentence):
    text = f"It begins with an ordinary sentence. {sentence} It ends with another one."
    shown, citations = answered(text)
    assert f"“{sentence}”" in shown
    assert sentence in [citation.quote for citation in citations]


def test_a_backtick_in_each_of_two_quotes_hides_no_marker():
    _, citations = answered("One tick ` stands here alone. Another tick ` stands there alone.")
    assert len(citations) == 2


def test_a_quote_over_two_lines_is_shown_on_one_line_and_cited_verbatim():
    shown, citations = answered("The line breaks\nhere and # goes on.")
    assert "“The line breaks here and # goes on.”" in shown
    assert citations[0].quote == "The line breaks\nhere and # goes on."


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (
            "> > The pump runs for two years,\n> > and the valve for three.",
            "The pump runs for two years, and the valve for three.",
        ),
        ("The **warranty** of the *pump* is ***two*** years.", "The warranty of the pump is two years."),
        ("**Note.** The pump runs for _two_ years.", "The pump runs for two years."),
        ("**The pump runs well. It lasts two years.**", "It lasts two years."),
        ("## Pump\nThe pump runs for two years.", "The pump runs for two years."),
        ("See [the manual](http://x.y/z) and ![a drawing](d.png) of it.", "See the manual and a drawing of it."),
        ("水泵的**保修期**为两年，阀门的保修期为三年。", "水泵的保修期为两年，阀门的保修期为三年。"),
    ],
)
def test_a_quote_is_shown_as_text_without_markdown_and_cited_at_its_source_position(source, shown):
    text = f"It begins with an ordinary sentence.\n\n{source}\n\nIt ends with another one."
    said, citations = answered(text)
    assert f"“{shown}”" in said
    quoted = [strip_markdown(citation.quote).text for citation in citations]
    assert shown.removesuffix(".") in [" ".join(one.split()).removesuffix(".") for one in quoted]
    assert all(text[one.start - 100 : one.end - 100] == one.quote for one in citations)


def test_a_row_of_a_table_is_shown_and_cited_under_the_names_of_its_columns():
    shown, citations = answered(
        "| Part | Price | Left |\n| --- | --- | --- |\n| pump_x | **12** *euros* | |\n| a | b | c |"
    )
    assert "PartPriceLeft\n\npump_x12 euros1" in shown
    assert "PartPriceLeft\n\nabc1" in shown
    assert [citation.quote for citation in citations] == ["pump_x | **12** *euros*", "a | b | c"]


def test_rows_of_short_cells_and_rows_of_sentences_are_distinguished():
    table = "| No | Said |\n| --- | --- |\n| 1 | It ended. Then more. |\n| 2 | It ended. Then more. |\n| 2 | a \\| b |"
    shown, citations = answered(table)
    assert "NoSaid\n\n2a | b1" in shown
    assert [one.quote for one in citations] == [
        *("1 | It ended. Then more.", "2 | It ended. Then more.", "2 | a \\| b"),
    ]


def test_a_row_too_wide_for_a_table_is_quoted_cell_by_cell():
    names, cells = [f"Name {one}" for one in range(7)], [f"cell {one}" for one in range(7)]
    shown, citations = answered(f"| {' | '.join(names)} |\n|{' --- |' * 7}\n| {' | '.join(cells)} |")
    assert "Name 0: “cell 0”; Name 1: “cell 1”; " in shown
    assert [citation.quote for citation in citations] == [" | ".join(cells)]


def test_rows_without_column_names_are_quoted_as_their_cells():
    shown, citations = answered("| pump | 12 euros |\n| valve | 3 euros |")
    assert "“pump”; “12 euros”" in shown
    assert [citation.quote for citation in citations] == ["pump | 12 euros", "valve | 3 euros"]


def test_a_listing_is_shown_as_code_and_cited_whole():
    code = "```python\ndef f(x):\n    return x * 2 \\\n        + y[1]\n```"
    shown, citations = answered(f"{code}\n\nIt doubles the value.")
    assert "    return x * 2 \\\n        + y[1]" in shown
    assert [citation.quote for citation in citations] == [code, "It doubles the value."]


def test_identifiers_and_single_amounts_are_left_as_they_are():
    answer = "".join(quoted_answer("q", [quote_of(RankedSentence(1, 0, 1, "Set max_tokens to $5 in C:\\new.", 1.0))]))
    assert "“Set max_tokens to $5 in C:\\new.” [1]" in answer


SEGMENTS = """| | Year Ended December 31, | |
| --- | --- | --- |
| | 2016 | 2017 |
| North America | | |
| Net sales | $ 79 | $ 106 |
| International | | |
| Net sales | $ 43 | $ 54 |"""


def row(text: str, score: float) -> RankedSentence:
    span = next(one for one in quotables(SEGMENTS) if one.text == text)
    return RankedSentence(1, span.start, span.end, span.text, score, span.header, cells=span.cells)


def sentence(text: str, score: float) -> RankedSentence:
    return RankedSentence(2, 0, len(text), text, score)


def test_the_value_of_the_year_in_question_comes_first_and_nothing_weaker_is_quoted_to_fill_up() -> None:
    ranked = (
        sentence("Net sales include product and service sales.", 2.0),
        row("Net sales | $ 79 | $ 106", 1.8),
        sentence("Our fiscal year ends in May.", 1.7),
    )
    chosen = sentences_to_quote(ranked, "What were net sales in 2017?")
    assert [one.text for one in chosen] == [ranked[1].text, ranked[0].text]
    assert sentences_to_quote(ranked, "Why did net sales rise in 2017?")[0] == ranked[0]
    assert sentences_to_quote(ranked, "What were net sales in 2012?")[0] == ranked[0]


def test_the_row_that_is_asked_for_comes_first_and_rows_with_similar_names_are_left_out() -> None:
    similar, asked = (
        row("Net sales | $ 43 | $ 54", 2.0),
        replace(row("Net sales | $ 79 | $ 106", 1.8), is_asked_row=True),
    )
    prose = sentence("Net sales rose.", 1.9)
    for question in ("What were net sales?", "How much were net sales?"):
        assert sentences_to_quote((similar, prose, asked), question) == [asked, prose]
    far = replace(asked, score=1.0)  # as in a long table, whose other rows are not about the question
    assert sentences_to_quote((similar, prose, far), "What were net sales?") == [far, prose]


def test_a_definition_stays_before_the_row_that_has_the_name_of_what_is_asked_for() -> None:
    definition = sentence("Net sales are all sales without returns.", 2.0)
    asked = replace(row("Net sales | $ 79 | $ 106", 1.8), is_asked_row=True)
    assert sentences_to_quote((definition, asked), "What are net sales?") == [definition, asked]


PART = "| Merchandise inventories | 5,651 | 5,140 |\n| Other | 1 | 2 |"


def quoted_part(path: str) -> str:
    span = next(one for one in quotables(PART, path) if one.text.startswith("Merchandise"))
    ranked = RankedSentence(1, span.start, span.end, span.text, 2.0, cells=span.cells, unit=span.unit)
    return "".join(quoted_answer("Inventories?", lay_out_quotes("?", [ranked], [FoundPassage(1, "a", path, PART)])))


def test_a_row_of_a_part_of_a_long_table_is_shown_with_the_names_and_the_unit_of_the_table() -> None:
    answer = quoted_part("Report > Balance sheets (in millions) > Item | 2016 | 2017")
    assert "| Item (in millions) | 2016 | 2017 | |" in answer
    assert "| (in millions) | 2016 | 2017 | |" in quoted_part("Balance sheets (in millions) > | 2016 | 2017")


def test_a_row_without_column_names_is_quoted_with_its_unit_and_cited_whole() -> None:
    answer = quoted_part("Balance sheets (in millions)")
    assert "- “Merchandise inventories”; “5,651”; “5,140” (in millions) [1]" in answer
    (citation,) = find_citations(answer, {1: NumberedHit(1, make_hit(PART, chunk=9))})
    assert citation.quote == "Merchandise inventories | 5,651 | 5,140"


def test_the_best_sentence_stays_first_where_several_things_are_asked_for() -> None:
    passages = [FoundPassage(1, "a.pdf", "", SEGMENTS)]
    rows = [row("Net sales | $ 79 | $ 106", 1.9), row("Net sales | $ 43 | $ 54", 1.8)]
    ranked = [sentence("The segments are two.", 2.0), replace(sentence("They are large.", 1.95), number=3), *rows]
    quotes = lay_out_quotes("What are the segments?", ranked, passages)
    assert [one.text or len(one.rows) for one in quotes] == ["The segments are two.", 4, "They are large."]


def test_text_without_an_end_comes_after_a_sentence_that_is_almost_as_good() -> None:
    half = replace(sentence("Sales of the segment rose and the rest of it is on the next page", 2.0), is_ended=False)
    whole, weaker = sentence("Sales rose.", 1.8), sentence("Sales are sales.", 1.65)
    assert sentences_to_quote((half, whole, weaker), "Sales?") == [whole, half, weaker]
    assert sentences_to_quote((half, weaker), "Sales?")[0] == half
    assert sentences_to_quote((half,), "Sales?") == [half]


def test_a_row_with_a_name_that_occurs_twice_is_shown_below_the_label_of_its_section() -> None:
    passages = [FoundPassage(1, "a.pdf", "", SEGMENTS)]
    quotes = lay_out_quotes("Net sales?", [row("Net sales | $ 43 | $ 54", 2.0)], passages)
    answer = "".join(quoted_answer("Net sales?", quotes))
    assert "|  | Year Ended December 31, 2016 | Year Ended December 31, 2017 | |" in answer
    assert "| International |  |  |  |\n| Net sales | $ 43 | $ 54 | [1] |" in html.unescape(answer.replace("\\$", "$"))
