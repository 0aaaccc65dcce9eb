"""What a child process may do: read these files, write to its scratch folder, start nothing, reach nobody.

    Confinement          what is asked for, by whoever starts a child
    confine_process()    what the child does with it before it sees anything from outside -> Confined
    Confined.for_call()  the thread that reads one file gives up all other files, too
    Confined.for_start() the thread that starts LibreOffice and Tesseract gives up all documents
    protection()         what of all this the system lets us do, in sentences

On Linux Landlock takes the files away and seccomp the network, new processes and signals; both work without privileges
and hold for whatever a child starts. Elsewhere there are limits only, and protection() says so. What runs in the same
process is not told apart by either: a child that machine code has taken over can use all that any of its threads may.
"""

import contextlib
import ctypes
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from workbench.language import mark
from workbench.worker import linux_sandbox
from workbench.worker.environment import keep_only_variables, select_variables, without_secrets
from workbench.worker.linux_sandbox import DEVICE, READ, RUN, SCRATCH, WRITE, FileRights, RefusedCalls, Ruleset

logger = logging.getLogger(__name__)

Stood = Mapping[Path, tuple[int, int]]
"""Places that were there at one moment, each with what tells it from another of the same name: device and inode."""

LARGEST_FILE = 2**30
"""Bytes of a file that a reader writes: LibreOffice's new file, an attachment."""
OPEN_FILES = 512
"""Descriptors of a child: a reader has 20 of them open, LibreOffice 200."""

_NO_NEW_PRIVILEGES, _SUBREAPER = 38, 36

_ROOT = Path(__file__).resolve().parents[2]

_SYSTEM = [
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/group",
    "/etc/os-release",
    "/etc/papersize",
    "/etc/libreoffice",
    "/etc/java",
    "/etc/ssl/openssl.cnf",
    "/var/cache/fontconfig",
    "/var/lib/libreoffice",
    "/var/spool/libreoffice",
]
"""Programs, libraries and fonts; of the configuration only what no secret stands in."""
_SELF = [
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/filesystems",
    "/proc/mounts",
    "/proc/version",
    "/proc/loadavg",
    "/proc/sys/kernel",
    "/proc/sys/vm",
    "/sys/devices",
    "/sys/bus",
    "/sys/class",
    "/sys/kernel/mm",
    "/sys/fs/cgroup",
]
SOCKET_FOLDERS = ("/tmp", "/var/tmp")
"""Where LibreOffice has its lock, a socket, whatever it is told. It may make sockets there, and delete nothing."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a child process may do.

    Attributes:
        reads: Files and folders that it may read beside the program's and the system's own; None for all. Of these a
            call gets those that stand among its arguments as paths.
        writes: Folders that it may write to beside its scratch folder; None for all.
        network: It may open connections.
        programs: Names of programs that it may have run for it (programs.py), and folders that these need.
        is_users: It runs code of the user's own: it may read, write and start what it likes, and its environment is
            left as it is but for what looks like a secret.
        named: Variables of the environment that it is given in any case.
        largest: Bytes of one file that it writes; None for any number.
    """

    reads: tuple[Path, ...] | None = ()
    writes: tuple[Path, ...] | None = ()
    network: bool = False
    programs: tuple[str, ...] = ()
    is_users: bool = False
    named: tuple[str, ...] = ()
    largest: int | None = LARGEST_FILE

    def stands(self) -> Stood:
        """Return which of the places that it names are there now."""
        found = ((place, _identity(place)) for place in (*(self.reads or ()), *(self.writes or ())))
        return {place: identity for place, identity in found if identity is not None}

    def may_read(self, paths: Iterable[Path], stood: Stood) -> bool:
        """Whether a child that was started like this can be given these.

        Args:
            paths: What it is to read.
            stood: What stands() was when it was started. Landlock knows folders, not their names: it cannot read in one
                that was made since, or made anew. (No number is given out again meanwhile: the child holds them open.)
        """
        if self.reads is None or not linux_sandbox.version():
            return True

        places = [(os.path.realpath(place), _identity(place) == identity) for place, identity in stood.items()]

        def is_known(path: str) -> bool:
            return any(is_same and _is_below(path, place) for place, is_same in places)

        return all(is_known(os.path.realpath(path)) for path in paths)


def is_enforced() -> bool:
    """Whether the system lets us take both files and the network from a child."""
    return linux_sandbox.version() > 0 and is_filtered()


def is_filtered() -> bool:
    """Whether the system lets us take the network from a program."""
    return linux_sandbox.is_known_here()


