"""The embedding model on the command line: how it stands, a change, the way back."""

import argparse
import time
from collections.abc import Sequence
from typing import Any

from workbench import operations
from workbench.cli.changing import changed
from workbench.cli.opened import opened, opened_to_read
from workbench.cli.output import Output, Record
from workbench.cli.sources import shown, status_of
from workbench.errors import WorkbenchError
from workbench.language import counted
from workbench.model.egress import AIR_GAP_HINT, hub_hosts
from workbench.model.embedder import BoundEmbedder, EmbedderChangeProgress, EmbedderState
from workbench.operations import Library
from workbench.operations.document_changes import Recut
from workbench.operations.library_changes import ChangeEmbedder, KeepEmbedder, RevertEmbedder
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()

BUILT_IN = "built-in"
"""What is typed for the model that the settings call nothing."""

_TELLING = 2.0
"""Seconds between two lines that tell how far a change is."""


async def embedder(options: Options, output: Output) -> int:
    """Show the embedding model, change it, or go back; “recut” fails with 1 if a document could not be read."""
    if options.action == "recut":
        async with opened_to_read(options, output) as library:
            return status_of(await changed(library, Recut(), JobContext(shown(output))))
    async with opened(options) as library:
        if options.action == "change":
            await _change(library, options.name, options.allow_host, output)
        elif options.action == "back":
            await changed(library, RevertEmbedder(), JobContext(_Telling(output)))
        elif options.action == "keep":
            await changed(library, KeepEmbedder())
        state = await operations.embedder_state(library)(SILENT)
        asked = (await operations.load_settings(library)(SILENT)).embedder
    record = _record(state, asked)
    output.record(record, _words(state, record))
    return 0


async def _change(library: Library, name: str | None, allow_hosts: Sequence[str], output: Output) -> None:
    """Go over to a model.

    Raises:
        WorkbenchError: It cannot be loaded; where the air gap is in the way, with the option that allows its host.
    """
    try:
        change = ChangeEmbedder("" if name == BUILT_IN else name, tuple(allow_hosts))
        await changed(library, change, JobContext(_Telling(output)))
    except WorkbenchError as error:
        if AIR_GAP_HINT not in error.hint:
            raise
        hub = hub_hosts((await operations.load_settings(library)(SILENT)).model_hub)[0]
        raise type(error)(error.message, f"To allow this for this once, add: --allow-host {hub}") from error


class _Telling:
    """Tells on stderr how far a change is, now and then."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._next = 0.0

    def __call__(self, event: Any) -> None:
        if not isinstance(event, EmbedderChangeProgress):
            return
        is_last = event.chunks_done == event.chunks
        if time.monotonic() < self._next and not is_last:
            return
        self._next = time.monotonic() + _TELLING
        if not event.chunks:
            self._output.note(f"Loading {event.name}…")
        else:
            left = f", {event.seconds_left:.0f} s left" if event.seconds_left else ""
            self._output.note(f"{event.name}: {event.chunks_done} of {counted(event.chunks, 'passage')} embedded{left}")


def _record(state: EmbedderState, asked: str) -> Record:
    return {
        "embedder": _bound_record(state.current),
        "previous": _bound_record(state.previous),
        "wanted": (state.wanted.model if state.wanted else asked) or BUILT_IN,
        "pending": state.wanted is not None,
        "dimensions": state.dim,
        "max_tokens": state.max_tokens,
        "too_long": state.too_long,
        "warnings": list(state.warnings),
    }


def _bound_record(bound: BoundEmbedder | None) -> Record | None:
    if bound is None:
        return None
    return {"id": bound.id, "name": bound.name, "model": bound.choice.model or BUILT_IN}


def _words(state: EmbedderState, record: Record) -> str:
    if state.current is None:
        return f"The first document will be embedded with: {record['wanted']}"
    facts = f" ({state.dim} dimensions, sees {state.max_tokens} tokens)" if state.dim else ""
    lines = [f"Searched with: {state.current.name}{facts}"]
    if state.previous is not None:
        lines.append(f"Before it:     {state.previous.name}; “embedder back” returns to it, “embedder keep” deletes it")
    if record["pending"]:
        lines.append(f"Asked for:     {record['wanted']}; “embedder change” goes over to it")
    if state.too_long:
        lines.append("“embedder recut” cuts the documents anew whose passages are too long for it.")
    return "\n".join([*lines, *state.warnings])
