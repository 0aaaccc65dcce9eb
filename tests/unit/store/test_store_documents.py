"""Documents: identity, isolation, replacement, removal."""

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from store_content import Add, chunked, parsed

from workbench.errors import DocumentError, NotFound, RetrievalError
from workbench.model.document import (
    Block,
    BlockKind,
    DocumentStatus,
    Metadata,
    Page,
    ParsedDocument,
    WordBox,
    WordBoxes,
)
from workbench.model.filter import EVERYTHING, ChunkFilter, Condition, Operator
from workbench.model.source_lines import NO_LINES, LineKind, LineTable
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex
from workbench.store.recycle_bin import RecycleBin
from workbench.store.vectors import VectorTable


def test_a_document_is_read_back_as_it_was_put(documents: DocumentStore) -> None:
    text = "# Head\nBody 文字 \ud800 \x00 end.\n"
    words = WordBoxes.pack([WordBox(0, 4, 1.5, 2.0, 3.25, 4.0), WordBox(5, 9, -1.0, 0.0, 7.0, 8.0)])
    content = ParsedDocument(
        text,
        (Block(BlockKind.HEADING, 0, 7, 1, 1), Block(BlockKind.PARAGRAPH, 7, len(text))),
        (Page(1, 0, 7, 595.0, 842.0, words), Page(2, 7, len(text), 10.0, 20.0)),
        Metadata("标题", "An author", "2024-05-06", ("a", "b"), "en"),
        "pdf",
        ("Page 2 holds no text.",),
    )
    queued = documents.queue(Path("/x/a.pdf"), knowledge_base="default", sha256="aa", size=1, format="pdf")
    put = documents.put_content(queued.id, content, chunked(text), sha256="bb", size=2)
    assert documents.text(put.id) == text
    assert documents.blocks(put.id) == content.blocks
    assert documents.page(put.id, 1) == content.pages[0]
    assert documents.page(put.id, 3) is None
    assert documents.pages(put.id)[0] == Page(1, 0, 7, 595.0, 842.0)
    assert [chunk.text for chunk in documents.chunks(put.id)] == [chunk.text for chunk in chunked(text)]
    assert (put.metadata, put.warnings, put.pages, put.sha256, put.size, put.format, put.status) == (
        *(content.metadata, content.warnings, 2, "bb", 2, "pdf"),
        DocumentStatus.INDEXED,
    )


def test_the_lines_of_a_stretch_are_read_from_among_thousands(documents: DocumentStore) -> None:
    text = "line\n" * 5000
    lines = LineTable.pack(LineKind.LINE, ((5 * number, 70_001 + number) for number in range(5000)))
    content = ParsedDocument(text, (Block(BlockKind.PARAGRAPH, 0, len(text)),), (), Metadata("t"), "text", lines=lines)
    id = documents.queue(Path("/x/a.log"), knowledge_base="default", sha256="aa", size=1, format="text").id
    documents.put_content(id, content, chunked(text), sha256="bb", size=2)
    assert documents.source_lines(id) == lines.unpacked
    few = [documents.chunks(id)[number] for number in (0, 2500)]
    assert documents.source_lines_of(few) == {chunk.id: lines.unpacked.within(chunk.start, chunk.end) for chunk in few}
    for start, end in ((0, 4), (5119, 5121), (5120, 10_241), (24_995, 25_000)):
        assert documents.source_lines(id, start, end) == lines.unpacked.within(start, end)
        assert lines.unpacked.within(start, end).span(start, end) == lines.unpacked.span(start, end)
    documents.put_content(id, replace(content, lines=NO_LINES), [], sha256="bb", size=2)
    assert documents.source_lines(id) is None
    assert documents.source_lines_of(few) == {}


def test_e24_chunk_numbers_run_on_through_the_document(documents: DocumentStore, add: Add) -> None:
    document = add("same\nsame\nother\nsame\n")
    assert [chunk.ordinal for chunk in documents.chunks(document.id)] == [0, 1, 2, 3]
    document = add("other\nsame\nnew\n")
    chunks = documents.chunks(document.id)
    assert [(chunk.ordinal, chunk.text) for chunk in chunks] == [(0, "other\n"), (1, "same\n"), (2, "new\n")]
    assert documents.text(document.id)[chunks[2].start : chunks[2].end] == "new\n"


