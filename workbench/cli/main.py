"""The entry point: parse, open the library, run one command, turn errors into a sentence and an exit status."""

import asyncio
import logging
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from workbench.cli.commands import COMMANDS
from workbench.cli.output import Output
from workbench.cli.parser import build_parser
from workbench.cli.records import run_record
from workbench.cli.words import answer_words
from workbench.errors import WorkbenchError
from workbench.model.run import Run

CANCELLED = 130
"""What a shell expects of a program ended by Ctrl+C: 128 + SIGINT."""


def tour(out: Path, output: Output) -> int:
    """Take the tour and return 0 when everything was as it should be."""
    from workbench.tour import Tour  # Qt takes 0.1 s to import; no other command needs it

    if sys.platform.startswith("linux") and not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY"))):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    started = time.perf_counter()

    def show(run: Run) -> None:
        output.record(run_record(run), answer_words(run))

    problems = Tour(out, output.words, show).run()
    for problem in problems:
        output.note(problem)
    output.words(f"\nThe tour took {time.perf_counter() - started:.1f} s.")
    return int(bool(problems))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0 good, 1 something failed, 2 wrongly typed, 130 cancelled."""
    options = build_parser().parse_args(arguments)
    logging.basicConfig(
        level=logging.INFO if options.verbose else logging.WARNING,
        stream=sys.stderr,
        format="%(levelname)s %(name)s: %(message)s",
    )
    output = Output(json=options.json)
    try:
        if options.command == "gui":
            from workbench.app import run_window  # Qt takes 0.1 s to import; no other command needs it

            return run_window(options.library)
        if options.command == "tour":
            return tour(options.out, output)
        return asyncio.run(COMMANDS[options.command](options, output))
    except WorkbenchError as error:
        output.error(error)
        return 1
    except KeyboardInterrupt:
        output.note("Cancelled.")
        return CANCELLED
    except BrokenPipeError:
        # The reader has seen enough (| head). Python would complain once more at exit without this.
        sys.stderr.close()
        return 0
