"""A file that takes over its parser process fails alone, with a sentence; the other files are read."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import hostile_calls
import pytest

from workbench import operations
from workbench.operations import Library
from workbench.parsing.sandboxed import SandboxedParser
from workbench.worker.confinement import is_enforced
from workbench.worker.job import Operation

pytestmark = pytest.mark.skipif(not is_enforced(), reason="this system has no Landlock or no seccomp")


@pytest.mark.parametrize(
    ("attempt", "reason"),
    [
        (partial(hostile_calls.connect, 9), ""),
        (partial(hostile_calls.write, str(Path.home() / "workbench-was-here")), ""),
        (hostile_calls.multiply, ""),
        (hostile_calls.hang, "Reading the file made no progress for 3 seconds."),
        (hostile_calls.gobble, "Reading the file took more than 512 megabytes of memory."),
        (partial(hostile_calls.say, 32 * 2**20), "The file unpacks to more than the limit for one file."),
        (partial(hostile_calls.claim, 10 * 2**30), "The file unpacks to more than the limit for one file."),
        (hostile_calls.end, "crashed the reader."),
    ],
)
@pytest.mark.logs_warnings
def test_only_the_hostile_file_fails(
    library: Library,
    run: Callable[[Operation[Any]], Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    attempt: Callable[[], object],
    reason: str,
) -> None:
    files = [tmp_path / name for name in ("a.md", "victim.md", "z.md")]
    for file in files:
        file.write_text(f"Words of {file.name}.", "utf-8")
    monkeypatch.setattr("workbench.worker.child.MOST_BYTES", 16 * 2**20)
    call = SandboxedParser.call

    async def taken_over(self: SandboxedParser, function: Any, path: Path, *more: Any, **named: Any) -> Any:
        if path.name != "victim.md":
            return await call(self, function, path, *more, **named)
        seconds = 3 if attempt is hostile_calls.hang else 60
        return await call(SandboxedParser(self._pool, seconds=seconds, megabytes=512), attempt)

    monkeypatch.setattr(SandboxedParser, "call", taken_over)
    found = {file.path.rpartition("/")[2]: file for file in run(operations.add_documents(library, files))}
    assert {name: file.outcome.value for name, file in found.items()} == {
        "a.md": "ready", "victim.md": "failed", "z.md": "ready",
    }  # fmt: skip
    assert reason in found["victim.md"].reason
    assert found["victim.md"].reason.endswith(".")
    assert not Path.home().joinpath("workbench-was-here").exists()


def test_a_parser_process_can_read_nothing_of_the_library_but_its_own_file(
    library: Library, run: Callable[[Operation[Any]], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("Words of a.", "utf-8")
    run(operations.add_documents(library, [tmp_path / "a.md"]))
    child = SandboxedParser(library.parsers, seconds=60, megabytes=512)
    database = str(library.folder / "library.sqlite3")

    async def read(_context: object) -> str:
        return await child.call(hostile_calls.read, tmp_path / "a.md", database)

    with pytest.raises(PermissionError):
        run(read)
