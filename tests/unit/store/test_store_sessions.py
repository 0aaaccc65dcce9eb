"""Sessions are stored with all their messages, events and citations."""

from pathlib import Path

import pytest

from workbench.errors import NotFound
from workbench.model.approval import CurationAsked, CurationGiven, Decision
from workbench.model.chunk import Chunk
from workbench.model.claim import Claim, Doubt, Support, Verdict
from workbench.model.document import BlockKind
from workbench.model.exhaustive import Price
from workbench.model.hit import Citation, Coverage, Hit, NumberedHit, Reference, Scores
from workbench.model.message import PromptSection, ToolCall, Usage
from workbench.model.run import (
    AnswerDelta,
    AnswerDiscarded,
    ApprovalAsked,
    ApprovalGiven,
    ClaimsChecked,
    LibrarySeen,
    Limit,
    Limits,
    ModelReasoning,
    Notice,
    Plan,
    PlanDelta,
    PlanMade,
    PlanStepEnded,
    PlanStepStarted,
    PromptAssembled,
    ReasoningCompleted,
    ReasoningStarted,
    ReasoningStep,
    ReferencesFound,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
    RunStarted,
    RunStatus,
    StepState,
    TimedEvent,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
    TurnCompleted,
)
from workbench.store.database import Database
from workbench.store.sessions import SessionMaintenance, SessionStore
from workbench.store.stored_values import EVENT_TYPES, decode_value, encode_value

CHUNK = Chunk(3, 10, 20, "text 文字 \ud800", 1, None, ("A", "B"), BlockKind.TABLE, 5, True, 7, 2)
HIT = Hit(1, CHUNK, "a.pdf", "Title", "/x/a.pdf", "default", Scores(0.5, None, 1.0, 1, None, 0.25, 0.9), ("text",))
REFERENCE = Reference("query", (NumberedHit(1, HIT),), 0.0123)
CITATIONS = (
    Citation(1, True, 2, "a.pdf", "/x/a.pdf", 1, 7, 3, 10, 20, "quote", "ab", 5, 8, ("A", "B")),
    Citation(9, False, answer_start=9, answer_end=12),
)
EVENTS: tuple[RunEvent, ...] = (
    RunStarted("What?", "offline", "Offline", limits=Limits(20, 10, 300.0, 32_000, 0.5, Price(1.0, 4.0))),
    ReasoningStep("think", "Title", "Because", confidence=1.0),
    ModelReasoning("hm"),
    ToolStarted("c1", "search_knowledge_base", '{"query": "x"}'),
    ReferencesFound(REFERENCE),
    ToolCompleted("c1", "search_knowledge_base", "found", 12.5),
    ToolFailed("c2", "other", "no such tool", 0.0),
    AnswerDelta("Let me see."),
    AnswerDiscarded("Let me see."),
    Notice("Trying again."),
    AnswerDelta("It is "),
    AnswerDelta("so [1]."),
    RunCompleted("It is so [1].", CITATIONS, False, Usage(10, None), 2.0),
    RunCancelled("It", (), 1.0),
    RunFailed("It broke.", "Mend it.", "It", CITATIONS, 1.0, Limit.SECONDS),
    LibrarySeen(Coverage(3, locked=1)),
    PromptAssembled((PromptSection("Description", "You are."),), (PromptSection("Question", "What?"),), "[]"),
    ReasoningStarted(),
    ReasoningCompleted((ReasoningStep("think", "Title", "Because"),)),
    ApprovalAsked("c3", "weather", "{}", "It sends data over the network."),
    ApprovalGiven("c3", Decision.EDIT, '{"place": "Rome"}'),
    CurationAsked(1, "query", (HIT,), (7,), room=900),
    CurationGiven(1, (7,), left_out=1),
    PlanDelta(1, "It is"),
    PlanMade(Plan("What?", ("Find it", "Say it"), "Both")),
    PlanStepStarted(1),
    PlanStepEnded(1, StepState.DONE, "It is so [1].", 12.5),
    TurnCompleted(
        1, Usage(5, 2), "tool_calls", 9.5, (ToolCall("c3", "weather", "{}"),), ({"type": "reasoning"},), True
    ),
    ClaimsChecked(
        (
            Claim(
                0, 8, "It is so", Verdict.WEAK, (Doubt.LITTLE_IN_PASSAGE,), support=Support(1, 2, 7, 10, 20, "quote")
            ),
            Claim(
                9,
                12,
                "12.",
                Verdict.UNSUPPORTED,
                (Doubt.NUMBER_NOT_IN_PASSAGE,),
                ("12",),
                0.25,
                note="No.",
                numbers=(1,),
            ),
        ),
        "gpt",
        31.5,
    ),
)


@pytest.fixture
def sessions(database: Database) -> SessionStore:
    return SessionStore(database)


def timed(*events: RunEvent) -> list[TimedEvent]:
    return [TimedEvent(number, number / 4, event) for number, event in enumerate(events)]


def test_every_kind_of_event_is_among_those_tested() -> None:
    assert {type(event).__name__ for event in EVENTS} == set(EVENT_TYPES)