class Confined:
    """This process, as confine_process() left it; it takes more from single threads."""

    def __init__(self, confinement: Confinement, scratch: Path) -> None:
        self._confinement = confinement
        self._keeps_files = self._is_filtered = False
        # Opened once: each call has rules of its own, and they would be looked up for each.
        self._program = _opened([*_program_folders(), *_SYSTEM, *_folders_of(confinement.programs)])
        self._self = _opened(_SELF)
        self._proc = _opened(["/proc"])
        self._devices = _opened(_DEVICES)
        self._sockets = _opened(SOCKET_FOLDERS if confinement.programs else ())
        self._scratch = _opened([scratch])
        self._writes = _opened(confinement.writes or ())
        self._reads = _opened(confinement.reads or ())

    @property
    def by_thread(self) -> bool:
        """Whether each call is given its own files only."""
        return self._keeps_files and self._confinement.reads is not None

    def whole_process(self) -> None:
        """Take from all threads that start from now on what none of them needs, as far as the system can."""
        if linux_sandbox.version() and not self._confinement.is_users:
            with _or_without("files"):
                self._keep_files()
                self._keeps_files = True
        if is_filtered():
            with _or_without("the network"):
                escapes = () if self._confinement.is_users else (RefusedCalls.ESCAPES,)
                network = () if self._confinement.network else (RefusedCalls.NETWORK,)
                if refused := (*escapes, *network):
                    linux_sandbox.refuse(*refused)
                self._is_filtered = True

    def _keep_files(self) -> None:
        sys.dont_write_bytecode = True  # it would be refused
        with Ruleset(files=True, others=True) as rules:
            if self._confinement.reads is None:
                rules.allow("/", RUN)
            _allow(rules, self._program, RUN)
            _allow(rules, (*self._self, *self._proc, *self._reads), READ)
            _allow(rules, self._sockets, FileRights.MAKE_SOCK)
            self._allow_writing(rules)
            rules.enforce()

    def for_call(self, paths: Iterable[Path]) -> None:
        """Take from the calling thread all documents but these."""
        with Ruleset(files=True) as rules:
            _allow(rules, (*self._program, *self._self), READ)
            self._allow_writing(rules)
            for path in paths:
                rules.allow(path, READ)
            rules.enforce()

    def for_start(self) -> None:
        """Take from the calling thread, which starts programs, all documents: they get copies in the scratch folder."""
        if not self.by_thread:
            return
        with Ruleset(files=True) as rules:
            _allow(rules, self._program, RUN)
            _allow(rules, (*self._self, *self._proc), READ)
            _allow(rules, self._sockets, FileRights.MAKE_SOCK)
            self._allow_writing(rules)
            rules.enforce()

    def no_processes(self) -> None:
        """Take from the calling thread, and those that it starts, the right to start processes and to speak to any."""
        if self._is_filtered and not self._confinement.is_users:
            sockets = () if self._confinement.network else (RefusedCalls.SOCKETS,)
            linux_sandbox.refuse(RefusedCalls.PROCESSES, RefusedCalls.SIGNALS, *sockets)

    def _allow_writing(self, rules: Ruleset) -> None:
        _allow(rules, self._devices, DEVICE)
        _allow(rules, self._scratch, SCRATCH)
        _allow(rules, self._writes, READ | WRITE)
        if self._confinement.writes is None:
            rules.allow("/", WRITE)


def confine_process(confinement: Confinement, scratch: Path) -> Confined:
    """Give up what the confinement does not ask for; to be called by a child on its first thread, before any other.

    Where the system cannot do a part of it, the rest holds nevertheless.
    """
    environment = without_secrets if confinement.is_users else select_variables
    keep_only_variables(environment(os.environ, confinement.named))
    os.environ["TMPDIR"] = tempfile.tempdir = str(scratch)
    _limit_files(confinement)
    confined = Confined(confinement, scratch)
    if sys.platform != "linux":
        return confined
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.prctl(_SUBREAPER, 1, 0, 0, 0)
    confined.whole_process()
    return confined


@contextmanager
def _or_without(what: str) -> Iterator[None]:
    """Go on where a system that should know of it refuses to take something away; it is written down."""
    try:
        yield
    except OSError as error:
        logger.warning("A child process goes on with %s: %s", what, error.strerror)


def without_network(command: Sequence[str], *, port: int | None = None) -> tuple[str, ...] | None:
    """Return the command that runs a command, and whatever that starts, without the network.

    Programs of this machine are still reached by sockets that have no address on a network.

    Args:
        command: A program and its arguments.
        port: Connections by TCP to this port stay possible, whatever the host: that of a proxy of ours.

    Returns:
        The longer command, which takes 30 ms to become the other; None where the system cannot do this.
    """
    is_possible = (
        is_filtered() if port is None else is_filtered() and linux_sandbox.version() >= linux_sandbox.PORTS_SINCE
    )
    if not is_possible or getattr(sys, "frozen", False):  # the executable is the program itself then
        return None
    start = (
        f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from workbench.worker.confined_start import main;"
        " main(sys.argv[1:])"
    )
    return (sys.executable, "-I", "-S", "-c", start, "-" if port is None else str(port), *command)


