"""Unusual files that users drop: each ends with its own sentence, and the others are added."""

import errno
import io
import json
import os
import signal
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_embedder import SmallEmbedder

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.model.document import DocumentStatus
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.operations import Library
from workbench.operations.imports import original_copies, source_files
from workbench.parsing.sandboxed import SandboxedParser

Run = Callable[[Any], Any]
JARGON = ("Error", "errno", "Exception", "Traceback", "None", "parser", "bytes-like", "0x")


@pytest.fixture
def drop(tmp_path: Path) -> Path:
    """Return the folder that is dropped."""
    folder = tmp_path / "drop"
    folder.mkdir()
    return folder


def _add(run: Run, library: Library, *paths: Path, **more: Any) -> dict[str, FileFinished]:
    """Add paths, and check that every sentence is readable for users."""
    files = run(operations.add_documents(library, list(paths), **more))
    for file in files:
        is_quiet = file.outcome in (FileOutcome.READY, FileOutcome.UNCHANGED)
        assert is_quiet or (file.reason[0] in "“ABCDEFGHIJKLMNOPQRSTUVWXYZ" and file.reason.endswith(".")), file
        assert not [word for word in JARGON if word in file.reason.replace(Path(file.path).name, "")], file.reason
    found = {Path(file.path).name: file for file in files}
    assert len(found) == len(files)
    return found


