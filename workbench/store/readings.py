"""Stored exhaustive readings: a question asked of every passage, the passages to read, and the speed of models."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.errors import NotFound
from workbench.language import mark
from workbench.model.exhaustive import (
    PaceSource,
    PassageReading,
    PassageVerdict,
    Price,
    ReadingInfo,
    ReadingMeter,
    ReadingStatus,
)
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

# The passages of a document are read in order; a document is read when all of its passages are.
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
    """Resources spent on calls of a model.

    Attributes:
        seconds: Sum over all calls.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0

    def plus(self, other: "ModelSpending") -> "ModelSpending":
        """Return the sum of both."""
        return ModelSpending(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class NewReading:
    """Fields of a new reading; see ReadingInfo."""

    name: str
    question: str
    knowledge_base: str | None
    filter: str
    profile: str
    model: str
    mode: str
    price: Price | None = None


class ReadingStore:
    """Store of the readings of one user; those of other users are invisible.

    A removed reading is hidden and can be restored with mark_removed() until purge_removed().
    """

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Create a store for the readings of one user."""
        self._database = database
        self._user = stored_text(user)

    def create(self, asked: NewReading) -> ReadingInfo:
        """Create a reading, PAUSED before its first passage, and return it."""
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
        """Return the readings, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"{_COUNTS} WHERE r.removed = 0 AND r.user = ? ORDER BY r.id DESC", (self._user,)
            ).fetchall()
        return [_info_of(row) for row in rows]

    def get(self, id: int) -> ReadingInfo:
        """Return a reading.

        Raises:
            NotFound: No reading has that number, or it belongs to another user; the error does not say which.
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
        """Return the token price last given for a model profile by any user; None if there is none."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT price FROM readings WHERE profile = ? AND price <> '[]' AND removed = 0"
                " ORDER BY id DESC LIMIT 1",
                (stored_text(profile),),
            ).fetchone()
        return Price(*loaded_json(row[0])) if row is not None else None

    def ending(self, id: int) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
        """Return the conclusion of a reading, with its citations, and its notes."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT conclusion, citations, notes FROM readings WHERE id = ? AND user = ?", (id, self._user)
            ).fetchone()
        if row is None:
            return "", (), ()
        cited = tuple(decode_value(Citation, one) for one in loaded_json(row[1]))
        return loaded_text(row[0]), cited, tuple(loaded_json(row[2]))

    def begin(self, id: int, notes: tuple[str, ...], mode: str) -> None:
        """Mark a reading as running; its former conclusion is deleted."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET status = 'running', reason = '', hint = '', conclusion = '', citations = '[]',"
                " notes = ?, mode = ?, changed = ? WHERE id = ? AND user = ?",
                (stored_json(notes), stored_text(mode), now(), id, self._user),
            )

    def add(self, id: int, passages: tuple[PassageReading, ...], spent: ModelSpending) -> None:
        """Store passages that were read and the resources spent, in one transaction.

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
        """Store the conclusion; the reading becomes COMPLETE."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET conclusion = ?, citations = ?, status = 'complete', reason = '', hint = '',"
                " changed = ? WHERE id = ? AND user = ?",
                (stored_text(conclusion), stored_json([encode_value(one) for one in citations]), now(), id, self._user),
            )

    def pause(self, id: int, reason: str, hint: str = "") -> None:
        """Pause a running reading and store the reason."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET status = 'paused', reason = ?, hint = ?"
                " WHERE id = ? AND user = ? AND status = 'running'",
                (stored_text(reason), stored_text(hint), id, self._user),
            )

    def took(self, id: int, seconds: float) -> None:
        """Add to the time in which a reading was running."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET seconds = seconds + ? WHERE id = ? AND user = ?", (seconds, id, self._user)
            )

    def rename(self, id: int, name: str) -> None:
        """Rename a reading."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET name = ? WHERE id = ? AND user = ?", (stored_text(name), id, self._user)
            )

    def mark_removed(self, id: int, *, removed: bool = True) -> None:
        """Hide a reading, or restore it."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE readings SET removed = ? WHERE id = ? AND user = ?", (int(removed), id, self._user)
            )

    def purge_removed(self) -> None:
        """Delete the removed readings of all users permanently."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM readings WHERE removed = 1")

    def interrupt_unfinished(self) -> None:
        """Pause readings of all users that were running when the program was killed."""
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


# Number of prompt tokens that a model reads in the time in which it writes one token.
READ_FOR_ONE_WRITTEN = 8
# Output tokens per passage: {"passage": 3, "says": "nothing"}, and occasionally a finding with its quote.
_WRITTEN_A_PASSAGE = 30.0
_ANSWERS = 200


@dataclass(frozen=True, slots=True)
class ModelPace:
    """Known speed of a model.

    Attributes:
        source: Source of the measurement.
        per_token: Seconds of an answer for each token that it writes; it reads READ_FOR_ONE_WRITTEN in that time.
        per_passage: Seconds of a reading for each passage, all included: round trips, parallel calls, repeated
            requests, storage; 0 if nothing was read yet.
        written: Tokens that it writes for each passage.
    """

    source: PaceSource = PaceSource.UNKNOWN
    per_token: float = 0.0
    per_passage: float = 0.0
    written: float = _WRITTEN_A_PASSAGE

    def seconds(self, passages: int, input_tokens: float, output_tokens: float) -> float | None:
        """Return the estimated time for a number of passages, or of their tokens; None if the speed is unknown."""
        if self.per_passage:
            return self.per_passage * passages
        return self.per_token * _weigh_tokens(input_tokens, output_tokens) if self.per_token else None


def pace_of(database: Database, profile: str, model: str) -> ModelPace:
    """Return the measured speed of a profile's model; an empty model is the offline reader."""
    with database.read() as connection:
        took, written, passages = connection.execute(
            "SELECT TOTAL(seconds), TOTAL(output_tokens), TOTAL((SELECT COUNT(*) FROM"
            " reading_passages p WHERE p.reading = r.id)) FROM readings r WHERE profile = ? AND model = ?"
            # A reading that was killed recorded no time.
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
        weighed = _weigh_tokens(usage.get("input_tokens") or 0, usage.get("output_tokens") or 0)
        if weighed:
            milliseconds += turn.get("milliseconds") or 0.0
            tokens += weighed
    return ModelPace(PaceSource.ANSWERS, milliseconds / 1000 / tokens) if tokens else ModelPace()


def _weigh_tokens(read: float, written: float) -> float:
    return read / READ_FOR_ONE_WRITTEN + written


@dataclass(frozen=True, slots=True)
class MatchingPassages:
    """Document with passages that pass a filter: chunk -> the hash of its text, in order."""

    document: int
    name: str
    passages: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class ReadingChanges:
    """Names of documents that differ from those that a reading has read."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.gone)


class ReadingPassageStore:
    """Reads and compares passages of readings; ReadingStore.add stores them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def matching(self, filter: ChunkFilter) -> list[MatchingPassages]:
        """Return the documents with passages that pass a filter, by name.

        Raises:
            NotFound: The filter names a knowledge base that does not exist.
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
        documents = [MatchingPassages(document, *entry) for document, entry in found.items()]
        return sorted(documents, key=lambda one: (one.name.casefold(), one.document))

    def read(self, reading: int) -> dict[int, PassageReading]:
        """Return the passages that were read, by chunk."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT chunk, document, ordinal, sha256, says, finding, quotes, thrown_out, problem, score"
                " FROM reading_passages WHERE reading = ? ORDER BY document, ordinal",
                (reading,),
            ).fetchall()
        return {row[0]: _passage_of(row) for row in rows}

    def documents(self, reading: int) -> list[tuple[int, str, int]]:
        """Return the documents of a reading with their names and numbers of passages, by name."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT document, name, passages FROM reading_documents WHERE reading = ?", (reading,)
            ).fetchall()
        entries = [(row[0], loaded_text(row[1]), row[2]) for row in rows]
        return sorted(entries, key=lambda one: (one[1].casefold(), one[0]))

    def changes(self, reading: int, matching: Iterable[MatchingPassages]) -> ReadingChanges:
        """Return the differences from the passages that were expected when the reading was last begun."""
        before = {document: (name, passages) for document, name, passages in self.documents(reading)}
        read = self._hashes(reading)
        current = {one.document: one for one in matching}
        added = tuple(one.name for one in current.values() if one.document not in before) if before else ()
        changed = tuple(
            one.name
            for one in current.values()
            if one.document in before and _differs(one, before[one.document][1], read)
        )
        return ReadingChanges(
            added, changed, tuple(name for number, (name, _) in before.items() if number not in current)
        )

    def expect(self, reading: int, matching: Sequence[MatchingPassages], *, again: bool = False) -> set[int]:
        """Store the expected passages, delete readings of any others, and return the chunks that remain to be read.

        Args:
            reading: Number of the reading.
            matching: The current documents and passages.
            again: Read unreadable passages again.
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
    """Return the parameters to bind for a passage that was read, without the number of the reading."""
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
        PassageVerdict(says),
        loaded_text(finding),
        tuple(decode_value(Citation, quote) for quote in loaded_json(quotes)),
        thrown_out,
        loaded_text(problem),
        score,
    )


def _differs(one: MatchingPassages, passages: int, read: Mapping[int, tuple[int, str]]) -> bool:
    hashes = {chunk: sha256 for chunk, (document, sha256) in read.items() if document == one.document}
    return len(one.passages) != passages or any(one.passages.get(chunk) != sha256 for chunk, sha256 in hashes.items())


def _hash(text: str | bytes) -> str:
    # Must equal Chunk.sha256.
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()
