"""The files of an index in their folder: numbering, opening and cleanup."""

import contextlib
import logging
from pathlib import Path

from workbench.errors import IndexUnavailable
from workbench.files.changes import delete_file
from workbench.indexing.atomic_files import UNFINISHED
from workbench.indexing.index_folder import SegmentEntry
from workbench.indexing.ivf import InvertedLists
from workbench.indexing.segment import Segment, SegmentPart

logger = logging.getLogger(__name__)

SEGMENT, LISTS = ".vectors", ".lists"


def segment_path(folder: Path, number: int) -> Path:
    """Return the path of a segment; the file of its lists has the same name with another suffix."""
    return folder / f"{number:06}{SEGMENT}"


def next_number(folder: Path) -> int:
    """Return an unused file number: Windows cannot replace a file that is open."""
    return max((int(path.stem) for path in folder.glob(f"*{SEGMENT}") if path.stem.isdigit()), default=0) + 1


def opened(folder: Path, entry: SegmentEntry, *, dim: int) -> SegmentPart:
    """Open the files of one segment; damaged lists are left out.

    Raises:
        IndexUnavailable: The segment is absent, damaged, or does not match the manifest.
    """
    path = segment_path(folder, entry.number)
    segment = Segment.open(path, dim=dim)
    if len(segment.ids) != entry.count:
        raise IndexUnavailable("The search index is damaged.", "The program makes the index anew from the library.")
    lists = None
    if (beside := path.with_suffix(LISTS)).exists():
        try:
            lists = InvertedLists.open(beside, count=entry.count, checksum=segment.checksum)
        except IndexUnavailable as error:
            logger.info("%s They are made anew.", error.message)
    return SegmentPart(segment.ids, segment.rows, entry.dead, segment, entry.number, lists)


def sweep(folder: Path, kept: set[int]) -> None:
    """Delete files that the manifest no longer lists, and unfinished files of a killed process."""
    names = {f"{number:06}{suffix}" for number in kept for suffix in (SEGMENT, LISTS)}
    for path in folder.iterdir():
        if path.suffix in (SEGMENT, LISTS, UNFINISHED) and path.name not in names:
            # Windows cannot delete a file that a search still has open: it is deleted the next time.
            with contextlib.suppress(OSError):
                delete_file(path, within=folder)
