"""Command runs: stored answers listed, shown, replayed, compared and continued; commands export, import-session."""

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from workbench.cli.output import Output, Record, printable
from workbench.errors import UnreadableFile
from workbench.model.run import Run, RunStatus, TimedEvent, TurnCompleted
from workbench.model.session import BUNDLE_SUFFIX, Part, Parts

AddCommand = Callable[[str, str], argparse.ArgumentParser]
Options = Callable[[], argparse.ArgumentParser]

_LONGEST_VALUE = 160


def add_run_commands(command: AddCommand, common: Options) -> None:
    """Add the command runs; common returns the options that every command has."""
    parser = command("runs", "List, show, replay, compare or fork stored answers.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str, *numbers: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=help, description=help, parents=[common()])
        for number in numbers:
            added.add_argument(number, type=int, metavar=number.upper(), help="number of the answer")
        return added

    action("list", "List the answers, newest first.").add_argument(
        "--session", type=int, metavar="ID", help="only answers of this session"
    )
    action("show", "Show an answer with the time and tokens of each model call.", "run")
    replay = action("replay", "Replay the steps of an answer with their times.", "run")
    replay.add_argument(
        "--speed", type=float, default=0.0, metavar="X", help="replay with the original timing, X times as fast"
    )
    action("diff", "Show the differences between two answers.", "first", "second")
    fork = action("fork", "Continue from a step of an answer with a different tool result or question.", "run")
    fork.add_argument("--at", type=int, default=0, metavar="STEP", help="number of the step (see “replay”)")
    fork.add_argument("--profile", type=printable, metavar="NAME", help="use another model profile")
    other = fork.add_mutually_exclusive_group(required=True)
    other.add_argument("--result", type=printable, metavar="TEXT", help="replacement for the result of the tool")
    other.add_argument("--result-from", type=Path, metavar="FILE", help="read the result from this file")
    other.add_argument("--question", type=printable, metavar="TEXT", help="replacement for the question")


async def runs(options: argparse.Namespace, output: Output) -> int:
    """List, show, replay, compare or continue runs; 1 if a continued run failed."""
    return await _ACTIONS[options.action](options, output)


async def _list(options: argparse.Namespace, output: Output) -> int:
    from workbench import operations
    from workbench.cli.library_access import open_given_library
    from workbench.worker.job import JobContext

    async with open_given_library(options) as library:
        found = await operations.list_runs(library, options.session)(JobContext())
    for one in found:
        record = {
            "run": one.id,
            "session": one.session,
            "question": one.question,
            "profile": one.profile,
            "status": one.status.value,
            "started": one.started,
            "seconds": round(one.seconds, 3),
            "parent": one.parent,
        }
        parent = f"  from {one.parent}" if one.parent else ""
        output.record(record, f"{one.id:>5}  {one.started}  {one.status.value:<9} {one.question}{parent}")
    return 0


async def _run(options: argparse.Namespace) -> Run:
    from workbench import operations
    from workbench.cli.library_access import open_given_library
    from workbench.worker.job import JobContext

    async with open_given_library(options) as library:
        return await operations.open_run(library, options.run)(JobContext())


async def _show(options: argparse.Namespace, output: Output) -> int:
    from workbench.cli.records import answer_words, run_record

    run = await _run(options)
    turns = [timed.event for timed in run.events if isinstance(timed.event, TurnCompleted)]
    words = [f"    turn {turn.round}: {_turn_words(turn)}" for turn in turns]
    step = f", step {run.parent_event}" if run.parent_event is not None else ""
    parent = [f"    continued from answer {run.parent}{step}"] if run.parent else []
    record = {**run_record(run), "parent": run.parent, "parent_event": run.parent_event}
    output.record(record, "\n".join([answer_words(run).rstrip(), *words, *parent, ""]))
    return 0


async def _replay(options: argparse.Namespace, output: Output) -> int:
    import asyncio  # here, because the parser imports this module and --help does not need asyncio

    from workbench.cli.records import event_record

    before = 0.0
    for timed in (await _run(options)).events:
        if options.speed > 0:
            await asyncio.sleep(max(0.0, timed.seconds - before) / options.speed)
            before = timed.seconds
        output.record(event_record(timed), event_words(timed, event_record(timed)))
    return 0


async def _diff(options: argparse.Namespace, output: Output) -> int:
    from workbench import operations
    from workbench.cli.library_access import open_given_library
    from workbench.worker.job import JobContext

    async with open_given_library(options) as library:
        found = await operations.diff_runs(library, options.first, options.second)(JobContext())
    for one in found:
        output.record({"part": one.part, "diff": one.text}, f"== {one.part}\n{one.text}\n")
    if not found:
        output.note("The two answers do not differ.")
    return 0


async def _fork(options: argparse.Namespace, output: Output) -> int:
    from workbench import operations
    from workbench.cli.library_access import open_given_library
    from workbench.cli.records import answer_words, run_record
    from workbench.cli.tool_approval import approver_of
    from workbench.worker.job import JobContext

    result = _text_of(options.result_from) if options.result_from else options.result
    async with open_given_library(options) as library:
        fork = operations.fork_run(
            library,
            options.run,
            options.at,
            result=result,
            question=options.question,
            profile=options.profile,
            approver=approver_of(output),
        )
        run = await fork(JobContext())
    output.record({**run_record(run), "parent": run.parent, "parent_event": run.parent_event}, answer_words(run))
    return int(run.status is RunStatus.FAILED)


def event_words(timed: TimedEvent, record: Record) -> str:
    """Return one step in a line: its number, its time, its type, and its values, long ones truncated."""
    values = {name: value for name, value in record.items() if name not in ("number", "seconds", "event")}
    shown = "  ".join(f"{name}={_value(value)}" for name, value in values.items() if value not in ("", None, (), []))
    return f"{timed.number:>4} {timed.seconds:9.3f}  {record['event']:<18} {shown}".rstrip()


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_VALUE else f"{line[: _LONGEST_VALUE - 1]}…"


def _turn_words(turn: TurnCompleted) -> str:
    about = "about " if turn.is_estimate else ""
    called = f", called {', '.join(call.name for call in turn.tool_calls)}" if turn.tool_calls else ""
    text = " by text" if turn.by_text and turn.tool_calls else ""
    used = turn.usage.input_tokens, turn.usage.output_tokens
    tokens = f", {about}{used[0] or 0:,} tokens in, {used[1] or 0:,} out" if used != (None, None) else ""
    return f"{turn.milliseconds / 1000:.2f} s{tokens}, {turn.finish.replace('_', ' ')}{called}{text}"


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(f"“{path}” cannot be read.", "Specify a UTF-8 text file.") from error


_ACTIONS = {"list": _list, "show": _show, "replay": _replay, "diff": _diff, "fork": _fork}


FORMATS = ("md", "html", "pdf", "docx", "json", BUNDLE_SUFFIX.removeprefix("."))
"""Built-in formats; plug-in packages may add others."""
_ARCHIVE = ".zip"


def add_export_commands(command: AddCommand) -> None:
    """Add the commands export and import-session."""
    export = command("export", "Export sessions to files.")
    export.add_argument(
        "sessions", type=int, nargs="*", metavar="SESSION", help="number of the session (see “sessions”)"
    )
    export.add_argument("--all", action="store_true", help="export all sessions")
    export.add_argument(
        "--format", default="md", metavar="FORMAT", help=f"file format: {', '.join(FORMATS)} (default: md)"
    )
    export.add_argument(
        "--out",
        type=Path,
        default=Path(),
        metavar="PATH",
        help="file, folder, or .zip file for several sessions (default: current folder)",
    )
    parts = [part.value for part in Part]
    for option, help_text in (("--with", "also export this part"), ("--without", "omit this part")):
        export.add_argument(
            option, dest=option[2:], action="append", default=[], choices=parts, metavar="PART", help=help_text
        )
    export.epilog = f"PART is one of: {', '.join(parts)}."
    export.add_argument("--overwrite", action="store_true", help="replace existing files")
    import_parser = command("import-session", "Import sessions from bundles and JSON exports.")
    import_parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    import_parser.add_argument(
        "--documents", type=Path, metavar="DIR", help="extract the documents of a bundle to this folder and add them"
    )


async def export(options: argparse.Namespace, output: Output) -> int:
    """Export sessions to files."""
    from workbench import operations
    from workbench.cli.library_access import open_given_library
    from workbench.errors import ExportError
    from workbench.export.format_registry import exporter_for
    from workbench.worker.job import JobContext

    silent = JobContext()
    exporter = exporter_for(options.format)
    parts = chosen_parts(exporter.usual, options)
    async with open_given_library(options) as library:
        numbers = options.sessions
        if options.all:
            numbers = [info.id for info in await operations.list_sessions(library)(silent)]
        if not numbers:
            raise ExportError("There is no session to export.", "Specify some, or use --all.")
        out, replace = options.out, options.overwrite
        if len(numbers) == 1 and not out.is_dir() and out.suffix.lower() != _ARCHIVE:
            path = await operations.export_session(
                library, numbers[0], exporter.format, out, parts=parts, replace=replace
            )(silent)
            paths: tuple[Path, ...] = (path,)
        else:
            paths = await operations.export_sessions(
                library, numbers, exporter.format, out, parts=parts, replace=replace
            )(silent)
    # An archive contains all sessions in one file.
    for number, path in zip(numbers, paths if len(paths) == len(numbers) else paths * len(numbers), strict=True):
        record = {"session": number, "format": exporter.format, "path": str(path)}
        output.record(record, f"Written: {path}")
    return 0


async def import_session(options: argparse.Namespace, output: Output) -> int:
    """Read sessions from files."""
    from workbench.cli.library_access import make_change, open_given_library
    from workbench.operations.library.library_changes import ImportSession

    documents = options.documents.absolute() if options.documents else None
    async with open_given_library(options) as library:
        for path in options.files:
            imported = await make_change(library, ImportSession(library.user, path.absolute(), documents))
            record = {
                "session": imported.info.id,
                "title": imported.info.title,
                "runs": imported.info.runs,
                "documents_here": imported.here,
                "documents_missing": list(imported.missing),
            }
            missing = f"; not in this library: {', '.join(imported.missing)}" if imported.missing else ""
            output.record(record, f"Session {imported.info.id}: {imported.info.title}{missing}")
    return 0


def chosen_parts(usual: Parts, options: argparse.Namespace) -> Parts:
    """Return the parts to export."""
    return (usual | _parts(getattr(options, "with"))) - _parts(options.without)


def _parts(names: Iterable[str]) -> Parts:
    return frozenset(map(Part, names))
