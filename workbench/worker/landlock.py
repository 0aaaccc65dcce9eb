"""Landlock, by its system calls: what a thread, and all that it starts, may still do with files and ports.

Linux only.

A ruleset can only take rights away, for good, and needs no privilege. See landlock(7).
"""

import ctypes
import os
import sys
from enum import IntFlag
from functools import cache
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""The same numbers on every processor."""
_CREATE_VERSION = 1
_PATH_BENEATH, _NET_PORT = 1, 2
_CONNECT_TCP, _BIND_TCP = 2, 1
_SCOPE_ABSTRACT_SOCKET, _SCOPE_SIGNAL = 1, 2
PORTS_SINCE, _SCOPES_SINCE = 4, 6
"""Versions of the interface."""


class Files(IntFlag):
    """What can be done with files, as linux/landlock.h has it; what a version does not know is never asked of it."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13
    TRUNCATE = 1 << 14
    IOCTL_DEV = 1 << 15


READ = Files.READ_FILE | Files.READ_DIR
RUN = READ | Files.EXECUTE
ALL = Files((1 << 16) - 1)
WRITE = ALL & ~(RUN | Files.MAKE_CHAR | Files.MAKE_BLOCK | Files.IOCTL_DEV)
SCRATCH = READ | WRITE & ~Files.MAKE_SYM
"""No links there: whoever deletes the folder, or looks into it, must not be led elsewhere."""
DEVICE = Files.READ_FILE | Files.WRITE_FILE | Files.TRUNCATE | Files.IOCTL_DEV
_OF_A_FILE = RUN & ~Files.READ_DIR | DEVICE
"""What can be said of a file that is no folder."""
_SINCE = {1: Files.MAKE_SYM, 2: Files.REFER, 3: Files.TRUNCATE, 4: Files.TRUNCATE, 5: Files.IOCTL_DEV}
"""By version, the last right that it knows."""


class _Attributes(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


class _Port(ctypes.Structure):
    _fields_ = (("allowed", ctypes.c_uint64), ("port", ctypes.c_uint64))


@cache
def version() -> int:
    """Return the version of the interface; 0 where the system has none, or keeps it switched off."""
    if sys.platform != "linux":
        return 0
    return max(0, _call(_CREATE_RULESET, None, 0, _CREATE_VERSION))


class Ruleset:
    """What stays allowed; everything else of its kind is forbidden to whoever enforces it.

    A context manager, for it holds a descriptor.
    """

    def __init__(self, *, files: bool = False, ports: bool = False, others: bool = False) -> None:
        """Allow nothing yet.

        Args:
            files: Files are concerned.
            ports: TCP is concerned, where the version knows of it.
            others: Signals to other processes, and abstract sockets of theirs, are forbidden, where the version can.

        Raises:
            OSError: The system has no Landlock.
        """
        known = version()
        last = _SINCE.get(known, Files.IOCTL_DEV)
        self._files = Files(last.value * 2 - 1) if files else Files(0)
        asked = _Attributes(
            self._files,
            _CONNECT_TCP | _BIND_TCP if ports and known >= PORTS_SINCE else 0,
            _SCOPE_ABSTRACT_SOCKET | _SCOPE_SIGNAL if others and known >= _SCOPES_SINCE else 0,
        )
        self._descriptor = _checked(_call(_CREATE_RULESET, ctypes.byref(asked), ctypes.sizeof(asked), 0))

    def __enter__(self) -> "Ruleset":
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self._descriptor)

    def allow(self, path: str | Path, rights: Files) -> None:
        """Allow that for a file, or for a folder with all below it; nothing happens where there is none."""
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except (OSError, ValueError):
            return
        try:
            self.allow_open(descriptor, rights)
        finally:
            os.close(descriptor)

    def allow_open(self, descriptor: int, rights: Files) -> None:
        """As allow(), for what is open already."""
        is_folder = os.fstat(descriptor).st_mode & 0o170000 == 0o040000
        rights &= self._files if is_folder else self._files & _OF_A_FILE
        if rights:
            rule = _Beneath(rights, descriptor)
            _checked(_call(_ADD_RULE, self._descriptor, _PATH_BENEATH, ctypes.byref(rule), 0))

    def allow_port(self, port: int) -> None:
        """Allow connections to a TCP port, whatever the host."""
        rule = _Port(_CONNECT_TCP, port)
        _checked(_call(_ADD_RULE, self._descriptor, _NET_PORT, ctypes.byref(rule), 0))

    def enforce(self) -> None:
        """Take the rights from the calling thread, and from all threads and processes that it starts from now on.

        Raises:
            OSError: The system refuses; a thread has to have given up new privileges first.
        """
        _checked(_call(_RESTRICT_SELF, self._descriptor, 0))


def _call(number: int, *arguments: object) -> int:
    # A null pointer must be as wide as a register.
    given = [ctypes.c_void_p(None) if one is None else one for one in arguments]
    return int(_libc().syscall(ctypes.c_long(number), *given))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc
