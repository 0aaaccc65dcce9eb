"""Exports the built-in embedding model for the frozen program, which then needs neither torch nor transformers.

usage: export_model.py FOLDER

FOLDER gets one sub-folder with the files of an export (see workbench/embedding/export_manifest.py) and SHA256SUMS. An export whose
files still have these sums is left as it is.
"""

import hashlib
import sys
from pathlib import Path

from workbench.embedding.export import export_model
from workbench.embedding.export_manifest import read_manifest
from workbench.embedding.sentence_transformer import BUILT_IN, SHIPPED, built_in_folder

SUMS = "SHA256SUMS"


def main(folder: Path) -> None:
    """Export the model, unless the folder has it."""
    if read_manifest(folder) is None or not is_intact(folder):
        export_model(str(built_in_folder()), folder, name=BUILT_IN)
        (folder / SUMS).write_text(sums(folder), encoding="utf-8")
    sys.stdout.write((folder / SUMS).read_text(encoding="utf-8"))


def is_intact(folder: Path) -> bool:
    """Return whether the files have the recorded sums."""
    recorded = folder / SUMS
    return recorded.is_file() and recorded.read_text(encoding="utf-8") == sums(folder)


def sums(folder: Path) -> str:
    """Return the SHA-256 of each file, in the format of sha256sum."""
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


if __name__ == "__main__":
    main(Path(sys.argv[1]) / SHIPPED)
