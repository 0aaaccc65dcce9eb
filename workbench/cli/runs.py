"""Command runs: stored answers listed, shown, replayed, compared, continued. add_run_commands defines its arguments."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.cli.output import Output, Record, printable
from workbench.errors import UnreadableFile
from workbench.model.run import Run, RunStatus, TimedEvent, TurnCompleted

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
