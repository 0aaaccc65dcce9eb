"""Writes the list of the frozen program's parts (software bill of materials) as CycloneDX JSON.

usage: sbom.py FILE
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from parts import name, packages, system_packages

MODELS = Path("build/models")


def main(file: Path) -> None:
    """List what the environment has, keep what is in the program, and add what is not a Python package."""
    tool = [
        "-m",
        "cyclonedx_py",
        "environment",
        "--pyproject",
        "pyproject.toml",
        "--output-reproducible",
        "--of",
        "JSON",
    ]
    listed = subprocess.run([sys.executable, *tool, sys.executable], capture_output=True, check=True).stdout
    bill = json.loads(listed)
    taken = {name(package) for package in packages()}
    bill["components"] = [one for one in bill["components"] if one["name"].lower().replace("_", "-") in taken]
    bill["components"] += [*debian_components(), *model_components()]
    known = {one["bom-ref"] for one in [*bill["components"], bill["metadata"]["component"]]}
    bill["dependencies"] = [
        {**one, "dependsOn": [other for other in one.get("dependsOn", []) if other in known]}
        for one in bill["dependencies"]
        if one["ref"] in known
    ]
    file.write_text(json.dumps(bill, indent=1, sort_keys=True), encoding="utf-8")


def debian_components() -> list[dict[str, Any]]:
    """Return the packages of Debian whose libraries are in the folder."""
    return [
        {"type": "library", "name": package, "version": version, "purl": purl, "bom-ref": purl}
        for package, version in system_packages()
        for purl in [f"pkg:deb/debian/{package}@{version}"]
    ]


def model_components() -> list[dict[str, Any]]:
    """Return the exported model, with the SHA-256 of each of its files."""
    sums = [line.split() for line in next(MODELS.glob("*/SHA256SUMS")).read_text(encoding="utf-8").splitlines()]
    files = [{"type": "file", "name": file, "hashes": [{"alg": "SHA-256", "content": digest}]} for digest, file in sums]
    return [{"type": "machine-learning-model", "name": "all-MiniLM-L6-v2", "bom-ref": "model", "components": files}]


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    main(Path(sys.argv[1]))