def test_every_event_is_read_back_equal(sessions: SessionStore) -> None:
    run = sessions.start_run(sessions.create().id, "What?", "offline", "Offline")
    sessions.append_events(run, timed(*EVENTS))
    assert sessions.run(run).events == tuple(timed(*EVENTS))


def test_fields_of_another_version_are_ignored_or_take_their_default() -> None:
    value = encode_value(Scores(dense=0.5))
    del value["relevance"]
    assert decode_value(Scores, {**value, "later": 1}) == Scores(dense=0.5)


def test_a_session_survives_a_restart_with_everything(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    sessions = SessionStore(database)
    number = sessions.create().id
    run = sessions.start_run(number, "What is so?", "gpt", "Answered by gpt")
    sessions.append_events(run, timed(*EVENTS[:12]))
    sessions.finish_run(
        run, RunStatus.COMPLETED, answer="It is so [1].", citations=CITATIONS, refused=True, seconds=2.5
    )
    before = sessions.get(number)
    database.close()
    database = Database.open(tmp_path)
    after = SessionStore(database).get(number)
    database.close()
    assert after == before
    (kept,) = after.runs
    assert (kept.answer, kept.citations, kept.references) == ("It is so [1].", CITATIONS, (REFERENCE,))
    assert (kept.status, kept.refused, kept.seconds, kept.question) == (RunStatus.COMPLETED, True, 2.5, "What is so?")
    assert (after.info.title, after.info.runs) == ("What is so?", 1)


def test_the_session_used_last_is_listed_first(sessions: SessionStore) -> None:
    first, second = sessions.create("first"), sessions.create("second")
    sessions.start_run(first.id, "again?", "offline", "")
    assert [info.title for info in sessions.list()] == ["first", "second"]
    assert sessions.rename(second.id, "another").title == "another"
    assert [info.id for info in sessions.list()] == [first.id, second.id]


def test_a_removed_session_comes_back_until_purged(sessions: SessionStore, database: Database) -> None:
    info = sessions.create("mine")
    sessions.start_run(info.id, "what?", "offline", "")
    sessions.mark_removed(info.id)
    assert sessions.list() == []
    with pytest.raises(NotFound):
        sessions.get(info.id)
    sessions.restore(info.id)
    assert len(sessions.get(info.id).runs) == 1
    sessions.mark_removed(info.id)
    assert SessionMaintenance(database).purge_removed() == 1
    sessions.restore(info.id)
    assert sessions.list() == []


def test_a_killed_run_becomes_cancelled_with_the_text_so_far(sessions: SessionStore, database: Database) -> None:
    number = sessions.create().id
    run = sessions.start_run(number, "What?", "offline", "")
    sessions.append_events(run, timed(*EVENTS[:12]))
    assert SessionMaintenance(database).interrupt_unfinished() == 1
    assert SessionMaintenance(database).interrupt_unfinished() == 0
    kept = sessions.run(run)
    assert (kept.status, kept.answer, kept.seconds) == (RunStatus.CANCELLED, "It is so [1].", 11 / 4)
    assert kept.events[-1] == TimedEvent(12, 11 / 4, RunCancelled("It is so [1].", (), 11 / 4))


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (EVENTS[12], RunStatus.COMPLETED),
        (EVENTS[13], RunStatus.CANCELLED),
        (EVENTS[14], RunStatus.FAILED),
    ],
)
def test_a_run_killed_after_its_last_event_keeps_its_own_end(
    sessions: SessionStore, database: Database, end: RunCompleted | RunCancelled | RunFailed, status: RunStatus
) -> None:
    run = sessions.start_run(sessions.create().id, "What?", "offline", "")
    sessions.append_events(run, timed(EVENTS[0], end))
    SessionMaintenance(database).interrupt_unfinished()
    kept = sessions.run(run)
    assert (kept.status, kept.answer, kept.citations, len(kept.events)) == (status, end.answer, end.citations, 2)


def test_a_run_killed_before_its_first_event_is_cancelled(sessions: SessionStore, database: Database) -> None:
    run = sessions.start_run(sessions.create().id, "What?", "offline", "")
    SessionMaintenance(database).interrupt_unfinished()
    assert (sessions.run(run).status, sessions.run(run).answer) == (RunStatus.CANCELLED, "")


def test_a_missing_session_or_run_is_reported(sessions: SessionStore) -> None:
    for call in (
        lambda: sessions.get(9),
        lambda: sessions.run(9),
        lambda: sessions.rename(9, "x"),
        lambda: sessions.start_run(9, "what?", "offline", ""),
    ):
        with pytest.raises(NotFound):
            call()


def test_a_run_that_went_on_from_another_one_names_it(sessions: SessionStore) -> None:
    session = sessions.create().id
    first = sessions.start_run(session, "What?", "offline", "Offline")
    second = sessions.start_run(session, "What?", "offline", "Offline", parent=(first, 4))
    assert (sessions.run(first).parent, sessions.run(second).parent) == (None, first)
    assert sessions.run(second).parent_event == 4
