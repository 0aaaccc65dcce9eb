"""Change requested by another program, made in this window; the results are sent back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from workbench.errors import LibraryError, WorkbenchError
from workbench.ui.library.imports import ImportRequester, RunningImport

if TYPE_CHECKING:
    from workbench.operations.library.document_changes import Change
    from workbench.ui.app_controller import AppController
    from workbench.worker.job import JobHandle, Operation

Notify = Callable[[Mapping[str, object]], None]
"""Sends a message to the program that requested the change."""


class ForwardedChange:
    """Change requested by another program; the last message sent is its outcome."""

    def __init__(self, notify: Notify, ended: Callable[[], None]) -> None:
        """Create a change.

        Args:
            notify: Sends a message to the program that requested it.
            ended: Called after the last message.
        """
        self._notify = notify
        self._ended = ended
        self._refresh: Callable[[], None] | None = None
        self._job: JobHandle[Any] | RunningImport | None = None

    def start(self, shell: AppController, said: Mapping[str, Any]) -> None:
        """Make the change that a message requests, or send the reason why not."""
        # Imported here, because few windows receive any request.
        from workbench.operations.library.change_messages import change_of

        try:
            change = change_of(said)
            if shell.library is None:
                raise LibraryError("The window is opening or closing its library.", "Try again in a moment.")
            operation = change.operation(shell.library)
        except WorkbenchError as error:
            self._on_failed(error, "")
            return
        self._notify({"taken": True})
        self._make(shell, change, operation)

    def stop(self) -> None:
        """Stop the change, like Ctrl+C on a terminal: completed parts are kept."""
        if self._job is not None:
            self._job.cancel()

    def _make(self, shell: AppController, change: Change[Any], operation: Operation[Any]) -> None:
        self._refresh = shell.refresh_setup if change.is_of_setup else None
        if change.is_import:
            asker = ImportRequester(self._on_event, self._on_done, self._on_failed, self._on_cancelled)
            self._job = shell.documents.import_for(asker, operation)
        else:
            self._job = shell.bridge.submit(
                operation,
                done=self._on_done,
                event=self._on_event,
                failed=self._on_failed,
                cancelled=self._on_cancelled,
            )

    def _on_event(self, event: object) -> None:
        from workbench.operations.library.change_messages import event_message

        message = event_message(event)
        if message is not None:
            self._notify(message)

    def _on_done(self, value: Any) -> None:
        from workbench.operations.library.change_messages import result_message

        self._end(result_message(value))

    def _on_failed(self, error: BaseException, _details: str) -> None:
        from workbench.operations.library.change_messages import failure_message

        self._end(failure_message(error))

    def _on_cancelled(self) -> None:
        self._end({"stopped": True})

    def _end(self, message: Mapping[str, object]) -> None:
        self._job = None
        if self._refresh is not None:
            self._refresh()
        self._notify(message)
        self._ended()
