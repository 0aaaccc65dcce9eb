"""What a kill leaves in the library's folder, and how the next start gets rid of it."""

import contextlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.files.changes import delete_file, delete_folder
from workbench.indexing.atomic_files import UNFINISHED
from workbench.operations.kept_pages import drop_kept
from workbench.operations.sources import drop_partial
from workbench.operations.staging import staging_of
from workbench.store.backups import FOLDER
from workbench.store.backups import UNFINISHED as UNFINISHED_COPY
from workbench.store.intake import Origins
from workbench.worker.scratch import drop_abandoned

if TYPE_CHECKING:
    from workbench.operations.library import Library

logger = logging.getLogger(__name__)


def drop_unfinished(library: "Library") -> None:
    """Delete what was on its way: at every start, quick where there is nothing."""
    drop_partial(library.originals)
    # Nobody has opened an index or a map yet, or begun a backup; SQLite keeps a journal beside one.
    index, charts, backups = (library.folder / name for name in ("index", "map", FOLDER))
    found = [*index.glob(f"*/*{UNFINISHED}"), *charts.glob(f"*{UNFINISHED}")]
    for folder in (backups, library.folder):
        found += folder.glob(f"*{UNFINISHED_COPY}*")
    for path in found:
        with contextlib.suppress(OSError):
            delete_file(path, within=library.folder)
    delete_folder(staging_of(library), within=library.folder)
    library.unfinished.drop()
    Origins(library.database).discard_unwritten()
    drop_kept(library.folder, library.session_upkeep.numbers())


def drop_unowned(library: "Library") -> None:
    """Delete what belongs to nothing any more: copies without a document, indexes and maps without vectors; blocking.

    After a kill only: 100,000 copies take 0.5 s to go through.
    """
    logger.info("The program ended without closing the library: looking for what it left")
    drop_abandoned()
    library.drop_copies()
    # First what is there, then what is known: an index that is begun meanwhile is not among the first.
    folders = [*_inside(library.folder / "index")]
    charts = [*_inside(library.folder / "map")]
    used = {library.index_path(name).name for name in library.embedders.names()}
    for folder in folders:
        if folder.name not in used:
            delete_folder(folder, within=library.folder)
    for chart in charts:
        if chart.stem not in used:
            with contextlib.suppress(OSError):
                delete_file(chart, within=library.folder)


def _inside(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []
