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
from workbench.plugins.custom_retriever import CodeRetriever, NamedRetriever
from workbench.plugins.plugin_consent import PluginConsentFile
from workbench.plugins.registry import Registry
from workbench.plugins.retriever_results import RetrieverPassages, fitted

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RetrieverLimits:
    """Limits of the retrievers of one search; see the settings of the same names.

    Attributes:
        seconds: Timeout of each retriever; they run concurrently.
        characters: Maximum length of all results together.
    """

    seconds: float = 10.0
    characters: int = 50_000


_WITHOUT_TRACEBACK = ("TimeoutError", "UnknownRetriever", "NotAllowed", "NotAvailable")
"""Kinds of failure that are logged without a traceback, which would contain nothing useful."""

Ready = Callable[[NamedRetriever], Awaitable[None]]


async def ask_retrievers(
    retrievers: Sequence[NamedRetriever],
    question: RetrieverQuestion,
    limits: RetrieverLimits,
    *,
    ready: Ready,
    unknown: Sequence[str] = (),
) -> SearchResult:
    """Return the results of retrievers, in the order of the retrievers, with a note for everything that was omitted.

    Args:
        retrievers: Retrievers, each queried once.
        question: The question.
        limits: Limits of time and characters.
        ready: Initializes a retriever; it may go on with this in the background after the timeout.
        unknown: Requested names without a retriever.

    Raises:
        RetrieverFailed: There are no results, and a retriever failed or is unknown; this is not "nothing found".
    """
    began = time.perf_counter()
    failures = [RetrieverFailed(f"There is no retriever “{name}”.", kind="UnknownRetriever") for name in unknown]
    given: list[tuple[str, RetrieverPassages]] = []
    if question.query.strip():
        queries = [_query_within_limits(retriever, question, limits, ready) for retriever in retrievers]
        for retriever, answer in zip(retrievers, await asyncio.gather(*queries), strict=True):
            if isinstance(answer, RetrieverFailed):
                failures.append(answer)
            else:
                given.append((retriever.name, answer))
    for failure in failures:
        _log(failure)
    hits, is_cut = _fit_to_budget(given, limits.characters)
    if failures and not hits:
        raise _combine_failures(failures)
    notes = [failure.message for failure in failures]
    notes += [mark(f"The retriever “{name}” {note}.") for name, answer in given for note in answer.notes]
    if is_cut:
        notes.append(mark(f"The retrievers gave more than {limits.characters:,} characters; the rest was left out."))
        logger.warning("%s", notes[-1])
    milliseconds = (time.perf_counter() - began) * 1000
    return SearchResult(question.query, SearchMode.HYBRID, hits, milliseconds, notes=tuple(notes))


