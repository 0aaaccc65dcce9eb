"""Sessions -> how much of what they hold: what a person sees before anything is written."""

import dataclasses
from collections import Counter
from enum import Enum
from typing import Any

from workbench.export.trimming import part_of
from workbench.model.export import Inventory, Part, PartSize
from workbench.model.place import PageKind
from workbench.model.run import PromptAssembled, Run
from workbench.model.session import Session

PICTURE = 150_000
"""Bytes of the picture of a page, by and large."""


def inventory(sessions: list[Session], originals: PartSize) -> Inventory:
    """Return what sessions hold; originals is how large the files of the cited documents are."""
    runs = [run for session in sessions for run in session.runs]
    counts, sizes = Counter[Part](), Counter[Part]()
    for run in runs:
        _add_events(run, counts, sizes)
    parts = {part: PartSize(counts[part], sizes[part]) for part in Part}
    parts[Part.PAGES] = _pictures(runs)
    parts[Part.ORIGINALS] = originals
    citations = [citation for run in runs for citation in run.citations if citation.valid]
    said = sum(_size(run.question) + _size(run.answer) for run in runs)
    quoted = sum(_size(citation) for citation in citations)
    return Inventory(
        sessions=len(sessions),
        questions=PartSize(len(runs), said + quoted),
        passages=len({(citation.document, citation.start, citation.end) for citation in citations}),
        documents=tuple(dict.fromkeys(citation.document_name for citation in citations)),
        parts=parts,
    )


def _add_events(run: Run, counts: Counter[Part], sizes: Counter[Part]) -> None:
    for timed in run.events:
        part = part_of(timed.event)
        if part is None:
            continue
        counts[part] += 1 if not isinstance(timed.event, PromptAssembled) else len(timed.event.sections)
        sizes[part] += _size(timed.event)


def _pictures(runs: list[Run]) -> PartSize:
    places = {
        (citation.document, citation.page, citation.start, citation.end)
        for run in runs
        for citation in run.citations
        if citation.valid and citation.document and citation.page and citation.page_kind is PageKind.PAGE
    }
    return PartSize(len(places), len(places) * PICTURE)


def _size(value: Any) -> int:
    """Return about how many bytes a value takes when it is written."""
    if isinstance(value, str):
        return len(value.encode("utf-8", "surrogatepass")) if not isinstance(value, Enum) else len(value)
    if isinstance(value, tuple | list):
        return sum(map(_size, value))
    if isinstance(value, dict):
        return sum(_size(key) + _size(item) for key, item in value.items())
    if dataclasses.is_dataclass(value):
        return sum(8 + _size(getattr(value, field.name)) for field in dataclasses.fields(value))
    return 8
