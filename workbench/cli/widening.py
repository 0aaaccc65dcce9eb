"""search --context N and --section: what stands around each hit."""

import argparse
from collections.abc import Sequence
from typing import Any

from workbench import operations
from workbench.model.hit import Hit
from workbench.model.stretch import Stretch
from workbench.operations import Library
from workbench.worker.job import JobContext


async def stretches(library: Library, hits: Sequence[Hit], options: argparse.Namespace) -> list[Stretch | None]:
    """Return what stands around each hit; None for each where nothing of it was asked for."""
    if options.section:
        return [await operations.section(library, hit.chunk)(JobContext()) for hit in hits]
    if options.context > 0:
        wide = options.context
        around = (operations.neighbours(library, hit.chunk, before=wide, after=wide) for hit in hits)
        return [await one(JobContext()) for one in around]
    return [None] * len(hits)


def stretch_words(stretch: Stretch | None) -> str:
    """Return a stretch for people, below its hit; nothing for none."""
    if stretch is None:
        return ""
    chunks = f"chunk {stretch.first + 1}" + (f" to {stretch.last + 1}" if stretch.last > stretch.first else "")
    cut = ", part of a longer section" if stretch.is_cut else ""
    text = "\n".join(f"     | {line}" for line in stretch.text.splitlines())
    return f"\n     {chunks}{cut}:\n{text}"


def stretch_record(stretch: Stretch | None) -> dict[str, Any]:
    """Return what a hit's record has more; its offsets are into the document's text."""
    if stretch is None:
        return {}
    return {
        "around": {
            "start": stretch.start,
            "end": stretch.end,
            "first_chunk": stretch.first + 1,
            "last_chunk": stretch.last + 1,
            "cut": stretch.is_cut,
            "text": stretch.text,
        }
    }
