"""Entry point: parses the arguments, opens the library, runs one command, and turns errors into an exit status.

It also recognises files and links with which the window is started.
"""

import gc
import logging
import os
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from workbench.cli.library_folder import default_library, default_user, standing
from workbench.cli.output import Output
from workbench.egress.telemetry import disable_telemetry
from workbench.errors import WorkbenchError
from workbench.logs.log_file import log_to_terminal, set_up_log, start_crash_watch
from workbench.system import current
from workbench.worker.process_memory import reduce_memory_use

if TYPE_CHECKING:
    from argparse import Namespace

    from workbench.model.run import Run


logger = logging.getLogger(__name__)

WINDOW = "window"
_BUG = (
    "Something went wrong inside the program. Your documents and sessions are safe.\n"
    "“workbench doctor --report report.md” writes a report that can be attached to an issue."
)
CANCELLED = 130
"""Exit status that shells expect of a program ended by Ctrl+C: 128 + SIGINT."""


COMMANDS = {
    "add": "commands.add",
    "list": "commands.list_documents",
    "show": "commands.show",
    "remove": "commands.remove",
    "reindex": "commands.reindex",
    "settings": "setup_commands.settings",
    "unlock": "source_commands.unlock",
    "pause": "source_commands.pause",
    "resume": "source_commands.resume",
    "embedder": "setup_commands.embedder",
    "store": "setup_commands.store",
    "shared": "shared_commands.shared",
    "worker": "shared_commands.worker",
    "sessions": "commands.sessions",
    "search": "commands.search",
    "ask": "commands.ask",
    "explain": "chunks.explain",
    "map": "mapping.show_map",
    "eval": "evaluation_commands.evaluate",
    "export": "run_commands.export",
    "import-session": "run_commands.import_session",
    "profiles": "commands.profiles",
    "doctor": "integrity_commands.doctor",
    "version": "integrity_commands.version",
    "read-all": "read_all_command.read_all",
    "mcp": "mcp.mcp",
    "mcp-servers": "mcp.mcp_servers",
    "tools": "mcp.tools",
    "add-query": "source_commands.add_query",
    "note": "source_commands.note",
    "refetch": "source_commands.refetch",
    "kb": "catalogue.knowledge_bases",
    "link": "catalogue.link",
    "unlink": "catalogue.unlink",
    "links": "catalogue.links",
    "bin": "catalogue.bin",
    "edit": "catalogue.edit",
    "metadata": "catalogue.metadata",
    "chunks": "chunks.chunks",
    "chunk": "chunks.chunk",
    "check": "catalogue.check",
    "repair": "integrity_commands.repair",
    "backup": "integrity_commands.backup",
    "plugins": "plugins.plugins",
    "agents": "agent_commands.agents",
    "prompt": "agent_commands.prompt",
    "runs": "run_commands.runs",
    "memory": "agent_commands.memory",
    "network": "network.network",
}
"""Command -> its coroutine function in workbench.cli, imported when it runs: all of them take 0.4 s of processor time.

It runs its operations, prints the results and returns the exit status.
"""


def tour(out: Path, output: Output) -> int:
    """Run the tour and return 0 if nothing failed."""
    from workbench.cli.records import answer_words, run_record
    from workbench.tour import Tour  # Qt takes 0.1 s to import; no other command needs it

    if not current().has_display():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    started = time.perf_counter()

    def show(run: "Run") -> None:
        output.record(run_record(run), answer_words(run))

    problems = Tour(out, output.words, show).run()
    for problem in problems:
        output.note(problem)
    output.words(f"\nThe tour took {time.perf_counter() - started:.1f} s.")
    return int(bool(problems))


def window(library: Path, output: Output, sources: Sequence[str] = (), *, user: str = "") -> int:
    """Show the window until it is closed and return 0, or 1 without a display; an empty user means the previous one."""
    # With Python's own thresholds, the garbage collector would traverse the window's objects 60 times during start-up,
    # 30 of 420 ms; the window has its own collector.
    gc.disable()
    try:
        from workbench.app import has_display, run_window  # Qt takes 0.1 s to import; no other command needs it

        if not has_display():
            # Qt would end the program with a message about plugins.
            output.note("There is no display on which to open a window. Try “workbench tour”, or “workbench --help”.")
            return 1
        return run_window(library, [source_of(source) for source in sources], user or None)
    finally:
        gc.enable()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0 success, 1 failure, 2 usage error, 130 cancelled."""
    disable_telemetry()
    typed = sys.argv[1:] if arguments is None else arguments
    if not typed:
        set_up_log(WINDOW)
        # Building the argument parser takes 40 ms, a sixth of the time until the window appears.
        output = Output(json=False)
        return _exit_status(output, lambda: window(default_library(), output, user=default_user()))
    if all(is_source(one) for one in typed):
        # A desktop's “Open with” passes only files; no command contains a dot or a slash.
        set_up_log(WINDOW)
        output = Output(json=False)
        return _exit_status(output, lambda: window(default_library(), output, typed, user=default_user()))
    from workbench.cli.parser import build_parser

    options = build_parser().parse_args(typed)
    set_up_log(WINDOW if options.command == "gui" else options.command)
    if options.verbose:
        log_to_terminal()
    if isinstance(sys.stdout, TextIOWrapper):
        # JSON is UTF-8 on every terminal; in text for people, characters that it cannot show are replaced.
        sys.stdout.reconfigure(encoding="utf-8" if options.json else None, errors="replace")
    output = Output(json=options.json)
    return _exit_status(output, lambda: _run(options, output))


def _run(options: "Namespace", output: Output) -> int:
    if options.command == "gui":
        return window(options.library, output, options.files, user=options.user)
    reduce_memory_use()
    start_crash_watch(options.command)
    if options.command == "tour":
        return tour(options.out, output)
    options.stood = standing(options.library)
    import asyncio  # 30 ms, which the window does not wait for

    module, _, name = COMMANDS[options.command].rpartition(".")
    run: Callable[[Namespace, Output], Coroutine[Any, Any, int]]
    run = getattr(import_module(f"workbench.cli.{module}"), name)
    return asyncio.run(run(options, output))


def _exit_status(output: Output, run: Callable[[], int]) -> int:
    """Run a command and convert the exception that ends it into an exit status."""
    try:
        return run()
    except WorkbenchError as error:
        logger.info("Ended with an error: %s", error)
        output.error(error)
        return 1
    except KeyboardInterrupt:
        output.note("Cancelled.")
        return CANCELLED
    except BrokenPipeError:
        # The reader closed the pipe (| head). Python flushes the rest at exit: discard it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    # Outermost handler: the traceback of a bug goes to the terminal and the log, followed by a short explanation.
    except Exception as error:
        logger.critical("A bug", exc_info=error)
        output.note(_BUG)
        return 1


_WEB = ("http", "https")
_FILE = "file"


def is_source(typed: str) -> bool:
    """Return whether an argument is a link or an existing file; no command looks like either."""
    if typed.startswith("-"):
        return False
    if "://" in typed:
        return urlsplit(typed).scheme in (*_WEB, _FILE)
    return ("." in typed or os.sep in typed) and os.path.exists(typed)


def source_of(typed: str) -> str:
    """Return a link unchanged and a file as an absolute path: the receiving window may have another directory."""
    parts = urlsplit(typed) if "://" in typed else None
    if parts is not None and parts.scheme in _WEB:
        return typed
    return os.path.abspath(unquote(parts.path) if parts is not None else typed)
