"""Commands for the integrity of a library: check, repair, backup, the doctor's report, and the version."""

import argparse
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import workbench
from workbench import operations
from workbench.cli.library_access import make_change, open_given_library
from workbench.cli.output import Output, Record
from workbench.errors import ExportError, LibraryError
from workbench.files.modes import new_file
from workbench.language import counted
from workbench.model.integrity_report import Backup, CheckProgress, CheckResult, Fault, LibraryPart, Repair, Soundness
from workbench.model.memory import UNNAMED
from workbench.operations.integrity.system_report import program_version
from workbench.operations.library.library_changes import CreateBackup
from workbench.store.database import missing
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()


async def check(options: Options, output: Output) -> int:
    """Check the whole library; 1 if anything is wrong."""
    found = await operations.check_folder(options.library)(JobContext(_part_reporter(output)))
    for fault in found.faults:
        output.record(_fault_record(fault), f"{fault.message}\n    {fault.remedy}")
    record = {
        "sound": found.is_sound,
        "looked": {one.part.value: one.count for one in found.looked},
        "seconds": round(found.seconds, 3),
    }
    output.record(record, _verdict(found))
    return int(not found.is_sound)


async def repair(options: Options, output: Output) -> int:
    """Repair the library; 1 if something was lost or is still wrong."""
    if not options.stood.folder:
        raise missing(options.library)
    result = await operations.repair_library(options.library, trial=options.dry_run)(JobContext(_part_reporter(output)))
    output.record(_repair_record(result), _repair_words(result))
    return int(bool(result.lost or result.left))


async def backup(options: Options, output: Output) -> int:
    """List, create, restore or remove backups."""
    if options.action == "create":
        async with open_given_library(options) as library:
            shown = [await make_change(library, CreateBackup())]
    elif options.action == "remove":
        shown = [await operations.remove_backup(options.library, options.name)(SILENT)]
    elif options.action == "restore":
        restored = await operations.restore_backup(options.library, options.name)(SILENT)
        shown = [restored.backup]
        if restored.kept:
            output.note(f"The previous database is kept as {restored.kept}.")
        if restored.aside:
            output.note(f"The previous database is damaged and kept in {restored.aside}.")
        if restored.absent:
            output.note(
                f"The backup lacks the documents of {counted(restored.absent, 'file')}: “workbench repair” adds them."
            )
    else:
        shown = await operations.list_backups(options.library)(SILENT)
        if not shown:
            output.note("There is no backup yet: “workbench backup create” creates one.")
    for one in shown:
        output.record(_backup_record(one), _backup_words(one))
    return 0


def _part_reporter(output: Output) -> Callable[[Any], None]:
    """Return a callback that prints each part of the library when its check starts; other events print nothing."""
    shown: list[LibraryPart] = []

    def report(event: Any) -> None:
        if isinstance(event, CheckProgress) and not output.json and shown[-1:] != [event.part]:
            shown.append(event.part)
            output.note(f"Checking: {event.part.value}")

    return report


def _verdict(found: Soundness) -> str:
    if found.is_sound:
        return f"The library is sound ({found.seconds:.1f} s)."
    return f"Wrong: {len(found.faults)}. Repair with: workbench repair"


def _fault_record(fault: Fault) -> Record:
    return {
        "part": fault.part.value,
        "message": fault.message,
        "remedy": fault.remedy,
        "cure": fault.cure.value,
        "documents": list(fault.documents),
        "loss": fault.is_loss,
    }


def _repair_record(made: Repair) -> Record:
    return {
        "done": list(made.done),
        "lost": list(made.lost),
        "backup": made.backup,
        "aside": made.aside,
        "left": [_fault_record(fault) for fault in made.left],
        "trial": made.is_trial,
    }


def _repair_words(made: Repair) -> str:
    lines = [*made.done] or ["Nothing is wrong with the library."]
    lines += [f"Lost: {one}" for one in made.lost]
    lines += [f"Still wrong: {fault.message}" for fault in made.left]
    lines += [f"Backup: {made.backup}"] if made.backup else []
    lines += [f"Quarantined: {made.aside}"] if made.aside else []
    return "\n".join(lines)


def _backup_record(one: Backup) -> Record:
    return {
        "backup": one.name,
        "reason": one.reason.value,
        "made": one.made,
        "size": one.size,
        "schema": one.schema,
        "users": list(one.users),
    }


def _backup_words(one: Backup) -> str:
    named = [user or UNNAMED for user in one.users]
    questions = f"  contains data of: {', '.join(named)}" if any(one.users) else ""
    return f"{one.name}  {one.made}  {one.reason.value:<10} {one.size / 1e6:>8,.1f} MB{questions}"


async def version(options: Options, output: Output) -> int:
    """Print the version, the changes in it, and what the release feed names; 1 if the feed gave no usable answer."""
    record: Record = {"version": workbench.__version__}
    words = [program_version()]
    check = None
    if options.check:
        async with open_given_library(options) as library:
            check = await operations.check_release(library)(SILENT)
        newest = asdict(check.release) if check.release is not None else None
        record |= {"feed": check.feed, "asked": check.asked, "newest": newest, "problem": check.problem}
        words += [check.sentence, *(str(value) for value in (newest or {}).values() if value)]
    if options.changes:
        changes, _check = await operations.whats_new(None)(SILENT)
        record["changes"] = changes
        words.append(f"\n{changes.rstrip()}")
    output.record(record, "\n".join(words))
    return int(check is not None and bool(check.problem))


_CHECK_WIDTH, _WIDTH = 16, 90
"""Characters of a finding's name, and of a line of its text."""
_MARKS = {True: "ok", False: "PROBLEM", None: ""}


async def doctor(options: Options, output: Output) -> int:
    """Print checks of this machine and library, and write the report; 1 if a check fails.

    Raises:
        LibraryError: The library cannot be opened; the machine's checks are printed and the report is written
            nevertheless.
        ExportError: The report cannot be written.
    """
    try:
        async with open_given_library(options) as library:
            findings = await operations.examine(library)(SILENT)
            if options.report is not None:
                _write(options.report, await operations.problem_report(library)(SILENT), output)
    except LibraryError as error:
        if options.report is not None:
            _write(options.report, await operations.problem_report(None, error)(SILENT), output)
        _print_findings(await operations.examine(None)(SILENT), output)
        raise
    _print_findings(findings, output)
    return int(any(finding.ok is False for finding in findings))


def _print_findings(findings: Sequence[CheckResult], output: Output) -> None:
    for finding in findings:
        record = {"check": finding.check, "result": finding.result, "ok": finding.ok}
        lines = textwrap.wrap(finding.result, _WIDTH) or [""]
        words = f"{finding.check:<{_CHECK_WIDTH}} {_MARKS[finding.ok]:<8}"
        output.record(record, f"\n{' ' * (len(words) + 1)}".join([f"{words} {lines[0]}", *lines[1:]]))


def _write(path: Path, report: str, output: Output) -> None:
    try:
        new_file(path)
        path.write_text(report, "utf-8")
    except OSError as error:
        raise ExportError(f"The report cannot be written: {error.strerror}.", "Choose another place for it.") from error
    output.note(f"The report is in {path}. Please read it before you send it.")
