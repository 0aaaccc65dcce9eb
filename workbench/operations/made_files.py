"""What is made once a model and machine and kept in the cache beside the models: a missing file is made again."""

import logging
import re
from pathlib import Path

from workbench.files.changes import move_into_place

logger = logging.getLogger(__name__)


def made_path(cache: Path, folder: str, embedder_id: str, version: str) -> Path:
    """Return the file of one embedder in a folder of the cache."""
    return cache / folder / (re.sub(r"[^\w.-]+", "_", embedder_id) + f".{version}")


def read_made(path: Path) -> bytes | None:
    """Return what was kept; None where nothing can be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def keep_made(path: Path, data: bytes) -> None:
    """Keep something, whole or not at all; where the disk does not take it, it is made again next time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(path.name + ".unfinished")
        unfinished.write_bytes(data)
        move_into_place(unfinished, path, within=path.parent)
    except OSError:
        logger.info("%s could not be stored; it will be made again.", path.parent.name, exc_info=True)
