"""Client of a plug-in file, which runs in its own child process, and only with the user's consent."""

import asyncio
import dataclasses
import hashlib
import json
import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from workbench.egress.gate import LOOPBACK_ONLY, EgressGate, PendingRequest, PermittedRequest
from workbench.errors import LibraryError, NetworkClosed, PluginError, RetrieverFailed
from workbench.language import in_seconds, mark
from workbench.model.egress import Purpose
from workbench.model.extensions import (
    PluginInfo,
    PluginState,
    RetrieverInfo,
    RetrieverKind,
    RetrieverQuestion,
    RetrieverState,
)
from workbench.plugins import plugin_file
from workbench.plugins.plugin_consent import PluginConsentFile
from workbench.plugins.plugin_file import PluginOffer, PluginSource, named_variables
from workbench.plugins.retriever_results import PluginFault, RetrieverPassages
from workbench.worker.confinement import Confinement, is_filtered
from workbench.worker.job import finish_despite_cancel
from workbench.worker.processes import ProcessFailure, ProcessOutOfMemory, ProcessPool, ProcessTimedOut

logger = logging.getLogger(__name__)
T = TypeVar("T")

MOST_BYTES = 1_000_000
"""Maximum size of a plug-in file; a bigger file is hardly a plug-in."""

START_SECONDS = 30.0
"""Timeout of loading a file, which may import a big package."""


