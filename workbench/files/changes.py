"""Deletion and moving of files and folders, only inside a folder that the caller names.

    path + within -> real path (links in parent folders are resolved, the last component is not) -> change or error

Once, a clean-up of an already deleted folder changed the mode of its parent, the system's temporary folder. So the
caller must name the folder that contains the path. A path that leaves that folder by “..” or by a link, as in a library
from somebody else, is refused. A link itself is deleted or moved as a link.
"""

import contextlib
import errno
import logging
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from workbench.files.modes import make_folder, new_file, others_may
from workbench.system import current

logger = logging.getLogger(__name__)

AnyPath = str | os.PathLike[str]


def delete_file(path: AnyPath, *, within: AnyPath, missing_ok: bool = False) -> None:
    """Delete a file, or a link.

    Args:
        path: The file.
        within: The folder that must contain it.
        missing_ok: True to ignore a missing file.

    Raises:
        FileNotFoundError: The file does not exist.
        PermissionError: It is outside of the folder, or permission is denied.
        OSError: It cannot be deleted.
    """
    place = _place(path, within)
    with contextlib.suppress(FileNotFoundError) if missing_ok else contextlib.nullcontext():
        os.unlink(place)


def delete_folder(path: AnyPath, *, within: AnyPath) -> None:
    """Delete a folder with its contents, whatever their modes, as far as possible; never raises.

    A link is deleted without its target; a file is not deleted.

    Args:
        path: The folder.
        within: The folder that must contain it, which is kept.
    """
    try:
        place = _place(path, within)
    except OSError as error:
        logger.warning("Not deleted: %s", error)
        return
    if os.path.islink(place) or os.path.isdir(place):
        _delete(place)


def empty_folder(folder: AnyPath) -> None:
    """Delete the contents of a folder, including files, as delete_folder does, and keep the folder; never raises."""
    with contextlib.suppress(OSError):
        place = _place(folder, os.path.dirname(os.path.abspath(folder)))
        _make_accessible(place)
        for entry in list(os.scandir(place)):
            _delete(entry.path)


@contextlib.contextmanager
def temporary_folder(prefix: str, *, inside: AnyPath | None = None) -> Iterator[Path]:
    """Create a folder that only this user can access; it is deleted with its contents at the end of the block.

    This replaces tempfile.TemporaryDirectory, which on a deletion error changes the mode of link targets
    (CVE-2023-6597, in 3.11 before 3.11.8) and of the parent folder.

    Args:
        prefix: Prefix of its name.
        inside: Parent folder; None for the system's temporary folder.

    Raises:
        OSError: It cannot be created.
    """
    made = tempfile.mkdtemp(prefix=prefix, dir=inside)
    place = _place(made, os.path.dirname(made))
    try:
        yield Path(made)
    finally:
        _delete(place)


def mark_used(path: AnyPath) -> None:
    """Set the modification time of a file of the program's own to now, so that caches delete it last."""
    os.utime(path)


def move_into_place(made: AnyPath, target: AnyPath, *, within: AnyPath) -> None:
    """Move a file or folder atomically on the same disk, replacing the target.

    Args:
        made: The file or folder.
        target: Its new path: a file there is replaced, a folder only if it is empty.
        within: The folder that must contain both.

    Raises:
        PermissionError: One of them is outside of the folder, or permission is denied.
        OSError: It cannot be moved.
    """
    top = os.path.realpath(within)
    source, place = _place_below(made, top), _place_below(target, top)
    if stat.S_ISREG(os.lstat(source).st_mode):
        most = 0o700 | others_may(Path(place).parent, inherit=True)
        with contextlib.suppress(OSError):  # a disk without modes
            _change_mode(source, lambda mode: mode & most)
    os.replace(source, place)


def replace_private_file(path: Path, content: bytes) -> None:
    """Write a file that only this user can read, atomically; its folder is created if it is missing.

    Raises:
        OSError: It cannot be written; an earlier file is unchanged.
    """
    folder = path.parent
    make_folder(folder)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{path.stem}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        move_into_place(name, path, within=folder)
    finally:
        delete_file(name, within=folder, missing_ok=True)


def move_file(file: AnyPath, target: AnyPath, *, within: AnyPath) -> None:
    """Move a file as move_into_place does; to another disk, it is copied and then deleted."""
    try:
        move_into_place(file, target, within=within)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        new_file(Path(target), inherit=True)
        shutil.copyfile(file, _place(target, within))
        delete_file(file, within=within)


def replace_chosen_file(made: AnyPath, target: AnyPath) -> None:
    """Replace the file that the user chose by a file in the same folder.

    Raises:
        PermissionError: They are in different folders, or the user has no write permission.
        OSError: It cannot be replaced.
    """
    folder = os.path.dirname(os.path.abspath(target))
    place = _place(made, folder)
    if os.path.dirname(place) != os.path.realpath(folder):
        raise _refusal(made, folder)
    with contextlib.suppress(OSError):  # the target does not exist yet, or its disk has no modes
        wanted = stat.S_IMODE(os.stat(target).st_mode) & 0o777
        _change_mode(place, lambda _mode: wanted)
    os.replace(place, target)


