"""Chunks edited by hand: search before and after, undo and redo, and the edits after a change of the file."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from small_embedder import SmallEmbedder, failing

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import ChunkError, MetadataError, NotFound
from workbench.model.chunk import Chunk, ChunksEdited, EditKind
from workbench.model.document import Document
from workbench.model.explanation import AdviceKind, DocumentSpot, Stage
from workbench.model.filter import ChunkFilter, Condition, Operator
from workbench.model.hit import Hit
from workbench.model.import_progress import DocumentChanged
from workbench.operations import Library
from workbench.operations.questions.tool_documents import LibraryDocuments

Run = Callable[[Any], Any]

TEXT = """# Harbour

The harbour of Lindhamn froze in 1987. The ferry Aurora stayed in port for nine days.

# Lighthouse

The lighthouse was built in 1903 by Erik Holm. Its lamp burned whale oil until 1931.

# 港口

港口的水深是十二米。灯塔建于一九零三年。
"""


@pytest.fixture
def small(embedder: Embedder) -> SmallEmbedder:
    return SmallEmbedder(embedder.tokenizer)


@pytest.fixture
def library(tmp_path: Path, small: SmallEmbedder) -> Iterator[Library]:
    library = Library.open(tmp_path / "library", embedder=small)
    library.setting_values.put("chunk_tokens", 32)
    yield library
    library.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "papers" / "harbour.md"
    path.parent.mkdir()
    path.write_text(TEXT, "utf-8")
    return path


@pytest.fixture
def document(library: Library, run: Run, file: Path) -> Document:
    run(operations.add_documents(library, [file]))
    return library.documents.find("harbour.md")


def chunks(library: Library) -> list[Chunk]:
    return library.documents.chunks(library.documents.find("harbour.md").id)


def texts(library: Library) -> list[str]:
    return [chunk.text for chunk in chunks(library)]


def holding(library: Library, words: str) -> Chunk:
    return next(chunk for chunk in chunks(library) if words in chunk.text)


def found(library: Library, run: Run, question: str) -> list[str]:
    return [hit.chunk.text for hit in run(operations.search(library, question)).hits]


def agrees(library: Library) -> None:
    """Check that every index contains exactly the enabled chunks, and that the chunks cover the document's text."""
    enabled = {chunk.id for chunk in chunks(library) if not chunk.disabled}
    assert set(library.models.index().ids.tolist()) == enabled
    with library.database.read() as connection:
        rows = connection.execute("SELECT rowid FROM keyword_index").fetchall()
    assert {row[0] for row in rows} == enabled
    assert library.database.integrity_problem() == ""
    covers(library)


def covers(library: Library) -> None:
    document = library.documents.find("harbour.md")
    text = library.documents.text(document.id)
    held = [False] * len(text)
    for number, chunk in enumerate(chunks(library)):
        assert (chunk.ordinal, chunk.slice) == (number, text[chunk.start : chunk.end])
        held[chunk.start : chunk.end] = [True] * (chunk.end - chunk.start)
    assert not [letter for letter, is_held in zip(text, held, strict=True) if letter.strip() and not is_held]
    assert (document.chunks, document.embedded) == (len(chunks(library)), len(chunks(library)))


def test_an_edited_text_is_found_at_once_and_the_old_one_no_more(
    library: Library, run: Run, document: Document, events: list[Any]
) -> None:
    found(library, run, "warm up")
    old = holding(library, "froze")
    began = time.perf_counter()
    edit = run(operations.edit_chunk(library, old.id, old.text.replace("Aurora", "Polaris")))
    assert any("Polaris" in text for text in found(library, run, "Polaris"))
    assert time.perf_counter() - began < 5  # less than a second on an idle machine
    assert not any("Aurora" in text for text in found(library, run, "Aurora"))
    (new,) = edit.after
    assert (new.start, new.end, new.source, new.id > old.id) == (old.start, old.end, old.text, True)
    assert (edit.kind, edit.words, edit.can_undo) == (EditKind.TEXT, "Text edited", True)
    assert [type(event) for event in events[-2:]] == [ChunksEdited, DocumentChanged]
    assert library.documents.get(document.id).chunk_edits == 1
    agrees(library)


