"""Registration of files: inserts the rows of many files at once, then hashes each and searches for duplicates."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from workbench.errors import DocumentError, NotFound, UnreadableFile, WorkbenchError
from workbench.language import mark
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.model.import_progress import FileOutcome
from workbench.operations.documents.file_metadata import renew_metadata
from workbench.operations.imports.import_state import BUSY, DuplicateInProgress, FileVerdict, ReadingTask, task_of
from workbench.operations.imports.original_copies import OriginalCopies, keep_original
from workbench.operations.imports.reader_process import at_hand
from workbench.operations.imports.source_files import (
    Digest,
    SourceFile,
    content,
    digest,
    digest_of,
    find_copy,
    has_parser,
    original_path,
    refusal,
    stamp,
)
from workbench.operations.library.library import Library
from workbench.parsing.parser_registry import make_unsupported_error, suffix_of
from workbench.store.intake import FileStamp


def register_new_files(
    library: Library,
    sources: Sequence[SourceFile],
    knowledge_base: str,
    *,
    check_contents: bool = False,
    moves: bool = False,
) -> list[ReadingTask | FileVerdict]:
    """Return for each file a claimed task with a row in the library, or the verdict on it; blocking, reads no file.

    A file is considered unchanged if it has the size and time that the library stored when the file was hashed.

    Args:
        library: The open library.
        sources: The files.
        knowledge_base: Name of the knowledge base.
        check_contents: Hash every file, even if its size and time did not change.
        moves: Move every known file to the folder of its source; otherwise only files that are in no folder yet. Files
            in linked folders stay where they are: their place in the tree is that of the file.
    """
    known = library.intake.known(knowledge_base, [source.path for source in sources])
    seen: list[Document | FileVerdict | None] = []
    new: dict[Path, tuple[FileStamp, str]] = {}
    placed: dict[int, str] = {}
    archived = {source.path for source in sources if source.origin is Origin.ARCHIVE}
    for source in sources:
        outcome: Document | FileVerdict | None
        try:
            now, outcome = _check_source(source)
            if outcome is None:
                if source.path in known:
                    document, then = known[source.path]
                    if _is_moved(library, source, document, moves=moves):
                        placed[document.id] = source.folder
                        document = replace(document, folder=source.folder)
                    outcome = _check_known(library, source.path, now, document, then, check_contents=check_contents)
                    if isinstance(outcome, FileVerdict):
                        outcome = replace(outcome, moved=document.id in placed)
                else:
                    new[source.path] = now, source.folder
        except DocumentError as error:
            outcome = FileVerdict(source.path, FileOutcome.FAILED, None, str(error))
        seen.append(outcome)
    renew_metadata(
        library,
        (
            (one.document, source.root)
            for source, one in zip(sources, seen, strict=True)
            if isinstance(one, FileVerdict) and one.outcome is FileOutcome.UNCHANGED and one.document and not one.reason
        ),
    )
    if placed:
        # Files that were added alone before their folder was added.
        library.intake.put_folders(placed)
    rows = iter(library.intake.queue(knowledge_base, new, archived=archived) if new else ())
    admitted = _claim_documents(library, [next(rows) if outcome is None else outcome for outcome in seen])
    for source, one in zip(sources, admitted, strict=True):
        if isinstance(one, ReadingTask):
            one.root = source.root
    return admitted


def _is_moved(library: Library, source: SourceFile, document: Document, *, moves: bool) -> bool:
    """Return whether a known file is moved to the folder of its source in the tree of the library."""
    if not source.folder or source.folder == document.folder or (document.folder and not moves):
        return False
    return not library.linked.covers(document.knowledge_base, document.path)


def _check_source(source: SourceFile) -> tuple[FileStamp, FileVerdict | None]:
    """Return a file's stamp, and the verdict on the file if it is not to be read."""
    if source.problem:
        outcome = FileOutcome.FAILED if source.is_failure else FileOutcome.SKIPPED
        return FileStamp(0, 0), FileVerdict(source.path, outcome, None, source.problem, can_pass=source.can_pass)
    now = source.stamp or stamp(source.path)
    return now, _refusal(source, now)


def _refusal(source: SourceFile, now: FileStamp) -> FileVerdict | None:
    """Return the verdict on a file that no parser accepts, before for example a video of 10 GB is hashed and copied."""
    path = source.path
    if source.explicit:
        # A file without a suffix may have any format; only the parser can decide.
        if suffix_of(path) and not has_parser(path):
            raise make_unsupported_error(suffix_of(path))
        return None
    # Members of archives were checked when their archive was listed.
    reason = "" if source.origin is Origin.ARCHIVE else refusal(path, now)
    return FileVerdict(path, FileOutcome.SKIPPED, None, reason) if reason else None