def _zipped(contents: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_a_file_without_an_ending_is_read_where_it_holds_text(library: Library, run: Run, drop: Path) -> None:
    for name in ("README", "Letter to Dr. Smith", "Plan 2.0"):
        (drop / name).write_text(f"The words of {name}.", "utf-8")
    (drop / "program").write_bytes(b"\x7fELF\x02\x01" + bytes(range(256)) * 9)
    (drop / "empty").touch()
    (drop / "all.zip").write_bytes(_zipped({"LICENSE": b"You may.", "core": b"\x7fELF\x02\x01" + bytes(99)}))
    found = _add(run, library, drop)
    assert {name for name, file in found.items() if file.outcome == "ready"} == {
        "README", "Letter to Dr. Smith", "Plan 2.0", "LICENSE",
    }  # fmt: skip
    assert {found[name].outcome for name in ("program", "empty", "core")} == {FileOutcome.SKIPPED}
    assert found["program"].reason == "Its name has no extension, and it contains no text."
    assert (found := _add(run, library, drop / "Plan 2.0"))["Plan 2.0"].outcome == "unchanged", found


def test_unsupported_files_of_a_folder_are_skipped_with_advice_on_what_to_do(
    library: Library, run: Run, drop: Path
) -> None:
    for name in ("budget.xlw", "talk.key", "tool.exe"):
        (drop / name).write_bytes(b"\x00\x01\x02")
    found = _add(run, library, drop)
    assert {file.outcome for file in found.values()} == {FileOutcome.SKIPPED}
    assert found["budget.xlw"].reason.endswith("Open it in Excel or LibreOffice and save it as .xlsx.")
    assert found["tool.exe"].reason == "Files ending in “.exe” cannot be read."


@pytest.mark.parametrize("number", [errno.ESTALE, errno.EIO, errno.EACCES])
def test_a_network_drive_that_vanishes_while_it_is_read_fails_file_by_file(
    library: Library, run: Run, drop: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (drop / name).write_text(f"Words of {name}.", "utf-8")
    plain = Path.open

    def opened(path: Path, *arguments: Any, **more: Any) -> Any:
        if path == drop / "b.md":
            raise OSError(number, os.strerror(number), str(path))
        return plain(path, *arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", opened)
        found = _add(run, library, drop / "a.md", drop / "b.md", drop / "c.md")
    assert {name: file.outcome.value for name, file in found.items()} == {
        "a.md": "ready", "b.md": "failed", "c.md": "ready",
    }  # fmt: skip
    assert found["b.md"].reason.startswith("“b.md” cannot be read: ")
    assert _add(run, library, drop / "b.md")["b.md"].outcome == "ready"


def test_a_drive_that_goes_between_hashing_and_copying_leaves_no_half_copy(
    library: Library, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = original_copies.copy_file

    def gone(source: Path, target: Path, root: Path | None) -> Any:
        if source.name == "harbour.md":
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), str(source))
        return copy(source, target, root)

    monkeypatch.setattr(original_copies, "copy_file", gone)
    found = _add(run, library, papers)
    assert (found["harbour.md"].outcome.value, found["港口.txt"].outcome.value) == ("failed", "ready")
    assert not list(library.originals.glob("*.part"))


def test_a_folder_that_changes_while_it_is_read_ends_file_by_file(
    library: Library, run: Run, drop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        (drop / f"{number}.md").write_text(f"Note {number}.", "utf-8")
    plain = source_files.digest

    def meddling(path: Path, root: Path | None) -> Any:
        if path.name == "0.md":
            (drop / "1.md").unlink()
            (drop / "2.md").write_text("Note two, longer now.", "utf-8")
            (drop / "3.md").unlink()
            (drop / "3.md").mkdir()
            (drop / "late.md").write_text("Too late.", "utf-8")
        return plain(path, root)

    monkeypatch.setattr("workbench.operations.imports.register_files.digest", meddling)
    found = _add(run, library, drop)
    failed = {name for name, file in found.items() if file.outcome is FileOutcome.FAILED}
    assert (failed, len(found)) == ({"1.md", "3.md"}, 6)
    assert "does not exist" in found["1.md"].reason
    two = next(d for d in library.documents.list() if d.name == "2.md")
    assert library.documents.text(two.id) == "Note two, longer now."


def test_links_in_circles_end(library: Library, run: Run, drop: Path) -> None:
    folder = drop / "f"
    (folder / "in" / "deeper").mkdir(parents=True)
    (folder / "note.md").write_text("Words.", "utf-8")
    (folder / "in" / "deeper" / "up").symlink_to(folder, target_is_directory=True)
    (folder / "one.md").symlink_to("two.md")
    (folder / "two.md").symlink_to("one.md")
    found = _add(run, library, folder, follow_links=True)
    assert {name: file.outcome.value for name, file in found.items()} == {
        "note.md": "ready", "up": "skipped", "one.md": "failed", "two.md": "failed",
    }  # fmt: skip
    assert "link leads back to itself" in found["one.md"].reason


@pytest.fixture
def small_library(tmp_path: Path, embedder: Embedder) -> Iterator[Library]:
    """Yield a library with a fast embedder, since 5 MB are 20,000 chunks."""
    library = Library.open(tmp_path / "small", embedder=SmallEmbedder(embedder.tokenizer))
    yield library
    library.close()


def test_monstrous_text_is_read_or_refused_within_its_limits(small_library: Library, run: Run, drop: Path) -> None:
    words = "The heron stands in the reeds. "
    line = words * (2_000_000 // len(words))
    contents = {
        "line.txt": line,
        "line.md": line[:300_000],
        "line.csv": f'a,b\n1,"{line}"\n',
        "line.json": json.dumps({"text": line[:300_000]}),
        "line.html": f"<p>{line[:300_000]}</p>",
        "solid.txt": "x" * 2_000_000,
        "deep.html": "<div>" * 20_000 + "The deepest word." + "</div>" * 20_000,
        "deep.json": "[" * 20_000 + "]" * 20_000,
        "good.md": "A good note.",
    }
    for name, content in contents.items():
        (drop / name).write_text(content, "utf-8")
    found = _add(run, small_library, *(drop / name for name in contents))
    assert {name: file.outcome.value for name, file in found.items() if name != "deep.json"} == dict.fromkeys(
        set(contents) - {"deep.json"}, "ready"
    )
    deep = next(d for d in small_library.documents.list() if d.name == "deep.html")
    assert "The deepest word." in small_library.documents.text(deep.id)


def test_archives_that_inflate_are_refused_member_by_member(
    library: Library, run: Run, drop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.imports.archives.MAX_BYTES", 60 << 20)
    bomb = _zipped({"zeros.txt": bytes(40 << 20), "small.md": b"A small note."})
    (drop / "nested.zip").write_bytes(_zipped({"inner.zip": bomb, "note.md": b"A note beside it."}))
    random = os.urandom(20 << 20)
    total = {f"{n}.txt": random + bytes([n]) for n in range(4)}
    with zipfile.ZipFile(drop / "total.zip", "w") as archive:
        for name, content in total.items():
            archive.writestr(name, content)
    (drop / "good.md").write_text("A good note.", "utf-8")
    found = _add(run, library, drop)
    assert {name for name, file in found.items() if file.outcome == "ready"} == {"small.md", "note.md", "good.md"}
    assert found["zeros.txt"].reason.startswith("It would grow ")
    assert found["3.txt"].reason.startswith("The archive holds more than ")


def _die(*_arguments: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_reader_killed_by_the_system_ends_one_file(
    library: Library, run: Run, drop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.md", "victim.md", "z.md"):
        (drop / name).write_text(f"Words of {name}.", "utf-8")
    call = SandboxedParser.call

    async def deadly(self: SandboxedParser, function: Any, path: Path, *more: Any, **named: Any) -> Any:
        return await call(self, _die if path.name == "victim.md" else function, path, *more, **named)

    with monkeypatch.context() as patch:
        patch.setattr(SandboxedParser, "call", deadly)
        patch.setattr("workbench.worker.process_memory.oom_kills", lambda: 0)
        found = _add(run, library, drop / "a.md", drop / "victim.md", drop / "z.md")
    assert {name: file.outcome.value for name, file in found.items()} == {
        "a.md": "ready", "victim.md": "failed", "z.md": "ready",
    }  # fmt: skip
    assert found["victim.md"].reason.startswith("Another program, or the system, ended")
    assert _add(run, library, drop / "victim.md")["victim.md"].outcome == "ready"
    assert {d.status for d in library.documents.list()} == {DocumentStatus.READY}


@pytest.mark.parametrize("name", ['it\'s "so" “odd”.md', "two\nlines.md", "report\u202efdp.md", "x" * 252 + ".md"])
def test_a_strange_name_stays_in_its_own_sentence(library: Library, run: Run, drop: Path, name: str) -> None:
    (drop / name).touch()
    (drop / "good.md").write_text("A good note.", "utf-8")
    found = _add(run, library, drop)
    assert (found[name].outcome.value, found["good.md"].outcome.value) == ("failed", "ready")
    assert "empty" in found[name].reason
