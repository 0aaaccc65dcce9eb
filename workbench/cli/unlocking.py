"""Encrypted files on the command line."""

import argparse
import getpass
import sys
from typing import Any

from workbench import operations
from workbench.cli import records
from workbench.cli.opened import opened
from workbench.cli.output import Output
from workbench.errors import EncryptedDocument
from workbench.model.progress import FileFinished, FileOutcome
from workbench.worker.job import JobContext

Options = argparse.Namespace


async def unlock(options: Options, output: Output) -> int:
    """Try a password on locked documents; 1 if any of them stays locked."""

    def show(event: Any) -> None:
        if isinstance(event, FileFinished):
            words = event.reason or f"{event.chunks} chunks"
            output.record(records.file_record(event), f"{event.outcome.value:<10} {event.path}: {words}")

    password = options.password if options.password is not None else _typed()
    if not password:
        raise EncryptedDocument("No password was given.", "Type one, or give it with --password.")
    async with opened(options) as library:
        chosen = [
            (await operations.show_document(library, spec)(JobContext())).id for spec in options.documents
        ] or None
        files = await operations.unlock_documents(library, password, chosen, remember=options.remember)(
            JobContext(show)
        )
    if not files:
        output.note("No document is locked.")
    return int(any(file.outcome is not FileOutcome.READY for file in files))


def _typed() -> str:
    """Return the password that is typed, unseen at a terminal, or piped in."""
    if sys.stdin.isatty():
        return getpass.getpass("Password: ")
    return sys.stdin.readline().rstrip("\r\n")
