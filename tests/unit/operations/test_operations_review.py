"""Review of a large drop before anything is added."""

import asyncio
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.model.import_progress import Review, ReviewProgress
from workbench.operations import Library
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]


@pytest.fixture
def drop(tmp_path: Path) -> Path:
    folder = tmp_path / "drop"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nThe heron number {number} flew.\n", "utf-8")
    (folder / "copy.txt").write_bytes((folder / "7.md").read_bytes())
    (folder / "film.mkv").write_bytes(b"12345")
    (folder / "dangling.md").symlink_to("nowhere.md")
    return folder


def test_a_small_drop_goes_straight_in(library: Library, run: Run, papers: Path) -> None:
    review: Review = run(operations.review(library, [papers]))
    assert (review.files, review.is_big, review.duplicates) == (2, False, ())


def test_a_big_drop_is_counted_by_kind(library: Library, run: Run, drop: Path) -> None:
    review: Review = run(operations.review(library, [drop]))
    assert review.is_big
    assert {kind.ending: kind.files for kind in review.kinds} == {".md": 60, ".txt": 1}
    assert [(kind.ending, kind.files, kind.size) for kind in review.unsupported] == [(".mkv", 1, 5)]
    assert (review.unreadable, review.links) == ((), 1)
    assert review.size == sum(path.stat().st_size for path in drop.glob("*.[mt][dx]*") if path.exists())


def test_links_to_files_are_counted_and_make_a_small_drop_worth_a_look(
    library: Library, run: Run, papers: Path
) -> None:
    for name in ("one.md", "two.zip", "no program.exe"):
        (papers / name).symlink_to(papers / "harbour.md")
    review: Review = run(operations.review(library, [papers]))
    assert (review.files, review.links, review.is_big, review.asks) == (2, 2, False, True)
    run(operations.put_setting(library, "follow_links", "yes"))
    review = run(operations.review(library, [papers]))
    assert (review.files, review.links, review.asks) == (4, 0, False)


def test_duplicates_inside_the_drop_and_in_the_library_are_named(library: Library, run: Run, drop: Path) -> None:
    (library.folder.parent / "other.md").write_bytes((drop / "3.md").read_bytes())
    run(operations.add_documents(library, [library.folder.parent / "other.md", drop / "5.md"]))
    found = {Path(one.path).name: one for one in run(operations.review(library, [drop])).duplicates}
    assert (found["3.md"].same_as, found["3.md"].in_library) == ("other.md", True)
    assert (found["5.md"].same_as, found["5.md"].in_library) == ("5.md", True)
    inside = [one for one in found.values() if not one.in_library]
    assert {Path(inside[0].path).name, inside[0].same_as} == {"7.md", "copy.txt"}
    assert len(found) == 3


def test_only_files_of_equal_size_are_read(
    library: Library, run: Run, drop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in drop.glob("*.md"):
        if path.exists():
            path.write_text("x" * (1 + int(path.stem)), "utf-8")
    (drop / "copy.txt").unlink()
    # Imported by module name: in the package, “review” is the operation.
    monkeypatch.setattr(import_module("workbench.operations.imports.path_expansion"), "digest", None)
    assert run(operations.review(library, [drop])).duplicates == ()


def test_the_review_reports_its_progress_and_can_be_cancelled(library: Library, drop: Path) -> None:
    async def cancelled() -> None:
        task: asyncio.Future[Any]
        told: list[ReviewProgress] = []

        def emit(event: Any) -> None:
            told.append(event)
            task.cancel()

        task = asyncio.ensure_future(operations.review(library, [drop])(JobContext(emit)))
        with pytest.raises(asyncio.CancelledError):
            await task
        assert told[0].found == 63

    asyncio.run(cancelled())
    assert library.documents.list() == []


def test_a_drop_into_a_knowledge_base_that_is_not_there_yet(library: Library, run: Run, drop: Path) -> None:
    run(operations.add_documents(library, [drop / "5.md"]))
    review = run(operations.review(library, [drop], knowledge_base="new"))
    assert [one.in_library for one in review.duplicates] == [False]
