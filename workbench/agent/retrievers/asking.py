"""Several retrievers asked at once -> one search result; one that fails or is late costs nobody else anything."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from workbench.errors import RetrieverFailed
from workbench.language import in_seconds, mark
from workbench.model.extensions import RetrieverQuestion
from workbench.model.hit import Hit, SearchMode, SearchResult, outside_hit
from workbench.plugins.custom_retriever import NamedRetriever
from workbench.plugins.retriever_results import Given, fitted

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RetrieverLimits:
    """What the retrievers of one search may take; see the settings of the same names.

    Attributes:
        seconds: For each; they run side by side.
        characters: For all of them together.
    """

    seconds: float = 10.0
    characters: int = 50_000


_OURS = ("TimeoutError", "UnknownRetriever", "NotAllowed", "NotAvailable")
"""Kinds of failure of which a trace would say nothing."""

Ready = Callable[[NamedRetriever], Awaitable[None]]


async def ask_retrievers(
    retrievers: Sequence[NamedRetriever],
    question: RetrieverQuestion,
    limits: RetrieverLimits,
    *,
    ready: Ready,
    unknown: Sequence[str] = (),
) -> SearchResult:
    """Return what the retrievers give, in their order, with a note for whatever was left out.

    Args:
        retrievers: Each is asked once.
        question: What they are asked.
        limits: What they may take.
        ready: Has a retriever get ready; going on with that when the time is up is its own affair.
        unknown: Names under which there is no retriever.

    Raises:
        RetrieverFailed: Nothing was given, and one of them failed or is unknown: that is no honest "nothing found".
    """
    began = time.perf_counter()
    failures = [RetrieverFailed(f"There is no retriever “{name}”.", kind="UnknownRetriever") for name in unknown]
    given: list[tuple[str, Given]] = []
    if question.query.strip():
        asked = [_within(retriever, question, limits, ready) for retriever in retrievers]
        for retriever, answer in zip(retrievers, await asyncio.gather(*asked), strict=True):
            if isinstance(answer, RetrieverFailed):
                failures.append(answer)
            else:
                given.append((retriever.name, answer))
    for failure in failures:
        _log(failure)
    hits, is_cut = _in_budget(given, limits.characters)
    if failures and not hits:
        raise _all_of(failures)
    notes = [failure.message for failure in failures]
    notes += [mark(f"The retriever “{name}” {note}.") for name, answer in given for note in answer.notes]
    if is_cut:
        notes.append(mark(f"The retrievers gave more than {limits.characters:,} characters; the rest was left out."))
        logger.warning("%s", notes[-1])
    milliseconds = (time.perf_counter() - began) * 1000
    return SearchResult(question.query, SearchMode.HYBRID, hits, milliseconds, notes=tuple(notes))


async def _within(
    retriever: NamedRetriever, question: RetrieverQuestion, limits: RetrieverLimits, ready: Ready
) -> Given | RetrieverFailed:
    is_ready = False
    try:
        async with asyncio.timeout(limits.seconds):
            await ready(retriever)
            is_ready = True
            return await retriever.ask(question, seconds=limits.seconds, characters=limits.characters)
    except RetrieverFailed as error:
        return error
    except TimeoutError:
        name, seconds = retriever.name, limits.seconds
        late = mark(f"The retriever “{name}” took longer than {in_seconds(seconds)} and was left out.")
        unready = mark(f"The retriever “{name}” is still getting ready after {in_seconds(seconds)} and was left out.")
        told = late if is_ready else unready
        return RetrieverFailed(told, kind="TimeoutError")


def _log(failure: RetrieverFailed) -> None:
    """Log a failure; with the trace of what somebody's code raised, where it raised something."""
    raised = failure.kind not in _OURS
    logger.warning("%s", failure.message, exc_info=failure if raised else None)


def _in_budget(given: Sequence[tuple[str, Given]], characters: int) -> tuple[tuple[Hit, ...], bool]:
    """Return the passages as hits; the one that crosses the budget is cut, and the rest is dropped."""
    hits: list[Hit] = []
    left = characters
    is_cut = any(answer.is_cut for _, answer in given)
    for name, answer in given:
        for passage in answer.passages:
            if left <= 0:
                return tuple(hits), True
            kept = fitted(passage, left) if not passage.is_cut else passage
            is_cut = is_cut or kept.is_cut
            hits.append(outside_hit(kept, origin=name, rank=len(hits) + 1))
            left -= len(passage.text)
    return tuple(hits), is_cut


def _all_of(failures: Sequence[RetrieverFailed]) -> RetrieverFailed:
    first = failures[0]
    hints = dict.fromkeys(failure.hint for failure in failures if failure.hint)
    return RetrieverFailed(" ".join(failure.message for failure in failures), " ".join(hints), first.kind)
