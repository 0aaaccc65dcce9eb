"""Packages that load embedding and reranking models other than the built-in one: the extra “models” of the program.

A wheel and the installers contain the export of the built-in model, which works without them.
"""

import importlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from workbench.language import mark
from workbench.system import current

PROGRAM = "knowledge-workbench"
EXTRA = "models"
INSTALL_HINT = mark(
    "Install them in the settings under “Embedding model in use”, or with pip install 'knowledge-workbench[models]'."
)
"""Hint of an error about a model that they would load."""

_PYPI = ("pypi.org", "files.pythonhosted.org")
# Its torch for processors has 0.2 GB; PyPI's for Linux, with libraries for GPUs, has 3 to 5 GB.
_TORCH_FOR_CPUS = "https://download.pytorch.org/whl/cpu"
# pip reports progress line by line since then.
_RAW_PROGRESS = (24, 1)
_ASK_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class PackageInstaller:
    """Command that installs the packages into this environment, and the hosts from which they are downloaded.

    Attributes:
        before: Command that installs torch for processors first; empty if this is not needed. Where it fails, the
            command gets PyPI's torch instead, which is larger.
    """

    command: tuple[str, ...]
    hosts: tuple[str, ...]
    before: tuple[str, ...] = ()


def has_model_packages() -> bool:
    """Return whether the packages are installed."""
    importlib.invalidate_caches()
    return all(importlib.util.find_spec(name) is not None for name in ("sentence_transformers", "onnx"))


def model_requirements() -> list[str]:
    """Return what the extra requires, such as “sentence-transformers<7,>=6.2”; empty without the program's metadata."""
    try:
        requirements = importlib.metadata.requires(PROGRAM) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    marked = re.compile(rf"""extra\s*==\s*['"]{EXTRA}['"]""")
    return [one.partition(";")[0].strip() for one in requirements if marked.search(one)]


def find_installer() -> PackageInstaller | None:
    """Return pip of this environment, or uv; None in a frozen program, or without both.

    Blocking: pip takes half a second to print its configuration, which may name another index than PyPI.
    """
    requirements = model_requirements()
    if getattr(sys, "frozen", False) or not requirements:
        return None
    if importlib.util.find_spec("pip") is not None:
        progress = ["--progress-bar", "raw"] if _pip_version() >= _RAW_PROGRESS else []
        command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", *progress]
        index = _index_of_pip()
    elif (uv := shutil.which("uv")) is not None:
        # “uv tool install” makes environments without pip.
        command = [uv, "pip", "install", "--python", sys.executable]
        index = os.environ.get("UV_DEFAULT_INDEX") or os.environ.get("UV_INDEX_URL") or ""
    else:
        return None
    own = urlsplit(index).hostname or ""
    is_mirror = own not in ("", *_PYPI)
    hosts = [own] if is_mirror else [*_PYPI]
    torch = os.environ.get("TORCH_INDEX_URL") or ("" if is_mirror else _TORCH_FOR_CPUS)
    before: tuple[str, ...] = ()
    if torch and not current().has_gpu():
        # As pytorch.org says. As a further index of the same command it would be asked for every package.
        before = (*command, "--index-url", torch, "torch")
        hosts.append(urlsplit(torch).hostname or "")
    return PackageInstaller((*command, *requirements), tuple(dict.fromkeys(filter(None, hosts))), before)


def environment_of_installer(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for an installer: those of any other program, with its output line by line."""
    return {**current().variables_for_programs(environment), "PYTHONUNBUFFERED": "1", "PIP_NO_COLOR": "1"}


def _pip_version() -> tuple[int, ...]:
    numbers = re.findall(r"\d+", importlib.metadata.version("pip"))
    return tuple(map(int, numbers[:2]))


def _index_of_pip() -> str:
    """Return the address of the package index in pip's configuration and environment; empty for pip's default."""
    try:
        listed = subprocess.run(
            [sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_ASK_SECONDS,
            env=environment_of_installer(os.environ),
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    found = dict(re.findall(r"^(.+?)\.index-url='(.*)'$", listed, re.MULTILINE))
    return next((found[section] for section in (":env:", "install", "global") if section in found), "")
