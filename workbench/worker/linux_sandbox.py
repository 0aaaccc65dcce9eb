"""Linux sandbox by system calls: Landlock for files and ports, seccomp for refused system calls.

A Landlock ruleset removes rights permanently and needs no privilege. See landlock(7).

A seccomp filter is a small program for the kernel that checks the number and the arguments of a system call, but not
the memory to which they point. See seccomp(2).
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, IntFlag
from functools import cache
from pathlib import Path

from workbench.system import current

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of the Landlock system calls, the same on every processor."""
_CREATE_VERSION = 1
_PATH_BENEATH, _NET_PORT = 1, 2
_CONNECT_TCP, _BIND_TCP = 2, 1
_SCOPE_ABSTRACT_SOCKET, _SCOPE_SIGNAL = 1, 2
PORTS_SINCE, _SCOPES_SINCE = 4, 6
"""Versions of the Landlock interface that introduced ports and scopes."""


class FileRights(IntFlag):
    """File access rights of linux/landlock.h; rights that a kernel does not know are never requested."""

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


READ = FileRights.READ_FILE | FileRights.READ_DIR
RUN = READ | FileRights.EXECUTE
ALL = FileRights((1 << 16) - 1)
WRITE = ALL & ~(RUN | FileRights.MAKE_CHAR | FileRights.MAKE_BLOCK | FileRights.IOCTL_DEV)
SCRATCH = READ | WRITE & ~FileRights.MAKE_SYM
"""Rights in a scratch folder; no symbolic links, which could lead code that reads or deletes the folder elsewhere."""
DEVICE = FileRights.READ_FILE | FileRights.WRITE_FILE | FileRights.TRUNCATE | FileRights.IOCTL_DEV
_FILE_ONLY = RUN & ~FileRights.READ_DIR | DEVICE
"""Rights that apply to files other than folders."""
_SINCE = {
    1: FileRights.MAKE_SYM,
    2: FileRights.REFER,
    3: FileRights.TRUNCATE,
    4: FileRights.TRUNCATE,
    5: FileRights.IOCTL_DEV,
}
"""Version of the interface -> last right that it knows."""


