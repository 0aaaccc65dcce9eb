"""Deciding what becomes of a file that is to be added: read it, or say why not.

enrol looks at many files without reading any, so that their rows stand at once; identify reads one file's bytes when
its turn has come, and finds out whether the library holds them already.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import DocumentError, UnreadableFile, WorkbenchError
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.model.progress import FileOutcome
from workbench.operations.acceptance import has_parser, refusal
from workbench.operations.library import Library
from workbench.operations.passwords import at_hand
from workbench.operations.sources import Digest, Source, digest, find_copy, keep_original, original_path, stamp
from workbench.parsing.registry import suffix_of, unsupported
from workbench.store.intake import Stamp

BUSY = "It is being added already."


@dataclass(slots=True)
class ReadingTask:
    """A document to be read from file; path is where the user has it.

    Attributes:
        file: The library's own copy; the user's file until it is identified.
        digest: Of the bytes; until the file is identified, what the document's row holds.
        replaces: The library holds earlier content of it, which stays searchable until the new is stored.
        stamp: Of the user's file when its bytes were hashed; None when the library's copy is read again.
        identified: The bytes are known and copied.
        started: When its reading began, for the report.
    """

    path: Path
    document: Document
    file: Path
    digest: Digest
    replaces: bool
    stamp: Stamp | None = None
    identified: bool = True
    started: float = 0.0

    @property
    def is_same_content(self) -> bool:
        """Whether it is read again rather than changed."""
        return self.digest.sha256 == self.document.sha256

    @property
    def needs_only_vectors(self) -> bool:
        """Whether a stop came after its text was stored."""
        stored = self.document.status in (DocumentStatus.INDEXED, DocumentStatus.EMBEDDING)
        return self.stamp is not None and self.replaces and stored and self.is_same_content


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a file that need not be read: what came of it, why, and which documents went for it."""

    path: Path
    outcome: FileOutcome
    document: Document | None
    reason: str
    removed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Busy:
    """The document that holds the same bytes is being read: what becomes of the file can be told afterwards."""

    document: Document


def task_of(document: Document, file: Path, *, identified: bool = True) -> ReadingTask:
    """Return the task of reading a document of the library."""
    content = Digest(document.sha256, document.size)
    return ReadingTask(
        Path(document.path),
        document,
        file,
        content,
        document.chunks > 0,
        None if identified else Stamp(0, 0),
        identified,
    )


def enrol(
    library: Library, sources: Sequence[Source], knowledge_base: str, *, check_contents: bool = False
) -> list[ReadingTask | Verdict]:
    """Return for each file a claimed task with a row in the library, or the verdict on it. Blocking, reads no file.

    A file of the size and time that the library noted when it hashed it is taken to be unchanged.

    Args:
        library: The open library.
        sources: The files.
        knowledge_base: Its name.
        check_contents: Hash every file, whatever its time says.
    """
    known = library.intake.known(knowledge_base, [source.path for source in sources])
    seen: list[Document | Verdict | None] = []
    new: dict[Path, tuple[Stamp, str]] = {}
    placed: dict[int, str] = {}
    archived = {source.path for source in sources if source.origin is Origin.ARCHIVE}
    for source in sources:
        outcome: Document | Verdict | None
        try:
            now, outcome = _look(source)
            if outcome is None:
                if source.path in known:
                    if source.folder and not known[source.path][0].folder:
                        placed[known[source.path][0].id] = source.folder
                    outcome = _known(library, source.path, now, *known[source.path], check_contents=check_contents)
                else:
                    new[source.path] = now, source.folder
        except DocumentError as error:
            outcome = Verdict(source.path, FileOutcome.FAILED, None, str(error))
        seen.append(outcome)
    if placed:
        # Files that were added by themselves before their folder was.
        library.intake.put_folders(placed)
    rows = iter(library.intake.queue(knowledge_base, new, archived=archived) if new else ())
    return _claimed(library, [next(rows) if outcome is None else outcome for outcome in seen])


def _look(source: Source) -> tuple[Stamp, Verdict | None]:
    """Return a file's stamp, and the verdict on it where it is not to be read."""
    if source.problem:
        outcome = FileOutcome.FAILED if source.is_failure else FileOutcome.SKIPPED
        return Stamp(0, 0), Verdict(source.path, outcome, None, source.problem)
    now = source.stamp or stamp(source.path)
    return now, _refusal(source, now)


def _refusal(source: Source, now: Stamp) -> Verdict | None:
    """Return the verdict on a file that no parser takes, before a film of 10 GB is hashed and copied."""
    path = source.path
    if source.explicit:
        # One without an ending may be anything: reading it will tell.
        if suffix_of(path) and not has_parser(path):
            raise unsupported(suffix_of(path))
        return None
    # Members of archives were judged when their archive was listed.
    reason = "" if source.origin is Origin.ARCHIVE else refusal(path, now)
    return Verdict(path, FileOutcome.SKIPPED, None, reason) if reason else None


def _known(
    library: Library, path: Path, now: Stamp, document: Document, then: Stamp, *, check_contents: bool
) -> Document | Verdict:
    """Return the document of a file whose path the library knows when it is to be read, else the verdict."""
    if library.is_reading(document.id) or (now == then and document.id in library.active):
        return Verdict(path, FileOutcome.UNCHANGED, document, BUSY)
    unchanged = now == then and not check_contents and document.status is DocumentStatus.READY and not document.reason
    copy = original_path(library.originals, document.sha256, document.name)
    if unchanged and (copy.is_file() or library.linked.covers(document.knowledge_base, document.path)):
        return Verdict(path, FileOutcome.UNCHANGED, document, "")
    return document


