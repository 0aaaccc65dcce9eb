"""Evaluations, explanations and the map, from a script."""

import json
from pathlib import Path

import pytest

import workbench

QUESTION = "When did the harbour freeze?"


def test_questions_of_a_file_are_measured_and_written_again(filled: workbench.Library, tmp_path: Path) -> None:
    path = tmp_path / "ships.jsonl"
    path.write_text(json.dumps({"question": QUESTION, "document": "Ice"}) + "\nno line\n", "utf-8")
    read = filled.evaluation.read_file(path)
    assert (read.set, read.questions, [bad.number for bad in read.bad_lines]) == ("ships", 1, [2])
    run = filled.evaluation.run("ships", "mode=keyword", k=1)
    assert (run.summary.metrics.recall, run.summary.configuration.mode) == (1.0, "keyword")
    assert filled.evaluation.changes(run.summary.id) == ()
    assert filled.evaluation.open(run.summary.id).outcomes == run.outcomes
    written = filled.evaluation.write_file(tmp_path / "out.jsonl", set="ships")
    assert json.loads(written.read_text("utf-8"))["question"] == QUESTION
    filled.evaluation.delete(run.summary.id)
    assert filled.evaluation.runs() == ()


def test_marks_are_measured_compared_and_measured_again(filled: workbench.Library) -> None:
    hit = filled.search(QUESTION).hits[0]
    filled.evaluation.mark(QUESTION, hit)
    assert [one.right for one in filled.evaluation.marks(QUESTION)] == [True]
    found = filled.evaluation.compare("mode=keyword", workbench.SearchConfiguration(), k=5)
    assert (found.improved, found.worse, found.equal) == (0, 0, 1)
    numbers = [run.id for run in filled.evaluation.runs("marks")]
    assert filled.evaluation.compare_runs(*reversed(numbers)).equal == 1
    assert filled.evaluation.rerun_outdated() == []
    filled.add(text="The ice of Lindhamn broke in June.", name="June")
    assert [run.summary.set for run in filled.evaluation.rerun_outdated()] == ["marks"]
    assert filled.evaluation.unmark(QUESTION, hit) is not None
    assert filled.evaluation.questions() == ()


def test_ways_of_searching_are_kept_and_promoted(filled: workbench.Library) -> None:
    evaluation = filled.evaluation
    evaluation.keep_configuration("words", "mode=keyword,reranking=none")
    assert [one.name for one in evaluation.configurations()] == ["words"]
    done = evaluation.promote("words", knowledge_base="default")
    assert filled.search("harbour", knowledge_base="default").hits[0].scores.dense is None
    evaluation.promote(done.before, knowledge_base="default")
    assert evaluation.search_settings("default").configuration.mode == "hybrid"
    evaluation.delete_configuration("words")
    with pytest.raises(workbench.SettingError, match="no search configuration “words”"):
        evaluation.promote("words")
    with pytest.raises(workbench.SettingError, match="Give one of hybrid, dense, keyword"):
        evaluation.run(configuration="mode=vector")
    with pytest.raises(workbench.NotFound):
        evaluation.run("none")


def test_a_search_is_explained_also_of_a_document_in_the_bin(filled: workbench.Library) -> None:
    found = filled.explain(QUESTION, "Ice", quote="froze on 3 May")
    assert (found.stage, found.accounts[0].words[0].text) == ("found", "harbour")
    chunk = filled.chunks("Ferry")[0]
    assert filled.explain(QUESTION, "Ferry", chunk=chunk, filter={"name": "Ice"}).stage == "outside the filter"
    filled.remove("Ice")
    assert filled.explain(QUESTION, "Ice").stage == "in the bin"
    with pytest.raises(ValueError, match="only one of"):
        filled.explain(QUESTION, "Ferry", page=1, quote="port")
    with pytest.raises(ValueError, match="'hybrid', 'dense', 'keyword'"):
        filled.explain(QUESTION, "Ferry", mode="vector")


def test_section_and_neighbours_return_the_text_around_a_passage(filled: workbench.Library) -> None:
    chunk = filled.chunks("Ice")[0]
    assert "froze on 3 May" in filled.section(chunk).text
    assert filled.neighbours(chunk, before=2).first == 0


def test_the_map_has_a_place_for_each_passage_and_for_a_question(library: workbench.Library) -> None:
    assert library.map.get().state is workbench.MapState.NO_DOCUMENTS
    library.add(text="The harbour froze.", name="Ice")
    library.add(text="Bread is baked from flour.", name="Bread")
    drawn = library.map.get().map
    assert drawn is not None
    assert (drawn.points.shape, sorted(one.name for one in drawn.shown)) == ((2, 2), ["Bread", "Ice"])
    assert library.map.passage(int(drawn.ids[0])).line == "The harbour froze."
    assert len(library.map.place("When did it freeze?")) == 1
