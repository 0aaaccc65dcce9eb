"""Plug-in files run in their own process, only with consent, and can neither hang nor break the program."""

import asyncio
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from workbench.agent.retrievers.plugin_process import PluginFile
from workbench.agent.retrievers.retriever_registry import RetrieverLimits, RetrieverRegistry
from workbench.errors import PluginError, RetrieverFailed
from workbench.model.extensions import PluginState, RetrieverQuestion, RunContext
from workbench.plugins.plugin_consent import PluginConsentFile
from workbench.plugins.registry import Registry

pytestmark = pytest.mark.logs_warnings

RETRIEVE = "def retrieve(query, num_documents=None):\n    return [{'content': 'found ' + query, 'name': 'Log'}]\n"


class Folder:
    """Plug-in folder of a library, and questions to it."""

    def __init__(self, path: Path) -> None:
        self.path = path / "plugins"
        self.path.mkdir()
        self.limits = RetrieverLimits(20)
        self.consents = PluginConsentFile(path / "config" / "allowed.json")
        nothing: Registry[Any] = Registry("workbench.test")
        self.shelf = RetrieverRegistry(self.path, self.consents, lambda: self.limits, lambda: 1024, nothing)

    def write(self, text: str, name: str = "minutes.py") -> None:
        (self.path / name).write_text(text, "utf-8")

    def allow(self) -> PluginFile:
        [file] = self.shelf.plugin_files()

        async def loaded() -> None:
            source = file.source()
            file.allow(source.sha256, (await file.offered(source)).names)

        asyncio.run(loaded())
        return file

    def ask(self, *names: str, **context: Any) -> list[str]:
        question = RetrieverQuestion("ice", 2, "reader", RunContext(**context))
        result = asyncio.run(self.shelf.ask(names or ("minutes",), question))
        return [hit.chunk.text for hit in result.hits]

    def state(self) -> PluginState:
        return self.shelf.plugin_files()[0].info().state


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    folder = Folder(tmp_path)
    yield folder
    folder.shelf.close()


def children() -> list[psutil.Process]:
    return psutil.Process().children()


def test_a5_a_file_that_was_allowed_is_asked_under_its_name(folder: Folder) -> None:
    folder.write(RETRIEVE)
    assert folder.state() is PluginState.NEW
    assert folder.allow().info().offers == ("minutes",)
    assert folder.ask() == ["found ice"]


def test_a_plugin_file_without_consent_never_runs(folder: Folder, tmp_path: Path) -> None:
    folder.write(f"open({str(tmp_path / 'ran')!r}, 'w')\n{RETRIEVE}")
    with pytest.raises(RetrieverFailed, match="There is no retriever “minutes”"):
        folder.ask()
    assert not (tmp_path / "ran").exists()


def test_a_changed_file_is_not_asked_until_it_is_allowed_again(folder: Folder) -> None:
    folder.write(RETRIEVE)
    folder.allow()
    folder.ask()
    folder.write(RETRIEVE.replace("found", "seen"))
    assert folder.state() is PluginState.CHANGED
    with pytest.raises(RetrieverFailed, match="has changed or is not allowed"):
        folder.ask()
    folder.allow()
    assert folder.ask() == ["seen ice"]


def test_consent_that_was_taken_back_holds_at_once(folder: Folder) -> None:
    folder.write(RETRIEVE)
    file = folder.allow()
    folder.ask()
    file.forbid()
    with pytest.raises(RetrieverFailed):
        folder.ask()


def test_the_same_bytes_at_another_place_are_asked_about(folder: Folder) -> None:
    folder.write(RETRIEVE)
    folder.allow()
    folder.write(RETRIEVE, "copy.py")
    assert [file.info().state for file in folder.shelf.plugin_files()] == [PluginState.NEW, PluginState.ALLOWED]


def test_it_is_never_imported_by_this_process(folder: Folder) -> None:
    folder.write(f"import sys, os\nRETRIEVERS = {{'pid': lambda query: str(os.getpid())}}\n{RETRIEVE}")
    folder.allow()
    [pid] = folder.ask("pid")
    assert int(pid) in [child.pid for child in children()]
    assert not any("workbench_plugin" in name for name in sys.modules)


def test_d13_one_that_hangs_is_killed_and_asked_again_in_a_new_process(folder: Folder) -> None:
    folder.write(
        "import time\ndef retrieve(query, agent_id, dependencies):\n"
        "    while dependencies['hang']: pass\n    return 'awake'\n"
    )
    folder.allow()
    assert folder.ask(dependencies={"hang": False}) == ["awake"]
    folder.limits = RetrieverLimits(0.3)
    with pytest.raises(RetrieverFailed, match="“minutes” took longer than"):
        folder.ask(dependencies={"hang": True})
    folder.limits = RetrieverLimits(20)
    assert folder.ask(dependencies={"hang": False}) == ["awake"]


