"""System reports: versions, machine and library, for a person or to attach to an issue.

Nothing in it says what is in the library or who uses it: no name of a document, folder, profile or server, no address,
no text, no key. It is in English in every language of the window, for those who read it.
"""

import importlib.metadata
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import fields

import keyring

import workbench
from workbench.agent.providers.base_url import is_loopback
from workbench.egress.telemetry import SWITCHES
from workbench.errors import LibraryError, WorkbenchError
from workbench.logs.crash_marker import log_last_crash
from workbench.logs.formatting import summary
from workbench.logs.log_file import last_lines, log_path
from workbench.logs.redaction import masked, shortened, without_names
from workbench.model.document import DocumentStatus
from workbench.model.integrity_report import CheckResult
from workbench.model.profile import ModelProfile
from workbench.operations.library.library import Library
from workbench.operations.library.models import model_cache
from workbench.settings import DECLARATIONS, Settings
from workbench.store.configuration import ToolServerStore
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
    return [
        CheckResult(name, found or "not installed", bool(found) or (None if name in _FOR_OTHER_MODELS else False))
        for name, found in package_versions().items()
    ]


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


PACKAGES = (
    "PySide6_Essentials",
    "faiss-cpu",
    "sentence-transformers",
    "onnxruntime",
    "pymupdf",
    "markdown",
    "openai",
    "httpx2",
    "mcp",
    "keyring",
)
"""Those whose version explains most of what goes wrong."""
_FOR_OTHER_MODELS = ("sentence-transformers",)
"""Not in the installers for Linux, where the built-in embedding model works without it."""


def circumstances() -> str:
    """Return program, Python and system in one line."""
    python = ".".join(map(str, sys.version_info[:3]))
    how = "frozen" if getattr(sys, "frozen", False) else "from source or wheel"
    return f"Knowledge Workbench {workbench.__version__} ({how}), Python {python}, {platform.platform()}"


def package_versions() -> dict[str, str]:
    """Return the versions of the packages above; empty for one that is not installed."""
    return {name: _version(name) for name in PACKAGES}


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


LOG_LINES = 200
_OF_OTHERS = ("OPENAI_", "ANTHROPIC_", "HF_", "HUGGINGFACE_", "TRANSFORMERS_", "QT_", "WORKBENCH_")
_PROXIES = frozenset(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"))
_PRIVATE = frozenset(("library", "display", "log", "model profiles", "system", "python"))
"""Findings of the doctor that name something, or stand elsewhere in the report."""


def problem_report(library: Library | None, refused: BaseException | None = None) -> Operation[str]:
    """Return the report as Markdown.

    Args:
        library: The open library; None where none could be opened.
        refused: Why not.
    """

    async def operation(context: JobContext) -> str:
        parts = [_beginning(), _section("Program", [circumstances(), *_problem_report_packages(), *_environment()])]
        if library is None:
            why = without_names(summary(refused)) if refused is not None else "none is open"
            parts.append(_section("Library", [f"not looked at: {why}"]))
        else:
            found = await examine(library)(context)
            parts.append(_section("Library", _findings(library, found)))
            settings = await library.on_store(library.setting_values.load)
            parts.append(_section("Settings that are not the usual ones", _settings(settings)))
            parts.append(_section("Models and tools", await library.on_store(_models, library)))
        parts.append(await _log(library))
        return masked("\n\n".join(parts)) + "\n"

    return operation


def _beginning() -> str:
    at = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    return (
        f"# Problem report of Knowledge Workbench\n\nMade at {at}. It holds no text, no names, no addresses and no"
        " keys: names stand as ‹…› in it. Please read it before you send it."
    )


def _section(title: str, lines: Iterable[str]) -> str:
    return "\n".join([f"## {title}", "", *(f"- {line}" for line in lines)])


def _problem_report_packages() -> list[str]:
    return [", ".join(f"{name} {version or 'not installed'}" for name, version in package_versions().items())]


def _environment() -> list[str]:
    """Return which variables are set that programs of this kind look at: their names, never their values."""
    there = os.environ.keys() - SWITCHES.keys()
    names = sorted(name for name in there if name.startswith(_OF_OTHERS) or name.upper() in _PROXIES)
    ring = keyring.get_keyring()
    return [
        f"set in the environment: {', '.join(names) or 'nothing of interest'}",
        f"keyring: {type(ring).__module__}.{type(ring).__name__}",
    ]


def _findings(library: Library, found: Sequence[CheckResult]) -> list[str]:
    marks = {True: "ok", False: "PROBLEM", None: "-"}
    told = _PRIVATE | package_versions().keys()
    return [
        f"{finding.check}: {marks[finding.ok]}, {_unnamed(library, finding)}"
        for finding in found
        if finding.check not in told
    ]


def _unnamed(library: Library, finding: CheckResult) -> str:
    text = finding.result
    if finding.check == "embedder":
        # An embedder of the user's own is called by its folder.
        name, _, rest = text.partition(", cache ")[0].partition(", ")
        text = f"{'‹…›' if library.settings.embedder else name}, {rest}"
    return shortened(" ".join(text.replace(str(library.folder), "‹…›").split()))


def _settings(settings: Settings) -> list[str]:
    usual, names = Settings(), {one.key: one for one in DECLARATIONS}
    lines = []
    for field in fields(Settings):
        value, declared = getattr(settings, field.name), names[field.name]
        if value != getattr(usual, field.name):
            is_ours = bool(declared.choices) or not isinstance(value, str)
            lines.append(f"{field.name}: {value if is_ours else 'set'}")
    return lines or ["none"]


def _models(library: Library) -> list[str]:
    profiles = [profile for profile in library.profiles.list() if not profile.is_offline]
    lines = [f"profile {number}: {_profile(profile)}" for number, profile in enumerate(profiles, 1)]
    servers = ToolServerStore(library.database).list()
    programs = sum(server.is_program for server in servers)
    return [*lines, f"tool servers: {programs} programs, {len(servers) - programs} addresses"]


def _profile(profile: ModelProfile) -> str:
    place = "on this machine" if is_loopback(profile.base_url) else "elsewhere"
    # The keyring is not asked, which might ask the user.
    is_set = "is" if os.environ.get(profile.key_env) else "is not"
    key = f"from a variable that {is_set} set" if profile.key_env else "from the keyring, if any"
    return f"{place}, {profile.detected_api or profile.api}, tools {profile.calls_tools}, key {key}"


async def _log(library: Library | None) -> str:
    lines = _lines() if library is None else await library.on_store(_lines)
    text = without_names("\n".join(lines)).replace("```", "'''")
    return f"## The last {len(lines)} lines of the log\n\n```text\n{text}\n```"


def _lines() -> list[str]:
    log_last_crash()  # A crash that no start of the window has told of yet is written there.
    return last_lines(LOG_LINES)
