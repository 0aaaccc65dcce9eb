"""Retriever that runs in this process: from code, an installed package, or an agent."""

import logging
import time
from typing import Any

from workbench.errors import RetrieverFailed
from workbench.language import in_seconds, mark
from workbench.model.extensions import RetrieverInfo, RetrieverKind, RetrieverQuestion, RetrieverState
from workbench.model.hit import OutsidePassage
from workbench.plugins.custom_retriever import CallableRetriever, NotARetriever, shape_of
from workbench.plugins.retriever_results import RetrieverPassages, fault_of, passages_of
from workbench.plugins.threads import ExitRequested, RetrieverThreads, StillBusy

logger = logging.getLogger(__name__)


class CodeRetriever:
    """Caller of one retriever with a time limit; started once, before its first question."""

    def __init__(self, name: str, thing: Any, kind: RetrieverKind = RetrieverKind.CODE) -> None:
        self.name = name
        self._kind = kind
        self._threads = RetrieverThreads(f"retriever {name}")
        self._shape: CallableRetriever | None = None
        self._state = RetrieverState.NOT_STARTED
        self._problem = ""
        self._milliseconds: float | None = None
        self._is_started = False
        try:
            self._shape = shape_of(thing)
        except NotARetriever as error:
            self._fail(str(error))
        except Exception as error:  # noqa: BLE001 - a foreign class is instantiated here and may raise anything
            self._fail(mark(f"It could not be made: {fault_of(error).sentence}."))

    @property
    def info(self) -> RetrieverInfo:
        """State, problem and last duration of the retriever."""
        note = self._shape.note if self._shape is not None else ""
        return RetrieverInfo(self.name, self._kind, self._state, self._problem, note, self._milliseconds)

    async def start(self, seconds: float) -> None:
        """Initialize the retriever; a failure is recorded in its state."""
        if self._is_started or self._shape is None:
            return
        self._is_started = True
        self._state = RetrieverState.READY
        if self._shape.initialize is None:
            return
        try:
            await self._threads.run(self._shape.initialize, _discard, seconds)
        except TimeoutError:
            self._fail(mark(f"It did not get ready within {in_seconds(seconds)}."))
        except Exception as error:
            fault = fault_of(error)
            logger.warning("Retriever %s could not be initialized", self.name, exc_info=error)
            self._fail(mark(f"It could not get ready: {fault.sentence}."))

    async def ask(self, question: RetrieverQuestion, *, seconds: float, characters: int) -> RetrieverPassages:
        """Return the retriever's passages for a question.

        Raises:
            RetrieverFailed: The retriever is not available, raised an exception, or exceeded its time limit.
        """
        shape = self._shape
        if shape is None or self._state is RetrieverState.FAILED:
            raise RetrieverFailed(
                mark(f"The retriever “{self.name}” cannot be asked. {self._problem}"), kind="NotAvailable"
            )
        most = None if shape.cuts_itself else question.num_documents

        def convert(value: Any) -> RetrieverPassages:
            return passages_of(value, characters=characters, most=most)

        began = time.perf_counter()
        try:
            return await self._threads.run(lambda: shape.ask(question), convert, seconds)
        except TimeoutError as error:
            late = mark(f"The retriever “{self.name}” took longer than {in_seconds(seconds)} and was left out.")
            raise RetrieverFailed(late, kind="TimeoutError") from error
        except StillBusy as error:
            busy = mark(f"The retriever “{self.name}” is still busy with questions that were given up.")
            raise RetrieverFailed(busy, kind="TimeoutError") from error
        except Exception as error:  # foreign code may raise anything; other retrievers continue
            fault = fault_of(error.cause if isinstance(error, ExitRequested) else error)
            raise RetrieverFailed(
                mark(f"The retriever “{self.name}” failed: {fault.sentence}."), kind=fault.kind
            ) from error
        finally:
            self._milliseconds = round((time.perf_counter() - began) * 1000, 1)

    async def close(self, seconds: float) -> None:
        """Close the retriever, even if its initialization failed, and end its threads; errors are logged."""
        try:
            if self._is_started and self._shape is not None and self._shape.close is not None:
                await self._threads.run(self._shape.close, _discard, seconds)
        except Exception as error:
            logger.warning("Retriever %s could not be closed", self.name, exc_info=error)
        finally:
            self._threads.close()

    def _fail(self, problem: str) -> None:
        self._state = RetrieverState.FAILED
        self._problem = problem


def _discard(_value: Any) -> tuple[OutsidePassage, ...]:
    return ()
