"""The environment in which the program is killed: a library of a few documents, and the folders around it.

Everything that would only take time is replaced by something small: a model that hashes words, parsers as threads of
the program, waits of milliseconds. The data written, and its order, are those of the program.
"""

import asyncio
import hashlib
import os
import shutil
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

# Before numpy: threads are not inherited by a forked process.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import numpy as np
from kill_words import Words
from numpy.typing import NDArray
from small_embedder import SmallEmbedder

from workbench import operations
from workbench.errors import MissingFile
from workbench.fetching.base import Fetched, Validators
from workbench.indexing import segment
from workbench.model.evaluation import GoldenQuestion, Judgement
from workbench.model.message import TextDelta, TurnEnd
from workbench.model.profile import ModelProfile
from workbench.model.session import Part
from workbench.operations import Library
from workbench.operations.folders import folder_linking
from workbench.operations.imports import embedding, web_pages
from workbench.operations.library import background_work, embedder_change, map_chart
from workbench.operations.library.models import SearchModels
from workbench.operations.questions import run_persister
from workbench.worker.job import JobContext, Operation
from workbench.worker.processes import ProcessPool

PARTS = 4
SITE = "http://127.0.0.1:9/"
QUESTION = "What did the station report?"
PIECES = ("The station ", "reported ", "a level of ", "seven metres ", "in part two ", "of the report.")
"""The answer of the model, in pieces."""


def text_of(name: str, *, version: int = 1) -> str:
    """Return a document in which every part has a unique word, such as zqnew3p2v1."""
    parts = "\n\n".join(
        f"## Part {part}\n\nStation {name} reported zq{name}p{part}v{version if part == 2 else 1} in part {part}. "
        + " ".join(f"The level was {number} metres on day {number}." for number in range(part, part + 9))
        for part in range(1, PARTS + 1)
    )
    return f"# Report {name}\n\n{parts}\n"


@dataclass(frozen=True)
class World:
    """Paths of the library and its surroundings, which are restored before each kill."""

    root: Path

    @property
    def now(self) -> Path:
        """The restored folder with those below, always at the same path, because the library stores paths."""
        return self.root / "now"

    @property
    def library(self) -> Path:
        return self.now / "library"

    @property
    def files(self) -> Path:
        """Files that the library has copies of; new: files to add."""
        return self.now / "files"

    @property
    def new(self) -> Path:
        return self.now / "new"

    @property
    def linked(self) -> Path:
        return self.now / "linked"

    @property
    def web(self) -> Path:
        """Pages of the only web site, by name."""
        return self.now / "web"

    @property
    def out(self) -> Path:
        """Folder for exports."""
        return self.now / "out"

    @property
    def tmp(self) -> Path:
        """The folder for temporary files."""
        return self.now / "tmp"

    @property
    def journal(self) -> Path:
        """Record of operations that a power cut may undo; saved: replaced and deleted files."""
        return self.root / "journal"

    @property
    def saved(self) -> Path:
        return self.root / "saved"

    def put_back(self) -> None:
        """Restore the saved state."""
        shutil.rmtree(self.now, ignore_errors=True)
        shutil.copytree(self.root / "kept", self.now, symlinks=True)
        shutil.rmtree(self.saved, ignore_errors=True)
        self.saved.mkdir()
        self.journal.write_bytes(b"")

    def make(self) -> None:
        """Create the library and its surroundings, and save them."""
        for folder in (self.files, self.new, self.linked, self.web, self.out, self.tmp):
            folder.mkdir(parents=True)
        for number in range(6):
            (self.files / f"base{number}.md").write_text(text_of(f"base{number}"), "utf-8")
            (self.new / f"new{number}.md").write_text(text_of(f"new{number}"), "utf-8")
            (self.linked / f"linked{number}.md").write_text(text_of(f"linked{number}"), "utf-8")
        for number in range(3):
            (self.web / f"page{number}.html").write_text(page_of(number), "utf-8")
        with zipfile.ZipFile(self.new / "archive.zip", "w") as archive:
            for number in range(3):
                archive.writestr(f"inner/zipped{number}.md", text_of(f"zipped{number}"))
        asyncio.run(self._fill())
        shutil.copytree(self.now, self.root / "kept", symlinks=True)

    async def _fill(self) -> None:
        library = Library.open(self.library)
        try:
            await done(operations.put_setting(library, "chunk_tokens", 64))
            await done(operations.put_setting(library, "allow_private_addresses", "yes"))
            await done(operations.put_profile(library, ModelProfile("typist", SITE + "v1", "typist")))
            await done(operations.add_documents(library, [self.files]))
            await done(operations.link_folder(library, self.linked))
            await done(operations.add_urls(library, [SITE + "page0.html"]))
            await done(operations.add_note(library, "# First note\n\nThe note says zqnote0.\n"))
            by_name = {document.name: document for document in library.documents.list()}
            await done(operations.tag_documents(library, [by_name["base0.md"].id], add=["kept"]))
            chunk = library.documents.chunks(by_name["base3.md"].id)[1]
            await done(operations.edit_chunk(library, chunk.id, "Somebody wrote zqedited1 here."))
            await done(operations.remove_documents(library, [by_name["base5.md"].id]))
            first = await done(operations.ask(library, QUESTION, profile="typist"))
            await done(operations.ask(library, "And then?", profile="typist", session=first.session))
            await done(operations.keep_draft(library, first.session, "a draft"))
            golden = [
                GoldenQuestion(f"What is zqbase{one}p1v1?", (Judgement(text=f"zqbase{one}p1v1"),)) for one in (0, 1)
            ]
            await done(operations.put_questions(library, "golden", golden))
            cited = await done(operations.ask(library, "What did station base1 report in part 2: zqbase1p2v1?"))
            assert cited.citations, cited.answer
            bundle = self.new / "session.kwbundle"
            await done(operations.export_session(library, cited.session, "kwbundle", bundle, parts=frozenset(Part)))
            await done(operations.export_session(library, first.session, "md", self.out / "there.md"))
        finally:
            library.close()


