"""Stored sets of golden questions with their judgements, and stored evaluations of them."""

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import asdict, astuple, replace
from typing import Any

from workbench.errors import LibraryDamaged, NotFound
from workbench.model.evaluation import (
    MARKS,
    Evaluation,
    EvaluationConditions,
    EvaluationSummary,
    GoldenQuestion,
    GoldenSet,
    Judgement,
    Metrics,
    QuestionOutcome,
)
from workbench.model.memory import DEFAULT_USER
from workbench.model.search_configuration import SearchConfiguration
from workbench.store.database import Database
from workbench.store.stored_values import is_row_number, loaded_json, loaded_text, stored_json, stored_text

_COLUMNS = (
    "id, set_name, began, seconds, name, as_searched, configuration, metrics, circumstances, lost, unmeasured,"
    " by_itself"
)

# Number of evaluations kept per set: one a day for three months. An evaluation of 1,250 questions takes 60 KB.
_KEPT = 100


class EvaluationStore:
    """Store of the newest evaluations of each set of one user; those of other users are invisible."""

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Create a store for the evaluations of one user."""
        self._database = database
        self._user = stored_text(user)

    def add(self, run: Evaluation) -> int:
        """Store an evaluation and return its number; the oldest ones of the set are deleted."""
        summary = run.summary
        details = [run.missing, run.notes, run.changed, run.previous]
        with self._database.write() as connection:
            number = connection.execute(
                "INSERT INTO evaluations (set_name, began, seconds, name, as_searched, configuration, metrics,"
                " circumstances, lost, unmeasured, by_itself, told, outcomes, user)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " RETURNING id",
                (
                    stored_text(summary.set),
                    summary.began,
                    summary.seconds,
                    stored_text(summary.name),
                    int(summary.as_searched),
                    stored_json(summary.configuration.as_dict()),
                    stored_json(asdict(summary.metrics)),
                    stored_json(asdict(summary.conditions)),
                    summary.lost,
                    summary.unmeasured,
                    int(summary.by_itself),
                    stored_json(details),
                    _pack_outcomes(run.outcomes),
                    self._user,
                ),
            ).fetchone()[0]
            connection.execute(
                "DELETE FROM evaluations WHERE user = ?1 AND set_name = ?2 AND id NOT IN"
                " (SELECT id FROM evaluations WHERE user = ?1 AND set_name = ?2 ORDER BY id DESC LIMIT ?3)",
                (self._user, stored_text(summary.set), _KEPT),
            )
        return int(number)

    def summaries(self, set: str | None = None) -> tuple[EvaluationSummary, ...]:
        """Return the stored evaluations, of one set or of all, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM evaluations WHERE user = ?1 AND (?2 IS NULL OR set_name = ?2)"
                " ORDER BY id DESC",
                (self._user, stored_text(set) if set is not None else None),
            ).fetchall()
        return tuple(_summary_of(row) for row in rows)

    def latest(self) -> tuple[EvaluationSummary, ...]:
        """Return the newest evaluation of each set."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM evaluations"
                " WHERE id IN (SELECT MAX(id) FROM evaluations WHERE user = ? GROUP BY set_name) ORDER BY id",
                (self._user,),
            ).fetchall()
        return tuple(_summary_of(row) for row in rows)

    def get(self, number: int) -> Evaluation:
        """Return a stored evaluation with all its questions.

        Raises:
            NotFound: No evaluation has that number (any more), or it belongs to another user; the error does not say
                which.
        """
        with self._database.read() as connection:
            row = (
                connection.execute(
                    f"SELECT {_COLUMNS}, told, outcomes FROM evaluations WHERE id = ? AND user = ?",
                    (number, self._user),
                ).fetchone()
                if is_row_number(number)
                else None
            )
        if row is None:
            raise NotFound(f"There is no evaluation {number}.", "“workbench eval --history” lists those that are kept.")
        missing, notes, changed, previous = loaded_json(row[-2])
        return Evaluation(
            _summary_of(row[:-2]), _unpack_outcomes(row[-1]), tuple(missing), tuple(notes), tuple(changed), previous
        )

    def contents(self) -> tuple[int, int, int, str]:
        """Return the numbers of searchable documents, chunks and vectors, and a digest of them.

        Chunk numbers are never reused, so the last number changes whenever a document is chunked again.
        """
        digest = hashlib.sha256()
        documents, chunks, embedded = 0, 0, 0
        with self._database.read() as connection:
            last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone()
            digest.update(repr(last).encode())
            for row in connection.execute(
                "SELECT knowledge_base, sha256, title, chunks, embedded FROM documents WHERE removed = 0 ORDER BY id"
            ):
                digest.update(repr(row).encode("utf-8", "surrogatepass"))
                documents, chunks, embedded = documents + 1, chunks + row[3], embedded + row[4]
        return documents, chunks, embedded, digest.hexdigest()[:16]

    def remove(self, number: int) -> None:
        """Delete an evaluation; a missing one is ignored."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM evaluations WHERE id = ? AND user = ?",
                (number if is_row_number(number) else 0, self._user),
            )


