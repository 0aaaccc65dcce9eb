"""Expansion of paths to files: folders, patterns, links, names that file systems allow."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.indexing import atomic_files
from workbench.model.import_progress import FileOutcome
from workbench.model.visible import visible_name
from workbench.operations import Library
from workbench.operations.imports import source_files
from workbench.operations.imports.original_copies import keep_original
from workbench.operations.imports.path_expansion import PathPatterns
from workbench.operations.imports.source_files import HIDDEN, LINKED, LINKED_FILE, digest, find_sources, original_path

Run = Callable[[Any], Any]


def _tree(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"The text of {path.name!r}.", "utf-8", "backslashreplace")
    return folder


def _found(*paths: Path) -> list[str]:
    return [source.path.name for source in find_sources(paths)]


def test_e10_folders_are_read_in_a_fixed_order_independent_of_the_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _tree(tmp_path / "f", "b/2.md", "b/1.md", "a/3.md", "z.md", "A.md")
    expected = ["A.md", "z.md", "3.md", "1.md", "2.md"]
    assert _found(folder) == expected
    walk = os.walk

    def shuffled(*args: Any, **more: Any) -> Any:
        for current, folders, names in walk(*args, **more):
            folders.reverse()
            yield current, folders, names[::-1]

    monkeypatch.setattr(os, "walk", shuffled)
    assert _found(folder) == expected


def test_the_folder_that_was_named_is_the_first_part_of_the_tree(tmp_path: Path) -> None:
    folder = _tree(tmp_path / "Contracts", "a.pdf", "2024/May/b.pdf")
    assert [source.folder for source in find_sources([folder])] == ["Contracts", "Contracts/2024/May"]
    assert [source.folder for source in find_sources([folder / "a.pdf"])] == [""]


def test_the_tree_is_kept_with_the_documents(library: Library, run: Run, tmp_path: Path) -> None:
    folder = _tree(tmp_path / "Contracts", "2024/a.md")
    run(operations.add_documents(library, [folder]))
    assert [document.folder for document in library.documents.list()] == ["Contracts/2024"]


def test_a_file_that_was_added_before_its_folder_finds_its_place(library: Library, run: Run, tmp_path: Path) -> None:
    folder = _tree(tmp_path / "Contracts", "2024/a.md")
    run(operations.add_documents(library, [folder / "2024" / "a.md"]))
    run(operations.add_documents(library, [folder]))
    assert [document.folder for document in library.documents.list()] == ["Contracts/2024"]


def test_links_in_circles_end_and_are_named(tmp_path: Path) -> None:
    folder = _tree(tmp_path / "f", "a/1.md", "b/2.md")
    (folder / "a" / "up").symlink_to(folder, target_is_directory=True)
    (folder / "b" / "self").symlink_to("self")
    found = {source.path.name: source.problem for source in find_sources([folder])}
    assert found == {"1.md": "", "up": LINKED, "2.md": "", "self": LINKED_FILE}


def test_a_link_to_a_folder_is_followed_only_when_it_is_named_itself(
    library: Library, run: Run, tmp_path: Path
) -> None:
    _tree(tmp_path / "real", "1.md")
    folder = _tree(tmp_path / "f", "2.md")
    (folder / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    files = run(operations.add_documents(library, [folder]))
    assert [(Path(f.path).name, f.outcome.value) for f in files if f.reason] == [("link", "skipped")]
    assert _found(folder / "link") == ["1.md"]


@pytest.fixture
def linking(tmp_path: Path) -> Path:
    """Return a folder with a note, a link to it, and a link to a file outside."""
    _tree(tmp_path / "outside", "secret.txt")
    folder = _tree(tmp_path / "f", "note.md")
    (folder / "out.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (folder / "same.md").symlink_to("note.md")
    return folder


def test_links_to_files_in_a_folder_are_listed_and_not_followed(library: Library, run: Run, linking: Path) -> None:
    files = run(operations.add_documents(library, [linking]))
    assert {Path(f.path).name: (f.outcome.value, f.reason) for f in files} == {
        "note.md": ("ready", ""), "out.txt": ("skipped", LINKED_FILE), "same.md": ("skipped", LINKED_FILE),
    }  # fmt: skip
    assert [document.name for document in library.documents.list()] == ["note.md"]


def test_links_to_files_are_followed_where_the_user_wants_it(library: Library, run: Run, linking: Path) -> None:
    files = run(operations.add_documents(library, [linking], follow_links=True))
    assert {Path(f.path).name: f.outcome.value for f in files} == {
        "note.md": "ready", "out.txt": "ready", "same.md": "unchanged",
    }  # fmt: skip
    run(operations.put_setting(library, "follow_links", "yes"))
    assert LINKED_FILE not in {f.reason for f in run(operations.add_documents(library, [linking]))}


def test_a_link_that_is_named_itself_is_followed(library: Library, run: Run, linking: Path) -> None:
    (file,) = run(operations.add_documents(library, [linking / "out.txt"]))
    assert (file.outcome.value, library.documents.list()[0].name) == ("ready", "out.txt")


@pytest.mark.parametrize("swapped", ["f/deep/note.md", "f/deep"])
@pytest.mark.parametrize("moment", ["digest", "copy_file"])
def test_a_path_that_becomes_a_link_between_listing_and_reading_is_not_followed(
    library: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swapped: str, moment: str
) -> None:
    folder = _tree(tmp_path / "f", "deep/note.md", "last.md")
    _tree(tmp_path / "outside", "note.md").joinpath("note.md").write_text("A secret.", "utf-8")
    where = f"workbench.operations.imports.{'register_files' if moment == 'digest' else 'original_copies'}"
    plain = getattr(source_files, moment)

    def swap(path: Path, *more: Any) -> Any:
        victim = tmp_path / swapped
        if path.name == "note.md" and not victim.is_symlink():
            victim.rename(tmp_path / "away")
            victim.symlink_to(tmp_path / "outside" / swapped.removeprefix("f/deep").lstrip("/"))
        return plain(path, *more)

    monkeypatch.setattr(f"{where}.{moment}", swap)
    found = {Path(f.path).name: f for f in run(operations.add_documents(library, [folder]))}
    assert {name: file.outcome.value for name, file in found.items()} == {"note.md": "failed", "last.md": "ready"}
    assert "was replaced by a link" in found["note.md"].reason
    assert not [path for path in library.originals.rglob("*.md") if path.read_bytes() == b"A secret."]


def test_hidden_files_and_folders_are_left_out_and_hidden_documents_are_named(tmp_path: Path) -> None:
    folder = _tree(tmp_path / "f", ".hidden.md", ".DS_Store", ".git/x.md", "seen.md")
    assert {source.path.name: source.problem for source in find_sources([folder])} == {
        ".hidden.md": HIDDEN,
        "seen.md": "",
    }
    assert [(source.path.name, source.problem) for source in find_sources([folder / ".hidden.md"])] == [
        (".hidden.md", "")
    ]


def test_an_unreadable_folder_is_named_and_the_others_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _tree(tmp_path / "f", "shut/1.md", "open/2.md")
    scandir = os.scandir

    def refusing(path: Any) -> Any:
        if Path(path).name == "shut":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert _found(folder) == ["2.md", "shut"]


def test_e10_an_unreadable_folder_is_a_failure_of_its_own(
    library: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _tree(tmp_path / "f", "shut/1.md", "open/2.md")
    scandir = os.scandir

    def refusing(path: Any) -> Any:
        if Path(path).name == "shut":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    files = run(operations.add_documents(library, [folder]))
    assert {Path(f.path).name: f.outcome.value for f in files} == {"2.md": "ready", "shut": "failed"}


def test_a_drive_that_vanishes_while_it_is_looked_at_fails_file_by_file(
    library: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = _tree(tmp_path / "drive", "1.md", "2.md")
    kept = _tree(tmp_path / "kept", "3.md")
    sources = list(find_sources([drive, kept]))
    shutil.rmtree(drive)
    monkeypatch.setattr(
        "workbench.operations.imports.path_expansion.find_sources", lambda _paths, **_more: iter(sources)
    )
    files = run(operations.add_documents(library, [drive, kept]))
    assert {Path(f.path).name: f.outcome.value for f in files} == {"1.md": "failed", "2.md": "failed", "3.md": "ready"}


def test_a_folder_that_grows_and_shrinks_while_it_is_read_gives_what_was_there(tmp_path: Path) -> None:
    folder = _tree(tmp_path / "f", "a/1.md", "b/2.md", "c/3.md")
    sources = find_sources([folder])
    assert next(sources).path.name == "1.md"
    shutil.rmtree(folder / "b")
    _tree(folder, "a/late.md", "c/4.md")
    assert [source.path.name for source in sources] == ["3.md", "4.md", "b"]


@pytest.mark.parametrize(
    "name",
    [
        'it\'s "quoted" “so”.md',
        "two\nlines.md",
        "report‮fdp.md",
        "x" * 252 + ".md",
        "長い名前" * 21 + ".md",
        os.fsdecode(b"caf\xe9.md"),
        "~$draft.md",
        "100% – 50?#.md",
        " leading and trailing .md",
        "-rf.md",
    ],
    ids=["quotes", "newline", "bidi", "255 bytes", "255 bytes of CJK", "surrogate", "tilde", "URL", "spaces", "dash"],
)
def test_files_of_any_name_are_added_and_found_again(library: Library, run: Run, tmp_path: Path, name: str) -> None:
    folder = _tree(tmp_path / "f", name)
    assert len(os.fsencode(name)) <= 255
    assert [file.outcome for file in run(operations.add_documents(library, [folder]))] == [FileOutcome.READY]
    (document,) = library.documents.list()
    # Invisible characters are spelt out in the displayed name; the path is unchanged.
    assert (document.name, document.path) == (visible_name(name), str(folder / name))
    assert [f.outcome for f in run(operations.add_documents(library, [folder / name]))] == [FileOutcome.UNCHANGED]


@pytest.mark.parametrize(
    ("include", "exclude", "admitted"),
    [
        ((), (), {"a.pdf", "B.PDF", "c.md", "2024/a.pdf", "2024/May/d.md"}),
        (("*.pdf",), (), {"a.pdf", "B.PDF", "2024/a.pdf"}),
        (("*.pdf", "c.*"), (), {"a.pdf", "B.PDF", "c.md", "2024/a.pdf"}),
        ((), ("*.pdf",), {"c.md", "2024/May/d.md"}),
        (("*.pdf",), ("a.*",), {"B.PDF"}),
        (("2024/*",), (), {"2024/a.pdf", "2024/May/d.md"}),
        (("**/2024/*.pdf",), (), {"2024/a.pdf"}),
        ((), ("2024/*",), {"a.pdf", "B.PDF", "c.md"}),
        (("/*/2024/a.pdf",), (), {"2024/a.pdf"}),
        (("2024",), (), set()),
    ],
)
def test_b10_a_file_must_match_one_pattern_to_include_and_none_to_exclude(
    include: tuple[str, ...], exclude: tuple[str, ...], admitted: set[str]
) -> None:
    choice = PathPatterns(include, exclude)
    names = ("a.pdf", "B.PDF", "c.md", "2024/a.pdf", "2024/May/d.md")
    assert {name for name in names if choice.admits(Path("/home/ann/papers", name))} == admitted


def test_b10_patterns_choose_among_the_files_of_a_folder(library: Library, run: Run, tmp_path: Path) -> None:
    folder = _tree(tmp_path / "f", "a.md", "b.txt", "drafts/c.md")
    files = run(operations.add_documents(library, [folder], include=["*.md"], exclude=["drafts/*"]))
    assert [Path(file.path).name for file in files] == ["a.md"]


def test_b7_adding_an_empty_list_of_paths_does_nothing(library: Library, run: Run) -> None:
    assert run(operations.add_documents(library, [])) == []


def test_b7_no_link_is_nothing_done(library: Library, run: Run) -> None:
    assert run(operations.add_urls(library, ["", "  "])) == []
    assert library.documents.list() == []


def test_b14_every_item_of_a_batch_has_an_end_of_its_own(library: Library, run: Run, tmp_path: Path) -> None:
    folder = _tree(tmp_path / "f", "a.md", "b.md")
    paths = [folder / "a.md", folder / "missing.md", folder / "b.md"]
    files = run(operations.add_documents(library, paths))
    assert {Path(f.path).name: f.outcome.value for f in files} == {
        "a.md": "ready",
        "missing.md": "failed",
        "b.md": "ready",
    }


def test_the_copy_of_an_earlier_version_goes_unless_another_document_holds_it(
    library: Library, run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "notes.md"

    def copies() -> list[str]:
        return sorted(path.read_text("utf-8") for path in library.originals.rglob("*.md"))

    for text in ("First.", "Second."):
        file.write_text(text, "utf-8")
        run(operations.add_documents(library, [file]))
    assert copies() == ["Second."]
    run(operations.add_documents(library, [file], knowledge_base="other"))
    file.write_text("Third.", "utf-8")
    run(operations.add_documents(library, [file]))
    assert copies() == ["Second.", "Third."]


def test_a_copy_is_synced_to_disk_before_the_library_records_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, originals = tmp_path / "notes.md", tmp_path / "library" / "originals"
    originals.parent.mkdir()
    file.write_text("First.", "utf-8")
    target = original_path(originals, digest(file).sha256, file.name)
    done: list[tuple[str, bool]] = []
    monkeypatch.setattr(
        atomic_files, "fsync_file", lambda path: done.append((path.read_text("utf-8"), target.exists()))
    )
    monkeypatch.setattr(atomic_files, "fsync_folder", lambda folder: done.append((folder.name, target.exists())))
    keep_original(file, originals, digest(file))
    assert done[0] == ("First.", False)
    assert set(done[1:]) == {(folder.name, True) for folder in (*target.parents[:3], originals.parent)}
