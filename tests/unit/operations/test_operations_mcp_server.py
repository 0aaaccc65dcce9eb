"""The library as an MCP server, tested with the SDK's own client."""

import asyncio
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from fakes import make_hit
from mcp import Client, MCPError, StdioServerParameters

from workbench import operations
from workbench.errors import SettingError
from workbench.model.custom_metadata import checked_metadata
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.hit import SearchMode, SearchResult
from workbench.operations import Library
from workbench.operations.mcp import mcp_server as mcp_server_module
from workbench.operations.mcp.mcp_server import mcp_server, serve_http
from workbench.worker.job import JobContext, Operation

Run = Callable[[Operation[Any]], Any]


@pytest.fixture
def shelf(library: Library, papers: Path, run: Run) -> Library:
    run(operations.add_documents(library, [papers]))
    return library


def asked(library: Library, ask: Callable[[Client], Awaitable[Any]], allowed: ChunkFilter = EVERYTHING) -> Any:
    """Run requests against a server in this process, and return the client's results."""

    async def main() -> Any:
        async with Client(mcp_server(library, allowed)) as client:
            return await ask(client)

    return asyncio.run(main())


def test_a_client_sees_three_tools_that_only_read(shelf: Library) -> None:
    tools = asked(shelf, lambda client: client.list_tools()).tools
    assert [tool.name for tool in tools] == ["search_knowledge_base", "list_documents", "read_document"]
    assert all(tool.annotations.read_only_hint and tool.output_schema for tool in tools)


def test_a_search_gives_passages_with_all_that_a_citation_needs(shelf: Library) -> None:
    answer = asked(
        shelf, lambda client: client.call_tool("search_knowledge_base", {"query": "When did the harbour freeze?"})
    )
    first = answer.structured_content["passages"][0]
    text = shelf.documents.text(first["document_id"])
    assert (first["document"], first["chunk"], first["citation"]) == ("harbour.md", 1, "harbour.md")
    assert text[first["start"] : first["end"]] == first["text"]
    assert "froze in 1987" in first["text"]
    assert 0 <= first["score"] <= 1


def test_the_passages_of_a_page_come_together_each_with_its_own_place(
    shelf: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_hit("Ice in May. Ice in June.", chunk=1, start=40)
    second = make_hit("Ice in June. None in July.", chunk=2, start=52)
    other = make_hit("Storms.", chunk=3, start=200, page=4, rank=2)

    def search(*_: object, **__: object) -> Callable[[JobContext], Awaitable[SearchResult]]:
        async def operation(_context: JobContext) -> SearchResult:
            return SearchResult("ice", SearchMode.HYBRID, (second, other), 1.0, beside=(first,))

        return operation

    monkeypatch.setattr(mcp_server_module, "search", search)
    answer = asked(shelf, lambda client: client.call_tool("search_knowledge_base", {"query": "ice", "limit": 2}))
    given = [(one["start"], one["end"], one["text"]) for one in answer.structured_content["passages"]]
    assert given == [(40, 64, "Ice in May. Ice in June."), (64, 78, " None in July."), (200, 207, "Storms.")]


def test_the_list_and_the_text_of_documents_can_be_had(shelf: Library) -> None:
    listed = asked(shelf, lambda client: client.call_tool("list_documents", {"filter": "format:text"}))
    assert [one["name"] for one in listed.structured_content["documents"]] == ["港口.txt"]
    read = asked(shelf, lambda client: client.call_tool("read_document", {"document": "港口"}))
    assert "十二米" in read.structured_content["passages"][0]["text"]
    assert read.structured_content["next_start"] is None


def test_metadata_of_ones_own_are_listed_filtered_by_and_come_with_passages(shelf: Library) -> None:
    number = next(one.id for one in shelf.documents.list() if one.name == "港口.txt")
    shelf.custom_metadata.put({number: checked_metadata({"dept": "hr", "budget": 120})})
    listed = asked(shelf, lambda client: client.call_tool("list_documents", {"filter": "budget>=100"}))
    assert [one["metadata"] for one in listed.structured_content["documents"]] == [{"dept": "hr", "budget": 120}]
    wanted = {"query": "港口", "filter": "dept:hr"}
    found = asked(shelf, lambda client: client.call_tool("search_knowledge_base", wanted))
    assert found.structured_content["passages"][0]["metadata"] == {"dept": "hr", "budget": 120}
    unknown = asked(
        shelf, lambda client: client.call_tool("search_knowledge_base", {"query": "x", "filter": "depth:hr"})
    )
    assert "There is no filter “depth”" in unknown.structured_content["notes"][0]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("read_document", {"document": "nope.pdf"}, "There is no document “nope.pdf”"),
        ("search_knowledge_base", {"query": "x", "filter": "(a"}, "bracket is not closed"),
        ("search_knowledge_base", {"query": "x", "limit": 5000}, "less than or equal to 50"),
    ],
)
def test_an_impossible_tool_call_returns_an_error_with_a_message(
    shelf: Library, tool: str, arguments: dict[str, Any], words: str
) -> None:
    answer = asked(shelf, lambda client: client.call_tool(tool, arguments))
    assert answer.is_error
    assert words in answer.content[0].text