async def done(operation: Operation[Any], emit: Callable[[Any], None] | None = None) -> Any:
    """Run an operation to its end."""
    return await operation(JobContext(emit))


def page_of(number: int, version: int = 1) -> str:
    """Return a page of the web site."""
    body = "".join(
        f"<p>Station page{number} reported zqpage{number}p{part}v{version} in part {part}, and the harbour stayed open"
        " for the whole of the winter, which nobody had expected.</p>"
        for part in range(1, PARTS + 1)
    )
    return f"<html><head><title>Page {number}</title></head><body><h1>Page {number}</h1>{body}</body></html>"


class Typist:
    """A model that always gives the same answer, with a pause between the pieces."""

    mode = "Model: typist."
    counts = None

    async def stream(self, request: Any) -> AsyncIterator[Any]:
        for piece in PIECES:
            await asyncio.sleep(0.004)
            yield TextDelta(piece)
        yield TurnEnd(finish="stop")

    async def close(self) -> None:
        pass


class FolderFetcher:
    """The web site: a folder. A page has the hash of its bytes as its ETag."""

    folder = Path()

    def __init__(self, *_given: object, **_more: object) -> None:
        pass

    async def __aenter__(self) -> "FolderFetcher":
        return self

    async def __aexit__(self, *_error: object) -> None:
        pass

    async def fetch(
        self, address: str, folder: Path, validators: Validators | None = None, *_more: object
    ) -> Fetched | None:
        source = self.folder / address.rpartition("/")[2]
        if not source.is_file():
            raise MissingFile("There is no such page.")
        data = source.read_bytes()
        etag = hashlib.sha256(data).hexdigest()
        if validators is not None and validators.etag == etag:
            return None
        file = folder / source.name
        file.write_bytes(data)
        return Fetched(address, file, source.stem, "text/html", Validators(etag))


class KillEmbedder(SmallEmbedder):
    """Vectors of different texts begin differently, as with any model: an index identifies them by that."""

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = super()._vector(text)
        vector[:2] += np.float32(zlib.crc32(text.encode()) % 100_003 / 100_003) * np.float32(0.2)
        return vector / np.float32(np.linalg.norm(vector))


EMBEDDERS: dict[str, SmallEmbedder] = {}


def small_embedder(model: str) -> SmallEmbedder:
    """Return the embedder of a name; an empty name is the initial one."""
    name = model or "old"
    if name not in EMBEDDERS:
        EMBEDDERS[name] = KillEmbedder(Words(), name=name, dim=64 if name == "old" else 48)
    return EMBEDDERS[name]


RUN_IN_CHILD = ProcessPool.run


async def _run_here(self: ProcessPool, function: Callable[..., Any], *args: Any, **_limits: Any) -> Any:
    """Run the work of a child process on a thread; the layout of the map is not tested."""
    if function is map_chart.lay_out_landmarks:
        return args[0][:, :2].copy()
    return await asyncio.to_thread(function, *args)


def use_small_means(world: World) -> None:
    """Replace costly parts of the program in this process; this cannot be undone."""
    tempfile.tempdir = str(world.tmp)
    FolderFetcher.folder = world.web

    asking = import_module("workbench.operations.questions.ask")
    real = asking.provider_of  # type: ignore[attr-defined]

    async def provider(library: Library, profile: ModelProfile) -> Any:
        return await real(library, profile) if profile.is_offline else Typist()

    SearchModels.load_embedder = lambda _self, choice: small_embedder(choice.model)  # type: ignore[method-assign,assignment,return-value]
    ProcessPool.run = _run_here  # type: ignore[method-assign,assignment]
    web_pages.WebFetcher = FolderFetcher  # type: ignore[assignment,misc]
    asking.provider_of = provider  # type: ignore[attr-defined]
    embedding.BATCH = 8
    embedder_change.BATCH = 8
    folder_linking.SETTLE_SECONDS = 0.005
    run_persister.FLUSH_SECONDS = 0.01
    background_work.QUIET_SECONDS = 0.02
    segment.WriteBuffer.ROOM = 16


def wait_until(what: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Return whether a condition becomes true in time."""
    deadline = time.monotonic() + seconds
    while not what():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True