def test_e24_an_unchanged_chunk_keeps_its_id_and_a_new_one_gets_an_unused(documents: DocumentStore, add: Add) -> None:
    document = add("one\ntwo\nthree\n")
    one, _two, three = (chunk.id for chunk in documents.chunks(document.id))
    add("zero\none\nthree\n")
    ids = [chunk.id for chunk in documents.chunks(document.id)]
    assert ids[1:] == [one, three]
    assert ids[0] > three
    add("last\n")
    add("two\n")
    assert documents.chunks(document.id)[0].id == ids[0] + 2


def test_a_new_title_makes_every_chunk_new(documents: DocumentStore, keywords: KeywordIndex, add: Add) -> None:
    # The title is part of the text that is indexed.
    document = add("text\n", title="Old")
    before = documents.chunks(document.id)[0].id
    add("text\n", title="Fresh")
    assert documents.chunks(document.id)[0].id != before
    assert [keywords.search("old", 5), len(keywords.search("fresh", 5))] == [[], 1]


def test_e24_an_edited_file_leaves_nothing_of_the_old(keywords: KeywordIndex, add: Add) -> None:
    add("apples and pears\n")
    add("only cherries now\n")
    assert keywords.search("apples", 5) == []
    assert len(keywords.search("cherries", 5)) == 1


def test_the_old_content_is_found_until_the_new_is_put(
    documents: DocumentStore, keywords: KeywordIndex, add: Add
) -> None:
    document = add("apples\n")
    documents.set_status(document.id, DocumentStatus.PARSING)
    assert len(keywords.search("apples", 5)) == 1
    documents.set_status(document.id, DocumentStatus.FAILED, reason="It broke.", hint="Mend it.")
    assert len(keywords.search("apples", 5)) == 1
    assert (documents.get(document.id).reason, documents.get(document.id).hint) == ("It broke.", "Mend it.")
    assert add("pears\n").reason == ""


