"""Simulation of a power cut after a kill, for the files next to the database, as strict as POSIX allows.

Only synchronised data is safe: the bytes of a file by fsync of the file, its name by fsync of its folder. A file system
may keep one and lose the other; both are tested. The database protects itself: it is opened with synchronous = FULL.

    BYTES: every name exists, files that were not synchronised are empty
    NAMES: every byte exists, names that were not synchronised have their previous state
"""

import json
import os
import shutil
from enum import StrEnum
from pathlib import Path
from typing import Any

from kill_world import World


class Loss(StrEnum):
    """Kind of lost data."""

    BYTES = "bytes"
    NAMES = "names"


Seen = dict[str, tuple[int, int, int]]
"""Inode, size and time of files, by path."""


def seen(world: World) -> Seen:
    """Return the files that exist before the act: they are on the disk."""
    found: Seen = {}
    for path in _files(world):
        status = os.stat(path)
        found[path] = (status.st_ino, status.st_size, status.st_mtime_ns)
    return found


def lose_power(world: World, before: Seen, loss: Loss) -> int:
    """Remove data that was not on the disk; return the number of files and names."""
    journal = [json.loads(line) for line in world.journal.read_text("utf-8").splitlines()]
    return _lose_bytes(world, before, journal) if loss is Loss.BYTES else _lose_names(world, before, journal)


def _lose_bytes(world: World, before: Seen, journal: list[dict[str, Any]]) -> int:
    kept = set(before.values())
    kept |= {(one["inode"], one["size"], one["time"]) for one in journal if one["what"] == "file kept"}
    lost = 0
    for path in _files(world):
        status = os.stat(path)
        if (status.st_ino, status.st_size, status.st_mtime_ns) not in kept and status.st_size:
            os.truncate(path, 0)
            lost += 1
    return lost


def _lose_names(world: World, before: Seen, journal: list[dict[str, Any]]) -> int:
    names: dict[str, set[str]] = {str(world.now): {one.name for one in world.now.iterdir()}}
    for path in before:
        while path != str(world.now):
            path, name = os.path.split(path)
            names.setdefault(path, set()).add(name)
    replaced: dict[str, str] = {}
    for one in journal:
        if one["what"] == "folder kept":
            names[one["path"]] = set(one["names"])
            replaced = {path: kept for path, kept in replaced.items() if os.path.dirname(path) != one["path"]}
        elif one["what"] in ("rename", "unlink") and one["kept"]:
            replaced.setdefault(one["path"], one["kept"])
    lost = 0
    for folder, inner, files in os.walk(world.now):
        for name in [*files, *inner]:
            path = os.path.join(folder, name)
            if name in names.get(folder, set()) or _is_sqlite(name) or not _is_watched(world, path):
                continue
            if os.path.isdir(path):
                shutil.rmtree(path)
                inner.remove(name)
            else:
                os.unlink(path)
            lost += 1
    for path, kept in replaced.items():
        if os.path.isdir(os.path.dirname(path)) and os.path.basename(path) in names.get(os.path.dirname(path), set()):
            shutil.copy2(kept, path + ".old")
            os.replace(path + ".old", path)
            lost += 1
    return lost


def _files(world: World) -> list[str]:
    return [
        os.path.join(folder, name)
        for folder, _, files in os.walk(world.now)
        for name in files
        if not _is_sqlite(name) and _is_watched(world, os.path.join(folder, name))
    ]


def _is_sqlite(name: str) -> bool:
    return "library.sqlite3" in name or name == "library.lock" or name.endswith(".sqlite3")


def _is_watched(world: World, path: str) -> bool:
    """Return whether the program stores durable data at a path; parent folders count."""
    return any(Path(path).is_relative_to(one) for one in (world.library, world.out))
