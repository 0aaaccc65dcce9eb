"""Bad input through the real command line: one clear sentence with a remedy, and nothing is lost."""

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from ctrl_c import children_take_ctrl_c

from workbench import operations
from workbench.cli import main
from workbench.embedding.base import Embedder
from workbench.model.import_progress import FileFinished
from workbench.operations import Library
from workbench.worker.job import JobContext

COMMAND = [sys.executable, "-m", "workbench", "--json", "--library"]
SHORT = 32
"""Tokens of a short chunk, the least that the settings allow."""
NOTE = "# Harbour\n\nThe harbour of Lindhamn froze in 1987. The ferry Aurora stayed in port for nine days.\n"


@dataclass
class Result:
    """Output and exit status of a command."""

    status: int
    lines: list[dict[str, Any]]
    errors: str

    @property
    def sentence(self) -> str:
        """Return the one sentence of a failed command, which is equal on stderr and in the record."""
        (record,) = self.lines
        assert self.errors.strip() == f"{record['error']} {record['hint']}".strip()
        assert record["hint"].endswith(".")
        assert self.status == 1
        return str(record["error"])


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], embedder: Embedder, monkeypatch: Any, warm_readers: None
) -> Any:
    """Run a command on a library in this process."""
    monkeypatch.setattr("workbench.operations.library.models.SearchModels.embedder", lambda _models: embedder)

    own = tmp_path / "library"

    def run(*arguments: object, library: Path = own) -> Result:
        if library == own and not own.exists():
            Library.open(own).close()
        capsys.readouterr()
        status = main(["--library", str(library), "--json", *map(str, arguments)])
        captured = capsys.readouterr()
        return Result(status, [json.loads(line) for line in captured.out.split("\n") if line], captured.err)

    return run


