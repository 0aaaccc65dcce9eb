"""Tables of a document, put together from its chunks, and how they and sections are written without a model."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from fakes import make_hit

from workbench.agent.offline.structure_answers import comparison_answer, table_answer
from workbench.agent.references import RunReferences, parse_references
from workbench.agent.tools.access import ReadableDocument
from workbench.agent.tools.find_table import FindTableTool
from workbench.agent.tools.tool_results import DATA, RemainingRoom
from workbench.model.document import BlockKind, Document, DocumentStatus, Metadata
from workbench.model.hit import Hit

HEAD = "| Item | 2016 | 2017 |\n| --- | --- | --- |\n"
FIRST = "| Merchandise inventories | 5,651 | 5,140 |\n| Trade receivables | 79 | 80 |"
SECOND = "| Cash | 12 | 13 |\n| Buildings | 1 | 2 |"
ASSETS = ("Assets (in millions)",)
REPORT = Document(
    7, "default", "/report.pdf", "report.pdf", "ab", 10, "pdf", DocumentStatus.READY, Metadata("report.pdf"), 9, 2, 2
)


def table_hit(text: str, chunk: int, start: int, headings: tuple[str, ...]) -> Hit:
    return make_hit(text, chunk=chunk, start=start, headings=headings, kind=BlockKind.TABLE)


class OneDocument:
    """Access to a single document."""

    def __init__(self, text: str, *hits: Hit) -> None:
        self._readable = ReadableDocument(REPORT, text, hits)

    async def documents(self) -> list[Any]:
        return [self._readable.document]

    async def read(self, _document: Any) -> ReadableDocument:
        return self._readable


def find_table(text: str, *hits: Hit, what: str = "assets") -> dict[str, Any]:
    """Return the result of the tool."""
    tool = FindTableTool(OneDocument(text, *hits), RunReferences(), RemainingRoom(None), None)  # type: ignore[arg-type]
    return parse_references(asyncio.run(tool.call({"text": what})).text.partition(DATA)[2])[0]


def test_a_long_table_is_put_together_from_its_parts() -> None:
    text = f"{HEAD}{FIRST}\n{SECOND}"
    first = table_hit(f"{HEAD}{FIRST}", 1, 0, ASSETS)
    second = table_hit(SECOND, 2, text.index(SECOND), (*ASSETS, "Item | 2016 | 2017"))
    found = find_table(text, first, second)
    assert (found["total"], found["columns"], found["also"]) == (4, ["Item", "2016", "2017"], [])


def test_a_part_of_a_table_has_the_names_and_the_unit_of_the_whole_table() -> None:
    part = table_hit(SECOND, 2, 0, (*ASSETS, "| 2016 | 2017"))
    found = find_table(SECOND, part)
    assert (found["columns"], found["above"]) == (["(in millions)", "2016", "2017"], [*ASSETS])


@pytest.mark.parametrize(("other", "count"), [("Assets of the bank", 1), ("Staff who keep the books of our assets", 0)])
def test_only_tables_about_as_good_as_the_best_one_are_named_besides(other: str, count: int) -> None:
    text = f"{HEAD}{FIRST}\n\n{HEAD}{SECOND}"
    best = table_hit(f"{HEAD}{FIRST}", 1, 0, ("Assets of the bank by year",))
    besides = table_hit(f"{HEAD}{SECOND}", 2, len(best.text) + 2, (other,))
    assert len(find_table(text, best, besides, what="assets of the bank")["also"]) == count


def test_a_listing_states_the_unit_of_its_table() -> None:
    found = find_table(f"{HEAD}{FIRST}", table_hit(f"{HEAD}{FIRST}", 1, 0, ASSETS))
    assert "| Item (in millions) | 2016 | 2017 | |" in "".join(table_answer("List all assets", found))
    wide = replace(table_hit("", 1, 0, ASSETS).chunk, text=f"{HEAD}{FIRST}".replace("79", "seventy-nine " * 12))
    hit = replace(table_hit("", 1, 0, ASSETS), chunk=replace(wide, end=len(wide.text)))
    rows = "".join(table_answer("List all assets", find_table(wide.text, hit)))
    assert "“Merchandise inventories”; 2016: “5,651”; 2017: “5,140” (in millions) [1]" in rows


def test_a_comparison_shows_whole_sentences() -> None:
    long = "The piles stand in the water of the harbour. They were driven in 1968 by the crew of the Anna. "
    entry = {"heading": "Piles", "text": long * 3, "citation": 1, "page": None}
    told = {
        "name": "a.md",
        "title": "A",
        "lead": [],
        "findings": [],
        "outline": [entry],
        "page_kind": "page",
        "pages": 0,
    }
    answer = "".join(comparison_answer("Compare a.md with b.md", told, {**told, "name": "b.md"}))
    assert f"“{(long * 2).strip()}” [1]" in answer
