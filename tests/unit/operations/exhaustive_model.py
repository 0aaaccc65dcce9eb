"""A model for tests of exhaustive reading that answers as a test defines."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from importlib import import_module
from typing import Any

import pytest

from workbench.model.message import ModelEvent, ModelRequest, TextDelta, TurnEnd, Usage

Findings = Callable[[str], dict[str, Any]]
"""Function from the text of a passage to its finding; the number is added."""


class ReadingModel:
    """Model that returns a finding for each passage, and a one-sentence conclusion that cites finding 1."""

    mode = "Model: scripted."
    counts = None

    def __init__(self, says: Findings, *, conclusion: str = "One document says so [1].") -> None:
        self._says = says
        self._conclusion = conclusion
        self.requests: list[ModelRequest] = []
        self.fails_at: dict[int, Exception] = {}
        self.waits_at: dict[int, asyncio.Event] = {}
        self.closed = False

    @property
    def batches(self) -> list[list[str]]:
        """The texts of the passages of each call, except the conclusion."""
        material = [json.loads(request.messages[1].text) for request in self.requests]
        return [[one["text"] for one in value["passages"]] for value in material if "passages" in value]

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        number = len(self.requests)
        if number in self.waits_at:
            await self.waits_at[number].wait()
        if number in self.fails_at:
            raise self.fails_at[number]
        material = json.loads(request.messages[1].text)
        if "passages" in material:
            lines = [{"passage": one["number"], **self._says(one["text"])} for one in material["passages"]]
            yield TextDelta("\n".join(json.dumps(line, ensure_ascii=False) for line in lines))
        else:
            yield TextDelta(self._conclusion)
        yield TurnEnd(usage=Usage(1000, 50))

    async def close(self) -> None:
        self.closed = True


def use_model(monkeypatch: pytest.MonkeyPatch, model: Any) -> None:
    """Use a model for all readings, regardless of their profile."""

    async def made(*_: object) -> Any:
        return model

    monkeypatch.setattr(import_module("workbench.operations.exhaustive_reading.exhaustive_run"), "provider_of", made)


def notice_of(text: str) -> dict[str, Any]:
    """Return yes if a passage contains 60 days, no if it contains 14."""
    if "60 days" in text:
        return {"says": "yes", "finding": "The notice is 60 days.", "quotes": ["gives 60 days notice"]}
    if "14 days" in text:
        return {"says": "no", "finding": "The notice is 14 days.", "quotes": ["gives 14 days notice"]}
    return {"says": "nothing"}
