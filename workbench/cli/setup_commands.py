"""Commands for settings, model profiles, the embedding model and the vector store."""

import argparse
import time
from collections.abc import Sequence
from typing import Any

from workbench import operations
from workbench.cli.library_access import make_change, open_given_library, opened_to_read
from workbench.cli.output import Output, Record
from workbench.cli.source_commands import make_outcome_listener, read_password, status_of
from workbench.cli.tool_approval import is_confirmed
from workbench.errors import NotFound, WorkbenchError
from workbench.language import counted
from workbench.model.egress import OFFLINE_MODE_HINT, hub_hosts
from workbench.model.embedder import BoundEmbedder, EmbedderChangeProgress, EmbedderState
from workbench.model.embedding_server import is_embedding_server
from workbench.model.profile import AbilityMark, ModelAbility
from workbench.model.setting import Setting
from workbench.model.vector_store import StoreChoice, StoreMoveProgress, StoreState
from workbench.operations import Library
from workbench.operations.library.document_changes import Recut
from workbench.operations.library.library_changes import (
    ChangeEmbedder,
    DeleteOtherStores,
    KeepEmbedder,
    MoveStore,
    PutSetting,
    ResetSetting,
    RevertEmbedder,
)
from workbench.settings import DECLARATIONS, Settings, declaration
from workbench.worker.job import JobContext

SILENT = JobContext()


async def settings(options: argparse.Namespace, output: Output) -> int:
    """Show the settings or one of them, change one, or reset it to its default."""
    chosen = DECLARATIONS if options.key is None else (declaration(options.key),)
    async with open_given_library(options) as library:
        if options.value is not None:
            await make_change(library, PutSetting(options.key, options.value))
        elif options.reset and options.key is not None:
            await make_change(library, ResetSetting(options.key))
        values = await operations.load_settings(library)(SILENT)
    for one in chosen:
        _show(one, values, output)
    return 0


def _show(one: Setting, values: Settings, output: Output) -> None:
    value = getattr(values, one.key)
    record = {"key": one.key, "value": value, "default": one.default, "title": one.title, "help": one.help}
    shown = str(value) if value != "" else "(empty)"
    output.record(record, f"{one.key:<24} {shown:<12} {one.title}: {one.help}")


Options = argparse.Namespace

BUILT_IN = "built-in"
"""Name typed for the built-in model, which is the empty text in the settings."""

_PROGRESS_INTERVAL = 2.0
"""Seconds between two progress lines of a change."""


async def embedder(options: Options, output: Output) -> int:
    """Show the embedding model, change it, or revert the change; for “recut”, 1 if a document could not be read."""
    if options.action == "recut":
        async with opened_to_read(options, output) as library:
            return status_of(await make_change(library, Recut(), JobContext(make_outcome_listener(output))))
    async with open_given_library(options) as library:
        if options.action == "try":
            return await _try_server(library, options.name, output)
        if options.action == "key":
            return await _store_key(library, options.name, output)
        if options.action == "change":
            name = "" if options.name == BUILT_IN else options.name
            if not await _confirm_server(library, name, options, output):
                return 1
            await _change(library, name, options.allow_host, output)
        elif options.action == "back":
            await make_change(library, RevertEmbedder(), JobContext(_ChangeProgressPrinter(output)))
        elif options.action == "keep":
            await make_change(library, KeepEmbedder())
        state = await operations.embedder_state(library)(SILENT)
        configured = (await operations.load_settings(library)(SILENT)).embedder
    record = _record(state, configured)
    output.record(record, _words(state, record))
    return 0


async def _change(library: Library, name: str | None, allow_hosts: Sequence[str], output: Output) -> None:
    """Change the embedding model.

    Raises:
        WorkbenchError: It cannot be loaded; if offline mode blocks it, the hint names the option that allows its host.
    """
    try:
        change = ChangeEmbedder(name, tuple(allow_hosts))
        await make_change(library, change, JobContext(_ChangeProgressPrinter(output)))
    except WorkbenchError as error:
        if OFFLINE_MODE_HINT not in error.hint or is_embedding_server(name or ""):
            raise
        hub = hub_hosts((await operations.load_settings(library)(SILENT)).model_hub)[0]
        raise type(error)(error.message, f"To allow this once, add: --allow-host {hub}") from error