class PluginFile:
    """A plug-in file and its child process, which is kept between calls, killed if it hangs, and restarted on demand.

    The process receives exactly the bytes that the user consented to, no key or password of the environment except
    those that the file names (named_variables), and no network access while offline mode is on. A changed file needs
    consent again; then its new version runs in a new process.
    """

    def __init__(
        self,
        path: Path,
        consents: PluginConsentFile,
        megabytes: Callable[[], int],
        gate: EgressGate = LOOPBACK_ONLY,
    ) -> None:
        self.path = path
        self._gate = gate
        self._passage: PermittedRequest | None = None
        self._watched = ExitStack()
        self._connects = True
        self._consents = consents
        self._megabytes = megabytes
        self._pool: ProcessPool | None = None
        self._running = ""
        self._offered: tuple[str, PluginOffer] | None = None
        self._changing = asyncio.Lock()

    def info(self) -> PluginInfo:
        """Return the state of the file, without running it."""
        try:
            source = self.source()
        except PluginError as error:
            return PluginInfo(self.path.name, str(self.path), "", PluginState.BROKEN, problem=str(error))
        consent = self._consents.of(self.path)
        if consent is None or consent.sha256 != source.sha256:
            state = PluginState.CHANGED if consent is not None else PluginState.NEW
            return PluginInfo(self.path.name, str(self.path), source.sha256, state)
        offered = self._offered[1] if self._offered and self._offered[0] == source.sha256 else None
        problem = _problem(offered) if offered else ""
        state = PluginState.ALLOWED if consent.offers else PluginState.BROKEN
        return PluginInfo(self.path.name, str(self.path), source.sha256, state, consent.offers, problem)

    def source(self) -> PluginSource:
        """Read the file.

        Raises:
            PluginError: It is missing, cannot be read, or is too big.
        """
        try:
            code = self.path.read_bytes() if self.path.stat().st_size <= MOST_BYTES else None
        except OSError as error:
            raise PluginError(f"The plug-in {self.path.name} cannot be read.", f"{error.strerror}.") from error
        if code is None:
            raise PluginError(f"The plug-in {self.path.name} is bigger than {MOST_BYTES:,} bytes.")
        return PluginSource(str(self.path), hashlib.sha256(code).hexdigest(), code)

    def allowed(self) -> PluginSource | None:
        """Return the current version of the file if the user consented to it, else None."""
        try:
            source = self.source()
        except PluginError:
            return None
        consent = self._consents.of(self.path)
        return source if consent is not None and consent.sha256 == source.sha256 else None

    def allow(self, sha256: str, offers: tuple[str, ...]) -> None:
        """Record the consent to a version of the file.

        Raises:
            PluginError: The consent cannot be saved.
        """
        self._consents.allow(self.path, sha256, offers)

    def forbid(self) -> None:
        """Revoke the consent.

        Raises:
            PluginError: The change cannot be saved.
        """
        self._consents.forbid(self.path)

    async def offered(self, source: PluginSource) -> PluginOffer:
        """Load a version of the file and return what it offers.

        Raises:
            PluginError: Loading it took too long or too much memory, or ended its process.
        """
        if self._offered is None or self._offered[0] != source.sha256:
            try:
                found = await self.call(source, START_SECONDS, plugin_file.offered, source)
            except ProcessFailure as error:
                raise PluginError(f"{self.path.name} {_describe(error, START_SECONDS)} while it was loaded.") from error
            self._offered = (source.sha256, found)
        return self._offered[1]

    async def call(self, source: PluginSource, seconds: float, function: Callable[..., T], *args: Any) -> T:
        """Call a function of plugin_file.py in the file's process; a timeout kills the process.

        Raises:
            ProcessFailure: The process did not survive the call.
            NetworkClosed: Offline mode is on, and the system cannot keep a process from the network.
        """
        pool = await self._pool_for(source)
        try:
            async with asyncio.timeout(seconds):
                return await pool.run(function, *args, seconds=seconds, megabytes=self._megabytes())
        except TimeoutError as error:
            # The call was waiting for an earlier one that hangs; cancellation removed it from the queue.
            raise ProcessTimedOut(f"The call took longer than {seconds:g} s.") from error

    async def close(self, seconds: float) -> None:
        """Close the retrievers of the file and end the process; never raises."""
        runs = self._pool is not None and not self._pool.is_closed
        if runs and self._offered is not None and self._running == self._offered[0]:
            source = PluginSource(str(self.path), self._running, b"")
            try:
                answered = await self.call(source, seconds, plugin_file.close, source)
                if answered.fault is not None:
                    logger.warning("Plug-in %s could not be closed", self.path.name, exc_info=_as_error(answered.fault))
            except ProcessFailure as error:
                logger.warning("Plug-in %s could not be closed: %s", self.path.name, error)
        await self._end()

    async def _pool_for(self, source: PluginSource) -> ProcessPool:
        async with self._changing:
            request = PendingRequest(Purpose.PLUGIN, "", address=self.path.name, seen=False)
            may_connect = await asyncio.to_thread(self._gate.allows, request)
            was_ended = self._pool is not None and self._pool.is_closed
            if self._running != source.sha256 or self._connects != may_connect or was_ended:
                await self._end()
            if self._pool is None:
                request = dataclasses.replace(request, confined=not may_connect and is_filtered())
                self._passage = await self._gate.enter_soon(request)
                # The user consented to this code: it has access to files, but gets only the keys that it names.
                rights = Confinement(
                    reads=None, writes=None, network=may_connect, is_users=True, named=named_variables(source.code)
                )
                self._pool = ProcessPool(1, preload=("workbench.plugins.plugin_file",), confined=lambda: rights)
                self._running, self._connects = source.sha256, may_connect
                self._watched.enter_context(self._gate.running(request, _make_ender(self._pool, self._passage)))
                await asyncio.to_thread(self._gate.enforce)  # offline mode may have been switched on meanwhile
                await self._pool.start()
            return self._pool

    async def _end(self) -> None:
        pool, self._pool = self._pool, None
        self._running = ""
        self._watched.close()
        if pool is not None:
            await finish_despite_cancel(asyncio.to_thread(pool.close))
        if self._passage is not None:
            self._passage.done()
            self._passage = None


def _make_ender(pool: ProcessPool, passage: PermittedRequest) -> Callable[[], None]:
    """Return a function, callable from any thread, that ends a process that may no longer use the network."""

    def end() -> None:
        pool.close()
        passage.done(note=mark("It was stopped because it is no longer allowed to use the network."))

    return end


