"""Packages that load other models: installed with consent, recorded in the ledger, and stopped on demand."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from workbench import operations
from workbench.embedding.model_packages import PackageInstaller
from workbench.errors import DownloadFailed, NetworkClosed
from workbench.model.egress import NetworkFilter, NetworkOutcome, Purpose
from workbench.model.embedder import ModelPackages, PackageInstallProgress
from workbench.operations import Library
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
HOSTS = ("pypi.org", "files.pythonhosted.org")
INSTALLS = "from pathlib import Path; print('Collecting torch'); print('Progress 5 of 10'); Path({!r}).touch()"
FAILS = "print('ERROR: No matching distribution found for torch'); raise SystemExit(1)"
WAITS = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file that stands for the packages once it is there."""
    file = tmp_path / "installed"
    monkeypatch.setattr("workbench.operations.library.package_installation.has_model_packages", file.exists)
    return file


def use(monkeypatch: pytest.MonkeyPatch, script: str, before: tuple[str, ...] = ()) -> None:
    made = PackageInstaller((sys.executable, "-c", script), HOSTS, before)
    monkeypatch.setattr("workbench.operations.library.package_installation.find_installer", lambda: made)


def test_the_packages_are_installed_with_progress_and_recorded_in_the_ledger(
    library: Library, run: Run, events: list[Any], installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, INSTALLS.format(str(installed)))
    before: ModelPackages = run(operations.model_packages())
    assert (before.are_installed, before.hosts, before.command != "") == (False, HOSTS, True)
    run(operations.install_model_packages(library, allow_hosts=HOSTS))
    assert events == [PackageInstallProgress("Collecting torch"), PackageInstallProgress("Collecting torch", 5, 10)]
    assert run(operations.model_packages()) == ModelPackages(are_installed=True)
    (request,) = run(operations.list_network_requests(library, NetworkFilter())).requests
    assert (request.purpose, request.host, request.outcome) == (
        Purpose.PACKAGE_DOWNLOAD,
        "pypi.org",
        NetworkOutcome.DONE,
    )
    assert request.sent is request.received is None


def test_in_offline_mode_nothing_is_started_without_consent_to_every_host(
    library: Library, run: Run, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, INSTALLS.format(str(installed)))
    for allowed in ((), HOSTS[:1]):
        with pytest.raises(NetworkClosed):
            run(operations.install_model_packages(library, allow_hosts=allowed))
    assert not installed.exists()


def test_a_failed_installation_reports_the_reason_and_how_to_retry_it_by_hand(
    library: Library, run: Run, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, FAILS)
    with pytest.raises(DownloadFailed, match="No matching distribution found for torch") as caught:
        run(operations.install_model_packages(library, allow_hosts=HOSTS))
    assert sys.executable in caught.value.hint


def test_without_the_smaller_build_of_torch_the_packages_are_installed_nevertheless(
    library: Library, run: Run, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, INSTALLS.format(str(installed)), before=(sys.executable, "-c", FAILS))
    run(operations.install_model_packages(library, allow_hosts=HOSTS))
    assert installed.exists()


def test_an_installer_that_cannot_be_started_raises_a_readable_error(
    library: Library, run: Run, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = PackageInstaller(("/no/such/program",), HOSTS)
    monkeypatch.setattr("workbench.operations.library.package_installation.find_installer", lambda: made)
    with pytest.raises(DownloadFailed, match="cannot be started: No such file"):
        run(operations.install_model_packages(library, allow_hosts=HOSTS))


def test_a_cancelled_installation_ends_the_installer(
    library: Library, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, WAITS)

    async def cancel_after_first_line() -> int:
        printed: asyncio.Queue[PackageInstallProgress] = asyncio.Queue()
        installing = asyncio.ensure_future(
            operations.install_model_packages(library, allow_hosts=HOSTS)(JobContext(printed.put_nowait))
        )
        number = int((await printed.get()).text)
        installing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await installing
        return number

    assert not psutil.pid_exists(asyncio.run(cancel_after_first_line()))


def test_a_program_without_an_installer_names_the_way_that_remains(
    library: Library, run: Run, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.library.package_installation.find_installer", lambda: None)
    assert run(operations.model_packages()) == ModelPackages(are_installed=False)
    with pytest.raises(DownloadFailed, match="cannot be extended") as caught:
        run(operations.install_model_packages(library, allow_hosts=HOSTS))
    assert "pipx install" in caught.value.hint
