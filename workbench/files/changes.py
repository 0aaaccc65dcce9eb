"""Deleting and moving files and folders, each only where it really lies in a folder that the caller owns.

    path + within -> where it is, links on the way followed and the path itself not -> changed, or refused

A cleaning once changed the mode of the folder around a folder that was already gone, which was the system's temporary
one. So whoever changes something says below which folder it is to lie: a “..”, or a folder on the way that is a link to
elsewhere, as a library from somebody else may hold, leads nowhere. A link is deleted or moved as a link.
"""

import contextlib
import errno
import logging
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from workbench.files.modes import new_file, others_may

logger = logging.getLogger(__name__)

AnyPath = str | os.PathLike[str]


def delete_file(path: AnyPath, *, within: AnyPath, missing_ok: bool = False) -> None:
    """Delete a file, or a link.

    Args:
        path: The file.
        within: The folder below which it has to lie.
        missing_ok: Whether nothing happens where there is none.

    Raises:
        FileNotFoundError: There is none.
        PermissionError: It lies elsewhere, or may not be deleted.
        OSError: It cannot be deleted.
    """
    place = _place(path, within)
    with contextlib.suppress(FileNotFoundError) if missing_ok else contextlib.nullcontext():
        os.unlink(place)


def delete_folder(path: AnyPath, *, within: AnyPath) -> None:
    """Delete a folder with all that is in it, whatever modes that has, as far as possible; never raises.

    A link is deleted and what it leads to stays; a file is left alone.

    Args:
        path: The folder.
        within: The folder below which it has to lie; that one stays.
    """
    try:
        place = _place(path, within)
    except OSError as error:
        logger.warning("Not deleted: %s", error)
        return
    if os.path.islink(place) or os.path.isdir(place):
        _delete(place)


def empty_folder(folder: AnyPath) -> None:
    """Delete all that is in a folder as delete_folder does, files too, and keep the folder; never raises."""
    with contextlib.suppress(OSError):
        place = _place(folder, os.path.dirname(os.path.abspath(folder)))
        _open_up(place)
        for entry in list(os.scandir(place)):
            _delete(entry.path)


@contextlib.contextmanager
def temporary_folder(prefix: str, *, inside: AnyPath | None = None) -> Iterator[Path]:
    """Lend a new folder that only this user can look into; it goes with all that is in it.

    In place of Python's own, which opens up whatever a link in it leads to when something cannot be deleted
    (CVE-2023-6597, in 3.11 before 3.11.8), and the folder around it.

    Args:
        prefix: Of its name.
        inside: The folder in which it is made; None for the system's own.

    Raises:
        OSError: It cannot be made.
    """
    made = tempfile.mkdtemp(prefix=prefix, dir=inside)
    place = _place(made, os.path.dirname(made))
    try:
        yield Path(made)
    finally:
        _delete(place)


def move_into_place(made: AnyPath, target: AnyPath, *, within: AnyPath) -> None:
    """Let a file or a folder take the place of another at once, on the same disk.

    Args:
        made: What is moved.
        target: Its new path: a file there is replaced, a folder only where it is empty.
        within: The folder below which both have to lie.

    Raises:
        PermissionError: One of them lies elsewhere, or may not be moved.
        OSError: It cannot be moved.
    """
    top = os.path.realpath(within)
    source, place = _place_below(made, top), _place_below(target, top)
    if stat.S_ISREG(os.lstat(source).st_mode):
        most = 0o700 | others_may(Path(place).parent, inherit=True)
        with contextlib.suppress(OSError):  # a disk without modes
            _change_mode(source, lambda mode: mode & most)
    os.replace(source, place)


def move_file(file: AnyPath, target: AnyPath, *, within: AnyPath) -> None:
    """Move a file as move_into_place, to another disk as well: it is copied there, and deleted here."""
    try:
        move_into_place(file, target, within=within)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        new_file(Path(target), inherit=True)
        shutil.copyfile(file, _place(target, within))
        delete_file(file, within=within)


