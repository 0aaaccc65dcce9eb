"""Installation of the packages that load other embedding models, by pip or uv and with the user's consent."""

import asyncio
import os
import re
import shlex
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from workbench.egress.gate import PendingRequest
from workbench.embedding.model_packages import (
    environment_of_installer,
    find_installer,
    has_model_packages,
)
from workbench.errors import DownloadFailed
from workbench.language import mark
from workbench.model.egress import PACKAGE_PURPOSES, Purpose
from workbench.model.embedder import ModelPackages, PackageInstallProgress
from workbench.operations.library.library import Library
from workbench.operations.library.trust import allowed_hosts
from workbench.worker.job import JobContext, Operation
from workbench.worker.programs import RunningProgram

_BYTES = re.compile(r"Progress (\d+) of (\d+)")
_NOT_SHOWN = ("WARNING:", "warning:", "ERROR:", "error:")
_KEPT_LINES = 6
"""Last lines of a failed installer that are shown."""


def model_packages() -> Operation[ModelPackages]:
    """Return whether the packages that load other models are installed, and how they can be."""

    async def operation(_context: JobContext) -> ModelPackages:
        if await asyncio.to_thread(has_model_packages):
            return ModelPackages(are_installed=True)
        installer = await asyncio.to_thread(find_installer)
        if installer is None:
            return ModelPackages(are_installed=False)
        return ModelPackages(are_installed=False, hosts=installer.hosts, command=shlex.join(installer.command))

    return operation


def install_model_packages(library: Library, *, allow_hosts: Sequence[str] = ()) -> Operation[None]:
    """Install the packages that load other models into this environment; without a restart, they can be used then.

    Emits PackageInstallProgress. Cancellation ends the installer; what it has installed by then stays.

    Args:
        library: The open library, whose ledger records the download.
        allow_hosts: Hosts that are allowed for this download although offline mode is on: those of model_packages().

    Raises:
        NetworkClosed: Offline mode is on, and another host is needed.
        DownloadFailed: There is neither pip nor uv, or the installation failed; the message has its reason.
    """

    async def operation(context: JobContext) -> None:
        if await asyncio.to_thread(has_model_packages):
            return
        installer = await asyncio.to_thread(find_installer)
        if installer is None:
            raise DownloadFailed(
                "This installation of the program cannot be extended.",
                "Install the program with pipx: pipx install 'knowledge-workbench[models]'.",
            )
        gate = await library.on_store(library.gate.allowing, allowed_hosts(allow_hosts, PACKAGE_PURPOSES))
        for host in installer.hosts:
            await gate.check_soon(Purpose.PACKAGE_DOWNLOAD, host, port=443)
        # The installer makes its own requests, whose bytes cannot be counted.
        asked = PendingRequest(
            Purpose.PACKAGE_DOWNLOAD, installer.hosts[0], 443, f"https://{installer.hosts[0]}/", seen=False
        )
        with await gate.enter_soon(asked):
            if installer.before:
                with suppress(DownloadFailed):
                    await _run(installer.before, context)
            await _run(installer.command, context)
        if not await asyncio.to_thread(has_model_packages):
            raise DownloadFailed("The packages were installed, but are not found.", "Start the program again.")

    return operation


async def _run(command: Sequence[str], context: JobContext) -> None:
    """Run an installer to its end; raise its last lines if it fails."""
    try:
        installer = await RunningProgram.start(
            command, errors=asyncio.subprocess.STDOUT, environment=environment_of_installer(os.environ)
        )
    except OSError as error:
        raise DownloadFailed(f"The installer cannot be started: {error.strerror}.", _hint(command)) from error
    last: deque[str] = deque(maxlen=_KEPT_LINES)
    try:
        assert installer.process.stdout is not None
        while line := await installer.process.stdout.readline():
            _report(line.decode("utf-8", "replace").strip(), last, context)
        status = await installer.process.wait()
    finally:
        await installer.end()
    if status:
        reason = " ".join(last) or str(status)
        raise DownloadFailed(f"The packages could not be installed: {reason}", _hint(command))


def _report(line: str, last: deque[str], context: JobContext) -> None:
    """Emit the progress that a line of the installer states."""
    if match := _BYTES.search(line):
        done, total = map(int, match.groups())
        context.emit(PackageInstallProgress(last[-1] if last else "", done, total))
    elif line:
        last.append(line)
        if not line.startswith(_NOT_SHOWN):
            context.emit(PackageInstallProgress(line))


def _hint(command: Sequence[str]) -> str:
    """Return the hint to run a command in a terminal."""
    return mark(f"Run this in a terminal to see why: {shlex.join(command)}")
