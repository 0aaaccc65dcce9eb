"""Sets of golden questions with their judgements."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench.errors import NotFound
from workbench.model.golden import MARKS, GoldenQuestion, GoldenSet, Judgement
from workbench.model.user import DEFAULT_USER
from workbench.store.database import Database
from workbench.store.values import loaded_json, loaded_text, stored_json, stored_text

_OF_SET = (
    "SELECT id, question, knowledge_base, filter, judgements FROM golden_questions WHERE user = ? AND set_name = ?"
)
_OF_KEY = "AND question = ? AND knowledge_base = ? AND filter = ?"

Questions = tuple[GoldenQuestion, ...]


class GoldenQuestionStore:
    """The sets of one user; those of others are as if they were not there.

    A set is there as long as it holds a question; the set of the marks always.
    """

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Take the database, and whose questions it is about."""
        self._database = database
        self._user = stored_text(user)

    def sets(self) -> tuple[GoldenSet, ...]:
        """Return the sets: that of the marks, then the others by name."""
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
        """Return the questions of a set in the order they came.

        Raises:
            NotFound: There is no such set.
        """
        with self._database.read() as connection:
            rows = connection.execute(f"{_OF_SET} ORDER BY id", (self._user, stored_text(set))).fetchall()
        if not rows and set != MARKS:
            raise NotFound(f"There are no golden questions “{set}”.", "“workbench eval --history” names what there is.")
        return tuple(_question_of(row) for row in rows)

    def find(self, set: str, key: tuple[str, str, str]) -> GoldenQuestion | None:
        """Return the question of that key, if the set holds it."""
        with self._database.read() as connection:
            return self._found(connection, set, key)

    def replace(self, set: str, questions: Sequence[GoldenQuestion]) -> Questions:
        """Let a set hold just these questions; returns what it held before."""
        with self._database.write() as connection:
            before = connection.execute(f"{_OF_SET} ORDER BY id", (self._user, stored_text(set))).fetchall()
            connection.execute(
                "DELETE FROM golden_questions WHERE user = ? AND set_name = ?", (self._user, stored_text(set))
            )
            for question in questions:
                self._put(connection, set, question)
        return tuple(_question_of(row) for row in before)

    def put(self, set: str, question: GoldenQuestion) -> GoldenQuestion:
        """Return the question as it is kept: in the place of one of the same key. One without a judgement goes."""
        with self._database.write() as connection:
            if not question.judgements:
                self._drop(connection, set, question.key)
                return question
            self._put(connection, set, question)
            return self._found(connection, set, question.key) or question

    def judge(self, set: str, question: GoldenQuestion, old: Judgement, new: Judgement | None) -> GoldenQuestion:
        """Return the question, as the set holds it, with a judgement in the place of another; or without it.

        What it says of other passages stays, whatever the question that is given says; one that says nothing any more
        goes.
        """
        with self._database.write() as connection:
            kept = self._found(connection, set, question.key)
            others = [one for one in kept.judgements if not one.is_of_same(old)] if kept else []
            judgements = (*others, new) if new is not None else tuple(others)
            return self.put(set, replace(question, judgements=judgements, id=kept.id if kept else 0))

    def remove(self, set: str, question: GoldenQuestion) -> GoldenQuestion:
        """Take a question out of a set; returns it as it was kept.

        Raises:
            NotFound: The set does not hold it.
        """
        with self._database.write() as connection:
            kept = self._found(connection, set, question.key)
            if kept is None:
                raise NotFound(f"“{set}” does not hold this question (any more).")
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
