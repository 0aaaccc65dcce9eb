"""Actions of a parser process that a hostile file has taken over; each runs in a child process."""

import contextlib
import os
import pickle
import socket
import struct
import subprocess
import tempfile
import threading
from pathlib import Path

from workbench.worker.programs import run_program


def connect(port: int) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(b"the secret")
    return "sent"


def send_datagram(port: int) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        datagrams.sendto(b"the secret", ("127.0.0.1", port))
    return "sent"


def read(_given: Path, place: str) -> str:
    return Path(place).read_text()


def names_in(place: str) -> list[str]:
    return os.listdir(place)


def write(place: str) -> str:
    Path(place).write_text("was here")
    return "written"


def write_to_scratch(size: int) -> int:
    file = Path(tempfile.gettempdir(), "large")
    with file.open("wb") as opened:
        for _ in range(size >> 20):
            opened.write(bytes(2**20))
    return file.stat().st_size


def fill_scratch(forever: bool) -> int:
    count = 0
    while forever or count < 100:
        Path(tempfile.gettempdir(), f"piece{count}").write_bytes(bytes(2**20))
        count += 1
    return count


def scratch() -> tuple[str, list[str]]:
    return tempfile.gettempdir(), os.listdir(tempfile.gettempdir())


def fork() -> int:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def start_program() -> int:
    return subprocess.run(["/bin/true"], check=False).returncode


def start_threads(count: int) -> int:
    done: list[int] = []
    threads = [threading.Thread(target=done.append, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(done)


def signal_parent() -> None:
    os.kill(os.getppid(), 0)


def leave_group() -> None:
    os.setsid()


def environment() -> dict[str, str]:
    return dict(os.environ)


def first_environment() -> bytes:
    return Path("/proc/self/environ").read_bytes()


def say(size: int) -> bytes:
    return bytes(size)


def claim(size: int) -> None:
    """Write the beginning of an answer of the given length to every pipe and socket."""
    _write_everywhere(struct.pack("!i", -1) + struct.pack("!Q", size))


def answer_with(file: str) -> None:
    """Write an answer to every pipe and socket that runs a command if it is unpickled without checks."""

    class Command:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.system, (f"touch '{file}'",)

    data = pickle.dumps((True, Command()))
    _write_everywhere(struct.pack("!i", len(data)) + data)


def _write_everywhere(data: bytes) -> None:
    # Not only up to 255: a child inherits its parent's descriptor numbers, which are higher after thousands of tests.
    for descriptor in (number for number in map(int, os.listdir("/proc/self/fd")) if number > 2):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/self/fd/{descriptor}").startswith(("socket:", "pipe:")):
                os.set_blocking(descriptor, False)
                os.write(descriptor, data)
    threading.Event().wait()


def multiply() -> None:
    while True:
        os.fork()


def hang() -> None:
    threading.Event().wait()


def gobble() -> int:
    return len([bytearray(b"x" * 2**20) for _ in range(4000)])


def end() -> None:
    os._exit(3)


def run_script(script: str, seconds: float) -> tuple[int, str, str]:
    with tempfile.TemporaryDirectory() as folder:
        ran = run_program(["/bin/sh", "-c", script], Path(folder), seconds=seconds)
    return ran.code, ran.output.decode(), ran.errors.decode()