def close_to_others(path: AnyPath, *, within: AnyPath) -> None:
    """Remove all permissions of group and others from a file or folder of this user; no effect on Windows.

    Args:
        path: The file or folder; a link is refused.
        within: The folder that must contain it.

    Raises:
        PermissionError: It is outside of the folder, or belongs to another user.
        OSError: It does not exist, or its disk has no modes.
    """
    _change_mode(_place(path, within), lambda mode: mode & ~0o077)


def _place(path: AnyPath, within: AnyPath) -> str:
    """Return the path with links in its parent folders resolved; the last component may be a link and is not resolved.

    Raises:
        PermissionError: The path is not below the folder.
    """
    return _place_below(path, os.path.realpath(within))


def _place_below(path: AnyPath, top: str) -> str:
    """Return the same as _place() for a containing folder that is already resolved."""
    parent, name = os.path.split(os.fspath(path))
    if parent != top:  # top is already resolved
        parent = os.path.realpath(parent)
    is_below = parent == top or Path(parent).is_relative_to(top)
    if name in ("", os.curdir, os.pardir) or not is_below:
        raise _refusal(path, top)
    return current().long_path(os.path.join(parent, name))


def _refusal(path: AnyPath, within: AnyPath) -> PermissionError:
    return PermissionError(errno.EPERM, f"It does not lie in {os.fspath(within)}", os.fspath(path))


def _delete(place: str) -> None:
    """Delete a file, a link or a folder; only modes of folders at this path and below are changed."""
    opened: set[str] = set()

    def make_writable(_function: object, failed: str, error: tuple[object, BaseException, object]) -> None:
        """Give this user access to a path that could not be deleted and to its parent folder."""
        for folder in (os.path.dirname(failed), failed) if isinstance(error[1], PermissionError) else ():
            is_inside = folder == place or folder.startswith(place + os.sep)
            if is_inside and folder not in opened and os.path.realpath(folder) == folder:
                with contextlib.suppress(OSError):
                    _make_accessible(folder)
                    opened.add(folder)

    # Each round makes inaccessible folders accessible, and the next one deletes their contents.
    while True:
        before = len(opened)
        try:
            if os.path.isdir(place) and not os.path.islink(place):
                shutil.rmtree(place, onerror=make_writable)
            else:
                os.unlink(place)
        except OSError:
            return
        if len(opened) == before:
            return


def _make_accessible(folder: str) -> None:
    """Set the mode of a folder of this user to 0700.

    Raises:
        OSError: It is not a folder, or belongs to another user.
    """

    def full_access(found: os.stat_result) -> int:
        _require_own_folder(found, folder)
        return 0o700

    _set_mode(folder, full_access)


def _change_mode(place: str, wanted: Callable[[int], int]) -> None:
    """Change the mode of a file or folder of this user; no effect on Windows.

    Raises:
        OSError: It is a link, belongs to another user, or its disk has no modes.
    """
    if current().has_modes:
        _set_mode(place, lambda found: _new_mode(found, wanted, place))


def _set_mode(place: str, new_mode: Callable[[os.stat_result], int | None]) -> None:
    """Set the mode that new_mode returns for a file or folder, None for no change; it must refuse links.

    Raises:
        OSError: It does not exist, its disk has no modes, or new_mode refuses it.
    """
    if flag := current().path_flag():
        # Check and change use one descriptor, so that the path cannot be swapped; O_PATH works without permissions.
        # A plain descriptor of a database that is open would release SQLite's locks on closing (POSIX advisory locks,
        # https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_):
        # the next process to open the database then truncated its -shm file, and this process ended with SIGBUS.
        descriptor = os.open(place, flag | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if (mode := new_mode(os.fstat(descriptor))) is not None:
                os.chmod(f"/proc/self/fd/{descriptor}", mode)
        finally:
            os.close(descriptor)
    elif (mode := new_mode(os.lstat(place))) is not None:
        os.chmod(place, mode, follow_symlinks=os.chmod not in os.supports_follow_symlinks)


def _new_mode(found: os.stat_result, wanted: Callable[[int], int], place: str) -> int | None:
    """Return the mode to set; None if it is set already.

    Raises:
        OSError: It is a link, or belongs to another user.
    """
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, "It is a link", place)
    mode = stat.S_IMODE(found.st_mode)
    if wanted(mode) == mode:
        return None
    if found.st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "It is not this user's", place)
    return wanted(mode)


def _require_own_folder(found: os.stat_result, folder: str) -> None:
    if not stat.S_ISDIR(found.st_mode) or (current().has_modes and found.st_uid != os.getuid()):
        raise PermissionError(errno.EPERM, "It is no folder of this user's", folder)
