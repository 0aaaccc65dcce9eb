"""What this machine and this library look like: for a person, or to attach to a report."""

import os
import platform
import shutil
import sys
import time

from workbench.errors import LibraryError, WorkbenchError
from workbench.logs.log_file import log_path
from workbench.model.document import DocumentStatus
from workbench.model.integrity_report import CheckResult
from workbench.operations.circumstances import package_versions
from workbench.operations.library import Library
from workbench.operations.models import model_cache
from workbench.worker.confinement import protection
from workbench.worker.job import JobContext, Operation


def examine(library: Library) -> Operation[list[CheckResult]]:
    """Return the findings; a failing check is a finding, never an error."""

    async def operation(_context: JobContext) -> list[CheckResult]:
        findings = [*_machine(), *_packages()]
        findings += await library.on_store(_library, library)
        findings += await library.on_embedding(_search, library)
        return findings

    return operation


def _machine() -> list[CheckResult]:
    display = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY")
    return [
        CheckResult("system", platform.platform()),
        CheckResult("python", sys.version.split()[0], sys.version_info >= (3, 11)),
        CheckResult("processors", str(os.cpu_count())),
        CheckResult("display", display or "none: the command line and the tour work without one"),
        CheckResult("log", str(log_path())),
        _readers(),
    ]


def _readers() -> CheckResult:
    found = protection()
    return CheckResult("readers", f"{found.sentence} {found.missing}".rstrip(), not found.missing)


def _packages() -> list[CheckResult]:
    return [CheckResult(name, found or "not installed", bool(found)) for name, found in package_versions().items()]


def _library(library: Library) -> list[CheckResult]:
    documents = library.documents.list()
    chunks, embedded = library.documents.counts(None)
    free = shutil.disk_usage(library.folder).free
    try:
        problem = library.database.integrity_problem()
    except LibraryError as error:
        # The check of the keyword index needs room to write.
        problem = str(error)
    return [
        CheckResult("library", str(library.folder), True),
        CheckResult("free space", f"{free / 1e9:.1f} GB", free > 500e6),
        CheckResult("database", problem or "sound", not problem),
        CheckResult("documents", f"{len(documents)}, {sum(bool(d.reason) for d in documents)} with a problem"),
        CheckResult("locked documents", str(sum(d.status is DocumentStatus.LOCKED for d in documents))),
        CheckResult("chunks", f"{chunks}, {embedded} with a vector", chunks == embedded),
        CheckResult("model profiles", ", ".join(profile.name for profile in library.profiles.list())),
    ]


def _search(library: Library) -> list[CheckResult]:
    try:
        started = time.perf_counter()
        embedder = library.embedder()
        embedder.embed_query("warm up")
        seconds = time.perf_counter() - started
        index = library.index()
        stored = library.vectors.generation(embedder.id)
        return [
            CheckResult("embedder", f"{embedder.id}, ready in {seconds:.2f} s, cache {model_cache()}", True),
            CheckResult("index", f"{index.count} vectors, generation {index.generation} of {stored}", True),
        ]
    except WorkbenchError as error:
        return [CheckResult("embedder and index", str(error), False)]
