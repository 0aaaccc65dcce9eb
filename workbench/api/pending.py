"""Which tasks are inside of a verb of an open library, so that they are cancelled where the library is closed."""

from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from workbench import operations

if TYPE_CHECKING:  # 15 ms that importing the names of this package need not take
    import asyncio

_pending: "WeakKeyDictionary[operations.Library, Counter[asyncio.Task[Any]]]" = WeakKeyDictionary()


def register_verbs(kind: type, library_of: Callable[[Any], operations.Library]) -> None:
    """Have the public asynchronous methods of a class register the task that awaits them, as long as it does."""
    for name, verb in list(vars(kind).items()):
        if not name.startswith("_") and iscoroutinefunction(verb):
            setattr(kind, name, _registered(verb, library_of))


async def cancel_pending(opened: operations.Library) -> None:
    """Cancel all tasks that are inside of a verb of the library, but this one, and wait until they have ended."""
    import asyncio

    await asyncio.sleep(0)  # what was only just created begins, and is registered
    tasks = set(_pending.pop(opened, ())) - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


def _registered(
    verb: Callable[..., Coroutine[Any, Any, Any]], library_of: Callable[[Any], operations.Library]
) -> Callable[..., Coroutine[Any, Any, Any]]:
    @wraps(verb)
    async def method(awaited: Any, /, *args: Any, **kwargs: Any) -> Any:
        with _inside(library_of(awaited)):
            return await verb(awaited, *args, **kwargs)

    return method


@contextmanager
def _inside(opened: operations.Library) -> Iterator[None]:
    import asyncio

    task = asyncio.current_task()
    if task is None:
        yield
        return
    # Counted, since one verb may call another one.
    tasks = _pending.setdefault(opened, Counter())
    tasks[task] += 1
    try:
        yield
    finally:
        tasks[task] -= 1
        if not tasks[task]:
            del tasks[task]
