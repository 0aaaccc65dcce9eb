"""Acts on documents: adding, linked folders, fetching, notes, editing, removing, moving, embedding again."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kill_acts import Act, go_on, number_of
from kill_telling import Teller, Told
from kill_world import PARTS, SITE, World, done, page_of, text_of

from workbench import operations
from workbench.model.document import DocumentStatus
from workbench.model.import_progress import DocumentsRemoved, FileFinished
from workbench.operations import Library


def _tells(teller: Teller) -> Any:
    """Return a listener that forwards the messages about files that a user sees."""

    def heard(event: Any) -> None:
        if isinstance(event, FileFinished):
            teller.told("file", [event.path, event.outcome.value, event.document])
        elif isinstance(event, DocumentsRemoved):
            teller.told("removed", list(event.documents))

    return heard


def _finished_files(_world: World, library: Library, told: Told) -> Iterator[str]:
    """Report files that were announced as ready and are not."""
    there = {document.id: document for document in library.documents.list()}
    for path, outcome, number in told.all("file"):
        # A ready document that is being read again is still found, whatever its status.
        if outcome == "ready" and (number not in there or not there[number].chunks):
            yield f"{Path(path).name} was said to be ready"


def _must_hold(library: Library, name: str, *words: str) -> Iterator[str]:
    found = [one for one in library.documents.list() if one.name == name]
    if len(found) != 1:
        yield f"{name}: {len(found)} documents of this name"
        return
    (document,) = found
    if document.status is not DocumentStatus.READY:
        yield f"{name}: {document.status.value}, {document.reason}"
    text = library.documents.text(document.id) if document.chunks else ""
    yield from (f"{name}: “{word}” is not in its text" for word in words if word not in text)


# -- Files -------------------------------------------------------------------------------------------------------------


def _change_files(world: World) -> None:
    (world.files / "base1.md").write_text(text_of("base1", version=2), "utf-8")
    (world.new / "twin.md").write_text(text_of("new1"), "utf-8")


async def _add_files(world: World, library: Library, teller: Teller) -> None:
    paths = [*sorted(world.new.glob("*.md")), world.files / "base1.md"]
    await done(operations.add_documents(library, paths), _tells(teller))
    teller.told("all")


def _ready_files(world: World, library: Library, told: Told) -> Iterator[str]:
    """Report files that were announced as ready and are not, if no file is read twice."""
    there = {document.id: document for document in library.documents.list()}
    for path, outcome, number in told.all("file"):
        if outcome == "ready" and (number not in there or there[number].status is not DocumentStatus.READY):
            yield f"{Path(path).name} was said to be ready"


async def _add_files_again(world: World, library: Library) -> None:
    await go_on(world, library)
    await done(operations.add_documents(library, [*sorted(world.new.glob("*.md")), world.files / "base1.md"]))


def _all_files(_world: World, library: Library, _told: Told) -> Iterator[str]:
    names = {document.name for document in library.documents.list()}
    first = "twin.md" if "twin.md" in names else "new1.md"
    for number in (0, 2, 3, 4, 5):
        yield from _must_hold(library, f"new{number}.md", f"zqnew{number}p{PARTS}v1")
    yield from _must_hold(library, first, "zqnew1p2v1")
    yield from _must_hold(library, "base1.md", "zqbase1p2v2")


async def _add_archive(world: World, library: Library, teller: Teller) -> None:
    await done(operations.add_documents(library, [world.new / "archive.zip"]), _tells(teller))


async def _add_archive_again(world: World, library: Library) -> None:
    await go_on(world, library)
    await done(operations.add_documents(library, [world.new / "archive.zip"]))


def _all_members(_world: World, library: Library, _told: Told) -> Iterator[str]:
    for number in range(3):
        yield from _must_hold(library, f"zipped{number}.md", f"zqzipped{number}p2v1")


async def _read_again(_world: World, library: Library, teller: Teller) -> None:
    await done(operations.put_setting(library, "chunk_tokens", 48))
    numbers = [document.id for document in library.documents.list()]
    await done(operations.reindex_documents(library, numbers), _tells(teller))
    await done(operations.put_setting(library, "chunk_tokens", 96))
    await done(operations.reindex_documents(library, numbers[:3]), _tells(teller))


# -- A linked folder ---------------------------------------------------------------------------------------------------


def _change_folder(world: World) -> None:
    (world.linked / "linked0.md").unlink()
    (world.linked / "linked1.md").rename(world.linked / "moved1.md")
    (world.linked / "linked2.md").write_text(text_of("linked2", version=2), "utf-8")
    for number in (6, 7):
        (world.linked / f"linked{number}.md").write_text(text_of(f"linked{number}"), "utf-8")
    (world.linked / "archive.zip").write_bytes((world.new / "archive.zip").read_bytes())


async def _check_folder(_world: World, library: Library, teller: Teller) -> None:
    await done(operations.check_linked_folders(library), _tells(teller))
    teller.told("all")


def _folder_changes(world: World, library: Library, told: Told) -> Iterator[str]:
    yield from _finished_files(world, library, told)
    there = {document.id for document in library.documents.list()}
    for numbers in told.all("removed"):
        yield from (f"document {number} was said to be removed" for number in numbers if number in there)


def _as_the_folder(world: World, library: Library, _told: Told) -> Iterator[str]:
    for path in world.linked.glob("*.md"):
        number = path.stem[-1]
        version = 2 if number == "2" else 1
        yield from _must_hold(library, path.name, f"zqlinked{number}p2v{version}")
    names = {document.name for document in library.documents.list()}
    yield from (f"{name} is there" for name in ("linked0.md", "linked1.md") if name in names)
    yield from _all_members(world, library, _told)


async def _unlink(world: World, library: Library, teller: Teller) -> None:
    (folder,) = await done(operations.list_linked_folders(library))
    teller.wants("linked", [])
    await done(operations.unlink_folder(library, folder.id))
    teller.has("linked", [])
    teller.wants("linked", [str(world.linked)])
    await done(operations.link_folder(library, world.linked))
    teller.has("linked", [str(world.linked)])


def _linked(_world: World, library: Library, told: Told) -> Iterator[str]:
    yield from told.kept(lambda _key: [one.path for one in library.linked.list()])
    names = {document.name for document in library.documents.list()}
    yield from (f"linked{number}.md is gone" for number in range(6) if f"linked{number}.md" not in names)


# -- Web pages and notes -----------------------------------------------------------------------------------------------


async def _fetch(world: World, library: Library, teller: Teller) -> None:
    await done(operations.add_urls(library, [f"{SITE}page{number}.html" for number in range(3)]), _tells(teller))
    for number in range(2):
        (world.web / f"page{number}.html").write_text(page_of(number, 2), "utf-8")
    numbers = [document.id for document in library.documents.list() if document.path.startswith(SITE)]
    await done(operations.refetch(library, numbers), _tells(teller))
    teller.told("all")


async def _fetch_again(world: World, library: Library) -> None:
    await go_on(world, library)
    await done(operations.add_urls(library, [f"{SITE}page{number}.html" for number in range(3)]))


def _all_pages(world: World, library: Library, _told: Told) -> Iterator[str]:
    for number in range(3):
        version = 2 if "v2 " in (world.web / f"page{number}.html").read_text("utf-8") else 1
        document = next(
            (one for one in library.documents.list() if one.path == f"{SITE}page{number}.html" and one.chunks), None
        )
        if document is None:
            yield f"page {number} is not there"
        elif f"zqpage{number}p1v{version}" not in library.documents.text(document.id):
            yield f"page {number} is an earlier version, though it was fetched again"


async def _write_notes(_world: World, library: Library, teller: Teller) -> None:
    note = next(document.id for document in library.documents.list() if document.path.startswith("note:"))
    for turn in range(1, 4):
        text = f"# Note {turn}\n\nThe note says zqnote{turn}.\n"
        teller.wants(str(note), text)
        await done(operations.edit_note(library, note, text))
        teller.has(str(note), text)
        await done(operations.add_note(library, f"# Other {turn}\n\nIt says zqother{turn}.\n"), _tells(teller))


def _notes(_world: World, library: Library, told: Told) -> Iterator[str]:
    yield from _finished_files(_world, library, told)
    yield from told.kept(lambda key: asyncio.run(done(operations.note_text(library, int(key)))))


def _no_failed_notes(_world: World, library: Library, _told: Told) -> Iterator[str]:
    for document in library.documents.list():
        if document.status is not DocumentStatus.READY:
            yield f"{document.name} is {document.status.value}: {document.reason}"


# -- Edits of documents ------------------------------------------------------------------------------------------------


async def _write_metadata(_world: World, library: Library, teller: Teller) -> None:
    numbers = [number_of(library, f"base{number}.md") for number in range(3)]
    for turn in range(4):
        for number in numbers:
            teller.wants(f"title {number}", f"Title {turn}")
            await done(operations.edit_metadata(library, number, {"title": f"Title {turn}"}))
            teller.has(f"title {number}", f"Title {turn}")
            tags = sorted({f"tag{turn}", "shared"})
            teller.wants(f"tags {number}", tags)
            await done(operations.put_tags(library, {number: tags}))
            teller.has(f"tags {number}", tags)


def _metadata(_world: World, library: Library, told: Told) -> Iterator[str]:
    def read(key: str) -> object:
        what, number = key.split()
        document = library.documents.get(int(number))
        return document.metadata.title if what == "title" else sorted(document.tags)

    yield from told.kept(read)


def _chunks_of(library: Library, number: int) -> list[list[object]]:
    return [[chunk.text, chunk.disabled, list(chunk.tags)] for chunk in library.documents.chunks(number)]


async def _edit_chunks(_world: World, library: Library, teller: Teller) -> None:
    number = number_of(library, "base0.md")
    edits = 0

    async def made(operation: Any) -> None:
        nonlocal edits
        await done(operation)
        edits += 1
        teller.told("edited", [number, edits, _chunks_of(library, number)])

    for turn in range(2):
        chunks = library.documents.chunks(number)
        await made(operations.edit_chunk(library, chunks[0].id, f"Somebody wrote zqedit{turn} here."))
        await made(operations.merge_chunks(library, library.documents.chunks(number)[1].id))
        long = max(library.documents.chunks(number), key=lambda chunk: len(chunk.text))
        await made(operations.split_chunk(library, long.id, len(long.text) // 2))
        await made(operations.disable_chunk(library, library.documents.chunks(number)[turn].id))
        await made(operations.tag_chunk(library, library.documents.chunks(number)[0].id, [f"mark{turn}"]))
        await done(operations.undo_chunk_edit(library, number))
        await done(operations.redo_chunk_edit(library, number))
        teller.told("edited", [number, edits, _chunks_of(library, number)])


def _edits(_world: World, library: Library, told: Told) -> Iterator[str]:
    said = told.all("edited")
    number = number_of(library, "base0.md")
    kept = library.chunk_edits.list(number)
    if len(kept) < len({edits for _, edits, _ in said}):
        yield f"{len(kept)} edits are kept of {len(said)}"
    undone = any(edit.undone for edit in kept)
    if said and len(kept) == said[-1][1] and not undone and _chunks_of(library, number) != said[-1][2]:
        yield "the chunks are not as they were when the last edit was acknowledged"


# -- The bin, knowledge bases ------------------------------------------------------------------------------------------


async def _remove(_world: World, library: Library, teller: Teller) -> None:
    numbers = [number_of(library, f"base{number}.md") for number in range(5)]

    async def become(state: str, some: list[int], operation: Any) -> None:
        for one in some:
            teller.wants(str(one), state)
        await done(operation)
        for one in some:
            teller.has(str(one), state)

    await become("in the bin", numbers[:4], operations.remove_documents(library, numbers[:4]))
    await become("there", numbers[:2], operations.restore_documents(library, numbers[:2]))
    await become("gone", numbers[2:3], operations.empty_bin(library, numbers[2:3]))
    await become("gone", numbers[4:5], operations.remove_documents(library, numbers[4:5], for_good=True))
    await become("in the bin", numbers[:1], operations.remove_documents(library, numbers[:1]))
    await become("gone", [numbers[0], numbers[3]], operations.empty_bin(library))


def _where(_world: World, library: Library, told: Told) -> Iterator[str]:
    there = {str(document.id) for document in library.documents.list()}
    binned = {str(one.document.id) for one in library.bin.list()}
    states = told.all("wants")
    if not states:
        return

    def read(key: str) -> str:
        return "there" if key in there else "in the bin" if key in binned else "gone"

    # Documents that are being deleted for good pass through the bin.
    for key in sorted(told.keys()):
        wanted = [said[1] for said in states if said[0] == key]
        if not (read(key) == "in the bin" and wanted[-1] == "gone" and told.lines[-1][0] == "wants"):
            yield from told.broken(key, read(key))


async def _knowledge_bases(_world: World, library: Library, teller: Teller) -> None:
    numbers = [number_of(library, f"base{number}.md") for number in range(4)]
    names = ["default"]

    async def become(now: list[str], operation: Any) -> Any:
        nonlocal names
        teller.wants("bases", now)
        value = await done(operation)
        teller.has("bases", now)
        names = now
        return value

    await become(["default", "second"], operations.add_knowledge_base(library, "second"))
    moved = await done(operations.move_documents(library, numbers[:2], "second"))
    teller.told("moved", [moved.documents, "second"])
    copied = await done(operations.move_documents(library, numbers[2:], "second", copy=True))
    teller.told("moved", [copied.documents, "second"])
    await become(["default", "third"], operations.rename_knowledge_base(library, "second", "third"))
    removed = await become(["default"], operations.remove_knowledge_base(library, "third"))
    await become(["default", "third"], operations.restore_knowledge_base(library, removed))
    await done(operations.move_back(library, moved))
    teller.told("moved", [moved.documents, "default"])


def _bases(_world: World, library: Library, told: Told) -> Iterator[str]:
    yield from told.kept(lambda _key: library.documents.knowledge_bases())
    if told.lines and told.lines[-1][0] == "moved":
        for number in told.lines[-1][1][0]:
            base = library.documents.get(number).knowledge_base
            if base != told.lines[-1][1][1]:
                yield f"document {number} is in {base}"


# -- Vectors -----------------------------------------------------------------------------------------------------------


async def _change_embedder(_world: World, library: Library, teller: Teller) -> None:
    teller.wants("embedder", "new")
    await done(operations.put_setting(library, "embedder", "new"))
    teller.told("asked", "new")
    await done(operations.change_embedder(library))
    teller.has("embedder", "new")
    teller.wants("embedder", "old")
    await done(operations.revert_embedder(library))
    teller.has("embedder", "old")
    await done(operations.put_setting(library, "embedder", "third"))
    teller.wants("embedder", "third")
    await done(operations.change_embedder(library))
    await done(operations.confirm_embedder(library))
    teller.has("embedder", "third")


def _embedder(_world: World, library: Library, told: Told) -> Iterator[str]:
    current = library.embedders.current
    yield from told.kept(lambda _key: (current.choice.model or "old") if current else "")


def _wanted_embedder(_world: World, library: Library, told: Told) -> Iterator[str]:
    if library.models.wanted() is not None:
        yield "the change of the embedder was not gone on with"
    for document in library.documents.list():
        if document.embedded != document.chunks:
            yield f"{document.name} has {document.embedded} vectors of {document.chunks}"


async def _save_index(_world: World, library: Library, teller: Teller) -> None:
    library.models.index()
    for number in [number_of(library, f"base{number}.md") for number in range(4)]:
        for change in (operations.remove_documents, operations.restore_documents):
            await done(change(library, [number]))
            await library.on_embedding(library.models.save_index)
            teller.told("saved", number)
            library.upkeep.request()


DOCUMENT_ACTS = (
    Act("add files", _add_files, _ready_files, _add_files_again, _all_files, _change_files, share=2),
    Act("add files, readers", _add_files, _ready_files, _add_files_again, _all_files, _change_files, 0.4, True),
    Act("add a ZIP archive", _add_archive, _ready_files, _add_archive_again, _all_members),
    Act("check linked folders", _check_folder, _folder_changes, go_on, _as_the_folder, _change_folder, share=1.5),
    Act("unlink and link", _unlink, _linked),
    Act("fetch web pages", _fetch, _finished_files, _fetch_again, _all_pages),
    Act("write notes", _write_notes, _notes, go_on, _no_failed_notes),
    Act("read again", _read_again),
    Act("metadata and tags", _write_metadata, _metadata, go_on, _no_failed_notes),
    Act("edit passages", _edit_chunks, _edits),
    Act("bin, restore, purge", _remove, _where),
    Act("knowledge bases", _knowledge_bases, _bases),
    Act("change the embedder", _change_embedder, _embedder, go_on, _wanted_embedder, share=1.5),
    Act("save the index", _save_index),
)