class _Attributes(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


class _Port(ctypes.Structure):
    _fields_ = (("allowed", ctypes.c_uint64), ("port", ctypes.c_uint64))


def version() -> int:
    """Return the version of the Landlock interface; 0 if the system has none or has disabled it."""
    return _landlock_version() if current().name == "linux" else 0


@cache
def _landlock_version() -> int:
    return max(0, _call(_CREATE_RULESET, None, 0, _CREATE_VERSION))


class Ruleset:
    """Landlock ruleset: rights that stay allowed; everything else of the handled kinds is denied once it is enforced.

    A context manager, because it holds a file descriptor.
    """

    def __init__(self, *, files: bool = False, ports: bool = False, others: bool = False) -> None:
        """Create a ruleset that allows nothing.

        Args:
            files: Restrict file access.
            ports: Restrict TCP, if the version supports it.
            others: Deny signals to other processes and their abstract sockets, if the version supports it.

        Raises:
            OSError: The system has no Landlock.
        """
        known = version()
        last = _SINCE.get(known, FileRights.IOCTL_DEV)
        self._files = FileRights(last.value * 2 - 1) if files else FileRights(0)
        asked = _Attributes(
            self._files,
            _CONNECT_TCP | _BIND_TCP if ports and known >= PORTS_SINCE else 0,
            _SCOPE_ABSTRACT_SOCKET | _SCOPE_SIGNAL if others and known >= _SCOPES_SINCE else 0,
        )
        self._descriptor = _check_result(_call(_CREATE_RULESET, ctypes.byref(asked), ctypes.sizeof(asked), 0))

    def __enter__(self) -> "Ruleset":
        return self

    def __exit__(self, *_error: object) -> None:
        os.close(self._descriptor)

    def allow(self, path: str | Path, rights: FileRights) -> None:
        """Allow rights for a file, or for a folder and everything below it; a missing path is ignored."""
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except (OSError, ValueError):
            return
        try:
            self.allow_open(descriptor, rights)
        finally:
            os.close(descriptor)

    def allow_open(self, descriptor: int, rights: FileRights) -> None:
        """Allow rights for an open file or folder, as allow() does."""
        is_folder = os.fstat(descriptor).st_mode & 0o170000 == 0o040000
        rights &= self._files if is_folder else self._files & _FILE_ONLY
        if rights:
            rule = _Beneath(rights, descriptor)
            _check_result(_call(_ADD_RULE, self._descriptor, _PATH_BENEATH, ctypes.byref(rule), 0))

    def allow_port(self, port: int) -> None:
        """Allow connections to a TCP port, whatever the host."""
        rule = _Port(_CONNECT_TCP, port)
        _check_result(_call(_ADD_RULE, self._descriptor, _NET_PORT, ctypes.byref(rule), 0))

    def enforce(self) -> None:
        """Apply the ruleset to the calling thread and to all threads and processes that it starts from now on.

        Raises:
            OSError: The system refuses; PR_SET_NO_NEW_PRIVS must be set first.
        """
        _check_result(_call(_RESTRICT_SELF, self._descriptor, 0))


def _call(number: int, *arguments: object) -> int:
    # A null pointer must be as wide as a register.
    given = [ctypes.c_void_p(None) if one is None else one for one in arguments]
    return int(_libc().syscall(ctypes.c_long(number), *given))


def _check_result(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_FOREIGN = 0x40000000
"""First number of the x32 system calls, which the table below does not contain."""

_LOAD, _EQUAL, _FROM, _JUMP, _AND, _RETURN = 0x20, 0x15, 0x35, 0x05, 0x54, 0x06
_INSTRUCTION_SIZE = 8
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000

_SET_SECCOMP, _MODE_FILTER = 22, 2
_SET_FILTER, _KEEP_SPECULATION = 1, 4
_SECCOMP = {"x86_64": 317, "aarch64": 277}

_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_CLONE_THREAD = 0x00010000
_SOCK_STREAM, _SOCK_TYPES = 1, 0xF

# System call numbers on x86_64 and on aarch64, which lacks some.
_CALLS: dict[str, tuple[int, int | None]] = {
    "socket": (41, 198),
    "io_uring_setup": (425, 425),
    "fork": (57, None),
    "vfork": (58, None),
    "clone": (56, 220),
    "clone3": (435, 435),
    "execve": (59, 221),
    "execveat": (322, 281),
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "userfaultfd": (323, 282),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "open_by_handle_at": (304, 265),
}


class RefusedCalls(Enum):
    """Groups of system calls that a filter can refuse."""

    NETWORK = "network"
    """Sockets other than local ones, and io_uring, which could open sockets without a filtered system call."""
    SOCKETS = "sockets"
    """All sockets."""
    ALL_BUT_TCP = "all but TCP"
    """Network sockets except TCP, whose ports Landlock restricts; and io_uring."""
    ESCAPES = "escapes"
    """Leaving the process group, other namespaces, other processes' memory, and rarely used kernel interfaces."""
    PROCESSES = "processes"
    """Starting processes; starting threads stays allowed."""
    SIGNALS = "signals"
    """Signals to other processes."""


@dataclass(frozen=True, slots=True)
class _Check:
    """Rule that refuses a system call.

    Attributes:
        call: Name of the system call.
        argument: Index of the argument that is compared with values.
        values: Values of the masked argument for which the call is allowed; empty to refuse it always.
        mask: Bit mask of the argument.
        only_for: First arguments to which the rule applies; empty for all.
        code: Error code of a refused call.
    """

    call: str
    argument: int = 0
    values: tuple[int, ...] = ()
    mask: int = 0xFFFFFFFF
    only_for: tuple[int, ...] = ()
    code: int = errno.EACCES


_ESCAPES = [
    "setsid",
    "setpgid",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "pidfd_getfd",
    "unshare",
    "setns",
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "bpf",
    "perf_event_open",
    "add_key",
    "request_key",
    "keyctl",
    "userfaultfd",
    "kexec_load",
    "init_module",
    "finit_module",
    "delete_module",
    "open_by_handle_at",
    "io_uring_setup",
]


def is_known_here() -> bool:
    """Return True if this processor's system call numbers are known and the system supports seccomp filters."""
    return current().name == "linux" and _machine() in _ARCHITECTURES and os.path.exists("/proc/sys/kernel/seccomp")


def refuse(*what: RefusedCalls) -> None:
    """Refuse system calls of the calling thread and of all threads and processes that it starts from now on.

    Raises:
        OSError: The system refuses; PR_SET_NO_NEW_PRIVS must be set first.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    program = _compile_filter(what)
    code = ctypes.create_string_buffer(program, len(program))
    filter_ = ctypes.create_string_buffer(struct.pack("@HP", len(program) // _INSTRUCTION_SIZE, ctypes.addressof(code)))
    # Without _KEEP_SPECULATION, some kernels slow down every process that has a filter.
    if libc.syscall(ctypes.c_long(_SECCOMP[_machine()]), _SET_FILTER, _KEEP_SPECULATION, filter_) == 0:
        return
    if libc.prctl(_SET_SECCOMP, _MODE_FILTER, filter_, 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _machine() -> str:
    return os.uname().machine


def _compile_filter(what: Sequence[RefusedCalls]) -> bytes:
    foreign = _instruction(_RETURN, _REFUSE | errno.ENOSYS)
    start = _instruction(_LOAD, _ARCHITECTURE) + _instruction(_EQUAL, _ARCHITECTURES[_machine()], 1, 0) + foreign
    start += _instruction(_LOAD, _NUMBER) + _instruction(_FROM, _FOREIGN, 0, 1) + foreign
    return (
        start
        + b"".join(_compile_check(check) for one in what for check in _checks(one))
        + _instruction(_RETURN, _ALLOW)
    )


def _checks(what: RefusedCalls) -> Iterable[_Check]:
    own = (os.getpid(),)
    match what:
        case RefusedCalls.NETWORK:
            yield _Check("socket", 0, (_AF_UNIX, _AF_NETLINK))
            yield _Check("io_uring_setup", code=errno.EPERM)
        case RefusedCalls.ALL_BUT_TCP:
            yield _Check("socket", 0, (_AF_UNIX, _AF_NETLINK, _AF_INET, _AF_INET6))
            yield _Check("socket", 1, (_SOCK_STREAM,), mask=_SOCK_TYPES, only_for=(_AF_INET, _AF_INET6))
            yield _Check("io_uring_setup", code=errno.EPERM)
        case RefusedCalls.SOCKETS:
            yield _Check("socket")
        case RefusedCalls.ESCAPES:
            yield from (_Check(call, code=errno.EPERM) for call in _ESCAPES)
        case RefusedCalls.PROCESSES:
            yield from (_Check(call, code=errno.EPERM) for call in ("fork", "vfork", "execve", "execveat"))
            yield _Check("clone", 0, (_CLONE_THREAD,), mask=_CLONE_THREAD, code=errno.EPERM)
            # Its flags are in memory that a filter cannot read. With ENOSYS, libraries fall back to clone.
            yield _Check("clone3", code=errno.ENOSYS)
        case RefusedCalls.SIGNALS:
            yield from (_Check(call, 0, own, code=errno.EPERM) for call in ("kill", "tgkill", "rt_tgsigqueueinfo"))
            yield from (_Check(call, code=errno.EPERM) for call in ("tkill", "rt_sigqueueinfo", "pidfd_send_signal"))


def _compile_check(check: _Check) -> bytes:
    number = _CALLS[check.call][0 if _machine() == "x86_64" else 1]
    if number is None:
        return b""
    body = _instruction(_RETURN, _REFUSE | check.code)
    if check.values:
        body = _load(check.argument) + _instruction(_AND, check.mask) + _jump_past(check.values, 1) + body
    if check.only_for:
        body = _load(0) + _jump_past(check.only_for, 1) + _instruction(_JUMP, len(body) // _INSTRUCTION_SIZE) + body
    if check.values:
        body += _instruction(_LOAD, _NUMBER)
    return _instruction(_EQUAL, number, 0, len(body) // _INSTRUCTION_SIZE) + body


def _load(argument: int) -> bytes:
    """Load the lower half of an argument, which is first because of little-endian byte order."""
    return _instruction(_LOAD, _ARGUMENTS + 8 * argument)


def _jump_past(values: Sequence[int], steps: int) -> bytes:
    """Jump past the remaining comparisons and some further instructions if one of the values matches."""
    count = len(values) - 1 + steps
    return b"".join(_instruction(_EQUAL, value, count - place, 0) for place, value in enumerate(values))


def _instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("<HBBI", code, then, otherwise, value)