def test_d14_an_exception_in_a_plugin_is_reported_with_file_and_line_but_never_with_its_message(folder: Folder) -> None:
    folder.write("def retrieve(query):\n    password = 'hunter2'\n    raise ValueError(password)\n")
    folder.allow()
    with pytest.raises(RetrieverFailed, match=r"ValueError in minutes\.py, line 3") as failed:
        folder.ask()
    assert failed.value.kind == "ValueError"
    assert "hunter2" not in str(failed.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def retrieve(query:\n    pass", r"SyntaxError in minutes\.py, line 1"),
        ("\nimport no_such_package", r"Error in minutes\.py, line 2: there is no module “no_such_package”"),
        ("x = 1", "It offers nothing"),
        ("def retrieve(text): pass", "no parameter named “query”"),
    ],
)
def test_a7_a_broken_plugin_file_is_reported_with_its_line(folder: Folder, text: str, said: str) -> None:
    folder.write(text)
    info = folder.allow().info()
    assert info.state is PluginState.BROKEN
    assert re.search(said, info.problem)


def test_one_that_ends_its_process_costs_one_answer(folder: Folder) -> None:
    folder.write(
        "import os\ndef retrieve(query, dependencies):\n    os._exit(3) if dependencies else None\n    return query\n"
    )
    folder.allow()
    with pytest.raises(RetrieverFailed, match="ended its process"):
        folder.ask(dependencies={"end": True})
    assert folder.ask() == ["ice"]


def test_one_that_wants_too_much_memory_is_ended(folder: Folder) -> None:
    folder.write("def retrieve(query):\n    return len(bytearray(8 * 2**30)) * 'x'\n")
    folder.allow()
    with pytest.raises(RetrieverFailed, match="exceeded the memory limit"):
        folder.ask()


def test_ten_megabytes_do_not_travel(folder: Folder) -> None:
    folder.limits = RetrieverLimits(20, 500)
    folder.write("def retrieve(query):\n    return ['x' * 10_000_000] * 10\n")
    folder.allow()
    assert [len(text) for text in folder.ask()] == [504]


def test_d4_a_class_is_initialized_once_and_closed(folder: Folder, tmp_path: Path) -> None:
    folder.write(
        f"LOG = {str(tmp_path / 'log')!r}\n"
        "def say(word):\n    open(LOG, 'a').write(word + ' ')\n"
        "class Letters:\n"
        "    async def initialize(self): say('initialize')\n"
        "    async def retrieve(self, *, query, agent_id):\n        say('retrieve')\n        return [agent_id]\n"
        "    async def close(self): say('close')\n"
    )
    folder.allow()
    assert folder.ask() + folder.ask() == ["reader", "reader"]
    folder.shelf.close()
    assert (tmp_path / "log").read_text() == "initialize retrieve retrieve close "


def test_output_printed_by_a_plugin_stays_out_of_our_standard_output(
    folder: Folder, capfd: pytest.CaptureFixture[str]
) -> None:
    folder.write(f"print('hello')\n{RETRIEVE}")
    folder.allow()
    folder.ask()
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "hello\n")


def test_dependencies_that_cannot_travel_go_as_text(folder: Folder) -> None:
    folder.write("def retrieve(query, dependencies):\n    return type(dependencies['lock']).__name__\n")
    folder.allow()
    assert folder.ask(dependencies={"lock": asyncio.Lock()}) == ["str"]


@pytest.mark.parametrize(("line", "seen"), [("", ["None"]), ('ENVIRONMENT = ["MINUTES_KEY"]\n', ["canary"])])
def test_it_sees_a_key_of_the_environment_only_if_it_names_it(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, line: str, seen: list[str]
) -> None:
    monkeypatch.setenv("MINUTES_KEY", "canary")
    folder.write(f"import os\n{line}def retrieve(query):\n    return str(os.environ.get('MINUTES_KEY'))\n")
    folder.allow()
    assert folder.ask() == seen


def test_processes_started_by_a_plugin_end_with_it(folder: Folder, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    code = f"import time; pipe = open({str(tmp_path / 'pipe')!r}, 'w'); print('begun', file=pipe, flush=True)"
    folder.write(
        "import subprocess, sys\ndef retrieve(query):\n"
        f"    subprocess.Popen([sys.executable, '-c', {code!r} + '; time.sleep(60); print(\"ended\", file=pipe)'])\n"
        "    return 'started'\n"
    )
    folder.allow()
    assert folder.ask() == ["started"]
    with (tmp_path / "pipe").open() as pipe:
        assert pipe.readline() == "begun\n"
        folder.shelf.close()
        assert pipe.read() == "", "it went on to its own end"


def test_a_plugin_file_that_is_not_text_and_one_that_is_too_big_are_reported(folder: Folder) -> None:
    folder.write("x" * 1_000_001)
    [file] = folder.shelf.plugin_files()
    with pytest.raises(PluginError, match="bigger than"):
        file.source()
    (folder.path / "minutes.py").write_bytes(b"\0\xff")
    assert "could not be loaded" in folder.allow().info().problem


def test_hidden_files_and_those_with_an_underscore_are_no_plug_ins(folder: Folder) -> None:
    for name in ("_private.py", ".hidden.py", "notes.txt"):
        folder.write(RETRIEVE, name)
    assert folder.shelf.plugin_files() == []


def test_a_list_of_consents_that_cannot_be_read_allows_nothing(folder: Folder) -> None:
    folder.write(RETRIEVE)
    folder.allow()
    (folder.path.parent / "config" / "allowed.json").write_text('{"x": 3', "utf-8")
    assert folder.state() is PluginState.NEW
