"""Missing features of this machine and how the program copes: one sentence each, for the window and the doctor.

Nothing here is an error: the program works without each of these. The sentences name no path and no file.
"""

import asyncio
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import keyring
import psutil

from workbench.errors import PageNotFetched
from workbench.fetching.chromium import find_browser
from workbench.language import mark
from workbench.logs.log_file import log_folder
from workbench.model.integrity_report import CheckResult
from workbench.operations.library.models import model_cache
from workbench.parsing.libreoffice import find_libreoffice
from workbench.settings.preferences import config_folder
from workbench.system import System, current
from workbench.worker.confinement import protection
from workbench.worker.job import JobContext, Operation

LITTLE_MEMORY = 4e9
"""Bytes: adding 1,500 pages takes up to 0.7 GB in all processes, next to what the system and other programs take."""
LITTLE_DISK = 2e9
"""Bytes: a library of 100,000 passages takes 0.4 GB, and its backups twice that."""
_NO_KEYRING = ("keyring.backends.fail", "keyring.backends.null")


def look_around() -> Operation[list[CheckResult]]:
    """Return what this machine offers and lacks; no library is needed."""

    async def operation(_context: JobContext) -> list[CheckResult]:
        return await asyncio.to_thread(surroundings)

    return operation


def surroundings() -> list[CheckResult]:
    """Return the same, blocking for about 50 ms."""
    system = current()
    found = [_readers(), _keyring(), _chinese_font(system), _processor(system), _memory(), _libreoffice(), _browser()]
    return [*found, *_folders(), *_paths(system)]


def free_space(folder: Path) -> CheckResult:
    """Return the free space of a library's disk; a failure below 0.5 GB, when imports are about to stop."""
    free = shutil.disk_usage(folder).free
    amount = f"{free / 1e9:.1f} GB"
    if free >= LITTLE_DISK:
        return CheckResult("free space", amount, True)
    sentence = mark(f"Only {amount} is free: if the disk is full, files wait until there is room to read them.")
    return CheckResult("free space", sentence, free > 500e6)


def _readers() -> CheckResult:
    found = protection()
    return CheckResult(mark("readers"), f"{found.sentence} {found.missing}".rstrip(), not found.missing)


def _keyring() -> CheckResult:
    if type(keyring.get_keyring()).__module__ in _NO_KEYRING:
        return CheckResult(
            mark("keyring"),
            mark(
                "There is no system keyring: a key that you enter is kept in memory until the program ends. A profile"
                " can name an environment variable instead."
            ),
        )
    return CheckResult(mark("keyring"), mark("Keys that you enter are kept in the system's keyring."), True)


def _chinese_font(system: System) -> CheckResult:
    if system.has_chinese_font() is False:
        return CheckResult(
            mark("Chinese font"),
            mark(
                "No font with Chinese characters is installed: Chinese text is read and searched, and shown as boxes."
                " Install one, such as Noto Sans CJK."
            ),
        )
    return CheckResult(mark("Chinese font"), mark("Chinese text is shown with a font of this system."), True)


def _processor(system: System) -> CheckResult:
    flags = ", ".join(system.processor_flags()) or platform.machine()
    cores = os.cpu_count() or 1
    if system.has_gpu():
        sentence = mark(f"Embedding and search run on {cores:d} processor cores ({flags}), not on the GPU.")
    else:
        sentence = mark(f"There is no GPU, and none is needed: all runs on {cores:d} processor cores ({flags}).")
    return CheckResult(mark("processor"), sentence)


def _memory() -> CheckResult:
    total = psutil.virtual_memory().total
    amount = f"{total / 1e9:.1f} GB"
    if total >= LITTLE_MEMORY:
        return CheckResult(mark("memory"), amount, True)
    return CheckResult(
        mark("memory"),
        mark(
            f"{amount} of memory is little: a file that needs too much of it is skipped, with the reason shown, and"
            " the others are read."
        ),
    )


def _libreoffice() -> CheckResult:
    if find_libreoffice() is None:
        return CheckResult(
            mark("LibreOffice"),
            mark(
                "LibreOffice is not installed: old Word and PowerPoint files and binary Excel files are refused with"
                " advice. All other formats are read without it."
            ),
        )
    return CheckResult(mark("LibreOffice"), mark("Old Office files are read by LibreOffice."), True)


def _browser() -> CheckResult:
    try:
        find_browser()
    except PageNotFetched:
        return CheckResult(
            mark("browser"),
            mark("Neither Chromium nor Chrome is installed: web pages are added without running their scripts."),
        )
    return CheckResult(mark("browser"), mark("Scripts of a web page are run by an installed browser on request."), True)


def _folders() -> Iterator[CheckResult]:
    for check, folder, sentence in (
        (
            mark("settings folder"),
            config_folder(),
            mark(
                "Your settings folder cannot be written: libraries made now stay without network access, and"
                " permissions for plug-ins and tool servers cannot be kept."
            ),
        ),
        (mark("log"), log_folder(), mark("The log folder cannot be written: the program works without a log.")),
        (
            mark("model folder"),
            model_cache(),
            mark(
                "The folder of prepared models cannot be written: without one that was prepared before, only keywords"
                " are searched."
            ),
        ),
    ):
        is_writable = _can_write(folder)
        yield CheckResult(check, mark("It can be written.") if is_writable else sentence, True if is_writable else None)


def _paths(system: System) -> Iterator[CheckResult]:
    if not system.accepts_long_paths():
        yield CheckResult(
            mark("long paths"),
            mark(
                "Windows refuses paths of more than 260 characters to most programs. This one opens such files"
                " nevertheless; another program may not."
            ),
        )


def _can_write(folder: Path) -> bool:
    """Return whether files can be made in a folder, or in the lowest of its parents that exists; leaves nothing."""
    place = next((one for one in (folder, *folder.parents) if one.is_dir()), folder)
    try:
        with tempfile.TemporaryFile(dir=place):
            return True
    except OSError:
        return False
