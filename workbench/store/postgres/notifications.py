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
"""Seconds until a lost connection is made again; doubled with each failure."""


class ChangeListener:
    """Thread that waits for changes of a shared library and reports each generation; it ends with close()."""

    def __init__(
        self, database: PostgresDatabase, on_change: Callable[[], object], on_connection: Callable[[bool], object]
    ) -> None:
        """Start to listen.

        Args:
            database: The shared library.
            on_change: Called on the thread after a change, also after a connection was made again.
            on_connection: Called on the thread with False when the connection is lost, with True when it is made again.
        """
        self._database = database
        self._on_change = on_change
        self._on_connection = on_connection
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="shared-library", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; one that waits for a server that does not answer ends by itself."""
        self._ending.set()
        try:
            with self._database.write(documents=False) as connection:
                connection.execute("SELECT pg_notify(?, ?)", (_CHANNEL, _STOP))
        except WorkbenchError as error:
            logger.info("The listener of a shared library could not be woken: %s", error)
        self._thread.join(2)

    def _run(self) -> None:
        wait, was_lost = _FIRST_WAIT, False
        while not self._ending.is_set():
            try:
                self._listen(was_lost)
                wait = _FIRST_WAIT
            except WorkbenchError as error:
                logger.info("The connection to a shared library was lost: %s", error)
            if self._ending.is_set():
                return
            if not was_lost:
                was_lost = True
                self._on_connection(False)
            self._ending.wait(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    def _listen(self, was_lost: bool) -> None:
        from workbench.store.postgres.postgres_database import translating_errors

        connection = self._database.listen()
        with translating_errors(self._database.location):
            try:
                if self._ending.is_set():  # close() has sent its message before LISTEN
                    return
                if was_lost:
                    self._on_connection(True)
                    self._on_change()
                for notification in connection.notifies():
                    if self._ending.is_set():
                        return
                    if notification.payload.isdecimal():
                        self._database.seen(int(notification.payload))
                        self._on_change()
            finally:
                connection.close()
