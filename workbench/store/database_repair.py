"""Repair of the database: unreadable values are handed out, the rest is fixed, in one transaction per fault."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from workbench.language import mark
from workbench.model.integrity_report import Cure, Fault
from workbench.model.run import RunStatus
from workbench.store.checksums import accept_changes
from workbench.store.database import Database
from workbench.store.database_check import broken_events
from workbench.store.row_repair import (
    HandOut,
    clear_unreadable,
    drop_keywords,
    forget_damaged_codes,
    forget_vectors,
    readable_text,
    rebuild_names,
    recount,
    remove_damaged_events,
    remove_damaged_row,
    repair_document_row,
    repair_owners,
    replace_damaged_value,
)
from workbench.store.stored_values import read_undecoded

_RUN_TEXTS = ("question", "answer", "profile", "mode", "error", "hint")


class DatabaseRepair:
    """Repairs the rows of an open database.

    Attributes:
        is_index_behind: The keyword index still contains chunks that were removed; it must be rebuilt.
    """

    def __init__(self, database: Database, hand_out: HandOut) -> None:
        """Create a repair of the database; hand_out receives what is taken out of it."""
        self.is_index_behind = False
        self._database = database
        self._hand_out = hand_out

    def rows(self, faults: Sequence[Fault]) -> list[str]:
        """Repair what needs no files; return the actions taken, as sentences. Blocking.

        Raises:
            LibraryDamaged: Not even the indexes can be emptied: a new file is needed.
        """
        cures = {fault.cure for fault in faults}
        done: list[str] = []
        if Cure.REBUILD_KEYWORDS in cures:
            with self._writing() as connection:
                drop_keywords(connection)
                rebuild_names(connection)
        with self._writing() as connection:
            done += repair_owners(connection, self._hand_out)
            self.is_index_behind = Cure.SET_ROWS_ASIDE in cures
        done += self._answers(_keys(faults, Cure.SET_SESSION_ASIDE))
        done += self._settings([fault for fault in faults if fault.cure is Cure.RESET])
        self._documents(number for fault in faults if fault.cure is Cure.READ_AGAIN for number in fault.documents)
        with self._writing() as connection:
            forget_vectors(connection, [int(key) for key in _keys(faults, Cure.EMBED_AGAIN)])
            if Cure.CODE_AGAIN in cures:
                forget_damaged_codes(connection)
                done.append(mark("Damaged token vectors were deleted; they are made anew in idle time."))
            recount(connection)
            self._database.revision += 1
            self._database.returned += 1
        if Cure.ACCEPT in cures:
            with self._writing() as connection:
                accept_changes(connection, self._hand_out)
        if Cure.COUNT_AGAIN in cures:
            done.append(mark("Passages were counted again."))
        return done

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._database.write() as connection, read_undecoded(connection):
            yield connection

    def _answers(self, runs: Iterable[str]) -> list[str]:
        done = []
        for run in map(int, runs):
            events, are_citations_readable = broken_events(self._database, run)
            with self._writing() as connection:
                remove_damaged_events(connection, run, events, self._hand_out)
                if not are_citations_readable:
                    replace_damaged_value(connection, "runs", "citations", ("id", run), "[]", self._hand_out)
                for column in _RUN_TEXTS:
                    (value,) = connection.execute(f"SELECT {column} FROM runs WHERE id = ?", (run,)).fetchone()
                    if (readable := readable_text(value)) != value:
                        replace_damaged_value(connection, "runs", column, ("id", run), readable, self._hand_out)
                connection.execute(
                    f"UPDATE runs SET status = ? WHERE id = ? AND status NOT IN ({', '.join('?' * len(RunStatus))})",
                    (RunStatus.CANCELLED.value, run, *(one.value for one in RunStatus)),
                )
            done.append(mark(f"Steps of an answer that could not be read were set aside: {len(events)}."))
        return done

    def _settings(self, faults: Iterable[Fault]) -> list[str]:
        done = []
        for fault in faults:
            table, name = fault.keys
            where, parameters = ("scope = 'setting' AND key = ?" if table == "remembered" else "name = ?"), [name]
            with self._writing() as connection:
                remove_damaged_row(connection, table, where, parameters, self._hand_out)
            done.append(mark(f"“{name}” could not be read and was set aside."))
        return done

    def _documents(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            with self._writing() as connection:
                repair_document_row(connection, number, self._hand_out)
                if clear_unreadable(connection, number, self._hand_out):
                    self.is_index_behind = True


def _keys(faults: Iterable[Fault], cure: Cure) -> list[str]:
    return [key for fault in faults if fault.cure is cure for key in fault.keys]
