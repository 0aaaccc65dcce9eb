"""Questions asked of every passage: kept, listed, renamed, removed; exhaustive_passages.py: what each passage said."""

from dataclasses import dataclass
from typing import Any

from workbench.errors import NotFound
from workbench.language import mark
from workbench.model.exhaustive import PassageReading, Price, ReadingInfo, ReadingMeter, ReadingStatus
from workbench.model.hit import Citation
from workbench.model.user import DEFAULT_USER
from workbench.store.database import Database
from workbench.store.event_codec import decoded, encoded
from workbench.store.exhaustive_passages import passage_values
from workbench.store.values import is_row_number, loaded_json, loaded_text, now, stored_json, stored_text

# The method list() hides the type inside the class.
Infos = list[ReadingInfo]

# The passages of a document are read one after the other: it is read when as many were as there are.
_COUNTS = """
    WITH done AS (
        SELECT reading, document, COUNT(*) AS read, SUM(says = 'unreadable') AS unreadable, SUM(thrown_out) AS thrown
        FROM reading_passages GROUP BY reading, document
    ), met AS (
        SELECT d.reading, SUM(d.passages) AS passages, COUNT(*) AS documents, SUM(ifnull(done.read, 0)) AS read,
            SUM(ifnull(done.read, 0) >= d.passages) AS documents_read, SUM(ifnull(done.unreadable, 0)) AS unreadable,
            SUM(ifnull(done.thrown, 0)) AS thrown
        FROM reading_documents d LEFT JOIN done ON done.reading = d.reading AND done.document = d.document
        GROUP BY d.reading
    )
    SELECT r.id, r.name, r.question, r.knowledge_base, r.filter, r.profile, r.model, r.mode, r.status, r.reason,
        r.hint, r.created, r.changed, r.seconds, r.calls, r.input_tokens, r.output_tokens, r.price,
        ifnull(met.passages, 0), ifnull(met.read, 0), ifnull(met.documents, 0), ifnull(met.documents_read, 0),
        ifnull(met.unreadable, 0), ifnull(met.thrown, 0)
    FROM readings r LEFT JOIN met ON met.reading = r.id
"""
_KILLED = mark("The program ended while this was being read."), mark("“Continue” reads what is left.")


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls of a model took.

    Attributes:
        seconds: Of all of them one after the other.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0

    def plus(self, other: "Spent") -> "Spent":
        """Return both together."""
        return Spent(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """What a new reading is to be; see ReadingInfo."""

    name: str
    question: str
    knowledge_base: str | None
    filter: str
    profile: str
    model: str
    mode: str
    price: Price | None = None


class ReadingStore:
    """The readings of one user; those of others are as if they were not there.

    A removed reading is out of the list and comes back with mark_removed() until purge_removed().
    """

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Take the database, and whose readings it is about."""
        self._database = database
        self._user = stored_text(user)

    def create(self, asked: Asked) -> ReadingInfo:
        """Return a new reading, PAUSED before its first passage."""
        time = now()
        with self._database.write() as connection:
            number = connection.execute(
                "INSERT INTO readings (name, question, knowledge_base, filter, profile, model, mode, status, created,"
                " changed, price, user) VALUES (?, ?, ?, ?, ?, ?, ?, 'paused', ?, ?, ?, ?)",
                (
                    stored_text(asked.name),
                    stored_text(asked.question),
                    asked.knowledge_base if asked.knowledge_base is None else stored_text(asked.knowledge_base),
                    stored_text(asked.filter),
                    stored_text(asked.profile),
                    stored_text(asked.model),
                    stored_text(asked.mode),
                    time,
                    time,
                    stored_json([asked.price.input, asked.price.output] if asked.price else []),
                    self._user,
                ),
            ).lastrowid
        assert number is not None
        return self.get(number)

    def list(self) -> Infos:
        """Return the readings, the newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"{_COUNTS} WHERE r.removed = 0 AND r.user = ? ORDER BY r.id DESC", (self._user,)
            ).fetchall()
        return [_info_of(row) for row in rows]

    def get(self, id: int) -> ReadingInfo:
        """Return a reading.

        Raises:
            NotFound: There is none of that number, or it is another user's: nobody is told which.
        """
        with self._database.read() as connection:
            row = (
                connection.execute(
                    f"{_COUNTS} WHERE r.id = ? AND r.removed = 0 AND r.user = ?", (id, self._user)
                ).fetchone()
                if is_row_number(id)
                else None
            )
        if row is None:
            raise _not_there(id)
        return _info_of(row)

    def price_of(self, profile: str) -> Price | None:
        """Return what tokens of a model profile were last said to cost, by any user; None where nobody said."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT price FROM readings WHERE profile = ? AND price <> '[]' AND removed = 0"
                " ORDER BY id DESC LIMIT 1",
                (stored_text(profile),),
            ).fetchone()
        return Price(*loaded_json(row[0])) if row is not None else None

    def ending(self, id: int) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
        """Return what was concluded from a reading, with its citations, and its notes."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT conclusion, citations, notes FROM readings WHERE id = ? AND user = ?", (id, self._user)
            ).fetchone()
        if row is None:
            return "", (), ()
        cited = tuple(decoded(Citation, one) for one in loaded_json(row[1]))
        return loaded_text(row[0]), cited, tuple(loaded_json(row[2]))

    def begin(self, id: int, notes: tuple[str, ...], mode: str) -> None:
        """Note that a reading goes on; what was concluded before is void."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET status = 'running', reason = '', hint = '', conclusion = '', citations = '[]',"
                " notes = ?, mode = ?, changed = ? WHERE id = ? AND user = ?",
                (stored_json(notes), stored_text(mode), now(), id, self._user),
            )

    def add(self, id: int, passages: tuple[PassageReading, ...], spent: Spent) -> None:
        """Keep what was read, and what that took: in one transaction.

        Raises:
            NotFound: There is no such reading.
        """
        with self._database.write() as connection:
            known = connection.execute(
                "UPDATE readings SET calls = calls + ?, input_tokens = input_tokens + ?,"
                " output_tokens = output_tokens + ?, busy = busy + ?, changed = ? WHERE id = ? AND user = ?",
                (spent.calls, spent.input_tokens, spent.output_tokens, spent.seconds, now(), id, self._user),
            )
            if not known.rowcount:
                raise _not_there(id)
            connection.executemany(
                "INSERT OR REPLACE INTO reading_passages (reading, chunk, document, ordinal, sha256, says, finding,"
                " quotes, thrown_out, problem, score) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(id, *passage_values(one)) for one in passages],
            )

    def conclude(self, id: int, conclusion: str, citations: tuple[Citation, ...]) -> None:
        """Keep what was concluded; the reading is COMPLETE."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET conclusion = ?, citations = ?, status = 'complete', reason = '', hint = '',"
                " changed = ? WHERE id = ? AND user = ?",
                (stored_text(conclusion), stored_json([encoded(one) for one in citations]), now(), id, self._user),
            )

    def pause(self, id: int, reason: str, hint: str = "") -> None:
        """Note why a reading stands still."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET status = 'paused', reason = ?, hint = ?"
                " WHERE id = ? AND user = ? AND status = 'running'",
                (stored_text(reason), stored_text(hint), id, self._user),
            )

    def took(self, id: int, seconds: float) -> None:
        """Count time in which a reading was under way."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET seconds = seconds + ? WHERE id = ? AND user = ?", (seconds, id, self._user)
            )

    def rename(self, id: int, name: str) -> None:
        """Give a reading another name."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET name = ? WHERE id = ? AND user = ?", (stored_text(name), id, self._user)
            )

    def mark_removed(self, id: int, *, removed: bool = True) -> None:
        """Take a reading out of the list, or put it back."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET removed = ? WHERE id = ? AND user = ?", (int(removed), id, self._user)
            )

    def purge_removed(self) -> None:
        """Delete removed readings of all users for good."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM readings WHERE removed = 1")

    def interrupt_unfinished(self) -> None:
        """Pause what a kill left running, whoever asked it."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET status = 'paused', reason = ?, hint = ? WHERE status = 'running'", _KILLED
            )


def _not_there(id: int) -> NotFound:
    return NotFound(f"There is no reading {id}.", "“workbench read-all --list” lists those there are.")


def _info_of(row: tuple[Any, ...]) -> ReadingInfo:
    (number, name, question, base, filter, profile, model, mode, status, reason, hint) = row[:11]
    (created, changed, seconds, calls, input_tokens, output_tokens, price) = row[11:18]
    (passages, read, documents, documents_read, unreadable, thrown_out) = row[18:]
    return ReadingInfo(
        id=number,
        name=loaded_text(name),
        question=loaded_text(question),
        knowledge_base=None if base is None else loaded_text(base),
        filter=loaded_text(filter),
        profile=loaded_text(profile),
        model=loaded_text(model),
        mode=loaded_text(mode),
        status=ReadingStatus(status),
        reason=loaded_text(reason),
        hint=loaded_text(hint),
        created=created,
        changed=changed,
        seconds=seconds,
        calls=calls,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        meter=ReadingMeter(passages, read, documents, documents_read, unreadable),
        thrown_out=thrown_out,
        price=Price(*loaded_json(price)) if loaded_json(price) else None,
    )
