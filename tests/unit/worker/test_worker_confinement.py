"""A parser process that a hostile file has taken over: its attempts fail, and only that call fails."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hostile_calls
import psutil
import pytest

from workbench.__main__ import run
from workbench.worker import child, linux_sandbox, processes
from workbench.worker.confinement import (
    CONFINED_START,
    Confinement,
    is_enforced,
    is_filtered,
    protection,
    without_network,
)
from workbench.worker.processes import (
    ProcessCrashed,
    ProcessFilledDisk,
    ProcessForked,
    ProcessOutputTooLarge,
    ProcessPool,
    ProcessTimedOut,
)

filtered = pytest.mark.skipif(not is_filtered(), reason="this system has no seccomp")
enforced = pytest.mark.skipif(not is_enforced(), reason="this system has no Landlock or no seccomp")
ENTER = "import sys, socket; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5).send(b'x'); print('sent')"


class Reader:
    """Pool like the library's, with the rights for a folder of documents."""

    def __init__(self, documents: Path) -> None:
        self.rights = Confinement(reads=(documents,), programs=("sh",))
        self.pool = ProcessPool(1, confined=lambda: self.rights)

    def __call__(self, function: Callable[..., Any], *args: Any, seconds: float = 30.0) -> Any:
        return asyncio.run(self.pool.run(function, *args, seconds=seconds, megabytes=512))

    def restart(self, rights: Confinement) -> None:
        """Continue with a process that has other rights."""
        self.rights = rights
        self.pool.rest()

    def still_works(self) -> bool:
        return bool(self(hostile_calls.say, 3) == bytes(3))


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("user") / "documents"
    folder.mkdir()
    (folder / "letter.txt").write_text("Dear Ada")
    (folder / "diary.txt").write_text("private")
    (folder.parent / "key").write_text("secret")
    return folder


@pytest.fixture(scope="module")
def _reader(documents: Path) -> Iterator[Reader]:
    """Yield one reader for all tests: starting a process takes 0.3 s."""
    reader = Reader(documents)
    reader(hostile_calls.say, 1)
    yield reader
    reader.pool.close()


@pytest.fixture
def reader(_reader: Reader, documents: Path) -> Reader:
    """Return the reader, restarted if the previous test changed it."""
    rights = Confinement(reads=(documents,), programs=("sh",))
    if _reader.rights != rights:
        _reader.restart(rights)
    return _reader


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield listener