@pytest.fixture(scope="module")
def note(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("notes") / "harbour.md"
    path.write_text(NOTE, "utf-8")
    return path


@pytest.fixture(scope="module")
def filled(note: Path, tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Path:
    folder = tmp_path_factory.mktemp("filled") / "library"
    library = Library.open(folder, embedder=embedder)
    try:
        (file,) = asyncio.run(_add(library, note))
    finally:
        library.close()
    assert file.outcome == "ready"
    return folder


async def _add(library: Library, path: Path) -> list[FileFinished]:
    return await operations.add_documents(library, [path])(JobContext())


@pytest.fixture
def added(filled: Path, tmp_path: Path) -> Path:
    """Return a library with one document: a copy, because creating one starts two processes."""
    return Path(shutil.copytree(filled, tmp_path / "library"))


# The library.


def test_a_library_path_that_is_a_file_is_reported(run: Any, note: Path) -> None:
    assert "it is a file" in run("list", library=note).sentence
    assert note.read_text("utf-8") == NOTE


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null/library", "y" * 300])
def test_a_library_that_cannot_be_created_is_reported(run: Any, place: str) -> None:
    assert "cannot be written" in run("note", "Words.", library=Path(place)).sentence


def test_a_library_of_a_newer_version_is_left_as_it_is(run: Any, added: Path) -> None:
    file = added / "library.sqlite3"
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    before = file.read_bytes()
    assert "later version" in run("list").sentence
    assert file.read_bytes() == before


@pytest.mark.parametrize("damage", ["garbage", "truncated", "another program's"])
def test_a_damaged_database_is_reported(run: Any, added: Path, damage: str) -> None:
    file = added / "library.sqlite3"
    if damage == "garbage":
        file.write_bytes(b"not a database at all " * 1000)
    elif damage == "truncated":
        os.truncate(file, file.stat().st_size // 2)
    else:
        file.unlink()
        with sqlite3.connect(file) as connection:
            connection.execute("CREATE TABLE theirs (a)")
        connection.close()
    said = run("list").sentence
    assert "damaged" in said or "not a library" in said


@pytest.mark.parametrize("fault", ["truncated", "deleted", "garbage"])
def test_e29_a_lost_index_file_is_made_again_silently(run: Any, added: Path, fault: str) -> None:
    (file,) = (added / "index").glob("*/*.vectors")
    if fault == "truncated":
        os.truncate(file, file.stat().st_size // 2)
    elif fault == "deleted":
        file.unlink()
    else:
        file.write_bytes(os.urandom(5000))
    result = run("search", "Which ferry stayed in port?", "--mode", "dense")
    assert (result.status, result.errors) == (0, "")
    assert result.lines[0]["hits"][0]["text"].count("Aurora") == 1


def test_lost_originals_do_not_break_search_and_are_restored_by_adding_the_file_again(
    run: Any, added: Path, note: Path
) -> None:
    for path in sorted((added / "originals").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    assert run("search", "ferry").lines[0]["hits"]
    (again,) = run("add", note).lines
    assert again["status"] == "unchanged"
    assert [path.name for path in (added / "originals").rglob("*") if path.is_file()] == ["harbour.md"]


def test_a_lock_is_held_by_a_living_program_only(run: Any, added: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from workbench.operations import Library;"
        " Library.open(Path(sys.argv[1])); print('open', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(added)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert f"(process {other.pid})" in run("note", "Words.").sentence
        other.send_signal(signal.SIGKILL)
        other.wait()
    assert len(run("list").lines) == 1


@contextmanager
def _small_disk(place: Path, kilobytes: int) -> Iterator[Path]:
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("may not mount a small disk here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
def test_a_full_disk_loses_nothing_that_was_acknowledged(run: Any, tmp_path: Path, note: Path, many: Path) -> None:
    # 4.1 MB at rest; the write-ahead log grows to 4.5 MB before it is written back.
    with _small_disk(tmp_path / "disk", 16_000) as disk:
        assert run("add", note, library=disk).status == 0
        free = shutil.disk_usage(disk).free
        (disk / "filler").write_bytes(b"x" * (free - 250_000))
        result = run("add", many, library=disk)
        *files, error = result.lines
        assert error["kind"] in ("DiskFull", "LibraryError")
        assert "room" in f"{error['error']} {error['hint']}" or "full" in error["error"]
        ready = {file["path"] for file in files if file["status"] == "ready"} | {str(note)}
        # With some space again, the library opens, with everything that was reported as ready.
        (disk / "filler").unlink()
        listed = {d["path"] for d in run("list", library=disk).lines if d["status"] == "ready"}
        assert ready <= listed
        assert run("search", "ferry Aurora", library=disk).lines[0]["hits"]
        assert {f["status"] for f in run("add", many, library=disk).lines} <= {"ready", "unchanged"}
        assert {"check": "database", "result": "sound", "ok": True} in run("doctor", library=disk).lines


# Questions.


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        (["ask", ""], "RetrievalError", "The question is empty"),
        (["search", "  "], "RetrievalError", "The question is empty"),
        (["search", "x", "-k", "0"], "RetrievalError", "0 passages"),
        (["search", "x", "-k", "-1"], "RetrievalError", "-1 passages"),
        (["search", "x", "-k", "10000"], "RetrievalError", "10000 passages"),
        (["search", "x", "--kb", "nope"], "NotFound", "knowledge base “nope”"),
        (["ask", "x", "--kb", "nope"], "NotFound", "knowledge base “nope”"),
        (["list", "--kb", "n\udcff"], "NotFound", "knowledge base “n�”"),
        (["search", "x", "--filter", "colour=red"], "RetrievalError", "filter “colour”"),
        (["search", "x", "--filter", "format="], "RetrievalError", "“format=” has no value"),
        (["search", "x", "--filter", "page=soon"], "RetrievalError", "cannot be “soon”"),
        (["ask", "x", "--session", "9" * 30], "NotFound", "no session"),
        (["export", "9" * 30, "--out", "x.md"], "NotFound", "no session"),
        (["ask", "x", "--profile", "nope"], "NotFound", "model profile “nope”"),
        (["show", "9" * 30], "NotFound", "no document"),
        (["remove", "nothing.pdf"], "NotFound", "no document"),
        (["add", "x.md", "--kb", "  "], "LibraryError", "needs a name"),
        (["ask", "--from", "/nowhere.jsonl"], "MissingFile", "does not exist"),
        (["search", "--from", "/dev"], "UnreadableFile", "cannot be read"),
        (["search", "--from", "/dev/null"], "UnreadableFile", "contains no question"),
        (["profiles", "add", "p", "--base-url", "not a url", "--model", "m"], "SettingError", "contains a space"),
        (["profiles", "add", "p", "--base-url", "ftp://x", "--model", "m"], "SettingError", "only http"),
        (["profiles", "add", "p", "--base-url", "http://[::1", "--model", "m"], "SettingError", "not a valid URL"),
        (["profiles", "add", " ", "--base-url", "http://x", "--model", "m"], "SettingError", "cannot be named"),
        (["profiles", "remove", "offline"], "SettingError", "built in"),
    ],
)
def test_an_invalid_command_is_reported_in_one_sentence(run: Any, arguments: list[str], kind: str, said: str) -> None:
    result = run(*arguments)
    assert said in result.sentence
    assert result.lines[0]["kind"] == kind


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00", b"no json", b'{"q": 1}', b'{"question": null}', b"[" * 100_000, b'{"question": ""}']
)
def test_an_invalid_question_file_is_reported_before_any_question_is_asked(
    run: Any, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "q.jsonl").write_bytes(b'{"question": "x"}\n' + content)
    assert run("ask", "--from", tmp_path / "q.jsonl").sentence
    assert run("sessions").lines == []


def test_odd_questions_from_a_file_are_answered_line_by_line(run: Any, added: Path, tmp_path: Path) -> None:
    lines = [
        '{"question": "ferry\\u0000Aurora"}',
        '{"question": "half \\ud800"}',
        '{"question": "a\u2028b"}',
        '{"question": "?!"}',
    ]
    (tmp_path / "q.jsonl").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    assert [line["question"] for line in run("search", "--from", tmp_path / "q.jsonl").lines] == [
        "ferry\x00Aurora", "half �", "a\u2028b", "?!",
    ]  # fmt: skip
    answers = run("ask", "--from", tmp_path / "q.jsonl")
    assert ([line["status"] for line in answers.lines], answers.status) == (["completed"] * 4, 0)


def test_a_pasted_key_is_neither_kept_nor_repeated(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    secret = "sk-abc123DEF456"
    result = run("profiles", "add", "p", "--base-url", "http://127.0.0.1:1", "--model", "m", "--key-env", secret)
    assert "not the name of an environment variable" in result.sentence
    assert secret not in result.errors
    run("profiles", "add", "p", "--base-url", "http://127.0.0.1:1", "--model", "m", "--key-env", "SOME_KEY")
    (failed,) = run("ask", "x", "--profile", "p").lines
    assert "SOME_KEY, which should hold the key, is not set" in failed["error"]
    monkeypatch.setenv("SOME_KEY", secret)
    run("ask", "x", "--profile", "p")
    files = [path for path in (tmp_path / "library").rglob("*") if path.is_file()]
    assert files
    assert not any(secret.encode() in path.read_bytes() for path in files)


# Model servers.


class _Server(BaseHTTPRequestHandler):
    """Server that answers by the first part of the path: /401, /404, or /cut, which stops half way."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        code = self.path.split("/")[1]
        if code != "cut":
            self._send(int(code), "application/json", json.dumps({"error": {"message": "no such thing"}}).encode())
            return
        delta = {"index": 0, "delta": {"content": "It froze"}, "finish_reason": None}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [delta]}
        self._send(200, "text/event-stream", f"data: {json.dumps(chunk)}\n\n".encode())

    def _send(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing to stderr."""


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("place", "said", "text"),
    [
        ("/401/v1", "requires a key", ""),
        ("/404/v1", "No model answers at", ""),
        ("/cut/v1", "ended before the answer did", "It froze"),
        (None, "no answer|not reach|no connection|Nothing answers", ""),
    ],
)
def test_a_server_that_fails_leaves_a_failed_run_with_its_text(
    run: Any, added: Path, server: str, tmp_path: Path, place: str | None, said: str, text: str
) -> None:
    url = server + place if place else "http://127.0.0.1:9/v1"
    run("profiles", "add", "p", "--base-url", url, "--model", "m", "--api", "chat")
    result = run("ask", "When did the harbour freeze?", "--profile", "p")
    (kept,) = result.lines
    assert (result.status, kept["status"], kept["answer"]) == (1, "failed", text)
    assert kept["hint"].endswith(".")
    assert any(part.lower() in kept["error"].lower() for part in said.split("|")), kept["error"]
    run("export", kept["session"], "--format", "json", "--out", tmp_path / "s.json")
    assert "When did the harbour freeze?" in (tmp_path / "s.json").read_text("utf-8")


# The program's own exit.


def _started(library: Path, *arguments: object) -> "subprocess.Popen[str]":
    with children_take_ctrl_c():
        return subprocess.Popen(
            [*COMMAND, str(library), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )


@pytest.fixture
def many(tmp_path: Path) -> Path:
    # Two batches of chunks in a library of short ones: the first file is ready long before the last.
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(4):
        line = f"Station {number} reported a value of {number * 7} metres. "
        parts = "\n\n".join(f"## Part {part}\n\n{line * 2}" for part in range(60))
        (folder / f"{number:02}.md").write_text(f"# Report {number}\n\n{parts}\n", "utf-8")
    return folder


def test_ctrl_c_during_an_import_ends_it_in_order(run: Any, many: Path, tmp_path: Path, embedder: Embedder) -> None:
    assert run("settings", "chunk_tokens", SHORT).status == 0
    process = _started(tmp_path / "library", "add", many)
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "Cancelled.\n")
    library = Library.open(tmp_path / "library", embedder=embedder)
    try:
        assert library.database.integrity_problem() == ""
        assert library.documents.get(first["document"]).status == "ready"
        left = {d.status.value for d in library.documents.list()}
        assert left <= {"ready", "indexed", "failed"}
    finally:
        library.close()
    assert {line["status"] for line in run("add", many).lines} <= {"ready", "unchanged"}
    assert {line["status"] for line in run("list").lines} == {"ready"}


def test_ctrl_c_during_an_answer_keeps_it(run: Any, added: Path) -> None:
    class Silent(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.set()
            ended.wait(30)

        def log_message(self, format: str, *args: object) -> None:
            """Write nothing to stderr."""

    asked, ended = threading.Event(), threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{http.server_port}"
        run("profiles", "add", "p", "--base-url", url, "--model", "m", "--api", "chat")
        process = _started(added, "ask", "When did the harbour freeze?", "--profile", "p")
        assert asked.wait(60)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        ended.set()
        http.shutdown()
        thread.join()
    assert (process.returncode, errors) == (130, "Cancelled.\n")
    (session,) = run("sessions").lines
    assert (session["title"], session["runs"]) == ("When did the harbour freeze?", 1)


def test_a_reader_that_has_seen_enough_is_no_error(run: Any, many: Path, tmp_path: Path) -> None:
    run("add", many / "00.md")
    code = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" | head -n 1', "bash", *COMMAND, str(tmp_path / "library"), "show", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (code.returncode, code.stderr) == (0, "")
    assert json.loads(code.stdout)["ordinal"] == 0


def test_json_output_is_utf_8_regardless_of_the_terminal_encoding(added: Path) -> None:
    process = subprocess.run(
        [*COMMAND, str(added), "search", "凍った港 – 1987", "--mode", "keyword"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        check=True,
    )
    assert json.loads(process.stdout.decode("utf-8"))["question"] == "凍った港 – 1987"


def test_names_and_questions_that_are_not_utf_8_end_in_valid_json(run: Any, tmp_path: Path, added: Path) -> None:
    name = os.fsdecode(b"caf\xe9 \xff.md")
    (tmp_path / name).write_text("The café is closed on Mondays.", "utf-8")
    for arguments in (["add", str(tmp_path / name)], ["list"], ["search", os.fsdecode(b"caf\xe9 closed")]):
        result = run(*arguments)
        assert (result.status, bool(result.lines), result.errors) == (0, True, "")
