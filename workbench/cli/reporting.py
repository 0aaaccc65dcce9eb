"""The doctor: what this machine and library look like, shown, and as a report to attach to an issue."""

import argparse
from pathlib import Path

from workbench import operations
from workbench.cli.opened import opened
from workbench.cli.output import Output
from workbench.errors import ExportError, LibraryError
from workbench.files.modes import new_file
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()
_MARKS = {True: "ok", False: "PROBLEM", None: ""}


async def doctor(options: Options, output: Output) -> int:
    """Show what this machine and library look like, and write the report; 1 if a check fails.

    Raises:
        LibraryError: The library cannot be opened; the report is written all the same.
        ExportError: The report cannot be written.
    """
    try:
        async with opened(options) as library:
            findings = await operations.examine(library)(SILENT)
            if options.report is not None:
                _write(options.report, await operations.problem_report(library)(SILENT), output)
    except LibraryError as error:
        if options.report is not None:
            _write(options.report, await operations.problem_report(None, error)(SILENT), output)
        raise
    for finding in findings:
        record = {"check": finding.check, "result": finding.result, "ok": finding.ok}
        output.record(record, f"{finding.check:<24} {_MARKS[finding.ok]:<8} {finding.result}")
    return int(any(finding.ok is False for finding in findings))


def _write(path: Path, report: str, output: Output) -> None:
    try:
        new_file(path)
        path.write_text(report, "utf-8")
    except OSError as error:
        raise ExportError(f"The report cannot be written: {error.strerror}.", "Choose another place for it.") from error
    output.note(f"The report is in {path}. Please read it before you send it.")
