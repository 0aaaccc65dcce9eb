"""Load: a hundred concurrent searches while documents are added and removed."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from workbench import operations
from workbench.operations import Library
from workbench.operations.library.models import turn_of
from workbench.operations.library.profiles import sentence_ranker
from workbench.worker.job import JobContext, Operation

Run = Callable[[Operation[Any]], Any]


def texts(result: Any) -> list[str]:
    return [hit.chunk.text for hit in result.hits]


def test_a_hundred_searches_at_once_find_what_each_finds_alone(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    questions = ["Which ferry stayed in port?", "港口的水深", "harbour froze", "lighthouse"]
    alone = [texts(run(operations.search(library, one))) for one in questions]

    async def together() -> list[Any]:
        searches = [operations.search(library, questions[n % 4])(JobContext()) for n in range(100)]
        return await asyncio.gather(*searches)

    before = psutil.Process().num_threads()
    found = run(lambda _context: together())
    assert [texts(result) for result in found] == [alone[n % 4] for n in range(100)]
    assert psutil.Process().num_threads() <= before + 4


def test_answers_take_turns_with_a_model_that_computes_here_and_not_with_a_server(library: Library) -> None:
    class Served:
        """An embedder without token vectors, like that of a server."""

        id, dim = "served", 8

    models, embedder = library.models, library.models.embedder()
    assert turn_of(models, embedder) is turn_of(models, None) is turn_of(models, embedder)
    with turn_of(models, embedder), turn_of(models, embedder):  # a ranking within a search
        assert len(sentence_ranker(library).rank("When was it?", [(1, "It was in 1900.")]).sentences) == 1
    served: Any = Served()
    assert turn_of(models, served) is not turn_of(models, embedder)


def test_searches_go_on_while_documents_come_and_go(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    kept = (papers / "harbour.md").read_text("utf-8")

    async def change() -> None:
        for number in range(6):
            (papers / "passing.md").write_text(f"# Passing\n\nNumber {number} passes the harbour.\n", "utf-8")
            await operations.add_documents(library, [papers / "passing.md"])(JobContext())
            there = await operations.list_documents(library)(JobContext())
            passing = [document.id for document in there if document.name == "passing.md"]
            await operations.remove_documents(library, passing, for_good=True)(JobContext())

    async def search(changing: "asyncio.Task[None]") -> int:
        asked = 0
        while not changing.done() or asked < 100:
            results = [operations.search(library, "the harbour of Lindhamn")(JobContext()) for _ in range(10)]
            for result in await asyncio.gather(*results):
                assert any(text in kept for text in texts(result)), "what never changed is always found"
                asked += 1
        return asked

    async def both() -> int:
        changing = asyncio.create_task(change())
        asked = await search(changing)
        await changing
        return asked

    assert run(lambda _context: both()) >= 100
    assert library.database.integrity_problem() in (None, "")
