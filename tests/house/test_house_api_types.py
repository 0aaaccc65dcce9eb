"""A script with all operations of the command line and the README's example pass a strict type checker."""

import subprocess
import sys
from pathlib import Path

from code_blocks import PROJECT, readme_example

SCRIPT = """
import asyncio

import workbench


def told(event: workbench.FolderEvent) -> None:
    print(event)


def waits(library: workbench.Library) -> None:
    check: workbench.FolderCheck = library.folders.link("reports", metadata={"year": 2024}, on_event=told)
    library.folders.check(check.folder)
    library.folders.unlink("reports", remove_documents=True)
    read: workbench.QuestionsRead = library.evaluation.read_file("questions.jsonl")
    run: workbench.Evaluation = library.evaluation.run(read.set, "mode=dense", k=5)
    better: workbench.Comparison = library.evaluation.compare("default", workbench.SearchConfiguration())
    print(run.summary.metrics.ndcg, better.sentence)
    outlook: workbench.MapOutlook = library.map.get()
    if outlook.map is not None:
        print(outlook.map.points.shape, [region.label for region in outlook.map.regions])
    found: workbench.Soundness = library.integrity.check()
    gap: workbench.OfflineMode = library.network.set_offline_mode("on")
    page: workbench.NetworkPage = library.network.requests(outcome="refused")
    plugin: workbench.PluginInfo = library.plugins.allow("minutes")
    server: workbench.ToolServer = library.tool_servers.put("files", command="npx server", allow=True)
    print(found.is_sound, gap.sentence, page.totals.sent, plugin.offers, server.reached_by)
    estimate: workbench.ReadingEstimate = library.readings.estimate("Who signed?", "format:pdf", price=(1, 2))
    reading: workbench.Reading = library.readings.resume(1, retry_unreadable=True)
    explanation: workbench.Explanation = library.explain("Who signed?", "contract.pdf", page=3, mode="keyword")
    print(estimate.seconds, reading.info.status, explanation.sentence)
    differences: list[workbench.RunDifference] = library.runs.diff(1, 2)
    stretch: workbench.Stretch = library.section(library.chunks("contract.pdf")[0])
    print(differences, stretch.text, library.edit_document(1, title="Contract").metadata.title)


async def awaits() -> None:
    async with workbench.open_library_async("my-library") as library:
        folders: list[workbench.LinkedFolder] = await library.folders.list()
        tools: list[workbench.ToolInfo] = await library.tools.list()
        report: workbench.ConnectionReport = await library.profiles.check("local")
        print(folders, tools, report.works, (await library.runs.fork(1, question="And then?")).answer)


repair: workbench.Repair = workbench.repair_library("my-library", dry_run=True)
restored: workbench.Restored = workbench.restore_backup("my-library", workbench.list_backups("my-library")[0].name)
print(repair.done, restored.kept)
with workbench.open_library("my-library") as opened:
    waits(opened)
asyncio.run(awaits())
"""


def test_a_script_of_the_command_lines_verbs_and_the_readmes_example_pass_a_strict_type_checker(tmp_path: Path) -> None:
    scripts = {"script.py": SCRIPT, "example.py": readme_example() + "\n"}
    for name, text in scripts.items():
        (tmp_path / name).write_text(text, "utf-8")
    # With the project's strict settings, and the cache of mypy's run beside the tests (packaging/types-and-tests.sh),
    # which has ended when the last tests begin: without it, mypy takes two minutes. Both files in one run, because each
    # run loads the types of all modules, which takes 10 s.
    command = [sys.executable, "-m", "mypy", *(str(tmp_path / name) for name in scripts)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT)
    assert done.stdout.strip() == "Success: no issues found in 2 source files", done.stderr
