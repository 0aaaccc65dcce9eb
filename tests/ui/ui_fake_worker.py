"""Fake bridge and operations: a test decides when a job emits, ends or fails."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from workbench import operations
from workbench.ui.chat.pane import ChatPane
from workbench.ui.theme import Theme


@dataclass
class FakeJob:
    """A submitted operation with its callbacks, identified by name and arguments."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    callbacks: dict[str, Any] = field(default_factory=dict)
    cancelled: bool = False
    done: bool = False

    def cancel(self) -> None:
        self.cancelled = True

    def emit(self, event: Any) -> None:
        self.callbacks["event"](event)

    def succeed(self, value: Any) -> None:
        self.done = True
        self.callbacks["done"](value)

    def fail(self, error: BaseException) -> None:
        self.done = True
        self.callbacks["failed"](error, "details")

    def end_cancelled(self) -> None:
        self.done = True
        self.callbacks["cancelled"]()


_REAL_OPERATION = operations.__getattr__


@cache
def signature_of(name: str) -> inspect.Signature:
    """Return the parameters of an operation; raises AttributeError if there is none of this name."""
    return inspect.signature(_REAL_OPERATION(name))


def fake_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace each operation, which is imported on first use, by one that returns a FakeJob, not submitted yet.

    A call that the real operation would not take raises TypeError.
    """

    def get_operation(name: str) -> Callable[..., FakeJob]:
        signature = signature_of(name)

        def fake(*args: Any, **kwargs: Any) -> FakeJob:
            signature.bind(*args, **kwargs)
            return FakeJob(name, args[1:], kwargs)

        return fake

    monkeypatch.setattr(operations, "__getattr__", get_operation)


class FakeBridge(QObject):
    """Recorder of the submitted jobs."""

    domain_event = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[FakeJob] = []

    def submit(self, operation: FakeJob, **callbacks: Any) -> FakeJob:
        operation.callbacks = callbacks
        self.jobs.append(operation)
        return operation

    def publish(self, event: object) -> None:
        self.domain_event.emit(event)

    def last(self, name: str) -> FakeJob:
        return next(job for job in reversed(self.jobs) if job.name == name)

    def has(self, name: str) -> bool:
        return any(job.name == name for job in self.jobs)


class FakeLibrary:
    """Open library of which only its access and the documents that are being read are known."""

    def __init__(self, *, is_read_only: bool = False) -> None:
        self.is_read_only = is_read_only
        self.reading: set[int] = set()

    def is_reading(self, document: int) -> bool:
        return document in self.reading


def shown_chat(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> ChatPane:
    """Return a chat pane of an open library."""
    fake_operations(monkeypatch)
    made = ChatPane(bridge, Theme(choice="light"))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.set_library(object())  # type: ignore[arg-type]
    made.resize(600, 500)
    made.show()
    return made