def _summary_of(row: tuple[Any, ...]) -> EvaluationSummary:
    (number, set, began, seconds, name, as_searched, configuration, metrics, circumstances, lost, unmeasured) = row[:11]
    rests_on = loaded_json(circumstances)
    return EvaluationSummary(
        number,
        loaded_text(set),
        began,
        seconds,
        SearchConfiguration.of(loaded_json(configuration)),
        loaded_text(name),
        Metrics(**loaded_json(metrics)),
        EvaluationConditions(**rests_on | {"settings": tuple((key, value) for key, value in rests_on["settings"])}),
        lost,
        unmeasured,
        bool(as_searched),
        bool(row[11]),
    )


def _pack_outcomes(outcomes: tuple[QuestionOutcome, ...]) -> bytes:
    # Lone surrogates are escaped by JSON, because compression needs bytes.
    return zlib.compress(json.dumps([astuple(one) for one in outcomes]).encode())


def _unpack_outcomes(blob: bytes) -> tuple[QuestionOutcome, ...]:
    try:
        rows: list[list[Any]] = json.loads(zlib.decompress(blob))
        return tuple(_outcome_of(row) for row in rows)
    except (zlib.error, ValueError, TypeError) as error:
        raise LibraryDamaged("A kept evaluation cannot be read.", "Remove it and evaluate again.") from error


def _outcome_of(row: list[Any]) -> QuestionOutcome:
    values: list[Any] = [tuple(value) if isinstance(value, list) else value for value in row]
    return QuestionOutcome(*values)


_OF_SET = (
    "SELECT id, question, knowledge_base, filter, judgements FROM golden_questions WHERE user = ? AND set_name = ?"
)
_OF_KEY = "AND question = ? AND knowledge_base = ? AND filter = ?"

Questions = tuple[GoldenQuestion, ...]