class PluginRetriever:
    """A retriever of a plug-in file."""

    def __init__(self, name: str, file: PluginFile) -> None:
        self.name = name
        self._file = file
        self._state = RetrieverState.NOT_STARTED
        self._problem = ""
        self._started = ""
        self._milliseconds: float | None = None

    @property
    def info(self) -> RetrieverInfo:
        """State of the retriever."""
        is_allowed = self._file.allowed() is not None
        return RetrieverInfo(
            self.name,
            RetrieverKind.PLUG_IN,
            self._state if is_allowed else RetrieverState.NEEDS_CONSENT,
            self._problem,
            milliseconds=self._milliseconds,
            file=self._file.path.name,
        )

    async def start(self, seconds: float) -> None:
        """Load the file in its process and initialize the retriever, once per version of the file."""
        source = await asyncio.to_thread(self._file.allowed)
        if source is None or self._started == source.sha256:
            return
        self._started = source.sha256
        self._state, self._problem = RetrieverState.READY, ""
        try:
            offered = await self._file.offered(source)
            if self.name not in offered.names:
                self._fail(
                    offered.problems.get(self.name) or _problem(offered) or mark("The file no longer provides it.")
                )
                return
            answered = await self._file.call(source, seconds, plugin_file.start, source, self.name)
            if answered.fault is not None:
                logger.warning("Retriever %s could not be initialized", self.name, exc_info=_as_error(answered.fault))
                self._fail(mark(f"It could not start: {answered.fault.sentence}."))
        except PluginError as error:
            self._fail(str(error))
        except ProcessFailure as error:
            self._fail(mark(f"It {_describe(error, seconds)} while starting."))
        except (NetworkClosed, LibraryError) as error:
            self._started = ""  # tried again at the next call, since offline mode may be off by then
            self._fail(str(error))

    async def ask(self, question: RetrieverQuestion, *, seconds: float, characters: int) -> RetrieverPassages:
        """Return the passages for a question.

        Raises:
            RetrieverFailed: The retriever may not run, raised an exception or timed out, or its process died.
        """
        source = await asyncio.to_thread(self._file.allowed)
        if source is None:
            name = self._file.path.name
            raise RetrieverFailed(
                f"The retriever “{self.name}” was not used: its plug-in file {name} has changed or is not allowed.",
                f"Look at the file, and allow it with “workbench plugins allow {name}”.",
                kind="NotAllowed",
            )
        await self.start(seconds)
        if self._state is RetrieverState.FAILED:
            raise RetrieverFailed(f"The retriever “{self.name}” cannot be used. {self._problem}", kind="NotAvailable")
        began = time.perf_counter()
        try:
            plain = _serializable(question)
            answered = await self._file.call(source, seconds, plugin_file.ask, source, self.name, plain, characters)
        except ProcessFailure as error:
            kind = "TimeoutError" if isinstance(error, ProcessTimedOut) else type(error).__name__
            message = mark(f"The retriever “{self.name}” {_describe(error, seconds)} and was left out.")
            raise RetrieverFailed(message, kind=kind) from error
        except (NetworkClosed, LibraryError) as error:
            raise RetrieverFailed(error.message, error.hint, kind="NotAvailable") from error
        finally:
            self._milliseconds = round((time.perf_counter() - began) * 1000, 1)
        if answered.fault is not None:
            raise self._to_error(answered.fault)
        return answered.given

    async def close(self, seconds: float) -> None:
        """Do nothing: PluginFile.close closes all retrievers of the file."""

    def _to_error(self, fault: PluginFault) -> RetrieverFailed:
        error = RetrieverFailed(f"The retriever “{self.name}” failed: {fault.sentence}.", kind=fault.kind)
        error.add_note(fault.details)  # for the terminal; the model and the user get only type and line
        return error

    def _fail(self, problem: str) -> None:
        self._state = RetrieverState.FAILED
        self._problem = problem


def _as_error(fault: PluginFault) -> RetrieverFailed:
    """Return an error for logging a fault: type and place as the message, the details as a note for the terminal."""
    error = RetrieverFailed(fault.sentence, kind=fault.kind)
    error.add_note(fault.details)
    return error


def _problem(offered: PluginOffer) -> str:
    if offered.fault is not None:
        return mark(f"It could not be loaded: {offered.fault.sentence}.")
    return " ".join(f"{name}: {problem}" for name, problem in offered.problems.items())


def _describe(error: ProcessFailure, seconds: float) -> str:
    if isinstance(error, ProcessTimedOut):
        return mark(f"took longer than {in_seconds(seconds)}")
    if isinstance(error, ProcessOutOfMemory):
        return mark("exceeded the memory limit of plug-ins")
    return mark("ended its process")


def _serializable(question: RetrieverQuestion) -> RetrieverQuestion:
    """Return a question that can be sent to another process: values that JSON does not support become text."""
    context = question.context
    names = ("dependencies", "knowledge_filters", "session_state", "metadata")
    plain = {name: json.loads(json.dumps(getattr(context, name), default=str, skipkeys=True)) for name in names}
    return dataclasses.replace(question, context=dataclasses.replace(context, **plain))