def _check_known(
    library: Library, path: Path, now: FileStamp, document: Document, then: FileStamp, *, check_contents: bool
) -> Document | FileVerdict:
    """Return the document of a file whose path is known if the file is to be read, else the verdict."""
    if library.is_reading(document.id) or (now == then and document.id in library.active):
        return FileVerdict(path, FileOutcome.UNCHANGED, document, BUSY)
    is_done = document.status is DocumentStatus.READY and not document.reason and not document.pages_of_file
    unchanged = now == then and not check_contents and is_done
    copy = original_path(library.originals, document.sha256, document.name)
    if unchanged and (copy.is_file() or library.linked.covers(document.knowledge_base, document.path)):
        return FileVerdict(path, FileOutcome.UNCHANGED, document, "")
    return document


def _claim_documents(library: Library, seen: Sequence[Document | FileVerdict]) -> list[ReadingTask | FileVerdict]:
    outcomes: list[ReadingTask | FileVerdict] = []
    for one in seen:
        if isinstance(one, FileVerdict):
            outcomes.append(one)
        elif library.claim(one.id):
            outcomes.append(task_of(one, Path(one.path), identified=False))
        else:
            outcomes.append(FileVerdict(Path(one.path), FileOutcome.UNCHANGED, one, BUSY))
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


MOST_AT_ONCE = 2**20
"""Maximum bytes of a small file that is read only once to be hashed and copied; one that grew larger is read twice."""


def identify(
    library: Library, task: ReadingTask, password: str | None = None
) -> FileVerdict | DuplicateInProgress | None:
    """Hash and copy a task's file and update the task; return None if the file is to be read. Blocking.

    A document is identified by the hash of its bytes within its knowledge base; the path only determines which earlier
    document a changed file replaces. A locked archive is opened with the password, or with one that the library knows.

    Raises:
        WorkbenchError: The file cannot be read or cannot be copied.
    """
    with library.archives.opened(task.path, lambda: at_hand(library, password)) as file:
        task.stamp = library.archives.stamp(task.path) or stamp(task.path, task.root)
        task.digest = digest(file, task.root if file == task.path else None)
        if password is not None and library.archives.password_of(task.path) == password:
            library.passwords[task.digest.sha256] = password
        return _identify_hashed(library, task, file)


def identify_small_files(
    library: Library, tasks: Sequence[ReadingTask]
) -> list[FileVerdict | DuplicateInProgress | WorkbenchError | None]:
    """Identify several new files, and return for each the result or the error of identify(); blocking.

    Their copies are made together, and their rows change in one transaction: 100 small files take 70 ms, and 1.5 s one
    after the other, most of which the disk needs to sync the data.

    Args:
        library: The open library.
        tasks: Tasks of files that no document contains yet and that are not in an archive.

    Raises:
        WorkbenchError: The library cannot be written.
    """
    found: dict[int, FileVerdict | DuplicateInProgress | WorkbenchError | None] = {}
    again: list[int] = []
    hashes: set[str] = set()
    # Copied before the transaction, which blocks others. A file whose bytes the library has is copied later, if at all.
    with OriginalCopies(library.originals) as copies:
        for place, task in enumerate(tasks):
            try:
                task.stamp = stamp(task.path, task.root)
                data = content(task.path, MOST_AT_ONCE, task.root)
                task.digest = digest(task.path, task.root) if data is None else digest_of(data)
                if task.digest.sha256 in hashes:
                    # The row of the first file with this hash is visible only after the transaction.
                    again.append(place)
                    continue
                hashes.add(task.digest.sha256)
                if library.documents.by_hash(task.document.knowledge_base, task.digest.sha256) is None:
                    task.file = _keep_copy(library, task, task.path, copies, data)
            except (DocumentError, NotFound) as error:
                found[place] = error
    with library.database.write():
        for place, task in enumerate(tasks):
            if place in found or place in again:
                continue
            try:
                found[place] = _identify_hashed(library, task, task.path)
            except (DocumentError, NotFound) as error:
                found[place] = error
    for place in again:
        try:
            found[place] = _identify_hashed(library, tasks[place], tasks[place].path)
        except (DocumentError, NotFound) as error:
            found[place] = error
    return [found[place] for place in range(len(tasks))]


