"""Runs over golden questions, kept so that a library can be compared with itself."""

import hashlib
import json
import zlib
from dataclasses import asdict, astuple
from typing import Any

from workbench.errors import LibraryDamaged, NotFound
from workbench.model.evaluation import Circumstances, Evaluation, EvaluationSummary, Metrics, QuestionOutcome
from workbench.model.search_configuration import SearchConfiguration
from workbench.model.user import DEFAULT_USER
from workbench.store.database import Database
from workbench.store.values import is_row_number, loaded_json, loaded_text, stored_json, stored_text

_COLUMNS = (
    "id, set_name, began, seconds, name, as_searched, configuration, metrics, circumstances, lost, unmeasured,"
    " by_itself"
)

# One a day for three months; a run of 1,250 questions takes 60 KB.
_KEPT = 100


class EvaluationStore:
    """Keeps the newest runs of each set of one user; those of others are as if they were not there."""

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Take the database, and whose evaluations it is about."""
        self._database = database
        self._user = stored_text(user)

    def add(self, run: Evaluation) -> int:
        """Keep a run and return its number; the oldest ones of a set make room."""
        summary = run.summary
        told = [run.missing, run.notes, run.changed, run.previous]
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
                    stored_json(asdict(summary.circumstances)),
                    summary.lost,
                    summary.unmeasured,
                    int(summary.by_itself),
                    stored_json(told),
                    _packed(run.outcomes),
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
        """Return the kept runs, of one set or of all, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM evaluations WHERE user = ?1 AND (?2 IS NULL OR set_name = ?2)"
                " ORDER BY id DESC",
                (self._user, stored_text(set) if set is not None else None),
            ).fetchall()
        return tuple(_summary_of(row) for row in rows)

    def latest(self) -> tuple[EvaluationSummary, ...]:
        """Return the newest run of each set."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM evaluations"
                " WHERE id IN (SELECT MAX(id) FROM evaluations WHERE user = ? GROUP BY set_name) ORDER BY id",
                (self._user,),
            ).fetchall()
        return tuple(_summary_of(row) for row in rows)

    def get(self, number: int) -> Evaluation:
        """Return a kept run with all its questions.

        Raises:
            NotFound: There is none of that number (any more), or it is another user's: nobody is told which.
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
            _summary_of(row[:-2]), _unpacked(row[-1]), tuple(missing), tuple(notes), tuple(changed), previous
        )

    def contents(self) -> tuple[int, int, int, str]:
        """Return how many documents, chunks and vectors searches see, and a digest of what these are.

        Chunks are never given a number twice, so that the last number tells of any that was cut anew.
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
        """Forget a run; one that is gone already is no error."""
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
        Circumstances(**rests_on | {"settings": tuple((key, value) for key, value in rests_on["settings"])}),
        lost,
        unmeasured,
        bool(as_searched),
        bool(row[11]),
    )


def _packed(outcomes: tuple[QuestionOutcome, ...]) -> bytes:
    # Half a character is written as JSON writes it: what is compressed are bytes.
    return zlib.compress(json.dumps([astuple(one) for one in outcomes]).encode())


def _unpacked(blob: bytes) -> tuple[QuestionOutcome, ...]:
    try:
        rows: list[list[Any]] = json.loads(zlib.decompress(blob))
        return tuple(_outcome_of(row) for row in rows)
    except (zlib.error, ValueError, TypeError) as error:
        raise LibraryDamaged("A kept evaluation cannot be read.", "Remove it and evaluate again.") from error


def _outcome_of(row: list[Any]) -> QuestionOutcome:
    values: list[Any] = [tuple(value) if isinstance(value, list) else value for value in row]
    return QuestionOutcome(*values)
