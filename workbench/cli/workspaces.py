"""Agents read from a folder as Agent Gateway lays it out, and what is wrong in it; parts of the command agents."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.cli.output import Output, Record
from workbench.model.workspace import ProblemGravity, WorkspaceProblem

Options = Callable[[], argparse.ArgumentParser]

ACTIONS = ("import", "problems")
_MARKS = {ProblemGravity.WARNING: "!", ProblemGravity.ERROR: "✗"}


def add_workspace_actions(actions: "argparse._SubParsersAction[argparse.ArgumentParser]", common: Options) -> None:
    """Add import and problems to the actions of agents; common gives the options that every command has."""
    help = "Read the agents of a folder with agents/NAME/AGENT.md in it; again, to bring them up to date."
    reading = actions.add_parser("import", help=help, description=help, parents=[common()])
    reading.add_argument("folder", type=Path, metavar="FOLDER")
    help = "Read such a folder without keeping anything, or all that were imported, and list what is wrong in them."
    problems = actions.add_parser("problems", help=help, description=help, parents=[common()])
    problems.add_argument("folder", type=Path, nargs="?", metavar="FOLDER")


async def workspaces(options: argparse.Namespace, output: Output) -> int:
    """Import the agents of a workspace, or list problems; 1 where one of them is an error."""
    from workbench import operations
    from workbench.cli.changing import changed
    from workbench.cli.opened import opened
    from workbench.operations.library_changes import ImportAgents
    from workbench.worker.job import JobContext

    silent = JobContext()
    problems: Sequence[WorkspaceProblem]
    async with opened(options) as library:
        if options.action == "import":
            agents, problems = await changed(library, ImportAgents(options.folder.absolute()))
            for agent in agents:
                record = {"agent": agent.name, "id": agent.id, "retrievers": list(agent.retrievers)}
                asks = f", asks {', '.join(agent.retrievers)}" if agent.retrievers else ""
                output.record(record, f"{agent.name} ({agent.id}){asks}")
        elif options.folder is not None:
            problems = (await operations.open_workspace(library, options.folder)(silent)).problems
        else:
            problems = await operations.workspace_problems(library)(silent)
    for problem in problems:
        output.record(_record(problem), _words(problem))
    if not problems and options.action == "problems":
        output.note("Nothing is wrong.")
    return int(any(problem.gravity is ProblemGravity.ERROR for problem in problems))


def _record(problem: WorkspaceProblem) -> Record:
    return {
        "problem": problem.message,
        "agent": problem.agent,
        "path": problem.path,
        "gravity": problem.gravity.value,
    }


def _words(problem: WorkspaceProblem) -> str:
    where = ": ".join(part for part in (problem.agent, problem.path) if part)
    return f"{_MARKS[problem.gravity]} {where + ': ' if where else ''}{problem.message}"
