"""Announcements of other workbenches that a shared library has changed (LISTEN and NOTIFY)."""

import logging
import threading
from collections.abc import Callable

from workbench.errors import WorkbenchError
from workbench.store.postgres.postgres_database import PostgresDatabase

logger = logging.getLogger(__name__)

_CHANNEL = "workbench"
_STOP = "stop"
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
"""Seconds until a connection that was lost or could not be made is tried again; doubled with each failure."""


class ChangeListener:
    """Thread that waits for changes of a shared library and reports each generation; it ends with close()."""

    def __init__(
        self,
        database: Callable[[], PostgresDatabase],
        on_change: Callable[[], object],
        on_connection: Callable[[bool], object],
    ) -> None:
        """Start to listen.

        Args:
            database: Returns the shared library; called on the thread. A WorkbenchError counts as a lost connection.
            on_change: Called on the thread after a change, also after a connection was made again.
            on_connection: Called on the thread with False when the connection is lost or could not be made at first,
                with True when it is made again.
        """
        self._find_database = database
        self._database: PostgresDatabase | None = None
        self._on_change = on_change
        self._on_connection = on_connection
        self._wait, self._is_lost = _FIRST_WAIT, False
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="shared-library", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; one that waits for a server that does not answer ends by itself."""
        self._ending.set()
        if self._database is not None:
            self._wake(self._database)
        self._thread.join(2)

    def _wake(self, database: PostgresDatabase) -> None:
        try:
            with database.write(documents=False) as connection:
                connection.execute("SELECT pg_notify(?, ?)", (_CHANNEL, _STOP))
        except WorkbenchError as error:
            logger.info("The listener of a shared library could not be woken: %s", error)

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self._listen()
            except WorkbenchError as error:
                logger.info("A shared library cannot be followed now: %s", error)
            if self._ending.is_set():
                return
            if not self._is_lost:
                self._is_lost = True
                self._on_connection(False)
            self._ending.wait(self._wait)
            self._wait = min(2 * self._wait, _LONGEST_WAIT)

    def _listen(self) -> None:
        from workbench.store.postgres.postgres_database import translating_errors

        database = self._database = self._find_database()
        connection = database.listen()
        with translating_errors(database.location):
            try:
                if self._ending.is_set():  # close() has sent its message before LISTEN
                    return
                self._wait = _FIRST_WAIT
                if self._is_lost:
                    self._is_lost = False
                    self._on_connection(True)
                    self._on_change()
                for notification in connection.notifies():
                    if self._ending.is_set():
                        return
                    if notification.payload.isdecimal():
                        database.seen(int(notification.payload))
                        self._on_change()
            finally:
                connection.close()
