"""Questions asked of every passage: the stored readings, the passages they have to read, and how fast a model was."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.errors import NotFound
from workbench.language import mark
from workbench.model.exhaustive import PaceSource, PassageReading, Price, ReadingInfo, ReadingMeter, ReadingStatus, Says
from workbench.model.filter import ChunkFilter
from workbench.model.hit import Citation
from workbench.model.memory import DEFAULT_USER
from workbench.store.database import Database
from workbench.store.filtering import conditions
from workbench.store.stored_values import (
    decode_value,
    encode_value,
    is_row_number,
    loaded_json,
    loaded_text,
    now,
    stored_json,
    stored_text,
)

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
class ModelSpending:
    """What calls of a model took.

    Attributes:
        seconds: Of all of them one after the other.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0

    def plus(self, other: "ModelSpending") -> "ModelSpending":
        """Return both together."""
        return ModelSpending(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class NewReading:
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

    def create(self, asked: NewReading) -> ReadingInfo:
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
        cited = tuple(decode_value(Citation, one) for one in loaded_json(row[1]))
        return loaded_text(row[0]), cited, tuple(loaded_json(row[2]))

    def begin(self, id: int, notes: tuple[str, ...], mode: str) -> None:
        """Note that a reading goes on; what was concluded before is void."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET status = 'running', reason = '', hint = '', conclusion = '', citations = '[]',"
                " notes = ?, mode = ?, changed = ? WHERE id = ? AND user = ?",
                (stored_json(notes), stored_text(mode), now(), id, self._user),
            )

    def add(self, id: int, passages: tuple[PassageReading, ...], spent: ModelSpending) -> None:
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
                (stored_text(conclusion), stored_json([encode_value(one) for one in citations]), now(), id, self._user),
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


# A model reads about so many tokens of a prompt in the time in which it writes one.
READ_FOR_ONE_WRITTEN = 8
# What a passage takes of an answer: {"passage": 3, "says": "nothing"}, and a finding with its quote now and then.
_WRITTEN_A_PASSAGE = 30.0
_ANSWERS = 200


@dataclass(frozen=True, slots=True)
class ModelPace:
    """What is known of a model's speed.

    Attributes:
        source: Where it is known from.
        per_token: Seconds of an answer for each token that it writes; it reads READ_FOR_ONE_WRITTEN in that time.
        per_passage: Seconds of a reading for each passage, with all that is in it: round trips, calls side by side,
            what was asked again, what was kept; 0 where nothing was read yet.
        written: Tokens that it writes for each passage.
    """

    source: PaceSource = PaceSource.UNKNOWN
    per_token: float = 0.0
    per_passage: float = 0.0
    written: float = _WRITTEN_A_PASSAGE

    def seconds(self, passages: int, input_tokens: float, output_tokens: float) -> float | None:
        """Return how long so many passages take, or so many tokens of them; None where nothing is known."""
        if self.per_passage:
            return self.per_passage * passages
        return self.per_token * _weighed(input_tokens, output_tokens) if self.per_token else None


def pace_of(database: Database, profile: str, model: str) -> ModelPace:
    """Return how fast the model of a profile was; an empty model is the offline reader."""
    with database.read() as connection:
        took, written, passages = connection.execute(
            "SELECT TOTAL(seconds), TOTAL(output_tokens), TOTAL((SELECT COUNT(*) FROM"
            " reading_passages p WHERE p.reading = r.id)) FROM readings r WHERE profile = ? AND model = ?"
            # One that was killed never said how long it took.
            " AND seconds > 0",
            (stored_text(profile), stored_text(model)),
        ).fetchone()
        if took > 0 and passages > 0:
            return ModelPace(PaceSource.READINGS, per_passage=took / passages, written=written / passages)
        if not model:
            return ModelPace(PaceSource.ASSUMED)
        rows = connection.execute(
            "SELECT e.fields FROM run_events e JOIN runs r ON r.id = e.run WHERE r.profile = ?"
            " AND e.type = 'TurnCompleted' ORDER BY e.id DESC LIMIT ?",
            (stored_text(profile), _ANSWERS),
        ).fetchall()
    milliseconds = tokens = 0.0
    for (fields,) in rows:
        turn = loaded_json(fields)
        usage = turn.get("usage") or {}
        weighed = _weighed(usage.get("input_tokens") or 0, usage.get("output_tokens") or 0)
        if weighed:
            milliseconds += turn.get("milliseconds") or 0.0
            tokens += weighed
    return ModelPace(PaceSource.ANSWERS, milliseconds / 1000 / tokens) if tokens else ModelPace()


def _weighed(read: float, written: float) -> float:
    return read / READ_FOR_ONE_WRITTEN + written


@dataclass(frozen=True, slots=True)
class MatchingPassages:
    """A document of which passages pass a filter: chunk -> the hash of its text, in order."""

    document: int
    name: str
    passages: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class ReadingChanges:
    """What differs from what a reading has read: names of documents."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.gone)


class ReadingPassageStore:
    """Reads and compares; what was read is kept by ReadingStore.add."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def matching(self, filter: ChunkFilter) -> list[MatchingPassages]:
        """Return the documents of which passages pass a filter, by name.

        Raises:
            NotFound: The filter names a knowledge base that is not there.
        """
        found: dict[int, tuple[str, dict[int, str]]] = {}
        with self._database.read() as connection:
            condition, parameters = conditions(connection, filter)
            for document, name, chunk, text in connection.execute(
                "SELECT d.id, d.name, c.id, c.text FROM documents d CROSS JOIN chunks c ON c.document = d.id"
                f" WHERE {condition} AND c.disabled = 0 ORDER BY d.id, c.ordinal",
                parameters,
            ):
                passages = found.setdefault(document, (loaded_text(name), {}))[1]
                passages[chunk] = _hash(text)
        documents = [MatchingPassages(document, *named) for document, named in found.items()]
        return sorted(documents, key=lambda one: (one.name.casefold(), one.document))

    def read(self, reading: int) -> dict[int, PassageReading]:
        """Return what was read, by chunk."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT chunk, document, ordinal, sha256, says, finding, quotes, thrown_out, problem, score"
                " FROM reading_passages WHERE reading = ? ORDER BY document, ordinal",
                (reading,),
            ).fetchall()
        return {row[0]: _passage_of(row) for row in rows}

    def documents(self, reading: int) -> list[tuple[int, str, int]]:
        """Return the documents of a reading with their names and how many passages each has, by name."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT document, name, passages FROM reading_documents WHERE reading = ?", (reading,)
            ).fetchall()
        named = [(row[0], loaded_text(row[1]), row[2]) for row in rows]
        return sorted(named, key=lambda one: (one[1].casefold(), one[0]))

    def changes(self, reading: int, matching: Iterable[MatchingPassages]) -> ReadingChanges:
        """Return what differs from what was to be read when the reading was last begun."""
        before = {document: (name, passages) for document, name, passages in self.documents(reading)}
        read = self._hashes(reading)
        there = {one.document: one for one in matching}
        added = tuple(one.name for one in there.values() if one.document not in before) if before else ()
        changed = tuple(
            one.name
            for one in there.values()
            if one.document in before and _differs(one, before[one.document][1], read)
        )
        return ReadingChanges(
            added, changed, tuple(name for number, (name, _) in before.items() if number not in there)
        )

    def expect(self, reading: int, matching: Sequence[MatchingPassages], *, again: bool = False) -> set[int]:
        """Note what there is to be read, drop what was read of anything else, and return the chunks that are left.

        Args:
            reading: Which.
            matching: What there is now.
            again: What was unreadable is read once more.
        """
        hashes = {chunk: sha256 for one in matching for chunk, sha256 in one.passages.items()}
        read = self._hashes(reading)
        void = [chunk for chunk, (_, sha256) in read.items() if hashes.get(chunk) != sha256]
        with self._database.write() as connection:
            connection.executemany(
                "DELETE FROM reading_passages WHERE reading = ? AND chunk = ?", [(reading, chunk) for chunk in void]
            )
            if again:
                connection.execute("DELETE FROM reading_passages WHERE reading = ? AND says = 'unreadable'", (reading,))
            connection.execute("DELETE FROM reading_documents WHERE reading = ?", (reading,))
            connection.executemany(
                "INSERT INTO reading_documents (reading, document, name, passages) VALUES (?, ?, ?, ?)",
                [(reading, one.document, stored_text(one.name), len(one.passages)) for one in matching],
            )
        return hashes.keys() - self._hashes(reading).keys()

    def _hashes(self, reading: int) -> dict[int, tuple[int, str]]:
        with self._database.read() as connection:
            return {
                chunk: (document, sha256)
                for chunk, document, sha256 in connection.execute(
                    "SELECT chunk, document, sha256 FROM reading_passages WHERE reading = ?", (reading,)
                )
            }


def passage_values(one: PassageReading) -> tuple[Any, ...]:
    """Return what to bind for the columns of a passage that was read, without the reading's number."""
    return (
        one.chunk,
        one.document,
        one.ordinal,
        one.sha256,
        one.says.value,
        stored_text(one.finding),
        stored_json([encode_value(quote) for quote in one.quotes]),
        one.thrown_out,
        stored_text(one.problem),
        one.score,
    )


def _passage_of(row: tuple[Any, ...]) -> PassageReading:
    chunk, document, ordinal, sha256, says, finding, quotes, thrown_out, problem, score = row
    return PassageReading(
        chunk,
        document,
        ordinal,
        sha256,
        Says(says),
        loaded_text(finding),
        tuple(decode_value(Citation, quote) for quote in loaded_json(quotes)),
        thrown_out,
        loaded_text(problem),
        score,
    )


def _differs(one: MatchingPassages, passages: int, read: Mapping[int, tuple[int, str]]) -> bool:
    mine = {chunk: sha256 for chunk, (document, sha256) in read.items() if document == one.document}
    return len(one.passages) != passages or any(one.passages.get(chunk) != sha256 for chunk, sha256 in mine.items())


def _hash(text: str | bytes) -> str:
    # As Chunk.sha256 has it.
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()