class GoldenQuestionStore:
    """Store of the question sets of one user; those of other users are invisible.

    A set exists as long as it contains a question; the set of the marks always exists.
    """

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Create a store for the questions of one user."""
        self._database = database
        self._user = stored_text(user)

    def sets(self) -> tuple[GoldenSet, ...]:
        """Return the sets: the set of the marks first, then the others by name."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT set_name, judgements FROM golden_questions WHERE user = ? ORDER BY set_name", (self._user,)
            ).fetchall()
        counts: dict[str, list[int]] = {MARKS: [0, 0, 0]}
        for name, judgements in rows:
            of_set = counts.setdefault(loaded_text(name), [0, 0, 0])
            right = [one.get("right", True) for one in loaded_json(judgements)]
            of_set[0] += 1
            of_set[1] += right.count(True)
            of_set[2] += right.count(False)
        return tuple(GoldenSet(name, *numbers) for name, numbers in counts.items())

    def questions(self, set: str) -> Questions:
        """Return the questions of a set in the order they were added.

        Raises:
            NotFound: There is no such set.
        """
        with self._database.read() as connection:
            rows = connection.execute(f"{_OF_SET} ORDER BY id", (self._user, stored_text(set))).fetchall()
        if not rows and set != MARKS:
            raise NotFound(
                f"There is no set of golden questions “{set}”.", "“workbench eval --history” names what there is."
            )
        return tuple(_question_of(row) for row in rows)

    def find(self, set: str, key: tuple[str, str, str]) -> GoldenQuestion | None:
        """Return the question with a key, if the set contains it."""
        with self._database.read() as connection:
            return self._found(connection, set, key)

    def replace(self, set: str, questions: Sequence[GoldenQuestion]) -> Questions:
        """Replace the questions of a set; return its former questions."""
        with self._database.write() as connection:
            before = connection.execute(f"{_OF_SET} ORDER BY id", (self._user, stored_text(set))).fetchall()
            connection.execute(
                "DELETE FROM golden_questions WHERE user = ? AND set_name = ?", (self._user, stored_text(set))
            )
            for question in questions:
                self._put(connection, set, question)
        return tuple(_question_of(row) for row in before)

    def put(self, set: str, question: GoldenQuestion) -> GoldenQuestion:
        """Store a question, replacing one with the same key, and return it; one without judgements is deleted."""
        with self._database.write() as connection:
            if not question.judgements:
                self._drop(connection, set, question.key)
                return question
            self._put(connection, set, question)
            return self._found(connection, set, question.key) or question

    def judge(self, set: str, question: GoldenQuestion, old: Judgement, new: Judgement | None) -> GoldenQuestion:
        """Replace or remove (None) a judgement of a question and return the question as stored.

        Stored judgements of other passages are kept, whatever the given question contains; a question without
        judgements is deleted.
        """
        with self._database.write() as connection:
            kept = self._found(connection, set, question.key)
            others = [one for one in kept.judgements if not one.is_of_same(old)] if kept else []
            judgements = (*others, new) if new is not None else tuple(others)
            return self.put(set, replace(question, judgements=judgements, id=kept.id if kept else 0))

    def remove(self, set: str, question: GoldenQuestion) -> GoldenQuestion:
        """Remove a question from a set and return it as stored.

        Raises:
            NotFound: The set does not contain it.
        """
        with self._database.write() as connection:
            kept = self._found(connection, set, question.key)
            if kept is None:
                raise NotFound(f"“{set}” does not contain this question (any more).")
            self._drop(connection, set, question.key)
        return kept

    def _found(self, connection: sqlite3.Connection, set: str, key: tuple[str, str, str]) -> GoldenQuestion | None:
        row = connection.execute(f"{_OF_SET} {_OF_KEY}", self._place(set, key)).fetchone()
        return _question_of(row) if row else None

    def _drop(self, connection: sqlite3.Connection, set: str, key: tuple[str, str, str]) -> None:
        connection.execute(
            f"DELETE FROM golden_questions WHERE user = ? AND set_name = ? {_OF_KEY}", self._place(set, key)
        )

    def _put(self, connection: sqlite3.Connection, set: str, question: GoldenQuestion) -> None:
        connection.execute(
            "INSERT INTO golden_questions (user, set_name, question, knowledge_base, filter, judgements)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET judgements = excluded.judgements",
            (*self._place(set, question.key), stored_json([_judgement_value(one) for one in question.judgements])),
        )

    def _place(self, set: str, key: tuple[str, str, str]) -> list[str | bytes]:
        return [self._user, *(stored_text(part) for part in (set, *key))]


def _judgement_value(judgement: Judgement) -> dict[str, Any]:
    fields = {name: getattr(judgement, name) for name in Judgement.__dataclass_fields__}
    return {name: value for name, value in fields.items() if value not in (None, "", ())}


def _question_of(row: tuple[Any, ...]) -> GoldenQuestion:
    number, question, knowledge_base, filter, judgements = row
    return GoldenQuestion(
        loaded_text(question),
        tuple(Judgement(**one | {"answers": tuple(one.get("answers", ()))}) for one in loaded_json(judgements)),
        loaded_text(knowledge_base),
        loaded_text(filter),
        number,
    )
