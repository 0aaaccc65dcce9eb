from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from ui_runs import QUOTE, chunk, citations, document, hit, reference, run

from workbench.model.document import BlockKind, Finding, FindingKind
from workbench.model.hit import Hit, NumberedHit, Scores
from workbench.model.run import Certainty, Run, RunCompleted, RunStatus
from workbench.model.source_lines import LineKind, LineSpan, SourceLines
from workbench.ui.inspector.details_view import facts
from workbench.ui.inspector.passage_list import PASSAGE_ROLE, PassageModel
from workbench.ui.inspector.passage_rows import (
    badges,
    best_scores,
    lanes,
    match_label,
    of_document,
    of_run,
    passage_of_citation,
    relevance_label,
)


def test_cited_passages_come_first_and_are_flagged() -> None:
    found = of_run(run("A [3].", hit(1), hit(2), hit(3)))
    assert [(passage.number, passage.cited) for passage in found] == [(3, True), (1, False), (2, False)]


def test_passage_found_by_two_searches_is_listed_once() -> None:
    twice = replace(run(), references=(reference(hit(1), hit(2)), reference(hit(2), query="again")))
    assert [passage.number for passage in of_run(twice)] == [1, 2]


def test_citation_marks_the_cited_sentence_of_its_passage() -> None:
    found = run()
    passage = passage_of_citation(found.citations[0], of_run(found))
    assert passage.marked == QUOTE
    assert passage.hit is not None
    assert passage.text != QUOTE


def test_citation_of_another_run_shows_what_it_kept_itself() -> None:
    passage = passage_of_citation(citations("A [1].", hit(1))[0], ())
    assert (passage.marked, passage.document_name, passage.page, passage.hit) == (QUOTE, "report_1.pdf", 3, None)


def test_chunks_of_a_document_are_numbered_from_one_with_their_badges() -> None:
    found = of_document(document(), [chunk(0), replace(chunk(1, kind=BlockKind.TABLE), oversize=True)])
    assert [passage.number for passage in found] == [1, 2]
    assert found[1].badges == ("12 tokens", "Table", "Too long for the embedding model")


def test_passages_from_pages_read_by_ocr_are_labelled_as_such() -> None:
    scan = replace(document(), findings=(Finding(FindingKind.OCR, (3,), 1),))
    assert [one.page_words for one in of_document(scan, [chunk(0), chunk(1, page=4)])] == [
        "page 3 (read by OCR)",
        "page 4",
    ]
    read = replace(hit(1), ocr_pages=(3,))
    (found,) = of_run(replace(run(), references=(reference(read),)))
    assert found.place.endswith("page 3 (read by OCR)")
    kept = replace(citations("A [1].", hit(1))[0], ocr=True)
    assert passage_of_citation(kept, ()).place.endswith("page 3 (read by OCR)")


def test_a_passage_of_a_part_of_a_long_file_names_the_rows_of_the_whole_file() -> None:
    found = hit(1)
    start = found.chunk.start
    divided = replace(found, lines=SourceLines(LineKind.ROW, (start, start + 3), (48_112, 48_114)))
    (passage,) = of_run(replace(run(), references=(reference(divided),)))
    assert passage.place.endswith("page 3, rows 48,112 to 48,114")
    kept = replace(citations("A [1].", divided)[0], page=None, lines=LineSpan(LineKind.ROW, 48_112, 48_112))
    assert passage_of_citation(kept, ()).page_words == "row 48,112"


def test_row_shows_the_own_words_of_a_passage_and_not_its_heading_again() -> None:
    headed = replace(chunk(1), text="## Sales\n\nNet sales rose. | a | b |")
    passage = of_document(document(), [headed])[0]
    assert passage.snippet == "Net sales rose. · a · b"


def test_passage_that_is_only_a_heading_shows_it() -> None:
    assert of_document(document(), [replace(chunk(1), text="Sales")])[0].snippet == "Sales"


def test_prose_has_no_badge() -> None:
    assert badges(chunk(1)) == ()


def test_lane_that_did_not_hold_the_hit_has_no_bar() -> None:
    scores = Scores(dense=None, keyword=4.0, fused=0.02, keyword_rank=3)
    meaning, words, together = lanes(scores, Scores(dense=0.9, keyword=8.0, fused=0.04))
    assert (meaning.share, meaning.text) == (None, "not in this list")
    assert (words.share, words.text) == (0.5, "BM25 4.00, rank 3")
    assert together.share == 0.5