def test_a_put_that_fails_leaves_the_old_content_whole(
    documents: DocumentStore, keywords: KeywordIndex, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = add("apples\nplums\n")

    def fail(*args: object) -> None:
        raise OSError("in the middle")

    monkeypatch.setattr("workbench.store.document_writes.add_rows", fail)
    with pytest.raises(OSError, match="in the middle"):
        add("pears\n")
    assert documents.get(document.id) == document
    assert documents.text(document.id) == "apples\nplums\n"
    assert [len(keywords.search(word, 5)) for word in ("apples", "plums", "pears")] == [1, 1, 0]


def test_b9_the_same_bytes_are_one_document_in_a_knowledge_base(documents: DocumentStore, add: Add) -> None:
    first = add("text\n", path="a.txt")
    again = documents.queue(Path("b.txt"), knowledge_base="default", sha256=first.sha256, size=5, format="text")
    assert again == first
    assert documents.by_hash("default", first.sha256) == first


def test_b9_different_texts_are_different_documents(documents: DocumentStore, add: Add) -> None:
    for number in range(3):
        add(f"text {number}\n", path=f"unnamed-{number}")
    assert len(documents.list()) == 3


def test_an_edit_that_makes_two_documents_equal_raises_an_error(documents: DocumentStore, add: Add) -> None:
    add("one\n", path="a.txt")
    second = add("two\n", path="b.txt")
    with pytest.raises(DocumentError, match=r"the same content as “a.txt”"):
        add("one\n", path="b.txt")
    assert documents.text(second.id) == "two\n"


def test_b29_the_same_file_in_two_knowledge_bases_is_two_documents(
    documents: DocumentStore, keywords: KeywordIndex, bin: RecycleBin, add: Add
) -> None:
    mine = add("apples\n", knowledge_base="mine")
    yours = add("apples\n", knowledge_base="yours")
    assert mine.id != yours.id
    add("pears\n", knowledge_base="mine")
    documents.mark_removed([mine.id])
    bin.purge([mine.id])
    assert documents.text(yours.id) == "apples\n"
    assert len(keywords.search("apples", 5, filter=ChunkFilter("yours"))) == 1
    assert keywords.search("apples", 5, filter=ChunkFilter("mine")) == []
    assert documents.counts("yours") == (1, 0)


def test_an_unknown_knowledge_base_raises_an_error_instead_of_being_empty(
    documents: DocumentStore, keywords: KeywordIndex
) -> None:
    for call in (
        lambda: documents.list("typo"),
        lambda: documents.counts("typo"),
        lambda: documents.searchable_chunks(ChunkFilter("typo")),
        lambda: keywords.search("word", 5, filter=ChunkFilter("typo")),
    ):
        with pytest.raises(NotFound, match="knowledge base “typo”"):
            call()


def test_removed_document_is_not_listed_or_found_until_restored(
    documents: DocumentStore, keywords: KeywordIndex, add: Add
) -> None:
    document = add("apples\n")
    chunk = documents.chunks(document.id)[0].id
    documents.mark_removed([document.id, 999])
    assert (documents.list(), keywords.search("apples", 5), documents.counts()) == ([], [], (0, 0))
    assert documents.chunks_by_id([chunk]) == {}
    with pytest.raises(NotFound):
        documents.get(document.id)
    documents.restore([document.id])
    assert documents.list() == [document]
    assert [id for id, _ in keywords.search("apples", 5)] == [chunk]


def test_a_document_added_again_after_removal_wins_over_undo(documents: DocumentStore, add: Add) -> None:
    old = add("text\n")
    documents.mark_removed([old.id])
    new = add("text\n")
    documents.restore([old.id])
    assert documents.list() == [new]


def test_purge_takes_vectors_and_keyword_rows_along(
    database: Database,
    documents: DocumentStore,
    keywords: KeywordIndex,
    vectors: VectorTable,
    bin: RecycleBin,
    add: Add,
) -> None:
    document = add("apples\npears\n")
    ids = np.array([chunk.id for chunk in documents.chunks(document.id)])
    vectors.put("e", ids, np.ones((2, 4), np.float32))
    documents.mark_removed([document.id])
    assert bin.purge([document.id]) == 1
    assert bin.purge([document.id]) == 0
    assert (len(vectors.all("e")[0]), keywords.document_frequency(["apple"])) == (0, {"apple": 0})
    with database.read() as connection:
        for table in ("documents", "chunks", "contents", "pages", "source_lines", "vectors"):
            assert connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (0,), table
    assert database.integrity_problem() == ""


def test_e27_any_spelling_finds_the_document(
    documents: DocumentStore, add: Add, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    document = add("text\n", path=str(tmp_path / "sub" / "a b.txt"))
    for spec in (
        str(document.id),
        str(tmp_path / "sub" / "a b.txt"),
        "sub/a b.txt",
        "./sub/../sub/a b.txt",
        "a b.txt",
        document.sha256[:8],
    ):
        assert documents.find(spec) == document, spec
    with pytest.raises(NotFound, match="no document “other"):
        documents.find("other.txt")


def test_an_ambiguous_name_raises_an_error_with_the_document_numbers(documents: DocumentStore, add: Add) -> None:
    add("one\n", path="/x/a.txt")
    add("two\n", path="/y/a.txt")
    with pytest.raises(NotFound, match="can mean 2 documents"):
        documents.find("a.txt")


def test_a_path_that_is_not_utf8_is_kept(documents: DocumentStore, add: Add) -> None:
    document = add("text\n", path="/x/caf\udce9.txt")
    assert documents.get(document.id).path == "/x/caf\udce9.txt"
    assert documents.find("/x/caf\udce9.txt") == document


def test_documents_are_listed_in_the_order_they_were_added(documents: DocumentStore, add: Add) -> None:
    names = [add(f"{name}\n", path=name).name for name in ("z", "a", "m")]
    add("z again\n", path="z")
    assert [document.name for document in documents.list()] == names


def test_unfinished_documents_are_known_after_a_restart(documents: DocumentStore, add: Add) -> None:
    ready, failed, left = add("a\n", path="a"), add("b\n", path="b"), add("c\n", path="c")
    documents.set_status(ready.id, DocumentStatus.READY)
    documents.set_status(failed.id, DocumentStatus.FAILED, reason="No.")
    assert [document.id for document in documents.unfinished()] == [left.id]


def test_chunks_by_id_keeps_the_order_and_leaves_out_the_unknown(documents: DocumentStore, add: Add) -> None:
    document = add("a\nb\nc\n")
    a, b, c = (chunk.id for chunk in documents.chunks(document.id))
    found = documents.chunks_by_id([c, 999, a, b])
    assert list(found) == [c, a, b]
    assert found[c][0].text == "c\n"
    assert found[c][1] == document


def test_a_renamed_file_keeps_its_document(documents: DocumentStore, add: Add) -> None:
    document = add("text\n", path="/x/a.txt")
    renamed = documents.rename_path(document.id, Path("/y/b.txt"))
    assert (renamed.id, renamed.path, renamed.name) == (document.id, "/y/b.txt", "b.txt")


def test_every_chunk_searchable_needs_no_filter(documents: DocumentStore, add: Add) -> None:
    first = add("a\nb\n", path="a", knowledge_base="one")
    assert documents.searchable_chunks(EVERYTHING) is None
    assert documents.searchable_chunks(ChunkFilter("one")) is None
    add("c\n", path="c", knowledge_base="two")
    ids = [chunk.id for chunk in documents.chunks(first.id)]
    searchable = documents.searchable_chunks(ChunkFilter("one"))
    assert searchable is not None
    assert searchable.tolist() == ids
    documents.mark_removed([first.id])
    assert documents.searchable_chunks(EVERYTHING) is None
    assert documents.searchable_chunks(ChunkFilter("two")) is None


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("name", "a.pdf", True),
        ("format", "PDF", True),
        ("title", "Annual report", True),
        ("author", "Somebody else", False),
        ("created", "2024", True),
        ("created", "2024-05", True),
        ("created", "2024-06", False),
        ("path", "/x/../x/a.pdf", True),
        ("path", "/x/a.pdf", True),
        ("document", "1", True),
        ("document", "2", False),
        ("page", "2", True),
        ("page", "3", False),
    ],
)
def test_b17_filters_act_on_the_fields_of_a_document(
    documents: DocumentStore, keywords: KeywordIndex, key: str, value: str, found: bool
) -> None:
    chunk = chunked("apples\n")[0]
    paged = type(chunk)(0, 0, 7, "apples\n", 1, 2, (), BlockKind.PARAGRAPH, 1)
    content = ParsedDocument("apples\n", (), (), Metadata("Annual report", "Ann", "2024-05-06"), "pdf")
    document = documents.queue(Path("/x/a.pdf"), knowledge_base="default", sha256="1", size=1, format="pdf")
    documents.put_content(document.id, content, [paged], sha256="1", size=1)
    chunk_filter = ChunkFilter("default", (Condition(key, Operator.EQ, (value,)),))
    assert bool(keywords.search("apples", 5, filter=chunk_filter)) is found
    searchable = documents.searchable_chunks(chunk_filter)
    assert (searchable is None or len(searchable) > 0) is found


