"""Chunk edits by a script: every verb, in both libraries, and undo."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

import workbench
from workbench.errors import ChunkError, NotFound, RetrievalError


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.md"
    path.write_text(
        "# Ice\n\nThe harbour froze in 1893.\n\n# Ferry\n\nThe ferry stayed in port for nine days.\n", "utf-8"
    )
    return path


@pytest.fixture
def library(folder: Path, survey: Path) -> Iterator[workbench.Library]:
    with workbench.open_library(folder) as library:
        library.add(survey)
        yield library


def texts(library: workbench.Library) -> list[str]:
    return [chunk.text for chunk in library.chunks(library.documents()[0].id)]


def numbers(library: workbench.Library) -> list[int]:
    return [chunk.id for chunk in library.chunks(library.documents()[0].id)]


def test_an_edited_passage_is_found_by_its_new_text_and_given_back(library: workbench.Library) -> None:
    before = texts(library)
    edit = library.edit_chunk(numbers(library)[0], "The lagoon froze in 1893.")
    assert edit is not None
    assert library.search("lagoon", k=1).hits[0].chunk.id == edit.after[0].id
    assert library.edit_chunk(edit.after[0].id, "The lagoon froze in 1893.") is None
    library.reset_chunk(edit.after[0].id)
    assert texts(library) == before


def test_a_passage_is_split_and_merged(library: workbench.Library) -> None:
    (whole,) = texts(library)
    library.split_chunk(numbers(library)[0], whole.index("# Ferry"))
    assert [text.splitlines()[0] for text in texts(library)] == ["# Ice", "# Ferry"]
    library.merge_chunks(numbers(library)[1], other=-1)
    assert texts(library) == [whole]
    with pytest.raises(ChunkError):
        library.merge_chunks(numbers(library)[0])


def test_a_passage_that_is_switched_off_is_found_no_more(library: workbench.Library) -> None:
    (first,) = [hit.chunk.id for hit in library.search("ferry in port", k=1).hits]
    library.disable_chunk(first)
    assert first not in [hit.chunk.id for hit in library.search("ferry in port").hits]
    library.disable_chunk(first, disabled=False)
    assert first in [hit.chunk.id for hit in library.search("ferry in port").hits]


def test_a_tag_of_a_passage_is_asked_for_by_a_filter(library: workbench.Library) -> None:
    library.tag_chunk(numbers(library)[0], ["weather"])
    assert [hit.chunk.tags for hit in library.search("port", filter="passage_tag:weather").hits] == [("weather",)]
    assert library.search("port", filter="passage_tag:other").hits == ()


def test_edits_are_undone_and_done_again(library: workbench.Library) -> None:
    document = library.documents()[0].id
    library.edit_chunk(numbers(library)[0], "One.")
    undone = library.undo_chunk_edit(document)
    assert "One." not in texts(library)
    assert library.redo_chunk_edit(document, undone.id).id == undone.id
    assert "One." in texts(library)
    assert [(edit.id, edit.undone) for edit in library.chunk_edits(document)] == [(undone.id, 0)]
    with pytest.raises(NotFound):
        library.redo_chunk_edit(document)


def test_an_invalid_edit_call_raises_an_error_at_the_place_of_the_call(library: workbench.Library) -> None:
    with pytest.raises(TypeError, match="missing a required argument: 'text'"):
        library.edit_chunk(1)  # type: ignore[call-arg]
    with pytest.raises(NotFound):
        library.edit_chunk(999, "No such passage.")


def test_the_same_awaited(folder: Path, survey: Path) -> None:
    async def main() -> list[str]:
        async with workbench.open_library_async(folder) as library:
            await library.add(survey)
            document = (await library.documents())[0].id
            first = (await library.chunks(document))[0].id
            edit = await library.edit_chunk(first, "One.")
            assert edit is not None
            await library.tag_chunk(edit.after[0].id, ["short"])
            await library.undo_chunk_edit(document)
            return [edit.kind.value for edit in await library.chunk_edits(document) if not edit.undone]

    assert asyncio.run(main()) == ["text"]


def test_both_libraries_have_the_same_verbs_and_words() -> None:
    public = {name for name in dir(workbench.AsyncLibrary) if name[0] != "_"}
    assert public == {name for name in dir(workbench.Library) if name[0] != "_"}
    assert workbench.Library.ask.__doc__ == workbench.AsyncLibrary.ask.__doc__


def test_metadata_of_ones_own_are_given_and_filtered_by(folder: Path, survey: Path) -> None:
    with workbench.open_library(folder) as library:
        library.add(survey, metadata={"dept": "hr", "budget": 120.5})
        assert len(library.search("harbour", filter={"dept": "hr"}).hits) > 0
        assert library.search("harbour", filter="dept:it").hits == ()
        with pytest.raises(RetrievalError, match="no filter “depth”"):
            library.search("harbour", filter="depth:it")
        changed = library.set_metadata(library.documents()[0].id, {"dept": None})
        assert [(one.key, one.plain) for one in changed.custom] == [("budget", 120.5)]