def test_a_reranker_s_score_has_a_lane_where_it_looked_at_the_hit() -> None:
    best = best_scores([Scores(rerank=0.9, rerank_rank=1), Scores(rerank=0.45, rerank_rank=2), Scores()])
    lane = lanes(Scores(rerank=0.45, rerank_rank=2), best)[-1]
    assert (lane.name, lane.share, lane.text) == ("Reranked", 0.5, "score 0.4500, rank 2")
    assert lanes(Scores(dense=0.3), best)[-1].name == "Combined"


def test_bars_are_measured_against_the_best_of_each_list() -> None:
    best = best_scores([Scores(dense=0.5, fused=0.1), Scores(keyword=7.0, fused=0.2)])
    assert (best.dense, best.keyword, best.fused) == (0.5, 7.0, 0.2)


def test_negative_cosine_draws_no_bar() -> None:
    assert lanes(Scores(dense=-0.2), Scores(dense=0.5))[0].share == 0.0


@pytest.mark.parametrize(("value", "said"), [(0.9, "Strong match"), (0.5, "Fair match"), (0.1, "Weak match")])
def test_relevance_is_shown_as_strong_fair_or_weak_match(value: float, said: str) -> None:
    assert relevance_label(value) == said


def test_details_hold_place_and_hash_and_leave_the_scores_to_why() -> None:
    text = repr(facts(of_run(run())[0]))
    assert all(part in text for part in ("report_1.pdf", "Results › Sales", chunk(1).sha256))
    assert "cosine" not in text


def weak(number: int, relevance: float = 0.1) -> Hit:
    return replace(hit(number), scores=Scores(dense=0.1, relevance=relevance))


def qualities(found: Run) -> list[str]:
    return [passage.quality for passage in of_run(found)]


def test_the_main_source_of_an_answer_is_never_a_weaker_match_than_another_passage() -> None:
    found = run("A [3] and B [2].", weak(1, 0.9), weak(2), weak(3), weak(4))
    assert [passage.number for passage in of_run(found)] == [3, 2, 1, 4]
    assert qualities(found) == ["Strong match", "Fair match", "Strong match", "Weak match"]


@pytest.mark.parametrize("status", [RunStatus.CANCELLED, RunStatus.FAILED])
def test_no_passage_is_a_strong_match_of_an_answer_that_did_not_come_to_its_end(status: RunStatus) -> None:
    stopped = run("A [1].", weak(1, 0.9), weak(2, 0.9), status=status)
    assert qualities(stopped) == ["Fair match", "Fair match"]


def test_a_passage_that_was_withheld_makes_no_other_one_a_strong_match() -> None:
    found = run("A [1].", weak(1))
    withheld = replace(found.references[0], hits=(NumberedHit(2, weak(2, 0.9)),), withheld=True)
    assert qualities(replace(found, references=(*found.references, withheld)))[0] == "Fair match"


def test_no_passage_is_a_strong_match_where_the_answer_is_not_sure() -> None:
    unsure = run("A [1].", weak(1, 0.9), weak(2, 0.9), weak(3))
    events = tuple(
        replace(timed, event=replace(timed.event, certainty=Certainty.CLOSEST))
        if isinstance(timed.event, RunCompleted)
        else timed
        for timed in unsure.events
    )
    assert qualities(replace(unsure, events=events)) == ["Fair match", "Fair match", "Weak match"]


def test_a_cited_row_shows_what_is_quoted_as_plain_text() -> None:
    found = run()
    cells = replace(found.citations[0], quote="| **Inventories** | | 11,461 |\n| --- | --- | --- |\n- *16,047*")
    assert passage_of_citation(cells, of_run(found)).snippet == "Inventories · 11,461 16,047"
    begins_with_heading = replace(found.citations[0], quote="Sales rose.", headings=("Sales",))
    assert passage_of_citation(begins_with_heading, of_run(found)).snippet == "Sales rose."


def test_model_keeps_the_rules_of_item_models(qtmodeltester: ModelTester) -> None:
    model = PassageModel()
    qtmodeltester.check(model)
    model.show(of_run(run("A [2].", hit(1), hit(2), hit(3))))
    qtmodeltester.check(model)
    model.show(())
    qtmodeltester.check(model)


def test_rows_speak_for_screen_readers(qapp: object) -> None:
    model = PassageModel()
    model.show(of_run(run()))
    spoken = model.data(model.index(0), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("Passage 1, cited in the answer. report_1.pdf, page 3. Strong match")
    assert model.data(model.index(0), PASSAGE_ROLE) == model.passages[0]


def test_a_passage_that_a_tool_read_is_no_weak_match() -> None:
    assert match_label(Scores()) == "Opened"
    assert match_label(Scores(dense=0.1, relevance=0.1)) == "Weak match"
    assert lanes(Scores(), Scores(dense=0.4)) == ()
