"""System reports: versions, machine and library, for a person or to attach to an issue.

A report to attach to an issue does not identify the user or the content of the library: it has no name of a document,
folder, profile or server, no address, no text and no key. It is in English in every language of the window, for the
developers who read it.
"""

import importlib.metadata
import os
import platform
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace

import keyring

import workbench
from workbench.agent.providers.base_url import is_loopback
from workbench.egress.telemetry import SWITCHES
from workbench.errors import LibraryError, WorkbenchError
from workbench.logs.crash_marker import log_last_crash
from workbench.logs.formatting import summary
from workbench.logs.log_file import last_lines
from workbench.logs.redaction import masked, shortened, without_names
from workbench.model.document import DocumentStatus
from workbench.model.integrity_report import CheckResult
from workbench.model.profile import ModelProfile
from workbench.operations.integrity.surroundings import free_space, look_around
from workbench.operations.library.library import Library
from workbench.settings import DECLARATIONS, Settings
from workbench.store.configuration import ToolServerStore
from workbench.store.migration import shipped_steps
from workbench.system import current
from workbench.worker.job import JobContext, Operation


def examine(library: Library | None) -> Operation[list[CheckResult]]:
    """Return the findings, without names; a failing check is a finding, never an error.

    Args:
        library: The open library; None for the findings about this machine only.
    """

    async def operation(context: JobContext) -> list[CheckResult]:
        findings = [*_machine(), *await look_around()(context), *_packages()]
        if library is None:
            return findings
        findings += await library.on_store(_library, library)
        findings += await library.on_embedding(_search, library)
        return [replace(finding, result=_unnamed(library, finding.result)) for finding in findings]

    return operation


def _machine() -> list[CheckResult]:
    display = "Wayland" if os.environ.get("WAYLAND_DISPLAY") else "yes" if current().has_display() else ""
    return [
        CheckResult("program", program_version(), sys.version_info >= (3, 11)),
        CheckResult("display", display or "none: the command line and the tour work without one"),
    ]


def _packages() -> list[CheckResult]:
    versions = package_versions()
    missing = [name for name, version in versions.items() if not version and name not in _FOR_OTHER_MODELS]
    return [CheckResult("packages", _version_line(versions), not missing)]


def _library(library: Library) -> list[CheckResult]:
    documents = library.documents.list()
    chunks, embedded = library.documents.counts(None)
    try:
        problem = library.database.integrity_problem()
    except LibraryError as error:
        # The check of the keyword index needs free disk space.
        problem = str(error)
    return [
        CheckResult("library", "open to be changed" if library.database.reader is None else "open to be read", True),
        CheckResult("schema", str(shipped_steps()[-1].number)),
        CheckResult("size", f"{library.database.path.stat().st_size / 1e6:,.1f} MB"),
        free_space(library.folder),
        CheckResult("database", problem or "sound", not problem),
        CheckResult("documents", f"{len(documents)}, {sum(bool(d.reason) for d in documents)} with a problem"),
        CheckResult("locked documents", str(sum(d.status is DocumentStatus.LOCKED for d in documents))),
        CheckResult("chunks", f"{chunks}, {embedded} with a vector", chunks == embedded),
        CheckResult("model profiles", str(len(library.profiles.list()))),
    ]


def _search(library: Library) -> list[CheckResult]:
    try:
        started = time.perf_counter()
        embedder = library.models.embedder()
        embedder.embed_query("warm up")
        seconds = time.perf_counter() - started
        index = library.models.index()
        stored = library.vectors.generation(embedder.id)
        return [
            # One of the user's own is called by its folder.
            CheckResult("embedder", f"{'‹…›' if library.settings.embedder else embedder.id}, {seconds:.2f} s", True),
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
"""Packages whose versions explain most problems."""

_FOR_OTHER_MODELS = ("sentence-transformers",)
"""Only for other embedding models: the built-in one works without it."""


def program_version() -> str:
    """Return the versions of the program, Python and the operating system in one line."""
    python = ".".join(map(str, sys.version_info[:3]))
    how = "frozen" if getattr(sys, "frozen", False) else "from source or wheel"
    return f"Knowledge Workbench {workbench.__version__} ({how}), Python {python}, {platform.platform()}"


def package_versions() -> dict[str, str]:
    """Return the versions of PACKAGES by name; empty for a package that is not installed."""
    return {name: _version(name) for name in PACKAGES}


def _version_line(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version or 'not installed'}" for name, version in versions.items())


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


LOG_LINES = 200
_OF_OTHERS = ("OPENAI_", "ANTHROPIC_", "HF_", "HUGGINGFACE_", "TRANSFORMERS_", "QT_", "WORKBENCH_")
_PROXIES = frozenset(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"))
_REPORTED_ELSEWHERE = frozenset(("program", "packages", "model profiles"))
"""Checks of the doctor that are elsewhere in the report."""


def problem_report(library: Library | None, refused: BaseException | None = None) -> Operation[str]:
    """Return the report as Markdown.

    Args:
        library: The open library; None if it could not be opened.
        refused: The error that opening the library raised.
    """

    async def operation(context: JobContext) -> str:
        parts = [_beginning(), _section("Program", [program_version(), *_problem_report_packages(), *_environment()])]
        if library is None:
            why = without_names(summary(refused)) if refused is not None else "none is open"
            parts.append(_section("Machine", _lines_of(await look_around()(context))))
            parts.append(_section("Library", [f"not looked at: {why}"]))
        else:
            parts.append(_section("Library and machine", _lines_of(await examine(library)(context))))
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
    return [_version_line(package_versions())]


def _environment() -> list[str]:
    """Return the names, never the values, of the relevant environment variables that are set, and the keyring."""
    there = os.environ.keys() - SWITCHES.keys()
    names = sorted(name for name in there if name.startswith(_OF_OTHERS) or name.upper() in _PROXIES)
    ring = keyring.get_keyring()
    return [
        f"set in the environment: {', '.join(names) or 'nothing of interest'}",
        f"keyring: {type(ring).__module__}.{type(ring).__name__}",
    ]


def _lines_of(found: Sequence[CheckResult]) -> list[str]:
    marks = {True: "ok", False: "PROBLEM", None: "-"}
    return [f"{one.check}: {marks[one.ok]}, {one.result}" for one in found if one.check not in _REPORTED_ELSEWHERE]


def _unnamed(library: Library, text: str) -> str:
    return masked(shortened(" ".join(text.replace(str(library.folder), "‹…›").split())))


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
    place = "on this computer" if is_loopback(profile.base_url) else "elsewhere"
    # The keyring is not read: it may show a prompt.
    is_set = "is" if os.environ.get(profile.key_env) else "is not"
    key = f"from a variable that {is_set} set" if profile.key_env else "from the keyring, if any"
    return f"{place}, {profile.detected_api or profile.api}, tools {profile.calls_tools}, key {key}"


async def _log(library: Library | None) -> str:
    lines = _lines() if library is None else await library.on_store(_lines)
    text = without_names("\n".join(lines)).replace("```", "'''")
    return f"## The last {len(lines)} lines of the log\n\n```text\n{text}\n```"


def _lines() -> list[str]:
    log_last_crash()  # Logs a crash that no start of the window has reported yet.
    return last_lines(LOG_LINES)