def test_only_changed_text_is_embedded_again(
    library: Library, run: Run, document: Document, small: SmallEmbedder
) -> None:
    small.texts.clear()
    old = holding(library, "froze")
    run(operations.edit_chunk(library, old.id, "The harbour never froze."))
    run(operations.disable_chunk(library, holding(library, "lamp").id))
    run(operations.tag_chunk(library, holding(library, "lamp").id, ["oil"]))
    assert [text.rpartition("\n")[2] for text in small.texts] == ["harbour never froze."]


def test_an_edit_is_undone_and_redone_with_all_that_is_found(library: Library, run: Run, document: Document) -> None:
    before = chunks(library)
    old = holding(library, "froze")
    run(operations.edit_chunk(library, old.id, "The quay is made of granite."))
    undone = run(operations.undo_chunk_edit(library, document.id))
    assert (chunks(library), undone.can_redo, undone.can_undo) == (before, True, False)
    assert not any("granite" in text for text in found(library, run, "granite"))
    assert old.text in found(library, run, "froze")
    agrees(library)
    run(operations.redo_chunk_edit(library, document.id))
    assert "The quay is made of granite." in found(library, run, "granite")
    agrees(library)


def test_undo_and_redo_are_kept_over_a_restart(
    library: Library, run: Run, document: Document, small: SmallEmbedder
) -> None:
    before = texts(library)
    run(operations.edit_chunk(library, holding(library, "froze").id, "The quay is made of granite."))
    folder = library.folder
    library.close()
    again = Library.open(folder, embedder=small)
    try:
        assert "The quay is made of granite." in found(again, run, "granite")
        agrees(again)
        run(operations.undo_chunk_edit(again, document.id))
        assert texts(again) == before
    finally:
        again.close()


def test_two_neighbours_become_one_slice_of_the_document(library: Library, run: Run, document: Document) -> None:
    first, second, *_ = chunks(library)
    edit = run(operations.merge_chunks(library, second.id, other=-1))
    one = chunks(library)[0]
    text = library.documents.text(document.id)
    assert (one.start, one.end, one.text) == (first.start, second.end, text[first.start : second.end])
    assert (one.by_hand, one.is_edited, edit.words) == (True, False, "2 merged into one")
    agrees(library)
    run(operations.undo_chunk_edit(library, document.id))
    assert [chunk.id for chunk in chunks(library)][:2] == [first.id, second.id]
    agrees(library)


def test_the_last_chunk_has_none_after_it_to_merge_with(library: Library, run: Run, document: Document) -> None:
    with pytest.raises(ChunkError, match="no passage beside"):
        run(operations.merge_chunks(library, chunks(library)[-1].id))


def test_merging_an_edited_chunk_keeps_the_source_text_between_the_chunks(
    library: Library, run: Run, document: Document
) -> None:
    first, second, *_ = chunks(library)
    run(operations.edit_chunk(library, first.id, "Polaris."))
    run(operations.merge_chunks(library, second.id, other=-1))
    one = chunks(library)[0]
    assert (one.text[:8], one.text.endswith(second.text)) == ("Polaris.", True)
    assert one.source == library.documents.text(document.id)[first.start : second.end]
    agrees(library)


def test_a_chunk_is_split_at_a_cursor_into_two_slices(library: Library, run: Run, document: Document) -> None:
    old = holding(library, "froze")
    at = old.text.index("The ferry")
    edit = run(operations.split_chunk(library, old.id, at))
    head, tail = edit.after
    assert (head.text + tail.text, tail.text[:9]) == (old.text, "The ferry")
    assert [part.is_edited for part in (head, tail)] == [False, False]
    agrees(library)