class _ChangeProgressPrinter:
    """Callback that prints the progress of a change on stderr at intervals."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._next = 0.0

    def __call__(self, event: Any) -> None:
        if not isinstance(event, EmbedderChangeProgress):
            return
        is_last = event.chunks_done == event.chunks
        if time.monotonic() < self._next and not is_last:
            return
        self._next = time.monotonic() + _PROGRESS_INTERVAL
        if not event.chunks:
            self._output.note(f"Loading {event.name}…")
        else:
            left = f", {event.seconds_left:.0f} s left" if event.seconds_left else ""
            self._output.note(f"{event.name}: {event.chunks_done} of {counted(event.chunks, 'passage')} embedded{left}")


async def _confirm_server(library: Library, name: str | None, options: argparse.Namespace, output: Output) -> bool:
    """Show what an embedding server would receive; ask whether it may, and store that.

    Args:
        library: The open library.
        name: Value for the setting “embedder”, empty for the built-in model; None for the present value.
        options: The price of a million tokens, and whether to skip the question.
        output: Receives the sentences.

    Returns:
        True if the server may receive it, or the model is not on a server.

    Raises:
        SettingError: The name is meant as a server but is invalid.
        PluginError: The consent cannot be stored.
    """
    model = (await operations.load_settings(library)(SILENT)).embedder if name is None else name
    plan = await operations.plan_embedding_server(library, model, price=options.price)(SILENT) if model else None
    if plan is None:
        return True
    output.note("\n".join(plan.sentences))
    if plan.is_allowed:
        return True
    if not await is_confirmed(output, "Send them?", "Nothing was sent. Add --yes to confirm.", yes=options.yes):
        return False
    await operations.allow_embedding_server(library, plan.model)(SILENT)
    return True


async def _try_server(library: Library, name: str, output: Output) -> int:
    """Have a server embed test sentences, and show the dimensions and the time."""
    trial = await operations.try_embedding_server(library, name)(SILENT)
    record = {"dimensions": trial.dimensions, "milliseconds": round(trial.milliseconds), "notice": trial.notice}
    words = f"It gives vectors of {trial.dimensions} dimensions, a sentence in {trial.milliseconds:.0f} ms."
    output.record(record, f"{words} {trial.notice}".rstrip())
    return 0


async def _store_key(library: Library, name: str, output: Output) -> int:
    """Store the key of a server in the keyring, read from the terminal or standard input."""
    is_kept = await operations.put_embedding_server_key(library, name, read_password())(SILENT)
    output.note("The key is stored in the keyring." if is_kept else "There is no keyring: the key was not stored.")
    return 0 if is_kept else 1


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
    facts = f" ({state.dim} dimensions, at most {state.max_tokens} tokens)" if state.dim else ""
    lines = [f"Searched with: {state.current.name}{facts}"]
    if state.previous is not None:
        lines.append(f"Previous:      {state.previous.name}; “embedder back” returns to it, “embedder keep” deletes it")
    if record["pending"]:
        lines.append(f"In settings:   {record['wanted']}; “embedder change” switches to it")
    if state.too_long:
        lines.append("“embedder recut” splits documents again whose passages are too long for this model.")
    return "\n".join([*lines, *state.warnings])


_MARKS = {AbilityMark.YES: "ok", AbilityMark.PARTLY: "PARTLY", AbilityMark.NO: "FAILS", AbilityMark.UNKNOWN: ""}


async def check(library: Library, name: str, output: Output) -> int:
    """Test the abilities of a profile's server and model, printing each as it is determined; 1 if it does not respond.

    Raises:
        NotFound: There is no profile of that name.
    """
    profiles = await operations.list_profiles(library)(JobContext())
    profile = next((one for one in profiles if one.name == name), None)
    if profile is None:
        raise NotFound(f"There is no profile “{name}”.", "“profiles list” lists the profiles.")
    report = await operations.examine_profile(library, profile)(JobContext(_AbilityPrinter(output)))
    return int(not report.works)


async def find(library: Library, output: Output) -> int:
    """List the common model servers that run on this machine; 1 if there is none."""
    found = await operations.find_model_servers(library)(JobContext())
    for server in found:
        record = {"base_url": server.base_url, "models": list(server.models), "profile": server.profile or None}
        output.record(record, f"{server.base_url}: {', '.join(server.models)}")
    if not found:
        output.note("No model server was found on the usual ports of this computer.")
    return int(not found)


class _AbilityPrinter:
    """Callback that prints each ability as it is determined."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def __call__(self, event: object) -> None:
        if isinstance(event, ModelAbility):
            record = {
                "ability": event.ability.value,
                "mark": event.mark.value,
                "words": event.words,
                "hint": event.hint,
            }
            words = f"{event.words} {event.hint}".rstrip()
            self._output.record(record, f"{event.ability.value:<10} {_MARKS[event.mark]:<8} {words}")


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
            change = MoveStore(options.name, options.url, options.kb)
            await make_change(library, change, JobContext(_MoveListener(output)))
        elif options.action == "keep":
            await make_change(library, DeleteOtherStores())
        state = await operations.vector_store_state(library)(JobContext())
    output.record(_store_record(state), _store_words(state))
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


def _store_record(state: StoreState) -> Record:
    return {
        "store": state.current.name,
        "url": state.current.url,
        "wanted": state.wanted.name if state.wanted else state.current.name,
        "pending": state.wanted is not None,
        "vectors": state.vectors,
        "problem": state.problem,
        "others": list(state.others),
        "names": list(state.names),
        "knowledge_bases": [
            {
                "knowledge_base": one.knowledge_base,
                "store": one.choice.name,
                "url": one.choice.url,
                "vectors": one.vectors,
                "problem": one.problem,
            }
            for one in state.of_bases
        ],
    }


def _store_words(state: StoreState) -> str:
    lines = [f"In use:  {_named(state.current)}"]
    lines.append(f"Holds:   {counted(state.vectors, 'vector')}" if state.vectors is not None else state.problem)
    for one in state.of_bases:
        held = one.problem if one.vectors is None else counted(one.vectors, "vector")
        lines.append(f"{one.knowledge_base}: {_named(one.choice)}{', ' if held else ''}{held}")
    if state.wanted is not None:
        lines.append(f"Wanted:  {_named(state.wanted)}; “store move” switches to it")
    if state.others:
        lines.append(f"Kept:    {', '.join(state.others)}; “store keep” deletes their vectors of this library")
    lines.append(f"Others:  {', '.join(name for name in state.names if name != state.current.name)}")
    return "\n".join(lines)


def _named(choice: StoreChoice) -> str:
    return f"{choice.name} at {choice.url}" if choice.url else choice.name
