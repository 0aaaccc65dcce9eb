"""Stored answers and exhaustive readings: library.runs and library.readings.

Each has an asynchronous and a blocking class.
"""

from pathlib import Path

from workbench import operations
from workbench.api.arguments import Approve, CallbackApprover, Filter, OnAskEvent, OnReadingEvent, chunk_filter, context
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.model.exhaustive import Price, Reading, ReadingEstimate, ReadingInfo, ReadingOffer
from workbench.model.options import known_options
from workbench.model.run import Run
from workbench.model.session import RunDifference, RunInfo
from workbench.worker.job import JobContext

# Aliases, because the methods named “list” below shadow the type in their classes.
Infos = list[RunInfo]
TextDifferences = list[RunDifference]
Readings = list[ReadingInfo]


@known_options
class AsyncRuns(Awaited):
    """Stored answers with every step; library.runs. library.ask creates one."""

    async def list(self, session: int | None = None) -> Infos:
        """Return the runs of a session, or all, the newest first.

        Raises:
            NotFound: There is no such session.
        """
        return await operations.list_runs(self._opened, session)(JobContext())

    async def open(self, run: int) -> Run:
        """Return a run: its answer, citations and prompts, and each event with its time in seconds since the start.

        Raises:
            NotFound: There is no run of that number.
        """
        return await operations.open_run(self._opened, run)(JobContext())

    async def diff(self, first: int, second: int) -> TextDifferences:
        """Return the differences of two runs, part by part from the question to the answer, as unified diffs.

        Raises:
            NotFound: One of the runs does not exist.
        """
        return await operations.diff_runs(self._opened, first, second)(JobContext())

    async def fork(
        self,
        run: int,
        at: int = 0,
        *,
        result: str | None = None,
        question: str | None = None,
        profile: str | None = None,
        approve: Approve | None = None,
        on_event: OnAskEvent = None,
    ) -> Run:
        """Continue from a step of a run with another tool result, or with another question. The original run is kept.

        Args:
            run: Run to continue from.
            at: Number of the event that is the tool result (event.number); 0 with a question.
            result: Replacement for the tool result; the steps before it are replayed without a model.
            question: Replacement for the question.
            profile: Name of the model profile that answers; None uses that of the run.
            approve: As for ask.
            on_event: Called with each event as it happens.

        Raises:
            NotFound: There is no such run or profile.
            ToolError: There is no tool result at that step.
            ValueError: Neither result nor question is given, or both.
        """
        if (result is None) == (question is None):
            raise ValueError("Give either the 'result' of a tool or another 'question'.")
        approver = CallbackApprover(approve) if approve is not None else None
        forking = operations.fork_run(
            self._opened,
            run,
            at,
            result=result,
            question=question,
            profile=profile,
            approver=(lambda _session, _run: approver) if approver is not None else None,
        )(context(on_event))
        return await (approver.run(forking) if approver is not None else forking)


