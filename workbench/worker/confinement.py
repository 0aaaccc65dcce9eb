"""Sandbox of a child process: files, network, programs, resource limits.

    Confinement          permissions that the parent chooses for a child
    confine_process()    applies them in the child before it receives any call -> Confined
    Confined.for_call()  restricts the thread that reads one file to that file
    Confined.for_start() denies all documents to the thread that starts LibreOffice and Tesseract
    protection()         describes for people how much of this the system supports

On Linux, Landlock restricts files, and seccomp the network, new processes and signals. Both work without privileges and
are inherited by processes that a child starts. On other systems there are only resource limits, as protection() states.
Threads of one process are not isolated from each other: an attacker who executes machine code in a child has the
permissions of all its threads.
"""

import contextlib
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
from workbench.system import current
from workbench.worker import linux_sandbox
from workbench.worker.environment import keep_only_variables, select_variables, without_secrets
from workbench.worker.linux_sandbox import DEVICE, READ, RUN, SCRATCH, WRITE, FileRights, RefusedCalls, Ruleset

logger = logging.getLogger(__name__)

PlaceIdentities = Mapping[Path, tuple[int, int]]
"""Paths that existed at some time, each with device and inode, to detect another file of the same name."""

LARGEST_FILE = 2**30
"""Maximum bytes of a file that a parser process writes: LibreOffice's output, an attachment."""
OPEN_FILES = 512
"""Maximum number of file descriptors of a child: a parser process has 20 of them open, LibreOffice 200."""

CONFINED_START = "--confined-start"
"""First argument with which the frozen program, which has no Python beside it, runs confined_start.py."""

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
"""Programs, libraries and fonts; of the configuration only files without secrets."""
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
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


@dataclass(frozen=True, slots=True)
class Confinement:
    """Permissions of a child process.

    Attributes:
        reads: Files and folders that it may read in addition to those of the program and the system; None for all. A
            call may read only those of them that are among its arguments as paths.
        writes: Folders that it may write to in addition to its scratch folder; None for all.
        network: True if it may open connections.
        programs: Names of programs that may be run for it (programs.py), and folders that these need.
        is_users: True if it runs the user's own code, which may read, write and start anything; then only variables
            that look like secrets are removed from its environment.
        named: Environment variables that it always receives.
        largest: Maximum bytes of one file that it writes; None for any size.
    """

    reads: tuple[Path, ...] | None = ()
    writes: tuple[Path, ...] | None = ()
    network: bool = False
    programs: tuple[str, ...] = ()
    is_users: bool = False
    named: tuple[str, ...] = ()
    largest: int | None = LARGEST_FILE

    def existing_places(self) -> PlaceIdentities:
        """Return the permitted paths that exist now, with their device and inode."""
        found = ((place, _identity(place)) for place in (*(self.reads or ()), *(self.writes or ())))
        return {place: identity for place, identity in found if identity is not None}

    def may_read(self, paths: Iterable[Path], identities: PlaceIdentities) -> bool:
        """Return True if a child that was started with these permissions can read the paths.

        Args:
            paths: The paths to read.
            identities: Result of existing_places() when the child was started. Landlock rules apply to inodes, not to
                names, so the child cannot read a folder that was created or recreated since. (Inode numbers are not
                reused meanwhile, because the child holds the folders open.)
        """
        if self.reads is None or not linux_sandbox.version():
            return True

        places = [(os.path.realpath(place), _identity(place) == identity) for place, identity in identities.items()]

        def is_known(path: str) -> bool:
            return any(is_same and _is_below(path, place) for place, is_same in places)

        return all(is_known(os.path.realpath(path)) for path in paths)


def is_enforced() -> bool:
    """Return True if the system can restrict both files and network of a child."""
    return linux_sandbox.version() > 0 and is_filtered()


def is_filtered() -> bool:
    """Return True if the system can restrict the network of a program."""
    return linux_sandbox.is_known_here()


class Confined:
    """Sandbox of this process after confine_process(), with further restrictions for single threads."""

    def __init__(self, confinement: Confinement, scratch: Path) -> None:
        self._confinement = confinement
        self._restricts_files = self._is_filtered = False
        # Opened once, because each call has its own ruleset and would have to look up all paths again.
        self._program = _open_paths([*_program_folders(), *_SYSTEM, *_folders_of(confinement.programs)])
        self._self = _open_paths(_SELF)
        self._proc = _open_paths(["/proc"])
        self._devices = _open_paths(_DEVICES)
        self._sockets = _open_paths(current().socket_folders if confinement.programs else ())
        self._scratch = _open_paths([scratch])
        self._writes = _open_paths(confinement.writes or ())
        self._reads = _open_paths(confinement.reads or ())

    @property
    def by_thread(self) -> bool:
        """True if each call runs on a thread that can read only its own files."""
        return self._restricts_files and self._confinement.reads is not None

    def whole_process(self) -> None:
        """Restrict all threads that start from now on, as far as the system supports it."""
        if linux_sandbox.version() and not self._confinement.is_users:
            with _log_refusal("files"):
                self._restrict_files()
                self._restricts_files = True
        if is_filtered():
            with _log_refusal("the network"):
                escapes = () if self._confinement.is_users else (RefusedCalls.ESCAPES,)
                network = () if self._confinement.network else (RefusedCalls.NETWORK,)
                if refused := (*escapes, *network):
                    linux_sandbox.refuse(*refused)
                self._is_filtered = True

    def _restrict_files(self) -> None:
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
        """Deny the calling thread all documents except these."""
        with Ruleset(files=True) as rules:
            _allow(rules, (*self._program, *self._self), READ)
            self._allow_writing(rules)
            for path in paths:
                rules.allow(path, READ)
            rules.enforce()

    def for_start(self) -> None:
        """Deny all documents to the calling thread, which starts programs; these get copies in the scratch folder."""
        if not self.by_thread:
            return
        with Ruleset(files=True) as rules:
            _allow(rules, self._program, RUN)
            _allow(rules, (*self._self, *self._proc), READ)
            _allow(rules, self._sockets, FileRights.MAKE_SOCK)
            self._allow_writing(rules)
            rules.enforce()

    def no_processes(self) -> None:
        """Deny the calling thread, and threads that it starts, new processes, signals and, without network, sockets."""
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
    """Apply the confinement to this process; a child calls it on its first thread before it starts any other.

    If the system does not support a part of it, the rest is applied nevertheless.
    """
    environment = without_secrets if confinement.is_users else select_variables
    keep_only_variables(environment(os.environ, confinement.named))
    os.environ["TMPDIR"] = tempfile.tempdir = str(scratch)
    _limit_files(confinement)
    confined = Confined(confinement, scratch)
    current().give_up_privileges()
    current().adopt_orphans()
    confined.whole_process()
    return confined