def _claimed(library: Library, seen: Sequence[Document | Verdict]) -> list[ReadingTask | Verdict]:
    outcomes: list[ReadingTask | Verdict] = []
    for one in seen:
        if isinstance(one, Verdict):
            outcomes.append(one)
        elif library.claim(one.id):
            outcomes.append(task_of(one, Path(one.path), identified=False))
        else:
            outcomes.append(Verdict(Path(one.path), FileOutcome.UNCHANGED, one, BUSY))
    tasks = [one for one in outcomes if isinstance(one, ReadingTask)]
    again = [task.document.id for task in tasks if not task.replaces]
    try:
        queued = {document.id: document for document in library.intake.set_status(again, DocumentStatus.QUEUED)}
    except WorkbenchError:
        for task in tasks:
            library.release(task.document.id)
        raise
    for task in tasks:
        task.document = queued.get(task.document.id, task.document)
    return outcomes


def identify(library: Library, task: ReadingTask, password: str | None = None) -> Verdict | Busy | None:
    """Hash and copy a task's file; None means that it is to be read, as task then says. Blocking.

    The identity of a document is the hash of its bytes within its knowledge base; the path only tells which earlier
    document a changed file replaces. A locked archive is opened with the password, or with one that the library knows.

    Raises:
        WorkbenchError: The file cannot be read, or not be copied.
    """
    with library.archives.opened(task.path, lambda: at_hand(library, password)) as file:
        task.stamp = library.archives.stamp(task.path) or stamp(task.path)
        task.digest = digest(file)
        if password is not None and library.archives.password_of(task.path) == password:
            library.passwords[task.digest.sha256] = password
        return _identified(library, task, file)


def _identified(library: Library, task: ReadingTask, file: Path) -> Verdict | Busy | None:
    own = task.document
    same = library.documents.by_hash(own.knowledge_base, task.digest.sha256)
    if same is not None and (same.id != own.id or same.status is DocumentStatus.READY):
        if same.id != own.id and library.is_reading(same.id):
            return Busy(same)
        if same.status is DocumentStatus.READY or same.id in library.active:
            return _unchanged(library, task, same, file)
        if not library.claim(same.id):
            return Busy(same)
        # It failed, or a stop left it: it is read now, under this name.
        library.release(own.id)
        library.intake.discard(own.id)
        task.document, task.replaces = same, same.chunks > 0
    task.file = _kept(library, task, file)
    if not task.replaces:
        identified = library.intake.identify(task.document.id, task.digest.sha256, _stamp_of(task))
        if identified is None:
            # Removed meanwhile, or another import put the same bytes in between: look again.
            library.documents.get(task.document.id)
            return _identified(library, task, file)
        task.document = identified
        if identified.path != str(task.path):
            # Its other name may be why it failed: the row goes by the name that is tried now.
            task.document = library.documents.rename_path(identified.id, task.path)
    task.identified = True
    return None


def must_be_unchanged(task: ReadingTask) -> None:
    """Make sure that a file that was read in place still is what was hashed before; blocking.

    Raises:
        UnreadableFile: It was written to meanwhile.
    """
    if task.stamp is not None and task.file == task.path and stamp(task.path) != task.stamp:
        raise UnreadableFile(f"“{task.path.name}” changed while it was read.", "It is read again when it is complete.")


def _kept(library: Library, task: ReadingTask, file: Path) -> Path:
    """Return the file to read: a copy made for the library, or the user's own where its folder is linked."""
    if file == task.path and library.linked.covers(task.document.knowledge_base, str(task.path)):
        return task.path
    return keep_original(file, library.originals, task.digest)


def _unchanged(library: Library, task: ReadingTask, same: Document, file: Path) -> Verdict:
    reason = ""
    path, earlier = task.path, task.document
    if same.path == str(path):
        library.intake.put_stamp(same.id, _stamp_of(task))
    elif _holds(library, same, task.digest):
        reason = f"Same content as “{same.name}”."
    else:
        same = library.documents.rename_path(same.id, path)
        library.intake.put_stamp(same.id, _stamp_of(task))
        reason = "The file was moved; its new place was noted."
    is_linked = library.linked.covers(same.knowledge_base, same.path)
    if not is_linked and find_copy(library.originals, same) is None:
        keep_original(file, library.originals, task.digest)
    if same.reason and same.status is DocumentStatus.READY:
        # A change that could not be read was taken back.
        same = library.documents.set_status(same.id, same.status)
    removed: tuple[int, ...] = ()
    if earlier.id != same.id:
        # The file at this path now holds what another document holds: its own old content is gone.
        removed = (earlier.id,)
        library.intake.discard(earlier.id)  # one that was never read; of one that was, there is a way back
        library.documents.mark_removed(removed)
    return Verdict(path, FileOutcome.UNCHANGED, same, reason, removed)


def _stamp_of(task: ReadingTask) -> Stamp:
    assert task.stamp is not None
    return task.stamp


def _holds(library: Library, document: Document, expected: Digest) -> bool:
    """Return whether the file that a document came from still holds the same; hashed only where its time changed."""
    path = Path(document.path)
    try:
        now = library.archives.stamp(path) or stamp(path)
        if now.size != expected.size or now == library.intake.stamp(document.id):
            return now.size == expected.size
        with library.archives.opened(path, lambda: at_hand(library)) as file:
            return digest(file) == expected
    except (OSError, ValueError, DocumentError):
        return False