@pytest.mark.parametrize("at", [-4, 0, 2, 10_000])
def test_a_split_that_leaves_one_part_empty_is_refused(library: Library, run: Run, document: Document, at: int) -> None:
    one = run(operations.edit_chunk(library, holding(library, "froze").id, "   Polaris")).after[0]
    with pytest.raises(ChunkError, match="would be empty"):
        run(operations.split_chunk(library, one.id, at))
    agrees(library)


def test_an_edited_chunk_that_is_split_keeps_its_source_in_two_parts(
    library: Library, run: Run, document: Document
) -> None:
    old = holding(library, "froze")
    edited = old.text.replace("froze in 1987", "was frozen over in the winter of 1987")
    one = run(operations.edit_chunk(library, old.id, edited)).after[0]
    head, tail = run(operations.split_chunk(library, one.id, edited.index("The ferry"))).after
    assert (head.text + tail.text, head.source + tail.slice) == (edited, old.text)
    assert (head.is_edited, tail.is_edited, tail.text[:9]) == (True, False, "The ferry")
    agrees(library)


def test_a_disabled_chunk_is_found_by_no_search_until_it_is_enabled(
    library: Library, run: Run, document: Document
) -> None:
    old = holding(library, "froze")
    assert old.text in found(library, run, "harbour froze")
    run(operations.disable_chunk(library, old.id))
    assert old.text not in found(library, run, "harbour froze")
    agrees(library)
    run(operations.disable_chunk(library, old.id, disabled=False))
    assert old.text in found(library, run, "harbour froze")
    agrees(library)


def test_a_disabled_chunk_stays_disabled_when_everything_is_reindexed(
    library: Library, run: Run, document: Document
) -> None:
    old = holding(library, "froze")
    run(operations.disable_chunk(library, old.id))
    library.keywords.rebuild()
    run(operations.edit_metadata(library, document.id, {"title": "Another title"}))
    agrees(library)
    assert holding(library, "froze").disabled


def test_tags_of_a_chunk_can_be_filtered_by(library: Library, run: Run, document: Document) -> None:
    one = holding(library, "lamp")
    run(operations.tag_chunk(library, one.id, ["Oil", "lamp", "oil"]))
    tagged = ChunkFilter(where=(Condition("passage_tag", Operator.EQ, ("oil",)),))
    hits: tuple[Hit, ...] = run(operations.search(library, "harbour lighthouse ferry", filter=tagged)).hits
    assert [(hit.chunk.id, hit.chunk.tags) for hit in hits] == [(one.id, ("Oil", "lamp"))]
    assert library.filter_values.in_use()["passage_tag"] == ("Oil", "lamp")
    assert library.documents.get(document.id).passage_tags == ("Oil", "lamp")
    with pytest.raises(MetadataError):
        run(operations.tag_chunk(library, one.id, ["a,b"]))


def test_reset_gives_back_what_was_split_edited_and_disabled(library: Library, run: Run, document: Document) -> None:
    before = chunks(library)
    old = holding(library, "froze")
    head, tail = run(operations.split_chunk(library, old.id, old.text.index("The ferry"))).after
    run(operations.edit_chunk(library, tail.id, "The ferry Polaris."))
    run(operations.disable_chunk(library, head.id))
    run(operations.tag_chunk(library, head.id, ["ice"]))
    edit = run(operations.reset_chunk(library, head.id))
    assert (edit.kind, chunks(library)) == (EditKind.RESET, before)
    assert run(operations.reset_chunk(library, old.id)) is None
    run(operations.undo_chunk_edit(library, document.id))
    assert {"The ferry Polaris.", head.text} <= set(texts(library))
    agrees(library)


