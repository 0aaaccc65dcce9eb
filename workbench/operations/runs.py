"""Runs as they were kept: listed, opened, compared."""

import asyncio

from workbench.agent.run_comparison import differences
from workbench.model.run import Run
from workbench.model.session import RunDifference, RunInfo
from workbench.model.text_diff import Stretch, text_diff
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation


def list_runs(library: Library, session: int | None = None) -> Operation[list[RunInfo]]:
    """Return the runs of a session, or of all of them, newest first.

    Raises:
        NotFound: There is no such session.
    """

    async def operation(_context: JobContext) -> list[RunInfo]:
        return await library.on_store(library.sessions.runs, session)

    return operation


def open_run(library: Library, run: int) -> Operation[Run]:
    """Return a run with every event.

    Raises:
        NotFound: There is none of that number.
    """

    async def operation(_context: JobContext) -> Run:
        return await library.on_store(library.sessions.run, run)

    return operation


def diff_runs(library: Library, first: int, second: int) -> Operation[list[RunDifference]]:
    """Return where two runs differ, part by part, from the question to the answer; nothing where they are equal.

    Raises:
        NotFound: There is none of one of the numbers.
    """

    async def operation(_context: JobContext) -> list[RunDifference]:
        runs = [await library.on_store(library.sessions.run, number) for number in (first, second)]
        return differences(*runs)

    return operation


def compare_texts(first: str, second: str) -> Operation[tuple[Stretch, ...]]:
    """Return how one text becomes another, word by word: two answers as they are shown; seconds for very long ones."""

    async def operation(_context: JobContext) -> tuple[Stretch, ...]:
        return await asyncio.to_thread(text_diff, first, second)

    return operation
