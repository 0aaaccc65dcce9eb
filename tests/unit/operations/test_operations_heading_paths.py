"""Short sections in one chunk: citations have the headings of their own position."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.operations import Library
from workbench.operations.questions.tool_documents import layout_of, passage_of
from workbench.worker.job import Operation

Run = Callable[[Operation[Any]], Any]

DEEP = """# Harbour

The harbour lies north of the town.

## Winter

The harbour froze on the third of January.

### Ice

The ice was forty centimetres thick.

#### *Breakers* and tugs

The icebreaker Sisu opened the channel within two days.

## Summer

Ferries sail to the islands every hour.
"""
ICE = ("Harbour", "Winter", "Ice")


@pytest.fixture
def deep(library: Library, run: Run, tmp_path: Path) -> Library:
    (tmp_path / "harbour.md").write_text(DEEP, "utf-8")
    run(operations.add_documents(library, [tmp_path / "harbour.md"]))
    assert [chunk.headings for chunk in library.documents.chunks(1)] == [("Harbour",), ("Harbour", "Summer")]
    return library


@pytest.mark.parametrize(
    ("question", "quoted", "path"),
    [
        ("Where does the harbour lie?", "north of the town", ("Harbour",)),
        ("When did the harbour freeze?", "third of January", ("Harbour", "Winter")),
        ("How thick was the ice?", "forty centimetres", ICE),
        ("Which icebreaker opened the channel?", "Sisu", (*ICE, "Breakers and tugs")),
        ("How often do ferries sail to the islands?", "every hour", ("Harbour", "Summer")),
    ],
)
def test_a_citation_has_the_heading_path_of_the_cited_place(
    deep: Library, run: Run, question: str, quoted: str, path: tuple[str, ...]
) -> None:
    kept = run(operations.ask(deep, question))
    (citation,) = [one for one in kept.citations if quoted in one.quote][:1]
    assert citation.headings == path
    again = run(operations.open_session(deep, kept.session)).runs[0]
    assert [one.headings for one in again.citations] == [one.headings for one in kept.citations]


def test_a_hit_has_the_heading_path_that_all_of_its_text_shares(deep: Library, run: Run) -> None:
    hit = run(operations.search(deep, "Which icebreaker opened the channel?")).hits[0]
    assert hit.headings == ("Harbour",)
    assert hit.headings_of(DEEP.index("The ice was"), DEEP.index("within two")) == ICE


def test_passages_that_a_tool_reads_are_cited_by_their_own_headings_too(deep: Library) -> None:
    layout = layout_of(deep.documents, 1)
    hit = passage_of(deep.documents.get(1), deep.documents.chunks(1)[0], layout, 1)
    place = DEEP.index("forty")
    assert hit.headings_of(place, place + 5) == ICE