def test_an_edit_under_a_later_one_cannot_be_undone_before_that(library: Library, run: Run, document: Document) -> None:
    first = run(operations.edit_chunk(library, holding(library, "froze").id, "One."))
    run(operations.edit_chunk(library, first.after[0].id, "Two."))
    kept = run(operations.list_chunk_edits(library, document.id))
    assert [edit.can_undo for edit in kept] == [False, True]
    with pytest.raises(ChunkError, match="changed again"):
        run(operations.undo_chunk_edit(library, document.id, first.id))


def test_edits_of_different_chunks_are_undone_in_any_order(library: Library, run: Run, document: Document) -> None:
    before = texts(library)
    first = run(operations.edit_chunk(library, holding(library, "froze").id, "One."))
    second = run(operations.merge_chunks(library, holding(library, "lighthouse").id))
    run(operations.undo_chunk_edit(library, document.id, first.id))
    run(operations.undo_chunk_edit(library, document.id, second.id))
    assert texts(library) == before
    with pytest.raises(NotFound, match="nothing to undo"):
        run(operations.undo_chunk_edit(library, document.id))
    run(operations.redo_chunk_edit(library, document.id))
    assert "One." not in texts(library)  # the edit that was undone last is redone first
    agrees(library)


def test_a_new_edit_ends_what_could_be_redone(library: Library, run: Run, document: Document) -> None:
    run(operations.edit_chunk(library, holding(library, "froze").id, "One."))
    run(operations.undo_chunk_edit(library, document.id))
    run(operations.disable_chunk(library, holding(library, "lamp").id))
    with pytest.raises(NotFound, match="nothing to redo"):
        run(operations.redo_chunk_edit(library, document.id))


@pytest.mark.parametrize("text", ["", " \n\t", "x" * 100_001])
def test_a_passage_without_text_or_with_too_much_is_refused(
    library: Library, run: Run, document: Document, text: str
) -> None:
    with pytest.raises(ChunkError):
        run(operations.edit_chunk(library, holding(library, "froze").id, text))
    agrees(library)


def test_an_edit_that_changes_nothing_is_not_recorded(library: Library, run: Run, document: Document) -> None:
    one = holding(library, "froze")
    assert run(operations.edit_chunk(library, one.id, one.text)) is None
    assert run(operations.disable_chunk(library, one.id, disabled=False)) is None
    assert run(operations.reset_chunk(library, one.id)) is None
    assert run(operations.list_chunk_edits(library, document.id)) == []


def test_a_chunk_is_left_alone_while_its_document_is_read(library: Library, run: Run, document: Document) -> None:
    library.claim(document.id)
    with pytest.raises(ChunkError, match="is being read"):
        run(operations.disable_chunk(library, holding(library, "froze").id))
    library.release(document.id)


@pytest.mark.logs_warnings
def test_without_an_embedder_an_edit_is_found_by_its_words(
    library: Library, run: Run, document: Document, small: SmallEmbedder
) -> None:
    small.before = failing(0)
    run(operations.edit_chunk(library, holding(library, "froze").id, "The quay is made of granite."))
    assert "The quay is made of granite." in found(library, run, "granite")
    small.before = lambda _texts: None
    run(operations.resume_import(library))  # the next start embeds it
    agrees(library)


def test_every_edit_survives_another_reading_of_the_same_file(library: Library, run: Run, document: Document) -> None:
    edit = run(operations.edit_chunk(library, holding(library, "froze").id, "The quay is made of granite."))
    run(operations.disable_chunk(library, holding(library, "lamp").id))
    run(operations.tag_chunk(library, holding(library, "港口").id, ["水"]))
    before = chunks(library)
    run(operations.reindex_documents(library, [document.id]))
    assert chunks(library) == before
    agrees(library)
    run(operations.undo_chunk_edit(library, document.id, edit.id))
    assert holding(library, "froze").text == edit.before[0].text


