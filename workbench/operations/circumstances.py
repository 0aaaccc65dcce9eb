"""Which program this is and what it runs on, for a report: versions only, nothing by which a machine is known."""

import importlib.metadata
import platform
import sys

import workbench

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