def test_a_page_that_is_no_number_is_an_error() -> None:
    with pytest.raises(RetrievalError, match="“page” cannot be “two”"):
        Condition("page", Operator.EQ, ("two",))


def test_reads_continue_while_documents_are_stored(documents: DocumentStore, keywords: KeywordIndex, add: Add) -> None:
    add("apples forever\n" * 3, path="kept.txt")
    failures: list[str] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            changing = next((one for one in documents.list() if one.name == "changing.txt"), None)
            if len(keywords.search("apples", 10)) != 3:
                failures.append("apples")
            if changing is not None and documents.text(changing.id) not in ("", "pears 0\n" * 30, "pears 1\n" * 30):
                failures.append("half a text")

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for turn in range(20):
        add(f"pears {turn % 2}\n" * 30, path="changing.txt")
    stop.set()
    for reader in readers:
        reader.join()
    assert failures == []


def test_content_for_a_purged_document_is_refused(documents: DocumentStore, add: Add) -> None:
    document = add("a\n")
    documents.mark_removed([document.id])
    with pytest.raises(NotFound):
        documents.put_content(document.id, parsed("b\n"), chunked("b\n"), sha256="b", size=2)
    with pytest.raises(NotFound):
        documents.set_status(document.id, DocumentStatus.READY)


def test_purging_gives_the_room_back(database: Database, documents: DocumentStore, bin: RecycleBin, add: Add) -> None:
    document = add("".join(f"line {number} with some words\n" for number in range(3000)))

    def pages() -> int:
        with database.read() as connection:
            return int(connection.execute("PRAGMA page_count").fetchone()[0])

    before = pages()
    documents.mark_removed([document.id])
    bin.purge([document.id])
    # The keyword index keeps some pages until FTS5 merges its segments.
    assert pages() < before * 0.75
