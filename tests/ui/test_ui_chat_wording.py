from dataclasses import replace

from ui_runs import citations, hit, run

from workbench.model.hit import Coverage
from workbench.model.run import LibrarySeen, Notice, RunStarted, RunStatus, TimedEvent
from workbench.ui.chat import run_wording
from workbench.ui.chat.transcript import Transcript

HITS = (hit(1), hit(2, document=2), hit(3, page=5))
ANSWER = "A [3], b [1], c [2], again [1], invented [9]."


def test_sources_are_grouped_by_document_each_number_once() -> None:
    found = run_wording.sources(citations(ANSWER, *HITS))
    assert [(source.document_name, [citation.marker for citation in source.citations]) for source in found] == [
        ("report_1.pdf", [1, 3]),
        ("report_2.pdf", [2]),
    ]
    assert found[0].pages == "pages 3, 5"


def test_footnotes_name_document_page_and_quote_and_flag_the_invented() -> None:
    text = run_wording.with_footnotes(ANSWER, citations(ANSWER, *HITS))
    assert text.startswith(ANSWER)
    assert "[1] report_1.pdf · page 3 · Sales: “Net sales rose 12 % 😀 in 2023.”" in text
    assert text.index("\n[1]") < text.index("\n[2]") < text.index("\n[3]") < text.index("\n[9] No such source")


def test_copy_without_numbers_leaves_clean_sentences() -> None:
    assert run_wording.without_citations("A [1]. B [2][3], c.") == "A. B, c."


def test_durations_are_shown_in_seconds_or_in_minutes_and_seconds() -> None:
    assert [run_wording.duration(seconds) for seconds in (0.04, 3.24, 65)] == ["0.0 s", "3.2 s", "1 min 5 s"]


def test_steps_header_counts_when_done() -> None:
    assert run_wording.steps_title(Transcript.of_run(run())) == "2 steps · 1.5 s"


def test_a_refusal_shows_what_was_searched_for() -> None:
    transcript = Transcript.of_run(run("Your documents hold nothing about this.", refused=True))
    assert (
        run_wording.searched_for(transcript)
        == "Searched for “sales 2023”; 2 passages were read, and none answers the question."
    )


def test_refusal_does_not_repeat_the_question() -> None:
    transcript = Transcript.of_run(run("Your documents hold nothing about this.", refused=True))
    transcript.question = "sales 2023"
    assert run_wording.searched_for(transcript) == "2 passages were read, and none answers the question."


def test_long_quotes_are_cut_at_a_word() -> None:
    short = run_wording.shortened("word " * 100, 40)
    assert len(short) <= 40
    assert short.endswith("word…")


def test_the_status_below_an_answer_shows_where_was_searched_and_what_was_left_out() -> None:
    transcript = Transcript("q", mode="Offline: quotes only", status=RunStatus.COMPLETED, seconds=1.5)
    transcript.feed(TimedEvent(0, 0.0, RunStarted("q", "offline", "Offline: quotes only", "Contracts")))
    transcript.feed(TimedEvent(1, 0.1, LibrarySeen(Coverage(12))))
    assert run_wording.status_line(transcript).endswith("1.5 s · only in “Contracts” · searched all 12 documents")
    assert run_wording.notices(transcript) == []
    transcript.feed(TimedEvent(2, 0.2, LibrarySeen(Coverage(12, waiting=4, by_keyword=2))))
    transcript.feed(TimedEvent(3, 0.3, Notice("The answer was cut off.")))
    assert run_wording.notices(transcript) == [
        "Searched 8 of 12 documents, 2 of them only by keyword. Not searched: 4 still to be read.",
        "The answer was cut off.",
    ]
    assert "searched all" not in run_wording.status_line(transcript)


def test_the_line_below_an_answer_names_the_agent_that_was_asked_unless_it_is_the_built_in_one() -> None:
    for agent, said in (("default", False), ("Clerk", True)):
        transcript = Transcript("q")
        transcript.feed(TimedEvent(0, 0.0, RunStarted("q", "offline", "Offline: quotes only", agent=agent)))
        assert ("agent: Clerk" in run_wording.status_line(transcript)) is said


def test_an_answer_to_an_edited_question_says_that_the_earlier_one_stays() -> None:
    edited = replace(run("Twelve [1]."), parent=3, parent_event=0)
    assert "instead of an earlier question" in run_wording.notices(Transcript.of_run(edited))[0]
    following = replace(run("Twelve [1]."), parent=3)
    assert "instead" not in " ".join(run_wording.notices(Transcript.of_run(following)))