@known_options
class AsyncReadings(Awaited):
    """Exhaustive readings: questions asked of every passage; library.readings. library.read_all creates one."""

    async def list(self) -> Readings:
        """Return the readings without their tables, the newest first."""
        return await operations.list_readings(self._opened)(JobContext())

    async def open(self, reading: int) -> Reading:
        """Return a reading with its table; its notes list the documents that have changed since.

        Raises:
            NotFound: There is no reading of that number.
        """
        return await operations.open_reading(self._opened, reading)(JobContext())

    async def estimate(
        self,
        question: str,
        filter: Filter = None,
        *,
        knowledge_base: str | None = None,
        profile: str | None = None,
        price: Price | tuple[float, float] | None = None,
    ) -> ReadingEstimate:
        """Return the estimated cost of library.read_all with the same arguments. Nothing leaves this machine.

        Args:
            question: Question to ask of every passage.
            filter: Restricts the passages.
            knowledge_base: Read only this one.
            profile: Name of the model profile that would read; None uses that of the settings.
            price: Cost of a million input tokens and a million output tokens, in any currency.

        Returns:
            Documents, passages, model calls, tokens, seconds (None if unknown) and cost.

        Raises:
            NotFound: No such profile or knowledge base.
            RetrievalError: The filter is invalid, or no passage passes it.
        """
        scope = await chunk_filter(self._opened, filter, knowledge_base)
        estimate = operations.estimate_reading(
            self._opened, question, filter=scope, profile=profile, price=price_of(price)
        )
        return await estimate(JobContext())

    async def offer(self, run: Run) -> ReadingOffer | None:
        """Return a reading that would serve better than an answer, with its estimate; None if none would.

        library.read_all(offer.question, offer.filter, profile=offer.profile) starts it.

        Raises:
            NotFound: The model profile or knowledge base of the answer no longer exists.
            RetrievalError: No passage passes the filter of the answer any more.
        """
        return await operations.offer_reading(self._opened, run)(JobContext())

    async def resume(
        self,
        reading: int,
        *,
        retry_unreadable: bool = False,
        user: str | None = None,
        on_event: OnReadingEvent = None,
    ) -> Reading:
        """Read the remaining passages of a reading, and those changed since, and return the updated reading.

        Args:
            reading: Number of the reading.
            retry_unreadable: Also read again the passages that were unreadable.
            user: Owner of the reading; None uses the user that the library was opened for.
            on_event: Called with each event as it happens.

        Raises:
            NotFound: The user has no such reading, or its model profile or knowledge base no longer exists.
            SettingError: The user name is invalid.
            RetrievalError: The reading is already under way, or no passage passes its filter any more.
        """
        resuming = operations.continue_reading(self._opened, reading, again=retry_unreadable, user=user)
        return await resuming(context(on_event))

    async def rename(self, reading: int, name: str) -> None:
        """Rename a reading.

        Raises:
            SettingError: The name is empty.
        """
        await operations.rename_reading(self._opened, reading, name)(JobContext())

    async def delete(self, reading: int) -> None:
        """Delete a reading; restore can bring it back until the library is closed.

        Raises:
            NotFound: There is no reading of that number.
            RetrievalError: The reading is under way.
        """
        await operations.remove_reading(self._opened, reading)(JobContext())

    async def restore(self, reading: int) -> None:
        """Restore a deleted reading."""
        await operations.restore_reading(self._opened, reading)(JobContext())

    async def export(self, reading: int, path: str | Path, *, format: str = "") -> Path:
        """Write the table of a reading with all its quotes, and return the path of the file.

        Args:
            reading: Number of the reading.
            path: The file.
            format: "csv" or "md"; empty uses the suffix of the file, or else "csv".

        Raises:
            NotFound: There is no reading of that number.
            ExportError: There is no such format, or the file cannot be written.
        """
        target = Path(path)
        file_format = format or target.suffix.lstrip(".").lower() or "csv"
        return await operations.export_reading(self._opened, reading, file_format, target)(JobContext())


class Runs(Waiting[AsyncRuns]):
    """Stored answers with every step; library.runs."""

    list = waited(AsyncRuns.list)
    open = waited(AsyncRuns.open)
    diff = waited(AsyncRuns.diff)
    fork = waited(AsyncRuns.fork)


class ReadingsOf(Waiting[AsyncReadings]):
    """Exhaustive readings: questions asked of every passage; library.readings."""

    list = waited(AsyncReadings.list)
    open = waited(AsyncReadings.open)
    estimate = waited(AsyncReadings.estimate)
    offer = waited(AsyncReadings.offer)
    resume = waited(AsyncReadings.resume)
    rename = waited(AsyncReadings.rename)
    delete = waited(AsyncReadings.delete)
    restore = waited(AsyncReadings.restore)
    export = waited(AsyncReadings.export)


def price_of(given: Price | tuple[float, float] | None) -> Price | None:
    """Return the token price.

    Raises:
        TypeError: The argument is not a pair of numbers.
    """
    if given is None or isinstance(given, Price):
        return given
    several = given if isinstance(given, tuple | list) else ()
    numbers = [one for one in several if isinstance(one, int | float)]
    if len(numbers) != 2 or len(several) != 2:
        raise TypeError(f"'price' is what a million tokens read and written cost, like (0.5, 1.5), not {given!r}.")
    return Price(*numbers)
