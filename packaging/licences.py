"""Checks that every package may be combined with a program under AGPL-3.0-or-later, and writes their notices.

usage: licences.py                check all packages that pyproject.toml needs; 1 if one may not, or says nothing
       licences.py NOTICES        write the notices of the frozen program (packaging/freeze.sh) into a file
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from parts import PROGRAM, name, packages, system_packages

COMPATIBLE = {
    *("0BSD", "AGPL-3.0-only", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "GPL-3.0-only"),
    *("ISC", "LGPL-3.0-only", "LLVM-exception", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Zlib"),
}
"""SPDX names, by the list of licences of the Free Software Foundation: compatible with version 3 of the GPL."""

SPELLINGS = {
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""Other spellings that packages use for them."""

LOOKED_UP = {
    "docutils": "CC0-1.0 AND BSD-2-Clause",  # parts that the program does not use are under GPL-3.0
    "pymupdf": "AGPL-3.0-only",  # or Artifex's commercial licence
    "pymupdf-layout": "AGPL-3.0-only",  # empty: its code is in pymupdf
    "pymupdf4llm": "AGPL-3.0-only",  # empty, too
    "pycryptodomex": "BSD-2-Clause AND CC0-1.0",
}
"""Licences of packages that state none, or state it in words; read in their files."""

NEVER_HANDED_OUT = {
    "regex": "partly under the licence of Python 1.6, which is not compatible; pip installs it for transformers"
}
"""Packages that a user's pip may install, but that must not be in the frozen program."""


def licence(package: Distribution) -> str:
    """Return the licence of a package as an SPDX expression; what it says itself, if that is none."""
    said = package.metadata.get_all("Classifier") or []
    classifiers = [one.split(" :: ")[-1] for one in said if one.startswith("License :: ") and one.count(" :: ") > 1]
    field = (package.metadata.get("License") or "").strip()
    return (
        LOOKED_UP.get(name(package))
        or package.metadata.get("License-Expression")
        or " AND ".join(SPELLINGS.get(one, one) for one in classifiers)
        or SPELLINGS.get(field, field)
    )


def is_compatible(expression: str) -> bool:
    """Return whether one of the alternatives of an expression has compatible licences only."""
    alternatives = (re.split(r" AND | WITH ", one) for one in expression.strip("()").split(" OR "))
    return any(all(part.strip("() ") in COMPATIBLE for part in parts) for parts in alternatives)


def needed(requirement: str, seen: set[str]) -> Iterator[Distribution]:
    """Yield what a requirement installs here, with everything that it requires in turn."""
    wanted = Requirement(requirement)
    if wanted.name.lower() in seen:
        return
    seen.add(wanted.name.lower())
    try:
        package = distribution(wanted.name)
    except PackageNotFoundError:
        return
    yield package
    for text in package.requires or []:
        marker = Requirement(text).marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *wanted.extras)):
            yield from needed(text.partition(";")[0], seen)


def notices() -> Iterator[str]:
    """Yield the notices of everything in the frozen program."""
    yield "The Knowledge Workbench is free software under AGPL-3.0-or-later. It contains the following software.\n"
    for package in packages():
        yield f"\n{'=' * 100}\n{package.metadata['Name']} {package.version}: {licence(package)}\n{'=' * 100}\n"
        for file in package.files or []:
            if re.search(r"licen[cs]e|copying|notice", file.name, re.IGNORECASE) and ".dist-info" in str(file):
                yield f"\n{Path(str(package.locate_file(file))).read_text(encoding='utf-8', errors='replace')}\n"
    for package, version in system_packages():
        text = Path("/usr/share/doc", package, "copyright").read_text(encoding="utf-8", errors="replace")
        yield f"\n{'=' * 100}\n{package} {version}, libraries from Debian\n{'=' * 100}\n\n{text}\n"


def main(arguments: list[str]) -> int:
    """Check, or write the notices; return the exit status."""
    if arguments:
        mixed = [name(one) for one in packages() if not is_compatible(licence(one))]
        if mixed:
            sys.stderr.write(f"The frozen program must not contain {', '.join(mixed)}.\n")
            return 1
        Path(arguments[0]).write_text("".join(notices()), encoding="utf-8")
        return 0
    checked = [one for one in needed(PROGRAM, set()) if name(one) not in {PROGRAM, *NEVER_HANDED_OUT}]
    refused = [f"{name(one)}: {licence(one) or 'no licence'}\n" for one in checked if not is_compatible(licence(one))]
    sys.stderr.writelines(refused)
    sys.stdout.write(f"{len(checked)} packages checked, {len(refused)} not compatible with AGPL-3.0-or-later.\n")
    return int(bool(refused))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
