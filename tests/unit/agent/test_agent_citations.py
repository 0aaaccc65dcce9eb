"""Citations: validation of the number, and the passage it refers to."""

import time
from dataclasses import replace

import pytest
from fakes import make_hit

from workbench.agent.citations import find_citations
from workbench.model.document import BlockKind
from workbench.model.hit import Citation, Hit, NumberedHit

TEXT = (
    "The company was founded in Oslo. Revenue rose to 5,000 million kroner in 2024, mainly in Asia. "
    "Costs fell by 3 %.\nThe board proposes a dividend of 2.50 kroner per share."
)


def cite(answer: str, hit: Hit | None = None) -> list[Citation]:
    return list(find_citations(answer, {1: NumberedHit(1, hit or make_hit(TEXT, chunk=9, start=100))}))


def quote(answer: str, hit: Hit | None = None) -> str:
    return cite(answer, hit)[0].quote


def test_offsets_are_absolute_and_agree_with_the_quote() -> None:
    (citation,) = cite("Revenue rose to 5,000 million kroner [1].")
    assert TEXT[citation.start - 100 : citation.end - 100] == citation.quote
    assert (citation.chunk, citation.document, citation.page, citation.chunk_ordinal) == (9, 7, 3, 8)


def test_a_citation_of_a_page_read_by_ocr_shows_that_ocr_was_used() -> None:
    hit = make_hit(TEXT, chunk=9, start=100)
    (citation,) = cite("Revenue rose [1].", replace(hit, ocr_pages=(3,)))
    assert (citation.ocr, citation.place) == (True, "page 3 (read by OCR)")
    assert cite("Revenue rose [1].", replace(hit, ocr_pages=(4,)))[0].place == "page 3"


def test_a_citation_has_the_position_of_its_marker_in_the_answer() -> None:
    answer = "Revenue rose [1]."
    (citation,) = cite(answer)
    assert answer[citation.answer_start : citation.answer_end] == "[1]"


def test_e37_an_invented_number_is_flagged_and_empty() -> None:
    (citation,) = cite("It rose [4].")
    assert citation == Citation(4, valid=False, answer_start=8, answer_end=11)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("In 2024 revenue was 5,000 million [1].", "Revenue rose to 5,000 million kroner in 2024, mainly in Asia."),
        ("Costs went down by 3 %. [1]", "Costs fell by 3 %."),
        ("First things. The company comes from Oslo [1]. More.", "The company was founded in Oslo."),
        ("According to [1], a dividend of 2.50 kroner is proposed.",
         "The board proposes a dividend of 2.50 kroner per share."),
        ("[1] names Oslo as the place it was founded.", "The company was founded in Oslo."),
        ("- Revenue: 5,000 million\n- Dividend: 2.50 per share [1]",
         "The board proposes a dividend of 2.50 kroner per share."),
    ],
)  # fmt: skip
def test_the_sentence_that_shares_most_with_the_claim_is_cited(answer: str, expected: str) -> None:
    assert quote(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The report says “Revenue rose to 5,000 million kroner” [1].", "Revenue rose to 5,000 million kroner"),
        ("> Costs fell by 3 %. [1]", "Costs fell by 3 %."),
        ("The company was founded in Oslo. [1]", "The company was founded in Oslo."),
        ("*The company was founded in Oslo* [1].", "The company was founded in Oslo."),
    ],
)
def test_words_quoted_are_cited_word_for_word(answer: str, expected: str) -> None:
    assert quote(answer) == expected


def test_a_quotation_of_several_sentences_with_another_inside_is_cited_whole() -> None:
    said = "He said: “Go north.” Then [4] came, Mr. Berg_s friend. And they “went” home. Nobody knew."
    quoted = said[: said.index(" Nobody")]
    escaped = quoted.replace("[4]", "\\[4]")
    assert quote(f"Your documents say:\n\n- “{escaped}” [1]", make_hit(said)) == quoted


def test_a_quotation_over_a_line_break_is_found() -> None:
    hit = make_hit("It was\nvery   cold in the north. Then it thawed.")
    assert quote("“It was very cold in the north” [1].", hit) == "It was\nvery   cold in the north"


def test_the_whole_chunk_is_cited_where_nothing_of_it_meets_the_claim() -> None:
    assert quote("完全不同的说法 [1]。") == TEXT


def test_two_sentences_are_cited_where_the_claim_needs_both() -> None:
    hit = make_hit("Anna Berg leads sales in Bergen. Her budget is 12 million. The office has a garden.")
    assert quote("Anna Berg leads sales, with a budget of 12 million [1].", hit) == (
        "Anna Berg leads sales in Bergen. Her budget is 12 million."
    )


def test_a_row_of_a_table_is_cited_alone() -> None:
    hit = make_hit("| Year | Revenue |\n|---|---|\n| 2023 | 4,100 |\n| 2024 | 5,000 |", kind=BlockKind.TABLE)
    assert quote("Revenue in 2024 was 5,000 [1].", hit) == "2024 | 5,000"


def test_a_row_is_cited_without_its_last_cell_if_that_is_not_quoted() -> None:
    hit = make_hit("| 4. | Buddies | 10 hours | Seniors meet the freshmen. Twice a year. |", kind=BlockKind.TABLE)
    assert quote("- “4.”; “Buddies”; “10 hours” [1]", hit) == "4. | Buddies | 10 hours"


SALES = "Sales by region follow:\n\n| Region | Sales 2024 |\n|---|---|\n| Asia: |  |\n| Japan | 5,000 |\n| India | 70 |"


@pytest.mark.parametrize("kind", [BlockKind.TABLE, BlockKind.PARAGRAPH])
@pytest.mark.parametrize(
    ("answer", "row"),
    [
        ("Sales of the region Asia in 2024 were highest in Japan [1].", "Japan | 5,000"),
        ("India sold 70 [1].", "India | 70"),
    ],
)
def test_the_column_names_of_a_table_are_never_cited(answer: str, row: str, kind: BlockKind) -> None:
    assert quote(answer, make_hit(SALES, kind=kind)) == row


def test_chinese_claims_find_their_sentence() -> None:
    hit = make_hit("公司成立于奥斯陆。2024年收入增长到5000万元。成本下降了百分之三。")
    assert quote("该公司2024年的收入为5000万元[1]。", hit) == "2024年收入增长到5000万元。"


def test_each_marker_gets_the_passage_of_its_own_claim() -> None:
    quotes = [citation.quote for citation in cite("Costs fell by some [1]. It began in Oslo [1].")]
    assert quotes == ["Costs fell by 3 %.", "The company was founded in Oslo."]


def test_a_line_of_60000_characters_with_many_markers_is_read_soon() -> None:
    answer = "Revenue rose “x " * 4000 + " [1]" * 300
    began = time.process_time()
    assert len(cite(answer)) == 300
    assert time.process_time() - began < 5
