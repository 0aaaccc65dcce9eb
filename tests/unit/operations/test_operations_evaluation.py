"""Evaluation of golden questions on a real library, after all kinds of changes to its documents."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import EmbeddingError, EvaluationError, NotFound, RetrievalError, SettingError
from workbench.model.evaluation import MARKS, Comparison, Evaluation, EvaluationProgress, GoldenQuestion, Judgement
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.library.models import SearchModels
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
KEYWORD = SearchConfiguration(SearchMode.KEYWORD)
FROZE = "When did the harbour of Lindhamn freeze?"
DEPTH = "港口的水深是多少？"


@pytest.fixture
def filled(library: Library, run: Run, papers: Path) -> Library:
    """Return a library with a document about a harbour and a Chinese one."""
    run(operations.add_documents(library, [papers]))
    return library


def asks(run: Run, library: Library, *questions: GoldenQuestion, **how: Any) -> Evaluation:
    run(operations.put_questions(library, "set", questions))
    evaluation: Evaluation = run(operations.evaluate(library, "set", **how))
    return evaluation


def wants(judgement: Judgement, question: str = FROZE, **scope: str) -> GoldenQuestion:
    return GoldenQuestion(question, (judgement,), **scope)


def marked(library: Library, run: Run, question: str = FROZE, rank: int = 1) -> Judgement:
    """Mark the passage at a rank as right and return the mark."""
    hit = run(operations.search(library, question)).hits[rank - 1]
    judgement: Judgement = run(operations.mark_passage(library, question, hit, True)).judgement
    return judgement


@pytest.mark.parametrize(
    "judgement",
    [
        Judgement(document="harbour.md"),
        Judgement(document="HARBOUR"),
        Judgement(document="harbour.md", text="froze in\n1987"),
        Judgement(text="The harbour of Lindhamn froze in 1987."),
        Judgement(answers=("in the year 1987", "1987")),
        Judgement(document="harbour.md", answers=("1987",)),
    ],
)
def test_a_right_passage_is_met_however_it_is_named(filled: Library, run: Run, judgement: Judgement) -> None:
    evaluation = asks(run, filled, wants(judgement))
    assert evaluation.outcomes[0].ranks == (1,)
    assert (evaluation.summary.metrics.recall, evaluation.summary.metrics.ndcg) == (1.0, 1.0)
    assert evaluation.outcomes[0].found[0] == "harbour.md"


def test_a_relevant_passage_that_is_not_first_is_reported_with_its_rank(filled: Library, run: Run) -> None:
    evaluation = asks(run, filled, wants(Judgement(document="港口.txt")), k=1)
    assert evaluation.outcomes[0].ranks == (2,)
    assert (evaluation.summary.metrics.recall, evaluation.summary.metrics.mrr) == (0.0, 0.5)


def test_a_page_is_met_by_exactly_that_page(library: Library, run: Run, tmp_path: Path) -> None:
    import pymupdf

    with pymupdf.open() as pdf:
        for text in ("The vault opens at seven in the morning.", "The garden closes at nine in the evening."):
            pdf.new_page().insert_text((72, 72), text)
        pdf.save(tmp_path / "house.pdf")
    run(operations.add_documents(library, [tmp_path / "house.pdf"]))
    pages = [wants(Judgement(document="house", page=page), f"When does the garden close? {page}") for page in (1, 2, 3)]
    evaluation = asks(run, library, *pages)
    assert evaluation.outcomes[1].ranks[0] == 1
    assert evaluation.outcomes[0].ranks != (1,)
    assert (evaluation.outcomes[2].lost, evaluation.summary.metrics.questions) == (1, 2)


def test_a_golden_mark_is_kept_when_the_document_is_chunked_again(filled: Library, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    ships = [f"The ship number {n} carried {n * 7} barrels of salt." for n in range(60)]
    ships[33] = "The schooner Aurelia carried herring to Lindhamn."  # first by far: no rank depends on rounding
    path.write_text("\n\n".join(ships), "utf-8")
    run(operations.add_documents(filled, [path]))
    mark = marked(filled, run, "What did the schooner Aurelia carry?")
    run(operations.put_setting(filled, "chunk_tokens", 40))
    document = filled.documents.find("long.md").id
    before = {chunk.id for chunk in run(operations.list_chunks(filled, document))}
    run(operations.reindex_documents(filled, [document]))
    assert not before & {chunk.id for chunk in run(operations.list_chunks(filled, document))}
    (outcome,) = run(operations.evaluate(filled, MARKS)).outcomes
    assert (outcome.lost, outcome.best, mark.document) == (0, 1, "long.md")


def test_a_mark_survives_that_the_file_is_changed_and_added_again(filled: Library, run: Run, papers: Path) -> None:
    mark = marked(filled, run)
    path = papers / "harbour.md"
    path.write_text("# Foreword\n\nAdded later, before all else.\n\n" + path.read_text("utf-8"), "utf-8")
    run(operations.add_documents(filled, [path]))
    assert filled.documents.find("harbour.md").sha256 != mark.sha256
    (outcome,) = run(operations.evaluate(filled, MARKS)).outcomes
    assert (outcome.lost, outcome.ranks) == (0, (1,))


def test_a_mark_survives_that_the_file_has_another_name(filled: Library, run: Run, papers: Path) -> None:
    marked(filled, run)
    run(operations.remove_documents(filled, [filled.documents.find("harbour.md").id], for_good=True))
    run(operations.add_documents(filled, [(papers / "harbour.md").rename(papers / "port.md")]))
    assert run(operations.evaluate(filled, MARKS)).outcomes[0].ranks == (1,)


def test_another_document_with_the_same_text_counts_as_correct_too(filled: Library, run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy.txt"
    copy.write_text("The harbour of Lindhamn froze in 1987. The ferry Aurora stayed in port for nine days.\n", "utf-8")
    mark = marked(filled, run)
    run(operations.add_documents(filled, [copy]))
    evaluation = run(operations.evaluate(filled, MARKS))
    assert (mark.document, evaluation.outcomes[0].best) == ("harbour.md", 1)


def test_a_missing_document_is_reported_and_does_not_count_as_a_miss(filled: Library, run: Run) -> None:
    questions = (wants(Judgement(document="harbour.md")), wants(Judgement(document="lost.pdf", page=2), "Lost?"))
    evaluation = asks(run, filled, *questions)
    assert (evaluation.missing, evaluation.summary.lost, evaluation.summary.unmeasured) == (("lost.pdf",), 1, 1)
    assert (evaluation.summary.metrics.questions, evaluation.summary.metrics.recall) == (1, 1.0)
    assert evaluation.outcomes[1].problem == "None of the judged passages is in the library."


def test_judged_text_found_in_no_document_counts_as_lost_and_not_as_a_miss(filled: Library, run: Run) -> None:
    lost = (
        Judgement(text="Nobody ever wrote this."),
        Judgement(answers=("4711",)),
        Judgement(text="Gone.", document="harbour.md"),
    )
    evaluation = asks(run, filled, GoldenQuestion(FROZE, (Judgement(document="harbour.md"), *lost)))
    assert (evaluation.outcomes[0].ranks, evaluation.outcomes[0].lost) == ((1,), 3)


def test_a_set_of_which_nothing_can_be_measured_is_an_error_not_a_row_of_zeros(filled: Library, run: Run) -> None:
    with pytest.raises(EvaluationError, match="not in the library: “lost"):
        asks(run, filled, wants(Judgement(document="lost.pdf")))
    with pytest.raises(EvaluationError, match="None of the 2 questions"):
        asks(run, filled, *(wants(Judgement(text="Nobody wrote this."), question) for question in "ab"))
    assert run(operations.list_evaluations(filled)) == ()


def test_an_empty_library_and_an_empty_set_are_errors(library: Library, run: Run) -> None:
    with pytest.raises(EvaluationError, match="not in the library"):
        asks(run, library, wants(Judgement(document="harbour.md")))
    with pytest.raises(EvaluationError, match="Nothing has been marked"):
        run(operations.evaluate(library))
    with pytest.raises(NotFound):
        run(operations.evaluate(library, "nothing of that name"))


def test_bare_characters_are_believed_while_the_document_is_the_same(filled: Library, run: Run) -> None:
    text = filled.documents.text(filled.documents.find("harbour.md").id)
    span = Judgement(document="harbour.md", start=text.index("froze"), end=text.index("1987"))
    beyond = replace(span, start=len(text), end=len(text) + 9)
    other = replace(span, sha256="0" * 64)
    evaluation = asks(run, filled, *(wants(one, str(n)) for n, one in enumerate((span, beyond, other))))
    assert [len(one.ranks) for one in evaluation.outcomes] == [1, 0, 0]


@pytest.mark.parametrize("k", [0, -1, 1001])
def test_k_out_of_bounds_is_refused(filled: Library, run: Run, k: int) -> None:
    with pytest.raises(RetrievalError):
        asks(run, filled, wants(Judgement(document="harbour.md")), k=k)


def test_a_passage_judged_wrong_counts_against_a_search_that_shows_it(filled: Library, run: Run) -> None:
    right, wrong = Judgement(document="harbour.md"), Judgement(right=False, document="港口.txt")
    evaluation = asks(run, filled, GoldenQuestion(FROZE, (right, wrong)), GoldenQuestion(DEPTH, (wrong,)))
    assert [one.wrong for one in evaluation.outcomes] == [(2,), (1,)]
    assert (evaluation.summary.metrics.questions, evaluation.summary.metrics.wrong) == (1, 1.0)


def test_a_hit_that_is_right_is_not_held_to_be_wrong_too(filled: Library, run: Run) -> None:
    judgements = (Judgement(document="harbour.md"), Judgement(right=False, answers=("nine days",)))
    assert asks(run, filled, GoldenQuestion(FROZE, judgements)).outcomes[0].wrong == ()


def test_a_question_keeps_to_its_knowledge_base_and_filter(filled: Library, run: Run, papers: Path) -> None:
    run(operations.add_knowledge_base(filled, "work"))
    run(operations.add_documents(filled, [papers / "港口.txt"], knowledge_base="work"))
    in_work = wants(Judgement(document="harbour.md"), knowledge_base="work")
    filtered = wants(Judgement(document="港口.txt"), filter="format:text")
    evaluation = asks(run, filled, in_work, filtered)
    assert [(one.ranks, one.lost) for one in evaluation.outcomes] == [((), 1), ((1,), 0)]


def test_a_missing_knowledge_base_or_invalid_filter_is_reported_and_does_not_stop_the_run(
    filled: Library, run: Run
) -> None:
    right = Judgement(document="harbour.md")
    evaluation = asks(
        run,
        filled,
        wants(right),
        wants(right, knowledge_base="gone"),
        wants(right, filter="colour:red"),
        wants(right, filter="(("),
    )
    problems = [one.problem for one in evaluation.outcomes]
    assert problems[0] == ""
    assert "no knowledge base “gone”" in problems[1]
    assert "“colour”" in problems[2]
    assert problems[3].startswith("Its filter cannot be read")
    assert evaluation.summary.unmeasured == 3


def test_a_library_without_vectors_is_evaluated_by_keyword_and_this_is_reported(
    filled: Library, run: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_models: SearchModels) -> None:
        raise EmbeddingError("The embedding model could not be loaded.")

    monkeypatch.setattr(SearchModels, "embedder", fails)
    filled.models.forget_models()
    with caplog.at_level("CRITICAL", "workbench"):
        evaluation = asks(run, filled, wants(Judgement(document="harbour.md")))
        assert evaluation.outcomes[0].ranks == (1,)
        assert "Only keywords were searched" in evaluation.notes[0]
        with pytest.raises(RetrievalError, match="vectors cannot be searched"):
            asks(
                run,
                filled,
                wants(Judgement(document="harbour.md")),
                configuration=SearchConfiguration(SearchMode.DENSE),
            )


def test_two_ways_are_compared_question_by_question_and_both_runs_are_kept(
    filled: Library, run: Run, events: list[Any]
) -> None:
    synonym = wants(Judgement(document="harbour.md"), "Which port was covered with ice?")
    run(operations.put_questions(filled, "set", (wants(Judgement(document="harbour.md")), synonym)))
    compare = operations.evaluate_both(filled, "set", KEYWORD, None, names=("words", ""), k=1)
    comparison: Comparison = run(compare)
    assert (comparison.improved, comparison.worse, comparison.equal) == (0, 0, 2)
    first, second = (one.summary for one in (comparison.first, comparison.second))
    assert (first.name, first.configuration, first.as_searched, second.as_searched) == ("words", KEYWORD, False, True)
    assert run(operations.list_evaluations(filled, "set")) == (second, first)
    assert run(operations.open_evaluation(filled, first.id)) == comparison.first
    assert run(operations.compare_evaluations(filled, first.id, second.id)) == comparison
    assert EvaluationProgress(2, 2, 0.0) in events


def test_an_unknown_reranker_is_refused_before_anything_is_asked(filled: Library, run: Run) -> None:
    with pytest.raises(SettingError):
        asks(run, filled, wants(Judgement(document="harbour.md")), configuration=SearchConfiguration(reranking="magic"))


def test_a_run_is_up_to_date_until_something_that_counts_changes(filled: Library, run: Run, tmp_path: Path) -> None:
    number = asks(run, filled, wants(Judgement(document="harbour.md"))).summary.id
    assert run(operations.evaluation_changes(filled, number)) == ()
    (tmp_path / "more.md").write_text("# More\n\nThe lighthouse was built of granite.\n", "utf-8")
    run(operations.add_documents(filled, [tmp_path / "more.md"]))
    run(operations.put_setting(filled, "reranking", "none"))
    run(operations.promote(filled, None, KEYWORD))
    run(operations.put_question(filled, "set", wants(Judgement(document="more.md"), "Granite?")))
    assert run(operations.evaluation_changes(filled, number)) == (
        "1 document more",
        "1 passage more",
        "1 vector more",
        "the golden questions changed",
        "the setting “Reranking” changed",
        "the search settings changed",
    )


def test_a_run_reports_the_changes_since_the_previous_run(filled: Library, run: Run, tmp_path: Path) -> None:
    first = asks(run, filled, wants(Judgement(document="harbour.md")))
    other = run(operations.evaluate(filled, "set", configuration=KEYWORD))
    run(operations.edit_metadata(filled, filled.documents.find("harbour.md").id, {"title": "Ice"}))
    second = run(operations.evaluate(filled, "set"))
    assert (first.previous, other.previous, second.previous) == (0, 0, first.summary.id)
    assert (first.changed, second.changed) == ((), ("the content of documents changed",))


def test_a_run_whose_question_set_is_missing_is_out_of_date_and_is_kept(filled: Library, run: Run) -> None:
    number = asks(run, filled, wants(Judgement(document="harbour.md"))).summary.id
    run(operations.remove_set(filled, "set"))
    assert run(operations.evaluation_changes(filled, number)) == ("its golden questions are gone",)
    run(operations.remove_evaluation(filled, number))
    with pytest.raises(NotFound):
        run(operations.open_evaluation(filled, number))


def test_a_cancelled_run_ends_at_once_and_is_not_kept(filled: Library, run: Run) -> None:
    many = tuple(wants(Judgement(document="harbour.md"), f"{FROZE} {number}") for number in range(200))
    run(operations.put_questions(filled, "set", many))

    async def cancelled() -> int:
        told: list[EvaluationProgress] = []

        def stop(event: Any) -> None:
            told.append(event)
            task.cancel()

        task = asyncio.ensure_future(operations.evaluate(filled, "set")(JobContext(stop)))
        with pytest.raises(asyncio.CancelledError):
            await task
        return told[-1].done

    assert asyncio.run(cancelled()) < 200
    assert run(operations.list_evaluations(filled)) == ()


def test_the_users_own_question_does_not_wait_for_a_run(filled: Library, run: Run) -> None:
    many = tuple(wants(Judgement(document="harbour.md"), f"{FROZE} {number}") for number in range(200))
    run(operations.put_questions(filled, "set", many))

    async def beside() -> tuple[int, bool]:
        evaluation = asyncio.ensure_future(operations.evaluate(filled, "set")(JobContext()))
        found = await operations.search(filled, DEPTH)(JobContext())
        was_running = not evaluation.done()
        await evaluation
        return len(found.hits), was_running

    assert asyncio.run(beside()) == (2, True)


def test_the_peers_questions_are_measured_on_their_pdf(
    library: Library, run: Run, peer_data: Path, tmp_path: Path
) -> None:
    folder = peer_data / "generated" / "page_truth"
    lines = [line for line in (folder / "questions.jsonl").read_text("utf-8").splitlines() if "book0_en" in line][:20]
    (tmp_path / "few.jsonl").write_text("\n".join(lines), "utf-8")
    run(operations.add_documents(library, [folder / "book0_en.pdf"]))
    read = run(operations.read_questions(library, tmp_path / "few.jsonl"))
    evaluation = run(operations.evaluate(library, read.set))
    assert (evaluation.summary.metrics.questions, evaluation.summary.lost) == (
        len({json.loads(one)["question"] for one in lines}),
        0,
    )
    assert evaluation.summary.metrics.hit > 0.9


def test_outcomes_are_distinguished_by_question_and_knowledge_base(filled: Library, run: Run) -> None:
    question = wants(Judgement(document="harbour.md"))
    evaluation = asks(run, filled, question, replace(question, knowledge_base="default"))
    assert [one.key for one in evaluation.outcomes] == [(FROZE, "", ""), (FROZE, "default", "")]
