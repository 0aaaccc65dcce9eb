"""Sessions -> files."""

import zipfile
from collections.abc import Sequence
from pathlib import Path

from workbench.errors import ExportError, FileIsThere
from workbench.export.escaping import numbered, safe_file_name
from workbench.export.session_parts import inventory
from workbench.model.session import Inventory, Parts
from workbench.operations.cited_documents import originals_size
from workbench.operations.export_job import ExportJob
from workbench.operations.library import Library
from workbench.operations.whole_file import whole
from workbench.worker.job import JobContext, Operation

ARCHIVE = ".zip"


def export_session(
    library: Library, session: int, format: str, path: Path, *, parts: Parts | None = None, replace: bool = True
) -> Operation[Path]:
    """Write a session to a file and return its path; an existing file is replaced whole.

    Args:
        library: The library.
        session: Its number.
        format: The name of an exporter: "md", "html", "pdf", "docx", "json", "kwbundle".
        path: The file.
        parts: What is in it besides questions, answers and passages; None for what is usual in the format.
        replace: Whether a file that is there may be replaced.

    Raises:
        NotFound: There is no such session.
        FileIsThere: It is, and may not be replaced.
        ExportError: Unknown format, or the file cannot be written.
    """

    async def operation(context: JobContext) -> Path:
        async with ExportJob(library, context, format, parts, 1) as job:
            kept = await job.session(session)
            await library.on_store(_refuse_existing, [path], replace)
            await job.write(kept, path)
        return path

    return operation


def export_sessions(
    library: Library,
    sessions: Sequence[int],
    format: str,
    target: Path,
    *,
    parts: Parts | None = None,
    replace: bool = False,
) -> Operation[tuple[Path, ...]]:
    """Write sessions to a folder, one file each under its title, or to one ZIP archive where target is named so.

    Raises:
        NotFound: There is no session of one of the numbers.
        FileIsThere: One of the files is, and may not be replaced; nothing is written then.
        ExportError: Unknown format, or a file cannot be written.
    """

    async def operation(context: JobContext) -> tuple[Path, ...]:
        async with ExportJob(library, context, format, parts, len(sessions)) as job:
            titles = [(await job.session(number)).info.title for number in sessions]
            names = numbered([safe_file_name(title, job.suffix) for title in titles])
            is_archive = target.suffix.lower() == ARCHIVE
            folder = job.folder / "files" if is_archive else target
            paths = [folder / name for name in names]
            await library.on_store(_refuse_existing, [target] if is_archive else paths, replace)
            for number, path in zip(sessions, paths, strict=True):
                await job.write(await job.session(number), path)
            if not is_archive:
                return tuple(paths)
            await library.on_store(_archive, library, paths, target)
        return (target,)

    return operation


def export_inventory(library: Library, sessions: Sequence[int]) -> Operation[Inventory]:
    """Return what sessions hold: how much of each part an export can have or leave out.

    Raises:
        NotFound: There is no session of one of the numbers.
    """

    async def operation(_context: JobContext) -> Inventory:
        kept = [await library.on_store(library.sessions.get, number) for number in sessions]
        originals = await library.on_store(originals_size, library, kept)
        return await library.on_store(inventory, kept, originals)

    return operation


def _refuse_existing(paths: Sequence[Path], replace: bool) -> None:
    there = [] if replace else [path.name for path in paths if path.exists()]
    if there:
        raise FileIsThere(
            f"“{there[0]}” is there already."
            if len(there) == 1
            else f"“{there[0]}” and {len(there) - 1} more is there already.",
            "Allow it to be replaced, or choose another place.",
        )


def _archive(library: Library, paths: Sequence[Path], target: Path) -> None:
    if not paths:
        raise ExportError("There is no session to export.", "Choose at least one.")
    with whole(target, library.unfinished) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            archive.write(path, path.name)
