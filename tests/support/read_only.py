"""A temporarily read-only folder."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Remove the write permission from a folder and its contents.

    Permissions do not apply to the superuser: for it, writing fails as on a read-only mount.
    """
    places = [folder, *folder.rglob("*")]
    for place in reversed(places):
        place.chmod(0o555 if place.is_dir() else 0o444)
    with pytest.MonkeyPatch.context() as changed:
        if os.geteuid() == 0:
            _refuse(folder.resolve(), changed)
        yield
    for place in places:
        place.chmod(0o755 if place.is_dir() else 0o644)


def _refuse(folder: Path, changed: pytest.MonkeyPatch) -> None:
    access, open_file = os.access, os.open

    def is_there(path: Any) -> bool:
        return isinstance(path, str | Path) and folder in (Path(path).absolute(), *Path(path).absolute().parents)

    def accessible(path: Any, mode: int, **more: Any) -> bool:
        return access(path, mode, **more) and not (mode & os.W_OK and is_there(path))

    def opened(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and is_there(path):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return open_file(path, flags, *more, **named)

    changed.setattr(os, "access", accessible)
    changed.setattr(os, "open", opened)