@contextmanager
def _log_refusal(what: str) -> Iterator[None]:
    """Log and suppress the OSError of a system that should support a restriction but refuses it."""
    try:
        yield
    except OSError as error:
        logger.warning("A child process goes on with %s: %s", what, error.strerror)


def without_network(command: Sequence[str], *, port: int | None = None) -> tuple[str, ...] | None:
    """Return a command that runs another command, and all that it starts, without network.

    Local sockets without a network address (Unix domain sockets) still work.

    Args:
        command: A program and its arguments.
        port: TCP port to which connections stay possible, whatever the host: that of our proxy.

    Returns:
        The longer command, which adds 30 ms to the start; None if the system does not support this.
    """
    is_possible = (
        is_filtered() if port is None else is_filtered() and linux_sandbox.version() >= linux_sandbox.PORTS_SINCE
    )
    if not is_possible:
        return None
    given = ("-" if port is None else str(port), *command)
    if getattr(sys, "frozen", False):
        return (sys.executable, CONFINED_START, *given)
    start = (
        f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from workbench.worker.confined_start import main;"
        " main(sys.argv[1:])"
    )
    return (sys.executable, "-I", "-S", "-c", start, *given)


def give_up_network(*, port: int | None = None) -> None:
    """Deny the network to this process and all processes that it starts.

    Args:
        port: TCP port to which connections stay possible, whatever the host: that of our proxy.

    Raises:
        OSError: The system refuses.
    """
    current().give_up_privileges()
    if port is None:
        linux_sandbox.refuse(RefusedCalls.NETWORK)
        return
    with Ruleset(ports=True) as rules:
        rules.allow_port(port)
        rules.enforce()
    linux_sandbox.refuse(RefusedCalls.ALL_BUT_TCP)


def _limit_files(confinement: Confinement) -> None:
    """Disable core dumps and limit the number and size of files."""
    is_users = confinement.is_users
    current().limit_files(
        open_files=None if is_users else OPEN_FILES, largest=None if is_users else confinement.largest
    )


@cache
def _program_folders() -> tuple[str, ...]:
    """Return the folders of Python and the program, and those of sys.path that do not contain the home folder."""
    given = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.executable, _ROOT / "workbench", _ROOT / "resources"]
    # Scripts that import the program may have modules elsewhere; a folder that contains the home or temporary folder
    # is left out.
    others = [os.path.realpath(os.path.expanduser("~")), os.path.realpath(tempfile.gettempdir())]
    imported = map(os.path.realpath, filter(None, sys.path))
    more = [path for path in imported if not any(_is_below(other, path) for other in others)]
    frozen = getattr(sys, "_MEIPASS", None)
    return tuple([*map(str, given), *more, *filter(None, [frozen])])


def _folders_of(programs: Iterable[str]) -> Iterable[str]:
    """Yield the paths of programs and of the folders that belong to them: /opt/x/bin/x -> /opt/x."""
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


def _open_paths(paths: Iterable[str | Path]) -> tuple[int, ...]:
    """Return descriptors of the existing paths, except those below another of the paths."""
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
    """Description of the sandbox of the processes that read documents.

    Attributes:
        sentence: The protection in effect.
        missing: Reason for missing protection; empty if nothing is missing.
    """

    sentence: str
    missing: str = ""


_MISSING = mark("This system does not let a program restrict the network or the files of its own processes.")
_MISSING_ELSEWHERE = {
    "windows": mark(
        "Windows cannot restrict their access to the network or to your files. A job object limits their memory and"
        " ends them with the program; the size of what they write is only watched."
    ),
    "macos": mark(
        "macOS cannot restrict their access to the network or to your files. Their memory is watched and not"
        " limited; they end by themselves when the program ends."
    ),
}
"""Name of a system -> what does not protect the readers there."""


def protection() -> Protection:
    """Return the protection in effect for the processes that read documents."""
    if is_enforced():
        return Protection(
            mark(
                "Files are read in separate processes: no network, no writing outside their temporary folder, no"
                " access to other documents, no programs except LibreOffice and Tesseract, and limits on time, memory,"
                " files and output."
            )
        )
    no_landlock = mark("This kernel cannot restrict the files of a process: Landlock is absent or switched off.")
    if is_filtered():
        most = mark(
            "Files are read in separate processes: no network, no programs except LibreOffice and Tesseract, and"
            " limits on time, memory, files and output."
        )
        return Protection(most, no_landlock)
    limits = mark("Files are read in separate processes with limits on time, memory, files and output.")
    if current().name != "linux":
        return Protection(limits, _MISSING_ELSEWHERE.get(current().name, _MISSING))
    return Protection(limits, mark("This kernel or processor has no filter for system calls (seccomp)."))
