"""A question asked of every passage that a filter lets through: begun, and gone on with where it stopped."""

from dataclasses import dataclass

from workbench.errors import RetrievalError
from workbench.model.exhaustive import Price, Reading, ReadingStatus
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.operations.exhaustive_reader import opened_reader
from workbench.operations.exhaustive_records import filter_of, reading_of
from workbench.operations.exhaustive_run import ReadingRun
from workbench.operations.library import Library
from workbench.retrieval.filters.text_syntax import text_of
from workbench.store.exhaustive import Asked
from workbench.worker.job import JobContext, Operation

_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be read, by whom."""

    question: str
    filter: ChunkFilter
    profile: str | None
    name: str
    price: Price | None
    user: str | None


def read_all(
    library: Library,
    question: str,
    *,
    knowledge_base: str | None = None,
    filter: ChunkFilter = EVERYTHING,
    profile: str | None = None,
    name: str = "",
    price: Price | None = None,
    user: str | None = None,
) -> Operation[Reading]:
    """Ask every passage that passes a filter; returns the reading as it is kept, also when it is paused.

    Emits ReadingBegan, then ReadingProgress and DocumentRead with every batch. What was read is kept batch by batch:
    after a cancel, a kill or a failure of the model continue_reading reads what is left.

    Args:
        library: The open library.
        question: What is asked of every passage.
        knowledge_base: Only this one; None means all.
        filter: Only what it lets through.
        profile: Name of the model profile that reads; None means that of the settings.
        name: What the reading is called; empty takes the question.
        price: What the model's tokens cost, to be told with it.
        user: Whose the reading is; None means the one that the library was opened for.

    Raises:
        RetrievalError: The question is empty, the filter is wrong, or no passage passes it.
        NotFound: No such profile or knowledge base.
        SettingError: No user can be called so.
    """
    whole = ChunkFilter(knowledge_base or filter.knowledge_base, filter.where)
    wanted = _Wanted(question, whole, profile, name, price, user)

    async def operation(context: JobContext) -> Reading:
        return await _begun(library, wanted, context)

    return operation


def continue_reading(
    library: Library, reading: int, *, again: bool = False, user: str | None = None
) -> Operation[Reading]:
    """Read what is left of a reading; passages that changed since are read anew, new ones too. See read_all.

    Args:
        library: The open library.
        reading: Its number.
        again: What was unreadable is read once more.
        user: As for read_all.

    Raises:
        NotFound: The user has no such reading; or its model profile or knowledge base is gone.
        SettingError: No user can be called so.
        RetrievalError: It is under way already, or no passage passes its filter any more.
    """

    async def operation(context: JobContext) -> Reading:
        readings = library.readings_of(library.whose(user))
        info = await library.on_store(readings.get, reading)
        if info.status is ReadingStatus.RUNNING:
            raise RetrievalError("This is being read already.", "Wait for it, or stop it first.")
        matching = await library.on_search(library.reading_passages.matching, filter_of(info))
        _check(matching)
        opened = await opened_reader(library, info.profile, info.question)
        try:
            run = ReadingRun(library, readings, info, opened, matching, context)
            await run.run(again=again)
        finally:
            await opened.close()
        return await library.on_store(reading_of, library, readings, reading)

    return operation


async def _begun(library: Library, wanted: _Wanted, context: JobContext) -> Reading:
    readings = library.readings_of(library.whose(wanted.user))
    question = " ".join(wanted.question.split())
    if not question:
        raise RetrievalError("The question is empty.", "Type what every passage is to be asked.")
    if problem := await library.on_store(library.documents.filter_problem, wanted.filter):
        raise RetrievalError(problem, "Change the filter.")
    _check(await library.on_search(library.reading_passages.matching, wanted.filter))
    settings = await library.on_store(library.setting_values.load)
    profile = await library.on_store(library.profiles.get, wanted.profile or settings.profile)
    asked = Asked(
        name=wanted.name.strip() or question[:_LONGEST_NAME],
        question=question,
        knowledge_base=wanted.filter.knowledge_base,
        filter=text_of(wanted.filter),
        profile=profile.name,
        model="" if profile.is_offline else profile.model or profile.name,
        mode="",
        price=None if profile.is_offline else wanted.price,
    )
    info = await library.on_store(readings.create, asked)
    return await continue_reading(library, info.id, user=wanted.user)(context)


def _check(matching: object) -> None:
    if not matching:
        raise RetrievalError(
            "No passage passes this filter, so there is nothing to read.",
            "Change the filter, or wait until the documents are in the library.",
        )