def replace_chosen_file(made: AnyPath, target: AnyPath) -> None:
    """Let a file take the place of the one that the user chose, in the same folder.

    Raises:
        PermissionError: They lie in two folders, or the user may not write there.
        OSError: It cannot be replaced.
    """
    folder = os.path.dirname(os.path.abspath(target))
    place = _place(made, folder)
    if os.path.dirname(place) != os.path.realpath(folder):
        raise _refusal(made, folder)
    with contextlib.suppress(OSError):  # there is none yet, or its disk has no modes
        wanted = stat.S_IMODE(os.stat(target).st_mode) & 0o777
        _change_mode(place, lambda _mode: wanted)
    os.replace(place, target)


def close_to_others(path: AnyPath, *, within: AnyPath) -> None:
    """Take from others what they may do with a file or a folder of this user's; nothing happens on Windows.

    Args:
        path: The file or folder; a link is refused.
        within: The folder below which it has to lie.

    Raises:
        PermissionError: It lies elsewhere, or is somebody else's.
        OSError: It is not there, or its disk has no modes.
    """
    _change_mode(_place(path, within), lambda mode: mode & ~0o077)


def _place(path: AnyPath, within: AnyPath) -> str:
    """Return where a path really is; it itself may be a link, which is not followed.

    Raises:
        PermissionError: Not below the folder.
    """
    return _place_below(path, os.path.realpath(within))


def _place_below(path: AnyPath, top: str) -> str:
    """Return the same, given where the folder below which it has to lie really is."""
    parent, name = os.path.split(os.fspath(path))
    if parent != top:  # which was followed already
        parent = os.path.realpath(parent)
    is_below = parent == top or Path(parent).is_relative_to(top)
    if name in ("", os.curdir, os.pardir) or not is_below:
        raise _refusal(path, top)
    return os.path.join(parent, name)


def _refusal(path: AnyPath, within: AnyPath) -> PermissionError:
    return PermissionError(errno.EPERM, f"It does not lie in {os.fspath(within)}", os.fspath(path))


def _delete(place: str) -> None:
    """Delete a file, a link or a folder; modes are changed of folders at this place and below it only."""
    opened: set[str] = set()

    def let_in(_function: object, failed: str, error: tuple[object, BaseException, object]) -> None:
        """Make what could not be deleted, and the folder in which it is, ours to change."""
        for folder in (os.path.dirname(failed), failed) if isinstance(error[1], PermissionError) else ():
            is_inside = folder == place or folder.startswith(place + os.sep)
            if is_inside and folder not in opened and os.path.realpath(folder) == folder:
                with contextlib.suppress(OSError):
                    _open_up(folder)
                    opened.add(folder)

    # A round opens the folders that could not be looked into, and the next one deletes what is in them.
    while True:
        before = len(opened)
        try:
            if os.path.isdir(place) and not os.path.islink(place):
                shutil.rmtree(place, onerror=let_in)
            else:
                os.unlink(place)
        except OSError:
            return
        if len(opened) == before:
            return


def _open_up(folder: str) -> None:
    """Let this user look into a folder of his and change it, and nobody else.

    Raises:
        OSError: It is no folder, or not this user's.
    """
    if sys.platform == "linux":
        # What was looked at is what is changed: a folder that lets nobody in can still be held by its path.
        number = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _require_own_folder(os.fstat(number), folder)
            os.chmod(f"/proc/self/fd/{number}", 0o700)
        finally:
            os.close(number)
    else:
        _require_own_folder(os.lstat(folder), folder)
        os.chmod(folder, 0o700, follow_symlinks=os.chmod not in os.supports_follow_symlinks)


def _change_mode(place: str, wanted: Callable[[int], int]) -> None:
    """Change the mode of a file or folder of this user's; nothing happens on Windows.

    Raises:
        OSError: It is a link, is not this user's, or its disk has no modes.
    """
    if sys.platform == "win32":
        return
    number = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(number)
        mode = stat.S_IMODE(found.st_mode)
        if wanted(mode) == mode:
            return
        if found.st_uid != os.getuid():
            raise PermissionError(errno.EPERM, "It is not this user's", place)
        os.fchmod(number, wanted(mode))
    finally:
        os.close(number)


def _require_own_folder(found: os.stat_result, folder: str) -> None:
    if not stat.S_ISDIR(found.st_mode) or (sys.platform != "win32" and found.st_uid != os.getuid()):
        raise PermissionError(errno.EPERM, "It is no folder of this user's", folder)
