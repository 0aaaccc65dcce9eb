"""Two users of one library: neither can read, change or delete the other's data, whatever id is given."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import workbench.store
from workbench.errors import NotFound
from workbench.model.egress import NetworkFilter, NetworkRequest, Purpose
from workbench.model.evaluation import (
    Evaluation,
    EvaluationConditions,
    EvaluationSummary,
    GoldenQuestion,
    Judgement,
    Metrics,
)
from workbench.model.exhaustive import PassageReading, PassageVerdict
from workbench.model.hit import Citation
from workbench.model.memory import MemoryKind, NewMemory
from workbench.model.run import AnswerDelta, RunStatus, TimedEvent
from workbench.model.search_configuration import DEFAULT_SEARCH
from workbench.store.database import Database
from workbench.store.egress_ledger import EgressLedger
from workbench.store.evaluations import EvaluationStore, GoldenQuestionStore
from workbench.store.memories import MemoryStore
from workbench.store.readings import ModelSpending, NewReading, ReadingStore
from workbench.store.sessions import ChunkUseStore, SessionMaintenance, SessionOrganizer, SessionStore
from workbench.store.temporary_store import TemporaryDatabase, TemporarySessions

STORE = Path(workbench.store.__path__[0])
CITED = Citation(1, True, 2, "a.pdf", "/x/a.pdf", 1, 7, 3, 10, 20, "quote", "ab", 5, 8)
EVENT = TimedEvent(0, 0.1, AnswerDelta("So."))
NEW = NewMemory(MemoryKind.CONTEXT_INFO, "Likes tea.")
ASKED = NewReading("secret", "a secret?", None, "", "offline", "", "")
SAID = PassageReading(1, 2, 0, "ab", PassageVerdict.NOTHING)
LEAK = Judgement("ab", "a.pdf", page=3)
SECRET = GoldenQuestion("a secret?", (LEAK,))
MEASURED = Evaluation(
    EvaluationSummary(
        0,
        "marks",
        "2026-11-25T10:00:00+00:00",
        1.0,
        DEFAULT_SEARCH,
        "",
        Metrics(10, 1, 0.5, 1.0, 1.0, 0.6, 0.5, 12.5, 12.5),
        EvaluationConditions("1.0", "small/8", 2, 20, 19, "abc", (), "def"),
        0,
        0,
        True,
    ),
    (),
)
ENDED = {"answer": "", "citations": (), "refused": False, "seconds": 1.0}

Stores = dict[str, Any]


class Numbers(NamedTuple):
    """Ids of a session, a run of it, a memory, a reading and an evaluation."""

    session: int
    run: int
    memory: int
    reading: int
    evaluation: int


# By class and method: Bob's call with Ann's ids, and its result.
CALLS: dict[str, tuple[Callable[[Any, Numbers], Any], Any]] = {
    "SessionStore.create": (lambda store, _n: store.create("Bob's").runs, 0),
    "SessionStore.list": (lambda store, _n: [one.title for one in store.list()], ["Bob's"]),
    "SessionStore.get": (lambda store, n: store.get(n.session), NotFound),
    "SessionStore.run": (lambda store, n: store.run(n.run), NotFound),
    "SessionStore.runs": (lambda store, n: store.runs(n.session), NotFound),
    "SessionStore.rename": (lambda store, n: store.rename(n.session, "x"), NotFound),
    "SessionStore.mark_removed": (lambda store, n: store.mark_removed(n.session), None),
    "SessionStore.restore": (lambda store, n: store.restore(n.session), None),
    "SessionStore.start_run": (lambda store, n: store.start_run(n.session, "?", "p", "m"), NotFound),
    "SessionStore.append_event": (lambda store, n: store.append_event(n.run, EVENT), NotFound),
    "SessionStore.append_events": (lambda store, n: store.append_events(n.run, [EVENT]), NotFound),
    "SessionStore.finish_run": (lambda store, n: store.finish_run(n.run, RunStatus.FAILED, **ENDED), NotFound),
    "SessionOrganizer.pin": (lambda store, n: store.pin(n.session, True), None),
    "SessionOrganizer.archive": (lambda store, n: store.archive(n.session, True), None),
    "SessionOrganizer.draft": (lambda store, n: store.draft(n.session), ""),
    "SessionOrganizer.put_draft": (lambda store, n: store.put_draft(n.session, "x"), None),
    "SessionOrganizer.find": (lambda store, _n: store.find("secret"), []),
    "ChunkUseStore.of": (lambda store, _n: store.of(2), []),
    "MemoryStore.list": (lambda store, _n: store.list("Bob"), []),
    "MemoryStore.get": (lambda store, n: store.get(n.memory, "Bob"), NotFound),
    "MemoryStore.put": (lambda store, _n: store.put(NEW, "Bob", days=9).user, "Bob"),
    "MemoryStore.edit": (lambda store, n: store.edit(n.memory, "x", "Bob", days=9), NotFound),
    "MemoryStore.remove": (lambda store, n: store.remove(n.memory, "Bob"), NotFound),
    "MemoryStore.remove_all": (lambda store, _n: [one.user for one in store.remove_all("Bob")], ["Bob"]),
    "MemoryStore.restore": (lambda store, _n: store.restore(()), None),
    "MemoryStore.count_uses": (lambda store, n: store.count_uses([n.memory], "Bob"), None),
    "MemoryStore.vectors": (lambda store, _n: store.vectors("Bob", "e"), {}),
    "MemoryStore.keep_vectors": (lambda store, n: store.keep_vectors("e", {n.memory: (NEW.text, b"x")}, "Bob"), None),
    "ReadingStore.create": (lambda store, _n: store.create(ASKED).question, "a secret?"),
    "ReadingStore.list": (lambda store, _n: len(store.list()), 1),
    "ReadingStore.get": (lambda store, n: store.get(n.reading), NotFound),
    "ReadingStore.ending": (lambda store, n: store.ending(n.reading), ("", (), ())),
    "ReadingStore.begin": (lambda store, n: store.begin(n.reading, (), "m"), None),
    "ReadingStore.add": (lambda store, n: store.add(n.reading, (SAID,), ModelSpending(9)), NotFound),
    "ReadingStore.conclude": (lambda store, n: store.conclude(n.reading, "x", ()), None),
    "ReadingStore.pause": (lambda store, n: store.pause(n.reading, "x"), None),
    "ReadingStore.took": (lambda store, n: store.took(n.reading, 9.0), None),
    "ReadingStore.rename": (lambda store, n: store.rename(n.reading, "x"), None),
    "ReadingStore.mark_removed": (lambda store, n: store.mark_removed(n.reading), None),
    "GoldenQuestionStore.sets": (lambda store, _n: [one.questions for one in store.sets()], [0]),
    "GoldenQuestionStore.questions": (lambda store, _n: store.questions("marks"), ()),
    "GoldenQuestionStore.find": (lambda store, _n: store.find("marks", SECRET.key), None),
    "GoldenQuestionStore.remove": (lambda store, _n: store.remove("marks", SECRET), NotFound),
    "GoldenQuestionStore.replace": (lambda store, _n: store.replace("marks", [SECRET]), ()),
    "GoldenQuestionStore.judge": (lambda store, _n: store.judge("marks", SECRET, LEAK, None).judgements, ()),
    "GoldenQuestionStore.put": (lambda store, _n: store.put("marks", GoldenQuestion("a secret?")).judgements, ()),
    "EvaluationStore.add": (lambda store, _n: store.add(MEASURED) > 1, True),
    "EvaluationStore.summaries": (lambda store, _n: len(store.summaries()), 1),
    "EvaluationStore.latest": (lambda store, _n: len(store.latest()), 1),
    "EvaluationStore.get": (lambda store, n: store.get(n.evaluation), NotFound),
    "EvaluationStore.remove": (lambda store, n: store.remove(n.evaluation), None),
}
OF_EVERYBODY = {
    "MemoryStore.drop_expired",
    "ReadingStore.price_of",
    "ReadingStore.purge_removed",
    "ReadingStore.interrupt_unfinished",
    "EvaluationStore.contents",
    "SessionStore.transaction",
}
"""Names without user data, which return nothing of any user."""


@pytest.fixture
def bobs(database: Database) -> Stores:
    made = (SessionStore(database, "Bob"), SessionOrganizer(database, "Bob"), ChunkUseStore(database, "Bob"))
    more = [store(database, "Bob") for store in (ReadingStore, GoldenQuestionStore, EvaluationStore)]
    return {type(store).__name__: store for store in (*made, *more, MemoryStore(database))}


@pytest.fixture
def anns(database: Database) -> Numbers:
    """Return the ids of a session of Ann, its run, her memory, reading, marks and evaluation."""
    sessions = SessionStore(database, "Ann")
    session = sessions.create("secret").id
    run = sessions.start_run(session, "a secret?", "offline", "")
    sessions.append_event(run, EVENT)
    sessions.finish_run(run, RunStatus.COMPLETED, answer="secret", citations=[CITED], refused=False, seconds=1.0)
    memories = MemoryStore(database)
    memory = memories.put(NEW, "Ann", days=90).id
    memories.keep_vectors("e", {memory: (NEW.text, b"1234")}, "Ann")
    readings = ReadingStore(database, "Ann")
    reading = readings.create(ASKED).id
    readings.add(reading, (SAID,), ModelSpending(1))
    readings.conclude(reading, "secret", ())
    GoldenQuestionStore(database, "Ann").put("marks", SECRET)
    return Numbers(session, run, memory, reading, EvaluationStore(database, "Ann").add(MEASURED))


def rows_of_ann(database: Database) -> list[Any]:
    with database.read() as connection:
        return [
            connection.execute(f"SELECT * FROM {table} WHERE {whose}").fetchall()
            for table, whose in (
                ("sessions", "user = 'Ann'"),
                ("runs", "session IN (SELECT id FROM sessions WHERE user = 'Ann')"),
                ("run_events", "run IN (SELECT id FROM runs WHERE session = 1)"),
                ("memories", "user = 'Ann'"),
                ("readings", "user = 'Ann'"),
                ("reading_passages", "reading IN (SELECT id FROM readings WHERE user = 'Ann')"),
                ("golden_questions", "user = 'Ann'"),
                ("evaluations", "user = 'Ann'"),
            )
        ]


def test_every_method_of_what_is_a_users_own_keeps_to_its_user(database: Database, bobs: Stores, anns: Numbers) -> None:
    before = rows_of_ann(database)
    for name, (call, given) in CALLS.items():
        store = bobs[name.partition(".")[0]]
        if given is not NotFound:
            assert call(store, anns) == given, name
            continue
        told = []
        for numbers in (anns, Numbers(999, 999, 999, 999, 999)):
            with pytest.raises(NotFound) as refused:
                call(store, numbers)
            told.append(re.sub(r"\d+", "N", str(refused.value)))
        assert told[0] == told[1], name
    assert rows_of_ann(database) == before
    assert [len(rows) for rows in before] == [1] * 8


def test_no_method_is_left_out_of_that(bobs: Stores) -> None:
    public = {
        f"{name}.{method}"
        for name, store in bobs.items()
        for method, _ in inspect.getmembers(type(store), inspect.isfunction)
        if not method.startswith("_")
    }
    assert public == CALLS.keys() | OF_EVERYBODY


def test_a_run_cannot_go_on_from_one_of_another_user(bobs: Stores, anns: Numbers) -> None:
    mine = bobs["SessionStore"].create("Bob's").id
    with pytest.raises(NotFound):
        bobs["SessionStore"].start_run(mine, "?", "p", "m", parent=(anns.run, 0))


def test_questions_in_a_library_opened_to_read_are_separated_by_user_too(
    database: Database, anns: Numbers, tmp_path: Path
) -> None:
    unstored = TemporaryDatabase(database)
    try:
        ann, bob = (TemporarySessions(database, unstored, name) for name in ("Ann", "Bob"))
        run = ann.start_run(anns.session, "more?", "offline", "")
        assert [one.id for one in ann.get(anns.session).runs] == [anns.run, run]
        assert bob.list() == []
        for call in (
            lambda: bob.get(anns.session),
            lambda: bob.run(run),
            lambda: bob.start_run(anns.session, "?", "p", "m"),
        ):
            with pytest.raises(NotFound):
                call()
    finally:
        unstored.close()


def test_requests_to_the_network_lead_to_no_session_of_another_user(database: Database, anns: Numbers) -> None:
    request = NetworkRequest(0, "2026-11-25T10:00:00.000000+00:00", Purpose.ANSWER, "h", 443, run=anns.run)
    number = EgressLedger(database).begin(request)
    for user, led in (("Ann", (anns.session, anns.run)), ("Bob", (None, None))):
        ledger = EgressLedger(database, user)
        found = ledger.get(number)
        assert (found.session, found.run) == led
        assert [one.run for one in ledger.page(NetworkFilter()).requests] == [led[1]]
        assert [one.run for one in ledger.all()] == [led[1]]
        assert len(ledger.page(NetworkFilter(session=anns.session)).requests) == (user == "Ann")
        assert len(list(ledger.all(NetworkFilter(run=anns.run)))) == (user == "Ann")


def test_upkeep_is_of_all_users(database: Database, anns: Numbers) -> None:
    theirs = SessionStore(database)
    running = theirs.start_run(theirs.create().id, "?", "p", "m")
    upkeep = SessionMaintenance(database)
    assert upkeep.users() == ("", "Ann")
    assert upkeep.numbers() == (anns.session, anns.session + 1)
    assert upkeep.interrupt_unfinished() == 1
    assert theirs.run(running).status is RunStatus.CANCELLED
    SessionStore(database, "Ann").mark_removed(anns.session)
    assert upkeep.purge_removed() == 1


# Modules and classes that access the rows of all users, and return none of them to a user.
_UPKEEP = {"SessionMaintenance", "database_check.py", "database_repair.py", "checksums.py"}
# Statements about runs without a user; each run was looked up as the user's, or only a number is returned.
_RUNS_WITHOUT_USER = {
    ("sessions.py", "INSERT INTO runs"),
    ("sessions.py", "UPDATE runs"),
    ("sessions.py", "INTO run_events"),
    ("session_rows.py", "FROM runs r"),
    ("session_rows.py", "FROM run_events"),
    ("sessions.py", "INSERT INTO runs"),
    ("sessions.py", "INTO run_events"),
    ("readings.py", "FROM run_events"),
    ("egress_ledger.py", "(SELECT id FROM runs WHERE id = ?)"),
    ("temporary_store.py", "SELECT 1 FROM sessions WHERE id = ?"),
    ("temporary_store.py", "run IN (SELECT id FROM runs WHERE session = ?)"),
    ("memories.py", "expires <= ?"),
    ("readings.py", "FROM readings r"),
    ("readings.py", "SELECT price FROM readings"),
    ("readings.py", "DELETE FROM readings WHERE removed = 1"),
    ("readings.py", "WHERE status = 'running'"),
    ("readings.py", "FROM readings r LEFT JOIN met"),
}
_TABLE = re.compile(
    r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:sessions|runs|run_events|memories|readings|golden_questions|evaluations)\b"
)


def statements() -> Iterator[tuple[set[str], str]]:
    """Yield each text of the store that names a table, with its module and class; for f-strings the constant parts."""
    for path in sorted(STORE.glob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        class_of = {id(node): one.name for one in tree.body if isinstance(one, ast.ClassDef) for node in ast.walk(one)}
        inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
                text = node.value
            else:
                continue
            if _TABLE.search(text):
                yield {path.name, class_of.get(id(node), "")}, text


def test_every_statement_about_what_is_a_users_own_names_the_user() -> None:
    found = [(places, text) for places, text in statements() if not places & _UPKEEP]
    assert len(found) > 20
    loose = [
        f"{places}: {text}"
        for places, text in found
        if not re.search(r"\buser\b", text)
        and not any(of in places and part in text for of, part in _RUNS_WITHOUT_USER)
    ]
    assert loose == []
