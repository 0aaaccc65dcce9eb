"""Bridge between the worker thread and the main thread: one Qt signal with frozen dataclasses."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from workbench.worker.job import JobCancelled, JobEvent, JobFailed, JobHandle, JobMessage, JobSucceeded, Operation

if TYPE_CHECKING:
    from workbench.worker.worker import Worker

T = TypeVar("T")

_TURN_S = 0.004
"""Time limit for delivering messages in one event loop iteration: 100,000 of them, 15 µs each, must not block it."""
_NO_JOB = 0
"""Number for events outside any job; jobs are numbered from 1."""


@dataclass(slots=True)
class _Receiver:
    """Callbacks for one job; bound methods, so that a closed pane can be garbage collected."""

    done: Callable[[Any], None] | None
    event: Callable[[Any], None] | None
    failed: Callable[[BaseException, str], None] | None
    cancelled: Callable[[], None] | None


class Bridge(QObject):
    """Submits operations to the worker and calls back on the main thread.

    It must outlive the worker: emitting on a deleted bridge would raise in the worker thread.

    Signals:
        crossed: A JobMessage, emitted on any thread, received on the main thread.
        domain_event: Every event of every job, and the events given to publish() (workbench.model dataclasses), for
            panes that watch all jobs.
        job_failed: The error and details of a job that was submitted without a failed callback.
        busy_changed: Number of running jobs.
    """

    crossed = Signal(object)
    domain_event = Signal(object)
    job_failed = Signal(object, str)
    busy_changed = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._receivers: dict[int, _Receiver] = {}
        self._worker: Worker | None = None
        self._arrived: deque[JobMessage] = deque()
        self._until = 0.0
        self._next_turn = QTimer(self)
        self._next_turn.setSingleShot(True)
        self._next_turn.timeout.connect(self._on_next_turn)
        self.crossed.connect(self._on_crossed, Qt.ConnectionType.QueuedConnection)

    def stop(self) -> None:
        """Cancel every job and end the worker's thread; takes at most 5 seconds."""
        if self._worker is not None:
            self._worker.stop()
        self._receivers.clear()

    def publish(self, event: object) -> None:
        """Emit an event that belongs to no job; callable from any thread."""
        self.crossed.emit(JobEvent(_NO_JOB, event))

    def submit(
        self,
        operation: Operation[T],
        *,
        done: Callable[[Any], None] | None = None,
        event: Callable[[Any], None] | None = None,
        failed: Callable[[BaseException, str], None] | None = None,
        cancelled: Callable[[], None] | None = None,
    ) -> JobHandle[T]:
        """Start an operation; the first one starts the worker.

        The callbacks are called on the main thread, in the order of the messages.

        Args:
            operation: Takes a JobContext, returns an awaitable.
            done: Called with the value.
            event: Called with each event of this job.
            failed: Called with the error and its traceback; without it job_failed is emitted.
            cancelled: Called when the job was cancelled.
        """
        handle = self._running_worker().submit(operation)
        # Messages arrive through the event loop, so none can have been delivered before this line.
        self._receivers[handle.number] = _Receiver(done, event, failed, cancelled)
        self.busy_changed.emit(len(self._receivers))
        return handle

    def _running_worker(self) -> Worker:
        if self._worker is None:
            # asyncio takes 25 ms to import, and the window does not need it to appear.
            from workbench.worker.worker import Worker

            self._worker = Worker(self.crossed.emit)
            self._worker.start()
        return self._worker

    @Slot(object)
    def _on_crossed(self, message: JobMessage) -> None:
        self._arrived.append(message)
        if not self._next_turn.isActive():
            self._begin_turn()
        self._deliver_pending()

    @Slot()
    def _on_next_turn(self) -> None:
        if self._arrived:
            self._begin_turn()
            self._deliver_pending()

    def _begin_turn(self) -> None:
        self._until = time.perf_counter() + _TURN_S
        self._next_turn.start(0)

    def _deliver_pending(self) -> None:
        while self._arrived and time.perf_counter() < self._until:
            self._deliver(self._arrived.popleft())

    def _deliver(self, message: JobMessage) -> None:
        if isinstance(message, JobEvent) and message.job == _NO_JOB:
            self.domain_event.emit(message.event)
            return
        receiver = self._receivers.get(message.job)
        if receiver is None:
            return
        if isinstance(message, JobEvent):
            if receiver.event is not None:
                receiver.event(message.event)
            self.domain_event.emit(message.event)
            return
        del self._receivers[message.job]
        self.busy_changed.emit(len(self._receivers))
        if isinstance(message, JobSucceeded) and receiver.done is not None:
            receiver.done(message.value)
        elif isinstance(message, JobCancelled) and receiver.cancelled is not None:
            receiver.cancelled()
        elif isinstance(message, JobFailed):
            self._report(receiver, message)

    def _report(self, receiver: _Receiver, message: JobFailed) -> None:
        if receiver.failed is not None:
            receiver.failed(message.error, message.details)
        else:
            self.job_failed.emit(message.error, message.details)
