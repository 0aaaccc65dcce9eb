"""Parts of the frozen program: Python packages, and Debian packages whose libraries PyInstaller took along."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

WORK = Path("build/pyinstaller/workbench")
PROGRAM = "knowledge-workbench"


def name(distribution: Distribution) -> str:
    """Return the normalised name of a package."""
    return re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()


def packages() -> list[Distribution]:
    """Return the Python packages of which the frozen program has at least one file, by name; not the program itself."""
    taken = set(_sources())
    found = {
        name(one): one
        for one in distributions()
        if any(str(one.locate_file(file)) in taken for file in one.files or [] if ".dist-info" not in str(file))
    }
    found.pop(PROGRAM, None)
    return [found[key] for key in sorted(found)]


def system_packages() -> list[tuple[str, str]]:
    """Return name and version of the Debian packages from which shared libraries come."""
    libraries = sorted(
        {str(Path(source).resolve()) for source in _sources() if source.startswith(("/lib/", "/usr/lib/"))}
    )
    found = subprocess.run(["dpkg", "-S", *libraries], capture_output=True, text=True, check=False).stdout
    owners = sorted({line.split(":")[0] for line in found.splitlines()})
    shown = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package}\t${Version}\n", *owners], capture_output=True, text=True, check=True
    ).stdout
    return sorted({(package, version) for package, version in (line.split("\t") for line in shown.splitlines())})


def _sources() -> Iterator[str]:
    """Yield where each file and module of the frozen program came from."""
    for file in ("PYZ-00.toc", "COLLECT-00.toc"):
        for entry in _entries(ast.literal_eval((WORK / file).read_text(encoding="utf-8"))):
            yield entry[1]


def _entries(value: object) -> Iterator[tuple[str, str, str]]:
    """Yield the entries (place, source, kind) of PyInstaller's lists, which are nested."""
    if isinstance(value, tuple) and len(value) == 3 and all(isinstance(one, str) for one in value):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _entries(one)


if __name__ == "__main__":
    sys.stdout.writelines(f"{name(one)}=={one.version}\n" for one in packages())
