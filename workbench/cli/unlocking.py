"""Encrypted files on the command line."""

import argparse
import getpass
import sys

from workbench import operations
from workbench.cli.changing import changed
from workbench.cli.opened import opened
from workbench.cli.output import Output
from workbench.cli.sources import shown
from workbench.errors import EncryptedDocument
from workbench.model.progress import FileOutcome
from workbench.operations.document_changes import Unlock
from workbench.worker.job import JobContext

Options = argparse.Namespace


async def unlock(options: Options, output: Output) -> int:
    """Try a password on locked documents; 1 if any of them stays locked."""
    password = options.password if options.password is not None else _typed()
    if not password:
        raise EncryptedDocument("No password was given.", "Type one, or give it with --password.")
    async with opened(options) as library:
        chosen = [(await operations.show_document(library, spec)(JobContext())).id for spec in options.documents]
        change = Unlock(tuple(chosen), password, options.remember)
        files = await changed(library, change, JobContext(shown(output)))
    if not files:
        output.note("No document is locked.")
    return int(any(file.outcome is not FileOutcome.READY for file in files))


def _typed() -> str:
    """Return the password that is typed, unseen at a terminal, or piped in."""
    if sys.stdin.isatty():
        return getpass.getpass("Password: ")
    return sys.stdin.readline().rstrip("\r\n")
