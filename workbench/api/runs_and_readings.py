"""Answers and exhaustive readings as they were kept; library.runs, library.readings. Awaited, and waited for."""

from pathlib import Path

from workbench import operations
from workbench.api.arguments import Approve, CallbackApprover, Filter, OnAskEvent, OnReadingEvent, chunk_filter, context
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.model.exhaustive import Price, Reading, ReadingEstimate, ReadingInfo, ReadingOffer
from workbench.model.options import known_options
from workbench.model.run import Run
from workbench.model.session import RunDifference, RunInfo
from workbench.worker.job import JobContext

# Methods are called “list” below, which then is no type there.
Infos = list[RunInfo]
TextDifferences = list[RunDifference]
Readings = list[ReadingInfo]


@known_options
class AsyncRuns(Awaited):
    """Answers as they were kept, with every step; library.runs. library.ask makes one."""

    async def list(self, session: int | None = None) -> Infos:
        """Return those of a session, or all, the newest first.

        Raises:
            NotFound: There is no such session.
        """
        return await operations.list_runs(self._opened, session)(JobContext())

    async def open(self, run: int) -> Run:
        """Return one: its answer, citations and prompts, and each event with its seconds since the beginning.

        Raises:
            NotFound: There is none of that number.
        """
        return await operations.open_run(self._opened, run)(JobContext())

    async def diff(self, first: int, second: int) -> TextDifferences:
        """Return where two differ, part by part from the question to the answer, as unified diffs.

        Raises:
            NotFound: There is none of one of the numbers.
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
        """Go on from a step of one: with another result of a tool, or with another question. The old one stays.

        Args:
            run: Where to go on from.
            at: The number of the event that is the result of the tool (event.number); 0 with a question.
            result: What the tool is to have answered; what came before is gone through again without a model.
            question: What is asked instead.
            profile: Name of the model profile that answers; None means that of the run.
            approve: As for ask.
            on_event: Told each event as it happens.

        Raises:
            NotFound: There is no such run or profile.
            ToolError: There is no result of a tool at that step.
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
    """Questions that were asked of every passage; library.readings. library.read_all makes one."""

    async def list(self) -> Readings:
        """Return them without their tables, the newest first."""
        return await operations.list_readings(self._opened)(JobContext())

    async def open(self, reading: int) -> Reading:
        """Return one with its table; its notes say which documents have changed since.

        Raises:
            NotFound: There is none of that number.
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
        """Return what library.read_all with the same arguments would take. Nothing leaves the machine for it.

        Args:
            question: What every passage would be asked.
            filter: Only what it lets through.
            knowledge_base: Only this one.
            profile: Name of the model profile that would read; None means that of the settings.
            price: What a million tokens read and written cost, in whatever money.

        Returns:
            Documents, passages, calls of the model, tokens, seconds (None where nobody can know) and cost.

        Raises:
            NotFound: No such profile or knowledge base.
            RetrievalError: The filter cannot be understood, or no passage passes it.
        """
        wanted = await chunk_filter(self._opened, filter, knowledge_base)
        estimate = operations.estimate_reading(
            self._opened, question, filter=wanted, profile=profile, price=price_of(price)
        )
        return await estimate(JobContext())

    async def offer(self, run: Run) -> ReadingOffer | None:
        """Return the reading that would do better than an answer, with its estimate; None where none would.

        library.read_all(offer.question, offer.filter, profile=offer.profile) begins it.

        Raises:
            NotFound: The model profile or knowledge base of the answer is gone.
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
        """Read what is left of one, and what has changed since; returns it as it is then.

        Args:
            reading: Its number.
            retry_unreadable: Read what was unreadable once more, too.
            user: Whose reading it is; None means the user for whom the library was opened.
            on_event: Told each event as it happens.

        Raises:
            NotFound: The user has no such reading; or its model profile or knowledge base is gone.
            SettingError: No user can be called so.
            RetrievalError: It is under way already, or no passage passes its filter any more.
        """
        resuming = operations.continue_reading(self._opened, reading, again=retry_unreadable, user=user)
        return await resuming(context(on_event))

    async def rename(self, reading: int, name: str) -> None:
        """Give one another name.

        Raises:
            SettingError: The name is empty.
        """
        await operations.rename_reading(self._opened, reading, name)(JobContext())

    async def delete(self, reading: int) -> None:
        """Remove one; restore brings it back until the library is closed.

        Raises:
            NotFound: There is none of that number.
            RetrievalError: It is under way.
        """
        await operations.remove_reading(self._opened, reading)(JobContext())

    async def restore(self, reading: int) -> None:
        """Bring back what delete removed."""
        await operations.restore_reading(self._opened, reading)(JobContext())

    async def export(self, reading: int, path: str | Path, *, format: str = "") -> Path:
        """Write the table of one with all its quotes, and return the file's path.

        Args:
            reading: Its number.
            path: The file.
            format: "csv" or "md"; empty means what the file is called, else "csv".

        Raises:
            NotFound: There is none of that number.
            ExportError: There is no such format, or the file cannot be written.
        """
        target = Path(path)
        wanted = format or target.suffix.lstrip(".").lower() or "csv"
        return await operations.export_reading(self._opened, reading, wanted, target)(JobContext())


class Runs(Waiting[AsyncRuns]):
    """Answers as they were kept, with every step; library.runs."""

    list = waited(AsyncRuns.list)
    open = waited(AsyncRuns.open)
    diff = waited(AsyncRuns.diff)
    fork = waited(AsyncRuns.fork)


class ReadingsOf(Waiting[AsyncReadings]):
    """Questions that were asked of every passage; library.readings."""

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
    """Return what tokens cost.

    Raises:
        TypeError: It is no pair of numbers.
    """
    if given is None or isinstance(given, Price):
        return given
    several = given if isinstance(given, tuple | list) else ()
    numbers = [one for one in several if isinstance(one, int | float)]
    if len(numbers) != 2 or len(several) != 2:
        raise TypeError(f"'price' is what a million tokens read and written cost, like (0.5, 1.5), not {given!r}.")
    return Price(*numbers)