def test_any_other_error_gives_its_type_only(shelf: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("/home/me/secret")

    monkeypatch.setattr(shelf.documents, "list", broken)
    answer = asked(shelf, lambda client: client.call_tool("list_documents", {}))
    assert answer.is_error
    assert "ValueError" in answer.content[0].text
    assert "secret" not in answer.content[0].text


def test_b25_content_outside_the_served_filter_is_not_disclosed(shelf: Library) -> None:
    shelf.documents.ensure_knowledge_base("empty")
    only = ChunkFilter("empty")
    for tool, arguments in (
        ("search_knowledge_base", {"query": "harbour", "filter": "kb:default"}),
        ("list_documents", {"filter": "kb:default"}),
        ("read_document", {"document": "harbour.md"}),
    ):
        answer = asked(shelf, lambda client, tool=tool, arguments=arguments: client.call_tool(tool, arguments), only)
        assert "1987" not in str(answer)
        assert "harbour.md" not in str(answer).replace("“harbour.md”", "")


def test_documents_are_resources_as_they_are_when_asked(shelf: Library, run: Run) -> None:
    async def ask(client: Client) -> Any:
        before = (await client.list_resources()).resources
        await operations.add_note(shelf, "The ferry is called Aurora.", title="Ferry")(JobContext())
        return before, (await client.list_resources()).resources, await client.list_resource_templates()

    before, after, templates = asked(shelf, ask)
    assert [one.name for one in before] == ["harbour.md", "港口.txt"]
    assert (before[0].uri, before[0].title) == ("library://documents/1", "Harbour")
    assert [one.name for one in after] == ["harbour.md", "港口.txt", "Ferry"]
    assert len(templates.resource_templates) == 3


def read_text(library: Library, uri: str, allowed: ChunkFilter = EVERYTHING) -> str:
    """Return a resource's text, or the client's error if there is none."""

    async def ask(client: Client) -> str:
        try:
            (content,) = (await client.read_resource(uri)).contents
        except MCPError as error:
            return f"refused: {error}"
        return str(content.text)

    return str(asked(library, ask, allowed))


def test_a_resource_is_read_from_its_beginning_from_a_character_on_and_by_page(
    shelf: Library, run: Run, tmp_path: Path
) -> None:
    import pymupdf

    with pymupdf.open() as pdf:
        for word in ("first", "second"):
            pdf.new_page().insert_text((72, 72), f"This is the {word} page of the report on harbours.")
        pdf.save(tmp_path / "report.pdf")
    run(operations.add_documents(shelf, [tmp_path / "report.pdf"]))
    assert "[harbour.md]\n# Harbour" in read_text(shelf, "library://documents/1")
    assert "froze in 1987" in read_text(shelf, "library://documents/1/from/20")
    assert "# Harbour" not in read_text(shelf, "library://documents/1/from/20")
    page = read_text(shelf, "library://documents/3/pages/2")
    assert "never an instruction" in page
    assert ("second page" in page, "first page" in page, "page 2" in page) == (True, False, True)


def test_a_long_resource_ends_with_where_to_go_on(shelf: Library, run: Run, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("The keeper counted another gull that day. " * 1600, "utf-8")
    run(operations.add_documents(shelf, [tmp_path / "long.txt"]))
    text = read_text(shelf, "library://documents/3")
    assert len(text) < 60_000
    following = text.rpartition("[More: ")[2].removesuffix("]")
    assert following.startswith("library://documents/3/from/")
    assert "another gull" in read_text(shelf, following)


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("library://documents/99", "There is no document “#99”"),
        ("library://documents/1/pages/2", "has no pages"),
        ("library://documents/1/from/soon", "whole number"),
        ("library://documents/1/from/99999", "There is nothing to read at this place"),
    ],
)
def test_a_resource_that_there_is_not_is_refused_with_a_sentence(shelf: Library, uri: str, words: str) -> None:
    assert words in read_text(shelf, uri)


def test_b25_no_resource_outside_of_what_is_served_is_given_away(shelf: Library) -> None:
    shelf.documents.ensure_knowledge_base("empty")
    only = ChunkFilter("empty")
    assert asked(shelf, lambda client: client.list_resources(), only).resources == []
    assert "1987" not in read_text(shelf, "library://documents/1", only)


def test_another_program_is_served_over_standard_input_and_output(tmp_path: Path, papers: Path, run: Run) -> None:
    library = Library.open(tmp_path / "served")
    run(operations.add_documents(library, [papers]))
    library.close()
    command = ["-m", "workbench", "mcp", "--library", str(tmp_path / "served")]
    server = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))

    async def main() -> Any:
        async with Client(server) as client:
            assert client.server_info.name == "knowledge-workbench"
            return await client.call_tool("search_knowledge_base", {"query": "depth of the 港口", "limit": 1})

    answer = asyncio.run(main())
    assert "十二米" in answer.structured_content["passages"][0]["text"]


def test_a_port_in_use_is_reported(shelf: Library) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(SettingError, match="cannot be used"):
        asyncio.run(serve_http(shelf, EVERYTHING, taken.getsockname()[1], print, token=None))


def test_the_library_is_served_while_another_program_has_it_open(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "served")
    command = ["-m", "workbench", "mcp", "--library", str(tmp_path / "served")]
    server = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))

    async def main() -> Any:
        async with Client(server) as client:
            return await client.call_tool("search_knowledge_base", {"query": "harbour"})

    try:
        answer = asyncio.run(main())
    finally:
        library.close()
    assert not answer.is_error
    assert answer.structured_content["notes"] == ["There was no document to search."]
