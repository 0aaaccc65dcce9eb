"""Which passages a reading has to read, which it has read, and what became of them since."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.model.exhaustive import PassageReading, Says
from workbench.model.filter import ChunkFilter
from workbench.model.hit import Citation
from workbench.store.database import Database
from workbench.store.event_codec import decoded, encoded
from workbench.store.filtering import conditions
from workbench.store.values import loaded_json, loaded_text, stored_json, stored_text


@dataclass(frozen=True, slots=True)
class Matching:
    """A document of which passages pass a filter: chunk -> the hash of its text, in order."""

    document: int
    name: str
    passages: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Changes:
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

    def matching(self, filter: ChunkFilter) -> list[Matching]:
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
        documents = [Matching(document, *named) for document, named in found.items()]
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

    def changes(self, reading: int, matching: Iterable[Matching]) -> Changes:
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
        return Changes(added, changed, tuple(name for number, (name, _) in before.items() if number not in there))

    def expect(self, reading: int, matching: Sequence[Matching], *, again: bool = False) -> set[int]:
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
        stored_json([encoded(quote) for quote in one.quotes]),
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
        tuple(decoded(Citation, quote) for quote in loaded_json(quotes)),
        thrown_out,
        loaded_text(problem),
        score,
    )


def _differs(one: Matching, passages: int, read: Mapping[int, tuple[int, str]]) -> bool:
    mine = {chunk: sha256 for chunk, (document, sha256) in read.items() if document == one.document}
    return len(one.passages) != passages or any(one.passages.get(chunk) != sha256 for chunk, sha256 in mine.items())


def _hash(text: str | bytes) -> str:
    # As Chunk.sha256 has it.
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()
