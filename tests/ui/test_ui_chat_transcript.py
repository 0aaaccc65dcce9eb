from ui_runs import hit, reference, run, run_events, timed

from workbench.model.run import (
    AnswerDelta,
    AnswerDiscarded,
    ModelReasoning,
    ReasoningStep,
    ReferencesFound,
    RunFailed,
    RunStatus,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
)
from workbench.ui.chat.transcript import StepKind, Transcript


def fed(*events: object) -> Transcript:
    transcript = Transcript("q")
    for event in timed(*events):
        transcript.feed(event)
    return transcript


def test_thought_and_its_call_are_one_step_with_title_and_reasoning() -> None:
    step = Transcript.of_run(run()).steps[0]
    assert (step.kind, step.title, step.body, step.running) == (
        StepKind.THINK,
        "Plan",
        "Look for sales.\n\nConfidence: 80%.",
        False,
    )


def test_search_step_shows_its_question_its_hits_and_its_time() -> None:
    step = Transcript.of_run(run()).steps[1]
    assert (step.kind, step.title, step.hits, step.milliseconds) == (StepKind.SEARCH, "sales 2023", 2, 9.4)
    assert "[1] report_1.pdf, page 3" in step.body


def test_parallel_searches_get_their_own_hits() -> None:
    transcript = fed(
        ToolStarted("a", "search_knowledge_base", '{"query": "one"}'),
        ToolStarted("b", "search_knowledge_base", '{"query": "two"}'),
        ToolCompleted("b", "search_knowledge_base", "", 5.0),
        ReferencesFound(reference(hit(1), query="two")),
        ToolCompleted("a", "search_knowledge_base", "", 8.0),
        ReferencesFound(reference(hit(1), hit(2), query="one")),
    )
    assert [(step.title, step.hits, step.milliseconds) for step in transcript.steps] == [
        ("one", 2, 8.0),
        ("two", 1, 5.0),
    ]


def test_a_search_without_hits_counts_zero_hits_instead_of_leaving_the_count_empty() -> None:
    transcript = fed(
        ToolStarted("a", "search_knowledge_base", '{"query": "x"}'),
        ToolCompleted("a", "search_knowledge_base", "", 3.0),
        AnswerDelta("Nothing."),
    )
    assert transcript.steps[0].hits == 0


def test_failed_tool_keeps_its_message() -> None:
    transcript = fed(
        ToolStarted("a", "search_knowledge_base", "{}"), ToolFailed("a", "search_knowledge_base", "No index.", 2.0)
    )
    assert transcript.steps[0].failed
    assert transcript.steps[0].body == "No index."


def test_bad_json_arguments_do_no_harm() -> None:
    transcript = fed(
        ToolStarted("a", "search_knowledge_base", '{"query": '), ToolStarted("b", "search_knowledge_base", "[1]")
    )
    assert [step.title for step in transcript.steps] == ["search_knowledge_base"] * 2


def test_text_written_beside_tool_calls_moves_from_the_answer_to_the_steps() -> None:
    transcript = fed(AnswerDelta("Let me look."), AnswerDiscarded("Let me look."), AnswerDelta("Sales"))
    assert transcript.answer == "Sales"
    assert transcript.steps[0].kind is StepKind.REMARK


def test_streamed_reasoning_gathers_in_one_step() -> None:
    transcript = fed(ModelReasoning("I "), ModelReasoning("think."))
    assert [step.body for step in transcript.steps] == ["I think."]


def test_thought_without_a_call_gets_its_own_step() -> None:
    assert [step.title for step in fed(ReasoningStep("analyze", "Enough", "both found")).steps] == ["Enough"]


def test_markers_are_checked_while_the_answer_streams() -> None:
    transcript = fed(ReferencesFound(reference(hit(1))), AnswerDelta("Yes [1], no [9]. And [1"))
    assert [(citation.marker, citation.valid) for citation in transcript.shown_citations()] == [(1, True), (9, False)]


def test_live_events_and_the_kept_run_show_the_same() -> None:
    live = Transcript("How did sales do?")
    for event in run_events():
        live.feed(event)
    kept = Transcript.of_run(run())
    assert (live.steps, live.answer, live.citations, live.status) == (
        kept.steps,
        kept.answer,
        kept.citations,
        kept.status,
    )


def test_a_failed_run_keeps_the_partial_answer() -> None:
    transcript = fed(AnswerDelta("Half"), RunFailed("It broke.", "Try again.", "Half", (), 1.0))
    assert (transcript.status, transcript.answer, transcript.error) == (RunStatus.FAILED, "Half", "It broke.")


def test_run_left_running_by_a_kill_is_shown_as_stopped() -> None:
    assert Transcript.of_run(run(status=RunStatus.RUNNING)).status is RunStatus.CANCELLED