async def _query_within_limits(
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
        unready = mark(f"The retriever “{name}” is still starting after {in_seconds(seconds)} and was left out.")
        message = late if is_ready else unready
        return RetrieverFailed(message, kind="TimeoutError")


def _log(failure: RetrieverFailed) -> None:
    """Log a failure, with the traceback if the code of a retriever raised an exception."""
    raised = failure.kind not in _WITHOUT_TRACEBACK
    logger.warning("%s", failure.message, exc_info=failure if raised else None)


def _fit_to_budget(given: Sequence[tuple[str, RetrieverPassages]], characters: int) -> tuple[tuple[Hit, ...], bool]:
    """Return the passages as hits; the passage that exceeds the budget is truncated, and the rest is dropped."""
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


def _combine_failures(failures: Sequence[RetrieverFailed]) -> RetrieverFailed:
    first = failures[0]
    hints = dict.fromkeys(failure.hint for failure in failures if failure.hint)
    return RetrieverFailed(" ".join(failure.message for failure in failures), " ".join(hints), first.kind)


GROUP = "workbench.retrievers"
"""Entry point group; an entry point refers to the retriever itself: a function, a class or an object."""

_CLOSE_SECONDS = 3.0


class RetrieverRegistry:
    """The retrievers of one open library.

    Retrievers registered in code are initialized at the first question, the others at their first use. If several have
    the same name, one registered in code takes precedence over one of a package, and this over one of a plug-in file.
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
        """Create a registry; nothing is loaded yet.

        Args:
            folder: Folder of the plug-in files; it need not exist.
            consents: Consents of the user to plug-in files.
            limits: Returns the limits of a search; called for each search.
            megabytes: Returns the memory limit of a plug-in file.
            packages: Retrievers of installed packages; None finds them by their entry points.
            gate: Egress gate; while offline mode is on, plug-in files run without network access.
        """
        self.folder = folder
        self.consents = consents
        self._limits = limits
        self._megabytes = megabytes
        self._gate = gate
        self._packages: Registry[Any] = packages if packages is not None else Registry(GROUP)
        self._code: dict[str, CodeRetriever] = {}
        self._from_packages: dict[str, CodeRetriever] = {}
        self._from_agents: dict[int, tuple[Any, CodeRetriever]] = {}
        self._files: dict[Path, PluginFile] = {}
        self._from_files: dict[tuple[Path, str], PluginRetriever] = {}
        self._starting: dict[NamedRetriever, asyncio.Task[None]] = {}
        self._is_started = False
        self._lock = threading.Lock()

    def register(self, name: str, thing: Any) -> "RetrieverRegistry":
        """Add a retriever under a name and return self; the info of an unusable retriever states the problem.

        Raises:
            ValueError: The name is already registered.
            RuntimeError: The registry was queried already.
        """
        if self._is_started:
            raise RuntimeError(f"The retriever {name!r} comes too late: register it before the first question.")
        if name in self._code:
            raise ValueError(f"A retriever named {name!r} is registered already.")
        self._code[name] = CodeRetriever(name, thing)
        return self

    def handed(self, thing: Any) -> str:
        """Add a retriever object of an agent, if it is not known yet, and return its name."""
        with self._lock:
            if id(thing) not in self._from_agents:
                name = getattr(thing, "__name__", type(thing).__name__)
                self._from_agents[id(thing)] = (thing, CodeRetriever(name, thing))
            return self._from_agents[id(thing)][1].name

    def plugin_files(self) -> list[PluginFile]:
        """Return the existing plug-in files, sorted by name; files whose name begins with _ or . are ignored."""
        with self._lock:
            paths = sorted(self.folder.glob("*.py")) if self.folder.is_dir() else []
            for path in paths:
                if path not in self._files and path.name[0] not in "._":
                    self._files[path] = PluginFile(path, self.consents, self._megabytes, self._gate)
            return [self._files[path] for path in paths if path in self._files]

    def infos(self) -> list[RetrieverInfo]:
        """Return the state of each retriever. Blocking; loads the retrievers of packages, but runs no plug-in."""
        retrievers = self._all_retrievers()
        return [retriever.info for retriever in retrievers.values()] + [
            RetrieverInfo(file.path.stem, RetrieverKind.PLUG_IN, RetrieverState.NEEDS_CONSENT, file=file.path.name)
            for file in self.plugin_files()
            if self.consents.of(file.path) is None
        ]

    def known(self) -> frozenset[str]:
        """Return the names of all retrievers, including files that need consent first; blocking."""
        return frozenset(info.name for info in self.infos())

    async def ask(
        self, wanted: Sequence[Any], question: RetrieverQuestion, limits: RetrieverLimits | None = None
    ) -> SearchResult:
        """Query retrievers, each once.

        Args:
            wanted: Names of retrievers, or retriever objects.
            question: The question.
            limits: Limits of time and characters; None for those of the settings.

        Raises:
            RetrieverFailed: There are no results, and a retriever failed or is unknown.
        """
        by_name = await asyncio.to_thread(self._all_retrievers)
        chosen: dict[NamedRetriever, None] = {}
        unknown: dict[str, None] = {}
        for one in wanted:
            found = by_name.get(one) if isinstance(one, str) else self._find_object(one)
            if found is not None:
                chosen[found] = None
            else:
                unknown[str(one)] = None
        self._start_registered()
        bounds = limits if limits is not None else await asyncio.to_thread(self._limits)
        return await ask_retrievers(tuple(chosen), question, bounds, ready=self._ensure_ready, unknown=tuple(unknown))

    def close(self) -> None:
        """Close all retrievers and end their threads and processes; blocking."""
        closable: list[CodeRetriever | PluginFile] = [*self._code.values(), *self._from_packages.values()]
        closable += [retriever for _, retriever in self._from_agents.values()]
        closable += self._files.values()
        if not closable:
            return

        async def close_all() -> None:
            await asyncio.gather(*(one.close(_CLOSE_SECONDS) for one in closable))

        # Runs in a separate thread, because the caller may be in an event loop.
        thread = threading.Thread(target=lambda: asyncio.run(close_all()), name="closing retrievers")
        thread.start()
        thread.join()

    def _find_object(self, thing: Any) -> CodeRetriever:
        self.handed(thing)
        return self._from_agents[id(thing)][1]

    def _start_registered(self) -> None:
        self._is_started = True
        for retriever in self._code.values():
            self._start(retriever)

    def _start(self, retriever: NamedRetriever) -> "asyncio.Task[None]":
        """Return the task that initializes a retriever; a finished one is started again, as a file may have changed."""
        task = self._starting.get(retriever)
        if task is None or task.done():
            task = asyncio.get_running_loop().create_task(self._get_ready(retriever))
            self._starting[retriever] = task
        return task

    async def _get_ready(self, retriever: NamedRetriever) -> None:
        await retriever.start((await asyncio.to_thread(self._limits)).seconds)

    async def _ensure_ready(self, retriever: NamedRetriever) -> None:
        # After the timeout of a search, the initialization goes on for the next one.
        await asyncio.shield(self._start(retriever))

    def _all_retrievers(self) -> dict[str, NamedRetriever]:
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