def was_reached(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@filtered
def test_a_parser_process_cannot_connect_to_the_network(reader: Reader, listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    for attempt in (hostile_calls.connect, hostile_calls.send_datagram):
        with pytest.raises(PermissionError):
            reader(attempt, port)
    assert not was_reached(listener)
    assert reader.still_works()


@enforced
def test_it_reads_the_file_it_was_given_and_no_other(reader: Reader, documents: Path) -> None:
    given = documents / "letter.txt"
    assert reader(hostile_calls.read, given, str(given)) == "Dear Ada"
    for other in (documents / "diary.txt", documents.parent / "key", "/etc/shadow", f"/proc/{os.getpid()}/environ"):
        with pytest.raises(PermissionError):
            reader(hostile_calls.read, given, str(other))
    for folder in (documents, Path.home(), "/proc"):
        with pytest.raises(PermissionError):
            reader(hostile_calls.names_in, str(folder))


@enforced
def test_it_writes_to_its_scratch_folder_only(reader: Reader, documents: Path, tmp_path: Path) -> None:
    for place in (tmp_path / "new", documents / "letter.txt", Path.home() / "workbench-was-here", "/dev/shm/was-here"):
        with pytest.raises(PermissionError):
            reader(hostile_calls.write, str(place))
    assert (documents / "letter.txt").read_text() == "Dear Ada"
    folder, _ = reader(hostile_calls.scratch)
    assert reader(hostile_calls.write, f"{folder}/new") == "written"


@filtered
@pytest.mark.parametrize("attempt", [hostile_calls.fork, hostile_calls.start_program, hostile_calls.leave_group])
def test_it_starts_nothing(reader: Reader, attempt: Callable[[], object]) -> None:
    with pytest.raises(PermissionError):
        reader(attempt)
    assert reader(hostile_calls.start_threads, 8) == 8


@filtered
def test_a_parser_process_cannot_send_signals_to_other_processes(reader: Reader) -> None:
    with pytest.raises(PermissionError):
        reader(hostile_calls.signal_parent)


def test_it_sees_no_key(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-123456")
    monkeypatch.setenv("SOME_SERVICE", "sk-canary-123456")
    reader.restart(reader.rights)
    assert not {"OPENAI_API_KEY", "SOME_SERVICE"} & reader(hostile_calls.environment).keys()
    if sys.platform == "linux":
        assert b"canary" not in reader(hostile_calls.first_environment)


def test_a_variable_that_is_named_is_handed_on(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINUTES_KEY", "sk-wanted-123456")
    reader.restart(Confinement(is_users=True, named=("MINUTES_KEY",)))
    assert reader(hostile_calls.environment)["MINUTES_KEY"] == "sk-wanted-123456"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_file_that_grows_without_end_is_cut_off(reader: Reader) -> None:
    reader.restart(Confinement(largest=2**20))
    with pytest.raises(OSError, match="File too large"):
        reader(hostile_calls.write_to_scratch, 3 * 2**20)


def test_files_that_fill_the_disk_end_the_call(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MOST_WRITTEN", 8 * 2**20)
    with pytest.raises(ProcessFilledDisk):
        reader(hostile_calls.fill_scratch, True)
    assert reader.still_works()


def test_data_left_by_one_call_is_not_visible_to_the_next(reader: Reader) -> None:
    reader(hostile_calls.write_to_scratch, 2**20)
    folder, left = reader(hostile_calls.scratch)
    assert left == []
    reader.pool.rest()
    assert not Path(folder).exists()


def test_an_answer_that_is_too_large_is_not_taken(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MOST_BYTES", 1000)
    with pytest.raises(ProcessOutputTooLarge):
        reader(hostile_calls.say, 10_000)
    assert reader.still_works()


@filtered
def test_an_answer_that_claims_ten_gigabytes_is_not_taken(reader: Reader) -> None:
    with pytest.raises(ProcessOutputTooLarge):
        reader(hostile_calls.claim, 10 * 2**30)
    assert reader.still_works()


@filtered
@pytest.mark.logs_warnings
def test_an_answer_that_would_run_a_command_runs_none(reader: Reader, tmp_path: Path) -> None:
    with pytest.raises(ProcessCrashed):
        reader(hostile_calls.answer_with, str(tmp_path / "ran"))
    assert not (tmp_path / "ran").exists()
    assert reader.still_works()


@enforced
def test_programs_that_are_run_for_it_are_as_confined(reader: Reader, documents: Path, tmp_path: Path) -> None:
    script = f"cat {documents}/letter.txt; cat {documents.parent}/key; echo x > {tmp_path}/new; pwd"
    code, said, complained = reader(hostile_calls.run_script, script, 20.0)
    assert code == 0
    assert complained.count("Permission denied") == 3
    assert "secret" not in said
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_programs_go_with_the_call_that_had_them_run(reader: Reader) -> None:
    folder, _ = reader(hostile_calls.scratch)
    before = set(psutil.pids())
    with pytest.raises(ProcessTimedOut):
        reader(hostile_calls.run_script, "(sleep 600 & sleep 600) & sleep 600", 300.0, seconds=1.0)
    left = [
        one for one in psutil.process_iter(["cmdline"]) if one.pid not in before and "600" in str(one.info["cmdline"])
    ]
    assert left == []
    assert not Path(folder).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_a_call_that_waits_for_a_program_at_work_is_not_idle(reader: Reader) -> None:
    step = "n=0; while [ $n -lt 20000 ]; do n=$((n+1)); done; sleep 0.4"
    work = reader.pool.run(
        hostile_calls.run_script,
        f"for i in 1 2 3 4 5 6; do {step}; done",
        60.0,
        seconds=1.5,
        megabytes=512,
        patience=40,
    )
    assert asyncio.run(work)[0] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_a_program_that_starts_one_after_the_other_is_ended(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MOST_PROCESSES", 4)
    with pytest.raises(ProcessForked):
        reader(hostile_calls.run_script, "for i in 1 2 3 4 5 6; do sleep 600 & done; wait", 300.0)
    assert reader.still_works()


def test_a_folder_that_came_later_is_read_by_a_new_child(reader: Reader, tmp_path: Path) -> None:
    reader(hostile_calls.scratch)
    later = tmp_path / "later"
    later.mkdir()
    (later / "b.txt").write_text("new")
    assert reader(hostile_calls.read, later / "b.txt", str(later / "b.txt")) == "new"


@pytest.mark.parametrize("made_before", [False, True])
def test_a_folder_that_was_named_but_made_later_is_read_by_a_new_child(
    reader: Reader, tmp_path: Path, made_before: bool
) -> None:
    place = tmp_path / "originals"
    if made_before:
        place.mkdir()
    reader.restart(Confinement(reads=(place,)))
    assert reader.still_works()
    if made_before:
        place.rmdir()
    place.mkdir()
    (place / "letter.txt").write_text("Dear Ada")
    assert reader(hostile_calls.read, place / "letter.txt", str(place / "letter.txt")) == "Dear Ada"


@filtered
def test_a_program_started_without_the_network_cannot_connect(listener: socket.socket) -> None:
    command = without_network([sys.executable, "-c", ENTER, str(listener.getsockname()[1])])
    assert command is not None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "PermissionError" in done.stderr
    assert not was_reached(listener)


@filtered
def test_a_frozen_program_starts_a_program_without_the_network_by_its_own_executable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    command = without_network(["server", "--quiet"])
    assert command == (sys.executable, CONFINED_START, "-", "server", "--quiet")
    given: list[Any] = []

    def main(arguments: list[str]) -> None:
        given.extend([*arguments, os.environ["LD_LIBRARY_PATH"]])

    monkeypatch.setattr(sys, "argv", list(command))
    monkeypatch.setattr("workbench.worker.confined_start.main", main)
    monkeypatch.setattr("workbench.cli.main", lambda: 0)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/workbench")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/opt/own")
    assert run() == 0
    assert given == ["-", "server", "--quiet", "/opt/own"]


@pytest.mark.skipif(without_network(["x"], port=1) is None, reason="this system cannot watch ports")
def test_a_program_may_be_left_one_port(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    for open_port, is_reached in ((port, True), (port + 1 if port < 65535 else 1, False)):
        command = without_network([sys.executable, "-c", ENTER, str(port)], port=open_port)
        assert command is not None
        subprocess.run(command, capture_output=True, check=False)
        assert was_reached(listener) is is_reached


def test_protection_that_the_system_lacks_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux_sandbox, "version", lambda: 0)
    found = protection()
    assert "no other documents" not in found.sentence
    assert found.sentence.endswith(".")
    assert found.missing.endswith(".")


@enforced
def test_where_the_system_can_do_everything_nothing_is_missing() -> None:
    assert "no network" in protection().sentence
    assert protection().missing == ""