def _identify_hashed(library: Library, task: ReadingTask, file: Path) -> FileVerdict | DuplicateInProgress | None:
    own = task.document
    same = library.documents.by_hash(own.knowledge_base, task.digest.sha256)
    if same is not None and (same.id != own.id or _is_read(same)):
        if same.id != own.id and library.is_reading(same.id):
            return DuplicateInProgress(same)
        if _is_read(same) or same.id in library.active:
            return _end_as_unchanged(library, task, same, file)
        if not library.claim(same.id):
            return DuplicateInProgress(same)
        # The other document failed or was left by a stopped import: it is read now, under this name.
        library.release(own.id)
        library.intake.discard(own.id)
        task.document, task.replaces = same, same.chunks > 0
    if not task.held:
        task.file = _keep_copy(library, task, file)
    if not task.replaces:
        identified = library.intake.identify(task.document.id, task.digest.sha256, _stamp_of(task))
        if identified is None:
            # The document was removed (get() raises), or another import added the same bytes meanwhile: try again.
            library.documents.get(task.document.id)
            return _identify_hashed(library, task, file)
        task.document = identified
        if identified.path != str(task.path):
            # It may have failed because of its other name: the row gets the name that is tried now.
            task.document = library.documents.rename_path(identified.id, task.path)
    task.identified = True
    return None


def _is_read(document: Document) -> bool:
    return document.status is DocumentStatus.READY and not document.pages_of_file


def require_unchanged(task: ReadingTask) -> None:
    """Check that a file that is read in place did not change since it was hashed; blocking.

    Raises:
        UnreadableFile: The file changed.
    """
    if task.stamp is not None and task.file == task.path and stamp(task.path, task.root) != task.stamp:
        raise UnreadableFile(
            f"“{task.path.name}” changed while it was read.", "It will be read again once it is complete."
        )


def _keep_copy(
    library: Library,
    task: ReadingTask,
    file: Path,
    copies: OriginalCopies | None = None,
    data: bytes | None = None,
) -> Path:
    """Return the file to read: a new copy in the library, or the user's own file if its folder is linked."""
    if file == task.path and library.linked.covers(task.document.knowledge_base, str(task.path)):
        return task.path
    task.held.append(task.digest.sha256)
    library.held_copies.hold(task.digest.sha256)
    root = task.root if file == task.path else None
    if copies is not None:
        return copies.add(file, task.digest, root, content=data)
    return keep_original(file, library.originals, task.digest, root)


def _end_as_unchanged(library: Library, task: ReadingTask, same: Document, file: Path) -> FileVerdict:
    reason = ""
    path, earlier = task.path, task.document
    if same.path == str(path):
        library.intake.put_stamp(same.id, _stamp_of(task))
    elif _has_content(library, same, task.digest):
        reason = mark(f"Same content as “{same.name}”.")
    else:
        same = library.documents.rename_path(same.id, path)
        library.intake.put_stamp(same.id, _stamp_of(task))
        reason = mark("The file was moved; its new place was noted.")
    is_linked = library.linked.covers(same.knowledge_base, same.path)
    if not is_linked and find_copy(library.originals, same) is None:
        keep_original(file, library.originals, task.digest, task.root if file == path else None)
    if same.reason and same.status is DocumentStatus.READY:
        # The file was changed to a version that could not be read, and then changed back.
        same = library.documents.set_status(same.id, same.status)
    removed: tuple[int, ...] = ()
    if earlier.id != same.id:
        # The file at this path now has the content of another document; its own old content no longer exists.
        removed = (earlier.id,)
        library.intake.discard(earlier.id)  # deletes a row that was never read; another can be restored
        library.documents.mark_removed(removed)
    return FileVerdict(path, FileOutcome.UNCHANGED, same, reason, removed)


def _stamp_of(task: ReadingTask) -> FileStamp:
    assert task.stamp is not None
    return task.stamp


def _has_content(library: Library, document: Document, expected: Digest) -> bool:
    """Return True if the source file of a document has the same content; it is hashed only if its time changed."""
    path = Path(document.path)
    try:
        now = library.archives.stamp(path) or stamp(path)
        if now.size != expected.size or now == library.intake.stamp(document.id):
            return now.size == expected.size
        with library.archives.opened(path, lambda: at_hand(library)) as file:
            return digest(file) == expected
    except (OSError, ValueError, DocumentError):
        return False
