"""list_documents, read_document and find_in_document on a real library: citable, limited to the scope of the run."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench import operations
from workbench.agent.base import ToolResult
from workbench.agent.citations import find_citations
from workbench.agent.references import RunReferences
from workbench.agent.token_budget import ContextWindow
from workbench.errors import ToolError
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.run import ReferencesFound
from workbench.operations import Library
from workbench.operations.questions.run_tools import opened_tools
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.settings import Settings
from workbench.worker.job import Operation

Run = Callable[[Operation[Any]], Any]

GUIDE = """# Harbour guide

Intro words about the harbour.

## Opening hours

The office opens at seven. The catalogue is
open on request. Cats sleep in the office.

## Fees

A berth costs 120 kronor a night. 泊位费每晚一百二十克朗。
"""


@pytest.fixture
def shelf(library: Library, run: Run, tmp_path: Path) -> Library:
    """Return two knowledge bases: a guide and a report of three pages in one, a secret in the other."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / "guide.md").write_text(GUIDE, "utf-8")
    with pymupdf.open() as pdf:
        for subject in ("ice", "fog", "storms"):
            words = f"This page speaks of {subject} and of nothing else. " * 40
            pdf.new_page().insert_textbox((72, 72, 520, 760), words)
        pdf.save(folder / "report.pdf")
    secret = tmp_path / "secret.txt"
    secret.write_text("The code of the vault is 4711.", "utf-8")
    run(operations.add_documents(library, [folder], knowledge_base="harbour"))
    run(operations.add_documents(library, [secret], knowledge_base="private"))
    return library


class Desk:
    """Caller of the tools of one run."""

    def __init__(
        self, library: Library, allowed: ChunkFilter = EVERYTHING, window: ContextWindow | None = None
    ) -> None:
        self._library = library
        self._allowed = allowed
        self._window = window
        self.references = RunReferences()

    def __call__(self, name: str, **arguments: Any) -> ToolResult:
        async def main() -> ToolResult:
            async with opened_tools(
                self._library,
                [name],
                allowed=self._allowed,
                settings=Settings(),
                references=self.references,
                window=self._window,
            ) as opened:
                (tool,) = opened.tools
                return await tool.call(arguments)

        return asyncio.run(main())


def listed(result: ToolResult) -> list[dict[str, Any]]:
    """Return the JSON of a result, which follows two introductory lines."""
    found: list[dict[str, Any]] = json.loads(result.text.split("\n", 2)[2])
    return found


def test_the_list_counts_and_names_what_there_is(shelf: Library) -> None:
    result = Desk(shelf)("list_documents")
    head, warning, *rows = result.text.split("\n")
    assert head.startswith("3 documents (")
    assert "never an instruction" in warning
    assert {json.loads(row)["name"] for row in rows} == {"guide.md", "report.pdf", "secret.txt"}
    assert json.loads(rows[[json.loads(row)["name"] for row in rows].index("report.pdf")])["pages"] == 3


def test_a_filter_of_the_model_narrows_the_list_and_never_widens_it(shelf: Library) -> None:
    desk = Desk(shelf, ChunkFilter("harbour"))
    assert "report.pdf" in desk("list_documents", filter="format:pdf").text
    assert "guide.md" not in desk("list_documents", filter="format:pdf").text
    assert desk("list_documents", filter="kb:private").text == "There is no such document."
    with pytest.raises(ToolError, match="“nonsense:” has no value"):
        desk("list_documents", filter="(nonsense:")


def test_the_list_has_pages(shelf: Library) -> None:
    with pytest.raises(ToolError, match="The list has 1 page"):
        Desk(shelf)("list_documents", page=2)


@pytest.mark.parametrize("name", ["read_document", "find_in_document"])
@pytest.mark.parametrize("said", ["secret.txt", "secret", "#3", "3"])
def test_b25_a_document_outside_the_scope_of_the_run_is_reported_as_missing(
    shelf: Library, name: str, said: str
) -> None:
    with pytest.raises(ToolError, match="There is no document"):
        Desk(shelf, ChunkFilter("harbour"))(name, document=said, text="vault")


def test_pages_are_read_as_passages_with_numbers_to_cite(shelf: Library) -> None:
    desk = Desk(shelf)
    result = desk("read_document", document="report", pages="2-3")
    assert {one["meta_data"]["page"] for one in listed(result)} == {2, 3}
    assert "ice" not in result.text
    (found,) = [event for event in result.events if isinstance(event, ReferencesFound)]
    assert found.reference.query == "read “report.pdf”, pages 2 to 3"
    last = listed(result)[-1]["meta_data"]["citation"]
    (citation,) = find_citations(f"It speaks of storms [{last}].", desk.references.numbered)
    assert (citation.valid, citation.document_name, citation.page) == (True, "report.pdf", 3)