def test_edits_survive_another_cut(library: Library, run: Run, document: Document) -> None:
    edited = run(operations.edit_chunk(library, holding(library, "froze").id, "The quay is made of granite.")).after[0]
    run(operations.disable_chunk(library, holding(library, "lamp").id))
    library.setting_values.put("chunk_tokens", 200)
    run(operations.reindex_documents(library, [document.id]))
    again = holding(library, "granite")
    assert (again.id, again.source) == (edited.id, edited.source)
    assert holding(library, "lamp").disabled
    agrees(library)


def test_b9_edits_go_along_with_their_text_when_the_file_is_changed_elsewhere(
    library: Library, run: Run, document: Document, file: Path
) -> None:
    run(operations.edit_chunk(library, holding(library, "froze").id, "The quay is made of granite."))
    run(operations.merge_chunks(library, holding(library, "lamp").id))
    file.write_text("# New\n\nA new first section about tides and currents.\n\n" + TEXT, "utf-8")
    run(operations.add_documents(library, [file]))
    assert any("tides" in text for text in texts(library))
    one = holding(library, "granite")
    assert library.documents.text(document.id)[one.start : one.end] == one.source
    assert holding(library, "lamp").by_hand
    agrees(library)
    run(operations.undo_chunk_edit(library, document.id))
    run(operations.undo_chunk_edit(library, document.id))
    assert "Aurora" in holding(library, "froze").text
    agrees(library)


def test_an_edit_whose_source_text_is_missing_is_kept_and_reported_and_restored_with_it(
    library: Library, run: Run, document: Document, file: Path
) -> None:
    run(operations.edit_chunk(library, holding(library, "froze").id, "The quay is made of granite."))
    file.write_text(TEXT.replace("froze in 1987", "froze in 1988"), "utf-8")
    run(operations.add_documents(library, [file]))
    assert not any("granite" in text for text in texts(library))
    (lost,) = run(operations.list_chunk_edits(library, document.id))
    assert (lost.lost, lost.can_undo, lost.after[0].text) == (True, False, "The quay is made of granite.")
    assert any("could not be applied again" in warning for warning in library.documents.get(document.id).warnings)
    agrees(library)
    file.write_text(TEXT, "utf-8")
    run(operations.add_documents(library, [file]))
    assert holding(library, "granite").source
    (edit,) = run(operations.list_chunk_edits(library, document.id))
    assert (edit.lost, edit.can_undo) == (False, True)
    agrees(library)


def test_lost_edits_can_be_dismissed(library: Library, run: Run, document: Document, file: Path) -> None:
    run(operations.edit_chunk(library, holding(library, "froze").id, "The quay is made of granite."))
    file.write_text(TEXT.replace("froze in 1987", "froze in 1988"), "utf-8")
    run(operations.add_documents(library, [file]))
    assert run(operations.dismiss_lost_edits(library, document.id)) == 1
    assert run(operations.list_chunk_edits(library, document.id)) == []
    assert library.documents.get(document.id).chunk_edits == 0


def test_a_citation_of_edited_text_quotes_it_and_opens_its_source(
    library: Library, run: Run, document: Document
) -> None:
    old = holding(library, "froze")
    run(operations.edit_chunk(library, old.id, "The harbour of Lindhamn froze in 1999, said Polaris."))
    answer = run(operations.ask(library, "When did the harbour of Lindhamn freeze?"))
    citation = next(one for one in answer.citations if one.edited)
    assert citation.quote in "The harbour of Lindhamn froze in 1999, said Polaris."
    assert (citation.start, citation.end) == (old.start, old.end)
    assert "text edited by you" in citation.place


def test_a_copied_document_has_edits_of_its_own(library: Library, run: Run, document: Document) -> None:
    edit = run(operations.edit_chunk(library, holding(library, "froze").id, "The quay is made of granite."))
    library.documents.ensure_knowledge_base("other")
    run(operations.move_documents(library, [document.id], "other", copy=True))
    (copy,) = library.documents.list("other")
    assert copy.chunk_edits == 1
    run(operations.undo_chunk_edit(library, copy.id))
    assert [one.slice for one in library.documents.chunks(copy.id)][: len(edit.before)] == [edit.before[0].text]
    assert not [one for one in library.documents.chunks(copy.id) if one.is_changed]
    assert "granite" in " ".join(one.text for one in library.documents.chunks(document.id))
    ids = [one.id for number in (document.id, copy.id) for one in library.documents.chunks(number)]
    assert len(ids) == len(set(ids)) == len(np.unique(library.models.index().ids))


