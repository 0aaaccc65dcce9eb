"""Contract of retrievers, in any process: the search continues in time, and reports their failures."""

import asyncio
import re
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from workbench.agent.retrievers.retriever_registry import RetrieverLimits, RetrieverRegistry
from workbench.model.extensions import RetrieverQuestion
from workbench.model.hit import SearchResult
from workbench.plugins.plugin_consent import PluginConsentFile
from workbench.plugins.registry import Registry

CHARACTERS = 1000
SHAPES = {
    "function": "def retrieve(query, num_documents=None):\n{body}",
    "async function": "async def retrieve(query, num_documents=None):\n{body}",
    "class": "class Retrieve:\n    async def initialize(self): pass\n    async def close(self): pass\n"
    "    async def retrieve(self, *, query, agent_id):\n    {body}\nretrieve = Retrieve",
    "protocol": "class Retrieve:\n    def passages(self, question):\n    {body}\nretrieve = Retrieve",
}
GIVES = {
    "None": ("return None", []),
    "an empty list": ("return []", []),
    "a text": ("return 'ice'", ["ice"]),
    "a dict": ("return {'content': 'ice', 'page': 2}", ["ice"]),
    "dicts and texts": ("return [{'text': 'ice'}, 'snow', None]", ["ice", "snow"]),
    "a number": ("return 5", []),
    "what is no text among texts": ("return [object(), 'ice', b'x']", ["ice"]),
    "ten megabytes": ("return ['x' * 10_000_000]", [f"{'x' * CHARACTERS} […]"]),
    "ten megabytes of dicts": ("return [{'content': 'x' * 100, 'm': 'y' * 100_000}] * 100", ["x" * 100] * 10),
    "an endless generator": ("return iter(int, 1)", []),
    "what cannot be iterated to its end": ("return (1 / (3 - n) and str(n) for n in range(9))", None),
    "an exception": ("raise ValueError('secret')", None),
    "a wrong attribute": ("return query.nothing", None),
}
HANGS = {
    "sleeps": "while not HELD.is_set(): __import__('time').sleep(0.01)",
    "blocks": "HELD.wait(30)",
    "counts": "while not HELD.is_set(): pass",
}


class Bench:
    """Retriever under test, in this process or in a separate one."""

    def __init__(self, folder: Path, *, as_file: bool) -> None:
        self.limits = RetrieverLimits(20, CHARACTERS)
        self._folder = folder / "plugins"
        self._as_file = as_file
        self._held = threading.Event()
        self._consents = PluginConsentFile(folder / "allowed.json")
        nothing: Registry[Any] = Registry("workbench.test")
        self.shelf = RetrieverRegistry(self._folder, self._consents, lambda: self.limits, lambda: 1024, nothing)

    def write(self, shape: str, body: str, name: str = "tested") -> None:
        if shape == "protocol":
            body = body.replace("query", "question.query")
        written = SHAPES[shape].format(body=indent(body, "    "))
        if not self._as_file:
            names: dict[str, Any] = {"HELD": self._held}
            exec(compile(written, "under_test.py", "exec"), names)
            self.shelf.register(name, names["retrieve"])
            return
        self._folder.mkdir(exist_ok=True)
        written = f"import threading\nHELD = threading.Event()\n{written}"
        written = written.replace("retrieve = Retrieve", f"RETRIEVERS = {{{name!r}: Retrieve}}")
        (self._folder / f"{name}.py").write_text(written)
        (file,) = (one for one in self.shelf.plugin_files() if one.path.stem == name)
        file.allow(file.source().sha256, (name,))

    def close(self) -> None:
        self._held.set()
        self.shelf.close()

    def ask(self) -> SearchResult:
        return asyncio.run(self.shelf.ask(["tested"], RetrieverQuestion("ice", None, "reader")))

    def ask_all(self, names: Sequence[str]) -> "list[SearchResult | BaseException]":
        """Ask several retrievers at the same time."""

        async def ask() -> "list[SearchResult | BaseException]":
            asked = (self.shelf.ask([name], RetrieverQuestion("ice", None, "reader")) for name in names)
            return await asyncio.gather(*asked, return_exceptions=True)

        return asyncio.run(ask())


@pytest.fixture(params=[False, True], ids=["in this process", "plug-in file"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, as_file=request.param)
    yield bench
    bench.close()


@pytest.mark.logs_warnings
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("what", GIVES)
def test_d14_any_retriever_result_becomes_passages_or_an_error_message(bench: Bench, shape: str, what: str) -> None:
    body, texts = GIVES[what]
    bench.write(shape, body)
    if texts is None:
        with pytest.raises(Exception, match=r"“tested” failed: .*Error in (tested|under_test)") as failed:
            bench.ask()
        assert "secret" not in str(failed.value)
    else:
        assert [hit.chunk.text for hit in bench.ask().hits] == texts


@pytest.mark.logs_warnings
@pytest.mark.parametrize("how", HANGS)
def test_d13_however_retrievers_hang_the_search_ends_in_time(bench: Bench, how: str) -> None:
    names = {shape: shape.replace(" ", "_") for shape in SHAPES}
    for shape, name in names.items():
        bench.write(shape, HANGS[how], name)
    bench.limits = RetrieverLimits(0.5, CHARACTERS)
    began = time.monotonic()
    for name, error in zip(names.values(), bench.ask_all(list(names.values())), strict=True):
        assert re.search(rf"“{name}” (took longer than|is still starting after) 0\.5 seconds", str(error)), error
    assert time.monotonic() - began < 4
