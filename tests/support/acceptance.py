"""Acceptance test support: a model server on loopback that runs while a program waits, and the requests it received."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from model_servers import RawServer, Reply, chat_call, chat_delta, function_call, item_done, sse, terminal

import workbench

SEARCH = "search_knowledge_base"


@contextmanager
def serving(*replies: Reply) -> Iterator[RawServer]:
    """Answer requests from a separate thread; each gets the next reply, and the last one is repeated."""
    loop, server = asyncio.new_event_loop(), RawServer(*replies)
    thread = threading.Thread(target=loop.run_forever, name="model server")
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(10)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def ask(
    library: workbench.Library,
    question: str,
    *replies: Reply,
    api: str = "chat",
    tool_calling: str = "auto",
    **more: Any,
) -> tuple[workbench.Run, list[Any]]:
    """Ask a model that gives these replies; return the run, and the body of each request to the model."""
    with serving(*replies) as server:
        library.put_profile(workbench.ModelProfile("m", server.base_url, "m", api, tool_calling=tool_calling))
        run = library.ask(question, profile="m", **more)
        return run, [request.json for request in server.requests if request.body]


def chat_calls(*wanted: tuple[str, Any]) -> Reply:
    """Return a turn of Chat Completions that calls tools; arguments given as text are sent unchanged."""
    pieces = [
        chat_call(number, f"call_{name}_{number}", name, _written(given)) for number, (name, given) in enumerate(wanted)
    ]
    return sse(*pieces, chat_delta("tool_calls"))


def responses_calls(*wanted: tuple[str, Any]) -> Reply:
    """Return a turn of the Responses API that calls tools."""
    items = [function_call(f"call_{number}", name, _written(given)) for number, (name, given) in enumerate(wanted)]
    return sse(*map(item_done, items), terminal(), done=False)


def search_for(query: str, **filters: Any) -> tuple[str, dict[str, Any]]:
    return SEARCH, {"query": query, **filters}


def prompt_in(request: Any) -> str:
    """Return the system prompt of a request to Chat Completions; empty if none was sent."""
    return next((one["content"] for one in request["messages"] if one["role"] in ("system", "developer")), "")


def tool_results(request: Any) -> list[str]:
    """Return the tool results that the model received, in order."""
    return [one["content"] for one in request["messages"] if one["role"] == "tool"]


def events_of(run: workbench.Run, kind: type[Any]) -> list[Any]:
    return [timed.event for timed in run.events if isinstance(timed.event, kind)]


def _written(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