def test_editing_a_chunk_that_no_longer_exists_raises_not_found(library: Library, run: Run, document: Document) -> None:
    old = holding(library, "froze")
    run(operations.edit_chunk(library, old.id, "One."))
    with pytest.raises(NotFound):
        run(operations.edit_chunk(library, old.id, "Two."))


def test_it_is_explained_that_a_passage_was_disabled(library: Library, run: Run, document: Document) -> None:
    old = holding(library, "froze")
    run(operations.disable_chunk(library, old.id))
    told = run(operations.explain(library, "harbour froze", document.id, DocumentSpot(old.start, old.end)))
    assert (told.stage, [one.kind for one in told.advice]) == (Stage.DISABLED, [AdviceKind.ENABLE])


def test_words_of_an_edited_text_are_explained_at_the_place_of_its_source(
    library: Library, run: Run, document: Document
) -> None:
    old = holding(library, "froze")
    run(operations.edit_chunk(library, old.id, "The quay is made of granite."))
    told = run(operations.explain(library, "granite quay", document.id, DocumentSpot(quote="made of  granite")))
    assert (told.stage.is_searched, told.start, told.end) == (True, old.start, old.end)


def test_a_disabled_passage_is_read_by_no_tool(library: Library, run: Run, document: Document) -> None:
    run(operations.disable_chunk(library, holding(library, "froze").id))
    readable = asyncio.run(LibraryDocuments(library, ChunkFilter()).read(document))
    assert readable.passages
    assert not any("froze" in hit.chunk.text for hit in readable.passages)


def test_the_context_of_a_passage_contains_edited_text_and_no_disabled_chunks(
    library: Library, run: Run, document: Document
) -> None:
    run(operations.edit_chunk(library, holding(library, "froze").id, "The quay is made of granite."))
    run(operations.disable_chunk(library, chunks(library)[2].id))
    stretch = run(operations.neighbours(library, chunks(library)[1]))
    assert stretch.text.startswith("The quay is made of granite.")
    assert "lamp" in stretch.text
    assert "港口" not in stretch.text


def test_an_answer_that_cites_a_passage_is_known_to(library: Library, run: Run, document: Document) -> None:
    run(operations.ask(library, "When did the harbour of Lindhamn freeze?"))
    (use, *_) = run(operations.cited_in(library, document.id))
    one = holding(library, "froze")
    assert (use.question, use.cites(one.start, one.end)) == ("When did the harbour of Lindhamn freeze?", True)


def test_chunks_of_a_page_are_outlined_at_their_position(library: Library, run: Run, tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The vault opens at seven.")
        pdf.save(tmp_path / "vault.pdf")
    run(operations.add_documents(library, [tmp_path / "vault.pdf"]))
    vault = library.documents.find("vault.pdf")
    (outline,) = run(operations.page_outlines(library, vault.id, 1))
    (chunk,) = library.documents.chunks(vault.id)
    ((left, top, right, bottom),) = outline.boxes
    assert (outline.chunk, 60 < left < 80, 50 < top < bottom < 80, right > 150) == (chunk.id, True, True, True)
    assert run(operations.page_outlines(library, vault.id, 9)) == ()


def test_a_text_is_as_long_as_the_embedder_counts(library: Library, run: Run, small: SmallEmbedder) -> None:
    size = run(operations.text_size(library, "The vault opens at seven."))
    assert (size.tokens, size.most) == (small.tokenizer.count("The vault opens at seven."), small.tokenizer.max_tokens)
