"""Commands for the vector store: show it, move to another one, store the key of a server."""

import argparse
import time
from typing import Any

from workbench import operations
from workbench.cli.library_access import make_change, open_given_library
from workbench.cli.output import Output, Record
from workbench.cli.source_commands import read_password
from workbench.language import counted
from workbench.model.vector_store import StoreChoice, StoreMoveProgress, StoreState
from workbench.operations.library.library_changes import DeleteOtherStores, MoveStore, PutSetting
from workbench.worker.job import JobContext

_EVERY = 2.0
"""Minimum seconds between two lines of progress."""


async def store(options: argparse.Namespace, output: Output) -> int:
    """Show the vector store, move the library to another one, store a key, or delete the data of other stores."""
    async with open_given_library(options) as library:
        if options.action == "key":
            if options.url:
                await make_change(library, PutSetting("vector_store_url", options.url))
            is_kept = await operations.put_vector_store_key(library, read_password())(JobContext())
            output.note(
                "The key is stored in the keyring." if is_kept else "There is no keyring: the key was not stored."
            )
            return 0 if is_kept else 1
        if options.action == "move":
            await make_change(library, MoveStore(options.name, options.url), JobContext(_MoveListener(output)))
        elif options.action == "keep":
            await make_change(library, DeleteOtherStores())
        state = await operations.vector_store_state(library)(JobContext())
    output.record(_record(state), _words(state))
    return 0


class _MoveListener:
    """Listener that writes the progress of a move to stderr, at most every two seconds."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._next = 0.0

    def __call__(self, event: Any) -> None:
        if not isinstance(event, StoreMoveProgress) or not event.total:
            return
        if time.monotonic() >= self._next or event.done == event.total:
            self._next = time.monotonic() + _EVERY
            left = f", {event.seconds_left:.0f} s left" if event.seconds_left else ""
            self._output.note(f"{event.name}: {event.done} of {counted(event.total, 'vector')}{left}")


def _record(state: StoreState) -> Record:
    return {
        "store": state.current.name,
        "url": state.current.url,
        "wanted": state.wanted.name if state.wanted else state.current.name,
        "pending": state.wanted is not None,
        "vectors": state.vectors,
        "problem": state.problem,
        "others": list(state.others),
        "names": list(state.names),
    }


def _words(state: StoreState) -> str:
    lines = [f"In use:  {_named(state.current)}"]
    lines.append(f"Holds:   {counted(state.vectors, 'vector')}" if state.vectors is not None else state.problem)
    if state.wanted is not None:
        lines.append(f"Wanted:  {_named(state.wanted)}; “store move” switches to it")
    if state.others:
        lines.append(f"Kept:    {', '.join(state.others)}; “store keep” deletes their vectors of this library")
    lines.append(f"Others:  {', '.join(name for name in state.names if name != state.current.name)}")
    return "\n".join(lines)


def _named(choice: StoreChoice) -> str:
    return f"{choice.name} at {choice.url}" if choice.url else choice.name
