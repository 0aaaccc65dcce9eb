"""Registry of all retrievers by name, and the concurrent query of several of them within their limits."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.agent.retrievers.plugin_process import PluginFile, PluginRetriever
from workbench.egress.gate import LOOPBACK_ONLY, EgressGate
from workbench.errors import RetrieverFailed
from workbench.language import in_seconds, mark
from workbench.model.extensions import RetrieverInfo, RetrieverKind, RetrieverQuestion, RetrieverState
from workbench.model.hit import Hit, SearchMode, SearchResult, outside_hit
from workbench.plugins.code_retriever import CodeRetriever
from workbench.plugins.custom_retriever import NamedRetriever
from workbench.plugins.plugin_consent import PluginConsentFile
from workbench.plugins.registry import Registry
from workbench.plugins.retriever_results import RetrieverPassages, fitted

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
    given: list[tuple[str, RetrieverPassages]] = []
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
) -> RetrieverPassages | RetrieverFailed:
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


def _in_budget(given: Sequence[tuple[str, RetrieverPassages]], characters: int) -> tuple[tuple[Hit, ...], bool]:
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


GROUP = "workbench.retrievers"
"""The entry point group: what an entry names is the retriever itself, a function, a class or an object."""

_CLOSE_SECONDS = 3.0


class RetrieverRegistry:
    """The retrievers of one open library. Those in code get ready with the first question, the others when asked.

    A name in code goes before one of a package, and that before one of a plug-in file.
    """

    def __init__(
        self,
        folder: Path,
        consents: PluginConsentFile,
        limits: Callable[[], RetrieverLimits],
        megabytes: Callable[[], int],
        packages: Registry[Any] | None = None,
        gate: EgressGate = LOOPBACK_ONLY,
    ) -> None:
        """Load nothing yet.

        Args:
            folder: Where plug-in files are; it need not be there.
            consents: Which of them may run.
            limits: What a search may take, asked for each time.
            megabytes: How much memory a plug-in file may take.
            packages: What installed packages offer; None looks for their entry points.
            gate: While the air gap is on, plug-in files run without any network.
        """
        self.folder = folder
        self.consents = consents
        self._limits = limits
        self._megabytes = megabytes
        self._gate = gate
        self._packages: Registry[Any] = packages if packages is not None else Registry(GROUP)
        self._code: dict[str, CodeRetriever] = {}
        self._from_packages: dict[str, CodeRetriever] = {}
        self._handed: dict[int, tuple[Any, CodeRetriever]] = {}
        self._files: dict[Path, PluginFile] = {}
        self._from_files: dict[tuple[Path, str], PluginRetriever] = {}
        self._starting: dict[NamedRetriever, asyncio.Task[None]] = {}
        self._is_started = False
        self._lock = threading.Lock()

    def register(self, name: str, thing: Any) -> "RetrieverRegistry":
        """Add a retriever under a name and return self; one that cannot be asked says why in its info.

        Raises:
            ValueError: The name is taken.
            RuntimeError: A question was asked already.
        """
        if self._is_started:
            raise RuntimeError(f"The retriever {name!r} comes too late: register it before the first question.")
        if name in self._code:
            raise ValueError(f"A retriever named {name!r} is registered already.")
        self._code[name] = CodeRetriever(name, thing)
        return self

    def handed(self, thing: Any) -> str:
        """Take a retriever that an agent carries itself, and return a name under which it can be asked."""
        with self._lock:
            if id(thing) not in self._handed:
                name = getattr(thing, "__name__", type(thing).__name__)
                self._handed[id(thing)] = (thing, CodeRetriever(name, thing))
            return self._handed[id(thing)][1].name

    def plugin_files(self) -> list[PluginFile]:
        """Return the plug-in files that are there now, by name; those that begin with _ or . are none."""
        with self._lock:
            paths = sorted(self.folder.glob("*.py")) if self.folder.is_dir() else []
            for path in paths:
                if path not in self._files and path.name[0] not in "._":
                    self._files[path] = PluginFile(path, self.consents, self._megabytes, self._gate)
            return [self._files[path] for path in paths if path in self._files]

    def infos(self) -> list[RetrieverInfo]:
        """Return how each stands; blocking, and loads the packages' retrievers but runs no plug-in."""
        everyone = self._everyone()
        return [retriever.info for retriever in everyone.values()] + [
            RetrieverInfo(file.path.stem, RetrieverKind.PLUG_IN, RetrieverState.NEEDS_CONSENT, file=file.path.name)
            for file in self.plugin_files()
            if self.consents.of(file.path) is None
        ]

    def known(self) -> frozenset[str]:
        """Return every name that can be asked, with those of files that have to be allowed first; blocking."""
        return frozenset(info.name for info in self.infos())

    async def ask(
        self, wanted: Sequence[Any], question: RetrieverQuestion, limits: RetrieverLimits | None = None
    ) -> SearchResult:
        """Ask retrievers by their names, or those that are handed in themselves; each once.

        Args:
            wanted: Names, or retrievers.
            question: What they are asked.
            limits: What they may take; None for the usual.

        Raises:
            RetrieverFailed: Nothing was given, and one of them failed or is unknown.
        """
        everyone = await asyncio.to_thread(self._everyone)
        chosen: dict[NamedRetriever, None] = {}
        unknown: dict[str, None] = {}
        for one in wanted:
            found = everyone.get(one) if isinstance(one, str) else self._of_thing(one)
            if found is not None:
                chosen[found] = None
            else:
                unknown[str(one)] = None
        self._start_registered()
        within = limits if limits is not None else await asyncio.to_thread(self._limits)
        return await ask_retrievers(tuple(chosen), question, within, ready=self._ready, unknown=tuple(unknown))

    def close(self) -> None:
        """Have every retriever that was started close, and end their threads and processes; blocking."""
        everyone: list[CodeRetriever | PluginFile] = [*self._code.values(), *self._from_packages.values()]
        everyone += [retriever for _, retriever in self._handed.values()]
        everyone += self._files.values()
        if not everyone:
            return

        async def close_all() -> None:
            await asyncio.gather(*(one.close(_CLOSE_SECONDS) for one in everyone))

        # On a thread of its own: whoever closes the library may stand in a loop.
        thread = threading.Thread(target=lambda: asyncio.run(close_all()), name="closing retrievers")
        thread.start()
        thread.join()

    def _of_thing(self, thing: Any) -> CodeRetriever:
        self.handed(thing)
        return self._handed[id(thing)][1]

    def _start_registered(self) -> None:
        self._is_started = True
        for retriever in self._code.values():
            self._start(retriever)

    def _start(self, retriever: NamedRetriever) -> "asyncio.Task[None]":
        """Return the task in which it gets ready: started anew where it has ended, since a file may have changed."""
        task = self._starting.get(retriever)
        if task is None or task.done():
            task = asyncio.get_running_loop().create_task(self._get_ready(retriever))
            self._starting[retriever] = task
        return task

    async def _get_ready(self, retriever: NamedRetriever) -> None:
        await retriever.start((await asyncio.to_thread(self._limits)).seconds)

    async def _ready(self, retriever: NamedRetriever) -> None:
        # A search that gives up waiting leaves it to get ready for the next one.
        await asyncio.shield(self._start(retriever))

    def _everyone(self) -> dict[str, NamedRetriever]:
        with self._lock:
            for name in self._packages.names():
                if name not in self._from_packages:
                    thing = self._packages.registered(name)
                    self._from_packages[name] = CodeRetriever(name, thing, RetrieverKind.PACKAGE)
        found: dict[str, NamedRetriever] = {**self._from_packages, **self._code}
        for file in self.plugin_files():
            consent = self.consents.of(file.path)
            for name in consent.offers if consent is not None else ():
                key = (file.path, name)
                found.setdefault(name, self._from_files.setdefault(key, PluginRetriever(name, file)))
        return found
