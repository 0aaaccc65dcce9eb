"""Rows for many files at once, before any of them is read: each gets its task, or the verdict on it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from workbench.errors import DocumentError, WorkbenchError
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.model.import_progress import FileOutcome
from workbench.operations.file_kinds import has_parser, refusal
from workbench.operations.file_metadata import renew_metadata
from workbench.operations.library import Library
from workbench.operations.reading_task import BUSY, ReadingTask, Verdict, task_of
from workbench.operations.sources import Source, original_path, stamp
from workbench.parsing.registry import suffix_of, unsupported
from workbench.store.intake import Stamp


def enrol(
    library: Library,
    sources: Sequence[Source],
    knowledge_base: str,
    *,
    check_contents: bool = False,
    moves: bool = False,
) -> list[ReadingTask | Verdict]:
    """Return for each file a claimed task with a row in the library, or the verdict on it. Blocking, reads no file.

    A file of the size and time that the library noted when it hashed it is taken to be unchanged.

    Args:
        library: The open library.
        sources: The files.
        knowledge_base: Its name.
        check_contents: Hash every file, whatever its time says.
        moves: A known file goes where its source says; else only one that stands in no folder yet.
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
                    document, then = known[source.path]
                    if source.folder != document.folder and source.folder and (moves or not document.folder):
                        placed[document.id] = source.folder
                        document = replace(document, folder=source.folder)
                    outcome = _known(library, source.path, now, document, then, check_contents=check_contents)
                    if isinstance(outcome, Verdict):
                        outcome = replace(outcome, moved=document.id in placed)
                else:
                    new[source.path] = now, source.folder
        except DocumentError as error:
            outcome = Verdict(source.path, FileOutcome.FAILED, None, str(error))
        seen.append(outcome)
    renew_metadata(
        library,
        (
            (one.document, source.root)
            for source, one in zip(sources, seen, strict=True)
            if isinstance(one, Verdict) and one.outcome is FileOutcome.UNCHANGED and one.document and not one.reason
        ),
    )
    if placed:
        # Files that were added by themselves before their folder was.
        library.intake.put_folders(placed)
    rows = iter(library.intake.queue(knowledge_base, new, archived=archived) if new else ())
    admitted = _claimed(library, [next(rows) if outcome is None else outcome for outcome in seen])
    for source, one in zip(sources, admitted, strict=True):
        if isinstance(one, ReadingTask):
            one.root = source.root
    return admitted


def _look(source: Source) -> tuple[Stamp, Verdict | None]:
    """Return a file's stamp, and the verdict on it where it is not to be read."""
    if source.problem:
        outcome = FileOutcome.FAILED if source.is_failure else FileOutcome.SKIPPED
        return Stamp(0, 0), Verdict(source.path, outcome, None, source.problem, can_pass=source.can_pass)
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
    is_done = document.status is DocumentStatus.READY and not document.reason and not document.pages_of_file
    unchanged = now == then and not check_contents and is_done
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
