"""A model for tests of exhaustive reading: it reads what it is handed, and answers as it is told to."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from workbench.model.message import ModelEvent, ModelRequest, TextDelta, TurnEnd, Usage

Says = Callable[[str], dict[str, Any]]
"""The text of a passage -> what is said of it; the number is added."""


class ReadingModel:
    """Says of each passage what a function makes of its text; concludes with one sentence that cites finding 1."""

    mode = "Model: scripted."
    counts = None

    def __init__(self, says: Says, *, conclusion: str = "One document says so [1].") -> None:
        self._says = says
        self._conclusion = conclusion
        self.requests: list[ModelRequest] = []
        self.fails_at: dict[int, Exception] = {}
        self.waits_at: dict[int, asyncio.Event] = {}
        self.closed = False

    @property
    def batches(self) -> list[list[str]]:
        """The texts of the passages of each call, those of the conclusion left out."""
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
    """Let readings be read by a model, whatever profile they are of."""

    async def made(*_: object) -> Any:
        return model

    monkeypatch.setattr(sys.modules["workbench.operations.read_all.exhaustive_run"], "provider_of", made)


def notice_of(text: str) -> dict[str, Any]:
    """Say yes where 60 days stand in a passage, no where 14 do."""
    if "60 days" in text:
        return {"says": "yes", "finding": "The notice is 60 days.", "quotes": ["gives 60 days notice"]}
    if "14 days" in text:
        return {"says": "no", "finding": "The notice is 14 days.", "quotes": ["gives 14 days notice"]}
    return {"says": "nothing"}
