"""Command plugins: plug-in files and retrievers. add_plugin_command defines its arguments."""

import argparse
from collections.abc import Callable

from workbench.cli.output import Output, Record, printable
from workbench.model.extensions import PluginInfo, PluginState, RetrieverInfo

AddCommand = Callable[[str, str], argparse.ArgumentParser]
Options = Callable[[], argparse.ArgumentParser]

_STATES = {
    PluginState.NEW: "not allowed yet",
    PluginState.CHANGED: "changed since it was allowed",
    PluginState.ALLOWED: "allowed",
    PluginState.BROKEN: "broken",
}

_HOW = """\
A plug-in file finds passages for an agent instead of the library. Save it in the folder “plugins” of the library,
for example as minutes.py:

    def retrieve(query, num_documents=None):
        return [{"name": "Minutes of May", "content": "The harbour froze on 3 May.", "meta_data": {"page": 2}}]

Then allow it, add it to an agent, and ask a question:

    workbench plugins allow minutes
    workbench agents put clerk --set 'retrievers=["minutes"]' --set knowledge=false
    workbench ask "When did the harbour freeze?" --agent clerk

Full description of the interface: python -c "import workbench.plugins; help(workbench.plugins)"
"""


def add_plugin_command(command: AddCommand, common: Options) -> None:
    """Add the command plugins; common returns the options that every command has."""
    parser = command("plugins", "List, allow or forbid the Python files in the library's plug-in folder.")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _HOW
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[common()])

    action("list", "List the plug-in files and whether they may run.")
    action("retrievers", "List the retrievers, including those of packages, and whether they are available.")
    allow = action(
        "allow", "Allow a file to run with your permissions; review it first. A changed file must be allowed again."
    )
    forbid = action("forbid", "Forbid a file from running.")
    for parser in (allow, forbid):
        parser.add_argument("name", type=printable, metavar="NAME", help="name of the file, with or without .py")


async def plugins(options: argparse.Namespace, output: Output) -> int:
    """List, allow or forbid plug-in files, or list the retrievers; 1 if a file is broken."""
    from workbench import operations
    from workbench.cli.library_access import make_change, open_given_library
    from workbench.operations.library.library_changes import ForbidPlugin
    from workbench.worker.job import JobContext

    silent = JobContext()
    async with open_given_library(options) as library:
        if options.action == "retrievers":
            for retriever in await operations.list_retrievers(library)(silent):
                output.record(_retriever_record(retriever), _retriever_words(retriever))
            return 0
        if options.action == "list":
            found = await operations.list_plugins(library)(silent)
        elif options.action == "allow":
            found = [await operations.allow_plugin(library, options.name)(silent)]
        else:
            found = [await make_change(library, ForbidPlugin(options.name))]
        for plugin in found:
            output.record(_record(plugin), _words(plugin))
        if not found:
            output.note(f"There are no plug-in files in {library.retrievers.folder}. “plugins --help” shows one.")
    return int(any(plugin.state is PluginState.BROKEN for plugin in found))


def _record(plugin: PluginInfo) -> Record:
    return {
        "plugin": plugin.name,
        "path": plugin.path,
        "state": plugin.state.value,
        "retrievers": list(plugin.offers),
        "sha256": plugin.sha256,
        "problem": plugin.problem,
    }


def _words(plugin: PluginInfo) -> str:
    offers = f", offers {', '.join(plugin.offers)}" if plugin.offers else ""
    lines = [f"{plugin.name}: {_STATES[plugin.state]}{offers}"]
    if plugin.problem:
        lines.append(f"    {plugin.problem}")
    if plugin.state.needs_consent:
        lines.append(f"    Read {plugin.path}, then: workbench plugins allow {plugin.name.removesuffix('.py')}")
    return "\n".join(lines)


def _retriever_record(retriever: RetrieverInfo) -> Record:
    return {
        "retriever": retriever.name,
        "from": retriever.kind.value,
        "file": retriever.file,
        "state": retriever.state.value,
        "problem": retriever.problem,
        "note": retriever.note,
    }


def _retriever_words(retriever: RetrieverInfo) -> str:
    about = " ".join(part for part in (retriever.problem, retriever.note) if part)
    origin = f"{retriever.kind.value} {retriever.file}".strip()
    return f"{retriever.name} ({origin}): {retriever.state.value}{f'. {about}' if about else ''}"
