"""Somebody else's code in threads of its own: whatever it does, nobody waits for it longer than they meant to."""

import asyncio
import inspect
import threading
from collections.abc import AsyncIterable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar, cast

T = TypeVar("T")

MOST_ABANDONED = 4
"""Calls of one retriever that were given up and go on nevertheless; a thread cannot be killed. Then it is not asked."""

_PING_SECONDS = 0.2
_END_SECONDS = 1.0


class StillBusy(Exception):
    """Too many calls that were given up are still going on."""


class RetrieverThreads:
    """Runs calls on daemon threads, and what is asynchronous on one loop of its own, so that its state stays there.

    asyncio.timeout does nothing against time.sleep; a thread that nobody waits for does.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: _Loop | None = None
        self._lock = threading.Lock()
        self._abandoned: set[_CallThread] = set()

    async def run(self, call: Callable[[], Any], then: Callable[[Any], T], seconds: float) -> T:
        """Return then(what the call gives, awaited), or raise what either raises.

        Args:
            call: Calls foreign code; may return an awaitable, or an asynchronous generator.
            then: Turns it into what is wanted, on the same thread: iterating over it is foreign code too.
            seconds: How long it may take altogether.

        Raises:
            TimeoutError: It took longer. It is told to stop if it is asynchronous, and not waited for.
            StillBusy: Too many calls that were given up are still going on.
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
        """End the loop; a thread that hangs is left behind and ends with the program."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.close()

    def _own_loop(self) -> "_Loop":
        """Return the loop; a new one where a call blocks the old one."""
        with self._lock:
            if self._loop is None or not self._loop.answers():
                if self._loop is not None:
                    self._loop.leave()
                self._loop = _Loop(self._name)
            return self._loop


class _CallThread(threading.Thread):
    """One call on a thread of its own."""

    def __init__(
        self, name: str, call: Callable[[], Any], then: Callable[[Any], Any], own_loop: "Callable[[], _Loop]"
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.future: Future[Any] = Future()
        # Running from the start: whoever stops waiting must not make it impossible to answer.
        self.future.set_running_or_notify_cancel()
        self._call = call
        self._then = then
        self._own_loop = own_loop
        self._on_loop: Future[Any] | None = None
        self._is_given_up = False

    def run(self) -> None:
        """Call, await, convert."""
        try:
            value = self._call()
            if inspect.isawaitable(value) or isinstance(value, AsyncIterable):
                self._on_loop = self._own_loop().start(awaited(value))
                if self._is_given_up:
                    self._on_loop.cancel()
                value = self._on_loop.result()
            self.future.set_result(self._then(value))
        except BaseException as error:  # noqa: BLE001 - whatever foreign code raises belongs to whoever waits
            self.future.set_exception(error if isinstance(error, Exception) else ExitRequested(error))

    def give_up(self) -> None:
        """Tell it to stop, which only what is asynchronous can."""
        self._is_given_up = True
        if self._on_loop is not None:
            self._on_loop.cancel()


class ExitRequested(Exception):
    """Foreign code raised SystemExit or the like, which must not end a loop of ours; cause is what it raised."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__()
        self.cause = cause


async def awaited(value: Any) -> Any:
    """Return what an awaitable or an asynchronous generator comes to."""
    if inspect.isawaitable(value):
        value = await value
    if isinstance(value, AsyncIterable):
        return [item async for item in value]
    return value


class _Loop:
    """One thread with one asyncio loop."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=f"{name}, loop", daemon=True)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> "Future[Any]":
        """Start a coroutine on the loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def answers(self) -> bool:
        """Whether it has not ended, and nothing blocks it."""
        pong = threading.Event()
        return self._call_soon(pong.set) and pong.wait(_PING_SECONDS)

    def leave(self) -> None:
        """Have it end whenever it can."""
        self._call_soon(self._loop.stop)

    def _call_soon(self, call: Callable[[], object]) -> bool:
        """Have the loop call something; False where it has ended, as foreign code can make it."""
        try:
            self._loop.call_soon_threadsafe(call)
        except RuntimeError:
            return False
        return True

    def close(self) -> None:
        """End it now, unless something blocks it."""
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