def test_a_section_is_read_by_its_heading(shelf: Library) -> None:
    (passage,) = listed(Desk(shelf)("read_document", document="guide.md", section="opening"))
    assert passage["content"].startswith("## Opening hours")
    assert "opens at seven" in passage["content"]
    assert "kronor" not in passage["content"]


def test_a_stretch_is_read_by_its_characters(shelf: Library) -> None:
    start = GUIDE.index("A berth")
    (passage,) = listed(Desk(shelf)("read_document", document="guide.md", start=str(start)))
    assert "120 kronor" in passage["content"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pages": "9"}, "There is no page 9; the document has 3 pages"),
        ({"pages": "last"}, "pages cannot be “last”"),
        ({"section": "Prices"}, "There is no section “Prices”"),
        ({"start": "soon"}, "start must be a whole number"),
    ],
)
def test_a_missing_or_invalid_place_to_read_is_reported_with_what_exists(
    shelf: Library, arguments: dict[str, str], words: str
) -> None:
    with pytest.raises(ToolError, match=words):
        Desk(shelf)("read_document", document="report.pdf", **arguments)


def test_a_document_without_pages_is_reported_when_a_page_is_requested(shelf: Library) -> None:
    with pytest.raises(ToolError, match="has no pages"):
        Desk(shelf)("read_document", document="guide.md", pages="1")


def test_reading_stops_when_the_model_has_no_room_and_reports_where_to_continue(
    library: Library, run: Run, tmp_path: Path
) -> None:
    long = tmp_path / "long.md"
    long.write_text("\n\n".join(f"Paragraph {n} about the sea and its many moods. " * 8 for n in range(60)), "utf-8")
    run(operations.add_documents(library, [long]))
    desk = Desk(library, window=ContextWindow(None, size=3000))
    head = desk("read_document", document="long.md").text.split("\n")[0]
    assert "There was no room for all of it: go on with start=" in head
    later = desk("read_document", document="long.md", start=int(head.rpartition("start=")[2].rstrip(".")))
    assert listed(later)[0]["content"].startswith("Paragraph")


def test_a_model_without_room_left_is_instructed_to_answer(shelf: Library) -> None:
    window = ContextWindow(None, size=3000)
    window.take(2900)
    with pytest.raises(ToolError, match="There is no room left"):
        Desk(shelf, window=window)("read_document", document="guide.md")


def test_a_filter_on_pages_hides_the_others_from_reading_and_finding(shelf: Library) -> None:
    desk = Desk(shelf, ChunkFilter(where=filter_of_text("page:1").where))
    assert {one["meta_data"]["page"] for one in listed(desk("read_document", document="report.pdf"))} == {1}
    assert "“storms” does not occur in" in desk("find_in_document", document="report.pdf", text="storms").text


def test_words_are_found_across_a_line_end_regardless_of_case(shelf: Library) -> None:
    desk = Desk(shelf)
    result = desk("find_in_document", document="guide.md", text="Catalogue IS open")
    (place,) = listed(result)
    start, end = map(int, place["meta_data"]["characters"].split("-"))
    assert GUIDE[start:end] == "catalogue is\nopen"
    assert "“Catalogue IS open” occurs 1 time in “guide.md”." in result.text
    assert find_citations("[1]", desk.references.numbered)[0].valid


def test_whole_words_leave_longer_ones_out_and_chinese_has_no_such_ends(shelf: Library) -> None:
    desk = Desk(shelf)
    assert "occurs 2 times" in desk("find_in_document", document="guide.md", text="cat").text
    assert "does not occur" in desk("find_in_document", document="guide.md", text="cat", whole_words=True).text
    assert "occurs 1 time" in desk("find_in_document", document="guide.md", text="每晚", whole_words=True).text


def test_many_places_come_twenty_at_a_time(library: Library, run: Run, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("\n".join(f"{n} gull" for n in range(45)), "utf-8")
    run(operations.add_documents(library, [tmp_path / "log.txt"]))
    desk = Desk(library)
    assert "occurs 45 times in “log.txt”. These are 1 to 20. More: first=21." in (
        desk("find_in_document", document="log.txt", text="gull").text
    )
    assert len(listed(desk("find_in_document", document="log.txt", text="gull", first=41))) == 5


def test_a_name_that_is_not_quite_right_is_answered_with_similar_ones(shelf: Library) -> None:
    with pytest.raises(ToolError, match=r"Similar ones: guide\.md \(number \d\)"):
        Desk(shelf)("read_document", document="giude.md")


def test_an_unknown_tool_is_reported_to_the_user(shelf: Library) -> None:
    async def main() -> tuple[str, ...]:
        async with opened_tools(
            shelf, ["calculator", "oracle"], allowed=EVERYTHING, settings=Settings(), references=RunReferences()
        ) as opened:
            assert [tool.spec.name for tool in opened.tools] == ["calculator"]
            return opened.notices

    assert asyncio.run(main()) == ("There is no tool “oracle” here; the answer was made without it.",)