def give_up_network(*, port: int | None = None) -> None:
    """Take the network from this process and all that it starts.

    Args:
        port: Connections by TCP to this port stay possible, whatever the host: that of a proxy of ours.

    Raises:
        OSError: The system refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if port is None:
        linux_sandbox.refuse(RefusedCalls.NETWORK)
        return
    with Ruleset(ports=True) as rules:
        rules.allow_port(port)
        rules.enforce()
    linux_sandbox.refuse(RefusedCalls.ALL_BUT_TCP)


def _limit_files(confinement: Confinement) -> None:
    """No dumps of memory, and no more files, nor larger ones, than there is a reason for."""
    if sys.platform == "win32":
        return
    import resource  # absent on Windows

    # One byte, not none: with none, Linux still hands the whole memory to a program that collects dumps.
    limits = [(resource.RLIMIT_CORE, 1)]
    if not confinement.is_users:
        limits.append((resource.RLIMIT_NOFILE, OPEN_FILES))
    if confinement.largest is not None and not confinement.is_users:
        limits.append((resource.RLIMIT_FSIZE, confinement.largest))
    for kind, most in limits:
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))


@cache
def _program_folders() -> tuple[str, ...]:
    """Return the folders that Python and the program are in: where modules can be imported from, but no home folder."""
    given = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.executable, _ROOT / "workbench", _ROOT / "resources"]
    # Where modules lie of whoever uses the program from Python; what holds everything else, too, is no such place.
    others = [os.path.realpath(os.path.expanduser("~")), os.path.realpath(tempfile.gettempdir())]
    imported = map(os.path.realpath, filter(None, sys.path))
    more = [path for path in imported if not any(_is_below(other, path) for other in others)]
    frozen = getattr(sys, "_MEIPASS", None)
    return tuple([*map(str, given), *more, *filter(None, [frozen])])


def _folders_of(programs: Iterable[str]) -> Iterable[str]:
    """Yield where programs lie that are not among the system's, with what belongs to them: /opt/x/bin/x -> /opt/x."""
    home = os.path.realpath(os.path.expanduser("~"))
    for program in programs:
        found = program if os.path.isdir(program) else shutil.which(program)
        if found is not None:
            real = os.path.realpath(found)
            around = os.path.dirname(os.path.dirname(real))
            yield from (folder for folder in (found, real, around) if not _is_below(home, folder))


def _identity(place: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(place)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _opened(paths: Iterable[str | Path]) -> tuple[int, ...]:
    """Return descriptors of what is there of the paths; what lies below another of them is covered by that."""
    if linux_sandbox.version() == 0:
        return ()
    tops: list[str] = []
    for path in sorted({os.path.realpath(path) for path in paths}):
        if not tops or not _is_below(path, tops[-1]):
            tops.append(path)
    found = []
    for top in tops:
        with contextlib.suppress(OSError, ValueError):
            found.append(os.open(top, os.O_PATH | os.O_CLOEXEC))
    return tuple(found)


def _allow(rules: Ruleset, descriptors: Iterable[int], rights: FileRights) -> None:
    for descriptor in descriptors:
        rules.allow_open(descriptor, rights)


@dataclass(frozen=True, slots=True)
class Protection:
    """What the system lets us do about the programs that read documents.

    Attributes:
        sentence: What holds.
        missing: Why no more does; empty where nothing is missing.
    """

    sentence: str
    missing: str = ""


def protection() -> Protection:
    """Return what holds here for the processes that read documents."""
    if is_enforced():
        return Protection(
            mark(
                "Files are read in processes of their own: no network, no writing outside of their scratch folder, no"
                " other documents, no programs but LibreOffice and Tesseract, with limits on time, memory, files and"
                " what comes back."
            )
        )
    no_landlock = mark("This kernel keeps no files from a process: Landlock is absent or switched off.")
    if is_filtered():
        most = mark(
            "Files are read in processes of their own: no network and no programs but LibreOffice and Tesseract, with"
            " limits on time, memory, files and what comes back."
        )
        return Protection(most, no_landlock)
    limits = mark("Files are read in processes of their own, with limits on time, memory, files and what comes back.")
    if sys.platform != "linux":
        return Protection(limits, mark("This system lets no program take the network or files from a part of itself."))
    return Protection(limits, mark("This kernel, or this processor, has no filter of system calls (seccomp) for us."))
