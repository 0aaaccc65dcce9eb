"""A bundle, or a JSON export -> a new session: checked in a child process, then put into the library whole."""

import filecmp
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from workbench.errors import ExportError
from workbench.export.bundle_reader import KeptPicture, Unpacked, unpack
from workbench.export.escaping import numbered
from workbench.language import mark
from workbench.model.run import Run
from workbench.model.session import ExportProgress, ImportedSession, Session
from workbench.operations.documents import add_documents
from workbench.operations.foreign_documents import arrived, foreign_number
from workbench.operations.kept_originals import keep_files
from workbench.operations.kept_pages import keep_page
from workbench.operations.library import Library
from workbench.operations.staging import staging_folder
from workbench.operations.whole_file import whole
from workbench.store.sessions import SessionIntake
from workbench.worker.confinement import Confinement
from workbench.worker.job import JobContext, Operation, finish_despite_cancel
from workbench.worker.processes import ProcessFailure, ProcessPool
from workbench.worker.safe_pickle import unpacked as read_answer

SECONDS = 600
MEGABYTES = 2048


def import_session(
    library: Library,
    path: Path,
    *,
    documents: Path | None = None,
    keep_originals: bool = False,
    user: str | None = None,
) -> Operation[ImportedSession]:
    """Take in a session from a bundle or a JSON export, as a new one.

    Args:
        library: The library.
        path: The file.
        documents: A folder to which documents that the bundle holds are written, and from which they are added to the
            library; None leaves them in the bundle.
        keep_originals: Keep the documents that it holds and the library does not, so that add_kept_originals can add
            them later.
        user: Whose it is to be; None means the one that the library was opened for.

    Raises:
        ExportError: The file is neither, or it is damaged, changed or too large.
    """

    async def operation(context: JobContext) -> ImportedSession:
        context.emit(ExportProgress(0, 2, mark(f"Checking “{path.name}”")))
        # In the library's own folder: what is kept of it is moved to its place whole.
        with staging_folder(library) as folder:
            unpacked = await _unpacked(library, path, folder, with_originals=keep_originals or documents is not None)
            context.emit(ExportProgress(1, 2, mark(f"Taking in “{path.name}”")))
            if documents is not None and unpacked.originals:
                files = [one.file for one in unpacked.originals]
                written = await library.on_store(_write_originals, library, files, documents)
                await add_documents(library, written)(context)
            return await finish_despite_cancel(
                library.on_store(_put, library, unpacked, path if keep_originals else None, user)
            )

    return operation


async def _unpacked(library: Library, path: Path, folder: Path, *, with_originals: bool) -> Unpacked:
    rights = Confinement(writes=(folder,), largest=None)
    pool = ProcessPool(1, preload=("workbench.export.bundle_reader",), confined=lambda: rights)
    try:
        unpacking = partial(unpack, path, folder, with_originals=with_originals)
        return await pool.run(unpacking, seconds=SECONDS, megabytes=MEGABYTES)
    except ProcessFailure as error:
        reason = mark("it is damaged, or far too large")
        raise ExportError(f"“{path.name}” cannot be read: {reason}.", "Have it exported again.") from error
    finally:
        await finish_despite_cancel(library.on_store(pool.close))


def _write_originals(library: Library, files: Sequence[Path], folder: Path) -> list[Path]:
    """Copy files into a folder; none that is there is replaced, the same one is not written twice."""
    written = []
    for file in files:
        target = folder / file.name
        if not (target.is_file() and filecmp.cmp(file, target, shallow=False)):
            taken = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
            target = folder / numbered([*taken, file.name])[-1]
            with whole(target, library.unfinished) as partial_file:
                shutil.copyfile(file, partial_file)
        written.append(target)
    return written


def _put(library: Library, unpacked: Unpacked, keeps_from: Path | None, user: str | None) -> ImportedSession:
    runs: list[Run] = [read_answer(run) for run in unpacked.runs]
    session = arrived(library, Session(unpacked.info, tuple(runs)), unpacked.documents)
    info = SessionIntake(library.database, library.whose(user)).put(session)
    hashes = {document.number: document.sha256 for document in unpacked.documents}
    _keep(library, info.id, unpacked.pictures, hashes)
    cited = {
        citation.document: citation.document_name
        for run in session.runs
        for citation in run.citations
        if citation.document is not None
    }
    missing = tuple(dict.fromkeys(name for number, name in cited.items() if number < 0))
    kept = keep_files(library, info.id, keeps_from, unpacked.originals) if keeps_from else []
    return ImportedSession(info, sum(number >= 0 for number in cited), missing, tuple(kept))


def _keep(library: Library, session: int, pictures: Sequence[KeptPicture], hashes: dict[int, str]) -> None:
    for picture in pictures:
        place = (picture.page, picture.start, picture.end)
        if number := foreign_number(hashes.get(picture.document, "")):
            keep_page(library.folder, session, number, place, picture.file)
