"""Commands agents, prompt and memory."""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli.output import Output, Record, printable
from workbench.errors import SettingError
from workbench.model.agent import Agent, ProblemGravity, WorkspaceProblem, agent_of
from workbench.model.memory import Memory, MemoryKind
from workbench.model.run import PromptAssembled

if TYPE_CHECKING:
    from workbench.operations import Library


AddCommand = Callable[[str, str], argparse.ArgumentParser]
Options = Callable[[], argparse.ArgumentParser]

_FIELDS = frozenset(field.name for field in fields(Agent)) - {"name"}


def add_agent_commands(command: AddCommand, common: Options) -> None:
    """Add the commands agents and prompt; common returns the options that every command has."""
    parser = command("agents", "List, show, change or remove agents.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        added = actions.add_parser(name, help=help, description=help, parents=[common()])
        if name != "list":
            added.add_argument("name", type=printable, metavar="NAME")
        return added

    action("list", "List the agents and their problems; the default agent is marked.")
    action("show", "Show the configuration of an agent.")
    put = action("put", "Create or change an agent.")
    put.add_argument(
        "--set",
        dest="values",
        action="append",
        default=[],
        type=printable,
        metavar="KEY=VALUE",
        help='set a field, for example role=clerk or tools=["calculator"]; can be repeated',
    )
    source = put.add_mutually_exclusive_group()
    source.add_argument("--copy", type=printable, metavar="AGENT", help="start with a copy of this agent")
    source.add_argument(
        "--from", dest="file", type=Path, metavar="FILE.json", help="start with the output of “agents show --json”"
    )
    action("remove", "Remove an agent.")
    add_workspace_actions(actions, common)
    prompt = command("prompt", "Show the prompt of an answer, section by section.")
    prompt.add_argument("run", type=int, metavar="RUN", help="number of the answer (see “ask --json”)")


async def agents(options: argparse.Namespace, output: Output) -> int:
    """List, show, put or remove agents."""
    from workbench import operations
    from workbench.cli.library_access import make_change, open_given_library
    from workbench.operations.library.library_changes import PutAgent, RemoveAgent
    from workbench.worker.job import JobContext

    if options.action in ACTIONS:
        return await workspaces(options, output)
    silent = JobContext()
    async with open_given_library(options) as library:
        if options.action == "put":
            await make_change(library, PutAgent(await _put(library, options)))
        if options.action == "remove":
            removed = await make_change(library, RemoveAgent(options.name))
            output.record({"removed": removed.name, **_record(removed)}, f"Removed: {removed.name}")
        elif options.action == "list":
            default = (await operations.load_settings(library)(silent)).agent
            problems = await operations.problems_of_agents(library)(silent)
            for agent in await operations.list_agents(library)(silent):
                is_asked = agent.name == default
                record = {**_record(agent), "asked": is_asked, "problems": problems[agent.name]}
                output.record(record, _line(agent, problems[agent.name], is_asked=is_asked))
        else:
            agent = await operations.get_agent(library, options.name)(silent)
            output.record(_record(agent), _words(agent))
            for sentence in await operations.missing_of_agent(library, agent)(silent):
                output.note(sentence)
    return 0


async def prompt(options: argparse.Namespace, output: Output) -> int:
    """Print the prompt of an answer; 1 if it was not stored."""
    from workbench.cli.library_access import open_given_library

    async with open_given_library(options) as library:
        run = await library.on_store(library.sessions.run, options.run)
    if not run.prompts:
        output.note("The prompt of this answer was not stored: an earlier version created the answer.")
        return 1
    for number, part in enumerate(run.prompts, start=1):
        output.record({"run": run.id, "part": number, **prompt_record(part)}, prompt_words(part))
    return 0


def prompt_record(told: PromptAssembled) -> Record:
    """Return the record of a prompt."""
    return {
        "role": told.role,
        "sections": [{"label": section.label, "text": section.text} for section in told.sections],
        "conversation": [{"label": message.label, "text": message.text} for message in told.conversation],
        "tools": json.loads(told.tools) if told.tools else [],
    }


def prompt_words(told: PromptAssembled) -> str:
    """Return a prompt as text, each section under its label."""
    tools = [tool["name"] for tool in json.loads(told.tools)] if told.tools else []
    parts = [(section.label, section.text.strip()) for section in (*told.sections, *told.conversation)]
    shown = [f"== {label} ==\n{text}" for label, text in parts]
    return "\n\n".join([*shown, f"== Tools ==\n{', '.join(tools) or 'none'}"]) + "\n"


async def _put(library: "Library", options: argparse.Namespace) -> Agent:
    from workbench import operations
    from workbench.worker.job import JobContext

    silent = JobContext()
    if options.file is not None:
        base = _of_file(options.file)
    elif options.copy is not None:
        base = await operations.get_agent(library, options.copy)(silent)
    else:
        known = {agent.name: agent for agent in await operations.list_agents(library)(silent)}
        base = known.get(options.name, Agent(options.name))
    return replace(base, **{**_changes(options.values), "name": options.name})


def _of_file(path: Path) -> Agent:
    try:
        values = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise SettingError(
            f"{path} could not be read as an agent.", "Use the output of “agents show --json”."
        ) from error
    if not isinstance(values, dict):
        raise SettingError(f"{path} contains no agent.", "Use the output of “agents show --json”.")
    return agent_of(values)


def _changes(pairs: Sequence[str]) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign or key not in _FIELDS:
            raise SettingError(f"An agent has no “{key}”.", f"It has {', '.join(sorted(_FIELDS))}.")
        changes[key] = _value(key, text)
    return changes


def _value(key: str, text: str) -> Any:
    """Return the value of a field: parsed as JSON unless the field is a text, and for a text in quotation marks."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    default = getattr(Agent(""), key)
    if isinstance(default, str) and not isinstance(value, str):
        value = text
    agent = agent_of({key: value})
    written = agent.as_dict()[key]
    if written != value and written != [value]:
        raise SettingError(f"“{key}” of an agent cannot be “{text}”.", "“agents show default --json” shows the format.")
    return getattr(agent, key)


def _record(agent: Agent) -> Record:
    return agent.as_dict()


def _line(agent: Agent, problems: Sequence[str], *, is_asked: bool) -> str:
    about = agent.description or agent.role or (agent.instructions[0] if agent.instructions else "")
    line = f"{'*' if is_asked else ' '} {agent.name}: {' '.join(about.split())[:100]}"
    return "\n".join([line, *(f"    BROKEN: {problem}" for problem in problems)])


def _words(agent: Agent) -> str:
    default = Agent("").as_dict()
    shown = {key: value for key, value in agent.as_dict().items() if value != default[key] or key == "name"}
    return "\n".join(f"{key}: {_format_value(value)}" for key, value in shown.items())


def _format_value(value: Any) -> str:
    if isinstance(value, list):
        items = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in value]
        return "".join(f"\n  - {one}" for one in items)
    return json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value


ACTIONS = ("import", "problems")
_MARKS = {ProblemGravity.WARNING: "!", ProblemGravity.ERROR: "✗"}


def add_workspace_actions(actions: "argparse._SubParsersAction[argparse.ArgumentParser]", common: Options) -> None:
    """Add the actions import and problems to the command agents; common returns the options that every command has."""
    help = "Import or update the agents of a folder that contains agents/NAME/AGENT.md."
    reading = actions.add_parser("import", help=help, description=help, parents=[common()])
    reading.add_argument("folder", type=Path, metavar="FOLDER")
    help = "List the problems in such a folder without importing it, or in all imported folders."
    problems = actions.add_parser("problems", help=help, description=help, parents=[common()])
    problems.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="default: all imported folders")


async def workspaces(options: argparse.Namespace, output: Output) -> int:
    """Import the agents of a workspace, or list problems; 1 if one of them is an error."""
    from workbench import operations
    from workbench.cli.library_access import make_change, open_given_library
    from workbench.operations.library.library_changes import ImportAgents
    from workbench.worker.job import JobContext

    silent = JobContext()
    problems: Sequence[WorkspaceProblem]
    async with open_given_library(options) as library:
        if options.action == "import":
            agents, problems = await make_change(library, ImportAgents(options.folder.absolute()))
            for agent in agents:
                record = {"agent": agent.name, "id": agent.id, "retrievers": list(agent.retrievers)}
                asks = f", asks {', '.join(agent.retrievers)}" if agent.retrievers else ""
                output.record(record, f"{agent.name} ({agent.id}){asks}")
        elif options.folder is not None:
            problems = (await operations.open_workspace(library, options.folder)(silent)).problems
        else:
            problems = await operations.workspace_problems(library)(silent)
    for problem in problems:
        output.record(_workspaces_record(problem), _workspaces_words(problem))
    if not problems and options.action == "problems":
        output.note("Nothing is wrong.")
    return int(any(problem.gravity is ProblemGravity.ERROR for problem in problems))


def _workspaces_record(problem: WorkspaceProblem) -> Record:
    return {
        "problem": problem.message,
        "agent": problem.agent,
        "path": problem.path,
        "gravity": problem.gravity.value,
    }


def _workspaces_words(problem: WorkspaceProblem) -> str:
    where = ": ".join(part for part in (problem.agent, problem.path) if part)
    return f"{_MARKS[problem.gravity]} {where + ': ' if where else ''}{problem.message}"


def add_memory_command(command: AddCommand, common: Options) -> None:
    """Add the command memory; common returns the options that every command has."""
    parser = command("memory", "List, add, edit or remove memories from conversations.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("list", "List the memories, newest first.")
    add = action("add", "Add a memory.")
    add.add_argument("text", type=printable, metavar="TEXT")
    kinds = [kind.value for kind in MemoryKind]
    add.add_argument("--kind", choices=kinds, default=kinds[0], help=f"kind of memory (default: {kinds[0]})")
    edit = action("edit", "Change the text of a memory.")
    remove = action("remove", "Delete a memory.")
    for one in (edit, remove):
        one.add_argument("number", type=int, metavar="NUMBER", help="number of the memory (see “memory list”)")
    edit.add_argument("text", type=printable, metavar="TEXT")
    action("clear", "Delete all memories.")


async def memory(options: argparse.Namespace, output: Output) -> int:
    """List, add, edit, remove or clear memories."""
    from workbench import operations
    from workbench.cli.library_access import make_change, open_given_library
    from workbench.operations.library.library_changes import AddMemory, ClearMemories, EditMemory, RemoveMemory
    from workbench.worker.job import JobContext

    silent = JobContext()
    async with open_given_library(options) as library:
        if options.action == "list":
            shelf = await operations.list_memories(library)(silent)
            shown = list(shelf.memories)
            if not shelf.is_on:
                output.note(
                    "Memory is off: no memories are created or used. Turn it on with: workbench settings memory yes"
                )
        elif options.action == "add":
            shown = [await make_change(library, AddMemory(library.user, options.text, MemoryKind(options.kind)))]
        elif options.action == "edit":
            shown = [await make_change(library, EditMemory(library.user, options.number, options.text))]
        elif options.action == "remove":
            shown = [await make_change(library, RemoveMemory(library.user, options.number))]
        else:
            shown = await make_change(library, ClearMemories(library.user))
    prefix = "Forgotten: " if options.action in ("remove", "clear") else ""
    for one in shown:
        output.record(_memory_record(one), prefix + _memory_words(one))
    return 0


def _memory_record(memory: Memory) -> Record:
    return {
        "memory": memory.id,
        "kind": memory.kind.value,
        "text": memory.text,
        "created": memory.created,
        "expires": memory.expires,
        "hits": memory.hits,
        "weight": memory.weight,
        "run": memory.run,
        "question": memory.question,
    }


def _memory_words(memory: Memory) -> str:
    origin = f", from the answer to “{' '.join(memory.question.split())}”" if memory.question else ""
    return f"{memory.id}: {memory.text} ({memory.kind.value}, {memory.created[:10]} to {memory.expires[:10]}{origin})"
