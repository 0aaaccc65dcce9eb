"""Execution of foreign code on daemon threads with a time limit."""

import asyncio
import inspect
import threading
from collections.abc import AsyncIterable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar, cast

T = TypeVar("T")

MOST_ABANDONED = 4
"""Number of abandoned but running calls (a thread cannot be killed) at which a retriever takes no more calls."""

_PING_SECONDS = 0.2
_END_SECONDS = 1.0


class StillBusy(Exception):
    """Too many abandoned calls are still running."""


class RetrieverThreads:
    """Runner of calls on daemon threads, and of coroutines on one event loop, so that their state stays on that loop.

    asyncio.timeout cannot interrupt a blocking call such as time.sleep, but a thread can be abandoned.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: LoopThread | None = None
        self._lock = threading.Lock()
        self._abandoned: set[_CallThread] = set()

    async def run(self, call: Callable[[], Any], then: Callable[[Any], T], seconds: float) -> T:
        """Return then(call()), with the result of the call awaited if necessary.

        Args:
            call: Calls foreign code; may return an awaitable or an asynchronous generator.
            then: Converts the result, on the same thread, because iterating over it also runs foreign code.
            seconds: Time limit for both.

        Raises:
            TimeoutError: The limit was exceeded. The call is cancelled if it is asynchronous, and is not waited for.
            StillBusy: Too many abandoned calls are still running.
            Exception: Any exception of call or then.
        """
        self._abandoned = {one for one in self._abandoned if one.is_alive()}
        if len(self._abandoned) >= MOST_ABANDONED:
            raise StillBusy
        running = _CallThread(self._name, call, then, self._own_loop)
        running.start()
        try:
            async with asyncio.timeout(seconds):
                return cast(T, await asyncio.wrap_future(running.future))
        except BaseException:
            if running.is_alive() and not running.future.done():
                running.give_up()
                self._abandoned.add(running)
            raise

    def close(self) -> None:
        """End the event loop; a thread that hangs is abandoned and ends with the program."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.close()

    def _own_loop(self) -> "LoopThread":
        """Return the event loop; a new one if a call blocks the old one."""
        with self._lock:
            if self._loop is None or not self._loop.answers():
                if self._loop is not None:
                    self._loop.leave()
                self._loop = LoopThread(self._name)
            return self._loop


class _CallThread(threading.Thread):
    """Daemon thread that runs one call."""

    def __init__(
        self, name: str, call: Callable[[], Any], then: Callable[[Any], Any], own_loop: "Callable[[], LoopThread]"
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.future: Future[Any] = Future()
        # Marked as running from the start, so that a waiting caller cannot cancel it and set_result cannot fail.
        self.future.set_running_or_notify_cancel()
        self._call = call
        self._then = then
        self._own_loop = own_loop
        self._on_loop: Future[Any] | None = None
        self._is_given_up = False

    def run(self) -> None:
        """Run the call, await its result, and convert it."""
        try:
            value = self._call()
            if inspect.isawaitable(value) or isinstance(value, AsyncIterable):
                self._on_loop = self._own_loop().start(awaited(value))
                if self._is_given_up:
                    self._on_loop.cancel()
                value = self._on_loop.result()
            self.future.set_result(self._then(value))
        except BaseException as error:  # noqa: BLE001 - any exception of foreign code is passed to the caller
            self.future.set_exception(error if isinstance(error, Exception) else ExitRequested(error))

    def give_up(self) -> None:
        """Abandon the call; cancel it if it is asynchronous."""
        self._is_given_up = True
        if self._on_loop is not None:
            self._on_loop.cancel()


class ExitRequested(Exception):
    """Foreign code raised SystemExit or similar, which must not end an event loop; cause is the original exception."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__()
        self.cause = cause


async def awaited(value: Any) -> Any:
    """Return the result of an awaitable or the items of an asynchronous generator; other values unchanged."""
    if inspect.isawaitable(value):
        value = await value
    if isinstance(value, AsyncIterable):
        return [item async for item in value]
    return value


class LoopThread:
    """Thread with an asyncio event loop."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=f"{name}, loop", daemon=True)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> "Future[Any]":
        """Start a coroutine on the loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def answers(self) -> bool:
        """Return True if the loop runs and responds within _PING_SECONDS."""
        pong = threading.Event()
        return self._call_soon(pong.set) and pong.wait(_PING_SECONDS)

    def leave(self) -> None:
        """Stop the loop as soon as it is not blocked."""
        self._call_soon(self._loop.stop)

    def _call_soon(self, call: Callable[[], object]) -> bool:
        """Schedule a call on the loop; return False if the loop is closed, possibly by foreign code."""
        try:
            self._loop.call_soon_threadsafe(call)
        except RuntimeError:
            return False
        return True

    def close(self) -> None:
        """Stop the loop and wait for its thread, at most _END_SECONDS."""
        self.leave()
        self._thread.join(_END_SECONDS)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()
