"""Commands of the README and the guide: run unchanged, with their results checked."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PAGES = (PROJECT / "README.md", *sorted((PROJECT / "resources" / "guide").glob("*.md")))
RESULTS = {
    "workbench add resources/sample": "harbour-survey.pdf: 70 chunks from 21 pages",
    'workbench ask "How much tributyltin was found near the disused slipway, and what is the limit?"': "94 micrograms",
    'workbench search "oxygen in the basin" -k 3': "harbour-survey.pdf, page 13",
    "workbench export 1 --format html --out session.html": "Written: session.html",
    'workbench agents put clerk --copy default --set instructions="Be brief."': "- Be brief.",
    "workbench agents list": "* default",
    'workbench ask "What do the jackets cost?" --agent clerk': "2.14",
    "workbench tools": "calculator ",
    'workbench agents put clerk --set \'tools=["calculator","read_document"]\'': "- read_document",
    'workbench ask "What do the jackets cost?" --json': '"certainty": "found"',
    "workbench ask --from questions.jsonl --json": '"certainty": "found"',
    "workbench runs list": "completed What do the jackets cost?",
    "workbench runs replay 1": "RunStarted",
    "workbench export 1 --format pdf --out session.pdf": "Written: session.pdf",
    "workbench doctor": "pymupdf",
    "workbench network": "Offline mode is on",
    "workbench network list": "",
    "workbench network close": "nothing leaves this computer",
    "workbench link FOLDER": "1 document",
    "workbench link FOLDER --metadata dept=hr": "1 document",
    "workbench links": "FOLDER",
    "workbench unlink FOLDER": "unlinked",
    "workbench metadata set report.pdf --metadata dept=hr --metadata budget=120": "report.pdf",
    "workbench metadata import values.csv": "Metadata for 1 document",
    'workbench search "travel costs" --filter "dept:hr budget>=100"': "report.pdf",
    "workbench check": "The library is sound",
    "workbench repair --dry-run": "Nothing is wrong",
    "workbench backup list": "workbench backup create",
    'workbench search "oxygen in the basin" -k 5': "harbour-survey.pdf, page 13",
    'workbench search basin --filter "format:pdf year>=2020 -draft"': "harbour-survey.pdf",
    'workbench explain "What do the jackets cost?" harbour-survey.pdf --page 3': "of the 10 given",
    'workbench ask "Summarise the survey"': "surveyed every structure in its care",
    'workbench read-all "Does it name a date of inspection?" --yes': "NOT FOUND   forum-minutes.txt",
    "workbench store show": "faiss",
    "workbench eval --from questions.jsonl --configuration mode=keyword --against default": "1 question measured",
}
"""Part of the output of each command."""
RUN_ELSEWHERE = {
    "workbench embedder try openai:http://127.0.0.1:11434/v1#nomic-embed-text": "test_cli_embedding_server.py",
    "workbench embedder change openai:http://127.0.0.1:11434/v1#nomic-embed-text": "test_cli_embedding_server.py",
    'workbench embedder change "openai:https://api.openai.com/v1?dimensions=512#text-embedding-3-small"': (
        "test_cli_embedding_server.py"
    ),
    "workbench store move qdrant --url http://localhost:6333 --kb contracts": "needs a server; test_cli_store.py",
    "workbench store move library --kb contracts": "test_cli_store.py",
    "workbench shared create postgresql://name@server/team --password": "test_cli_shared.py",
    "workbench shared connect team postgresql://name@server/team --password": "test_cli_shared.py",
    "workbench add --kb team/documents report.pdf": "test_cli_shared.py",
    "workbench worker team": "test_cli_shared.py",
    "workbench settings update_feed https://example.org/workbench.json": "test_cli_version.py",
    "workbench version --check": "test_cli_version.py",
    "workbench profiles add local --base-url http://127.0.0.1:11434/v1 --model llama3.2": "test_window_with_a_model.py",
    'workbench ask "What do the jackets cost?" --profile local': "test_model_servers.py",
    'workbench mcp-servers add files --command "npx -y @modelcontextprotocol/server-filesystem docs"': "needs npm",
    "workbench mcp-servers allow files": "needs npm",
    "workbench mcp-servers check files": "needs npm",
    "workbench add https://example.org --allow-host example.org": "needs the internet",
    "workbench plugins list": "test_readme_api.py",
    "workbench plugins allow minutes": "test_readme_api.py",
    "workbench agents put clerk --set 'retrievers=[\"minutes\"]' --set knowledge=false": "test_readme_api.py",
    'workbench ask "When was the harbour opened?" --agent clerk': "test_readme_api.py",
}
"""Commands that are not run here: the test that runs each, or the missing requirement."""


def commands(page: Path) -> list[str]:
    """Return the commands in the indented blocks of a page, without comments."""
    lines = re.findall(r"^    (workbench .*)$", page.read_text("utf-8"), re.MULTILINE)
    return [re.sub(r"\s{2,}#.*", "", line).strip() for line in lines]


@pytest.fixture
def sample(shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a library with the sample documents, in a folder with the files that the guide names."""
    (tmp_path / "resources").symlink_to(PROJECT / "resources")
    (tmp_path / "FOLDER").mkdir()
    (tmp_path / "FOLDER" / "travel.md").write_text("# Travel\n\nTravel costs of 2024 were 900 euros.\n", "utf-8")
    survey = (PROJECT / "resources" / "sample" / "harbour-survey.pdf").read_bytes()
    (tmp_path / "report.pdf").write_bytes(survey + b"\n")
    (tmp_path / "values.csv").write_text("file,dept,budget\nreport.pdf,hr,150\n", "utf-8")
    question = {"question": "What do the jackets cost?", "document": "harbour-survey.pdf", "page": 3}
    (tmp_path / "questions.jsonl").write_text(json.dumps(question) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return shell


def test_each_command_of_the_readme_and_the_guide_gives_what_it_promises(sample: Any) -> None:
    shown = [command for page in PAGES for command in commands(page)]
    assert set(shown) == {*RESULTS, *RUN_ELSEWHERE}
    for command in shown:
        if command in RESULTS:
            said = sample.words(*shlex.split(command)[1:]) + sample.errors
            assert sample.status == 0, f"{command}: {sample.errors}"
            assert RESULTS[command] in said, f"{command}: {said}"
        if command == "workbench export 1 --format html --out session.html":
            # The README is finished; the guide's examples use another document.
            sample("add", "report.pdf")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_the_readme_and_the_guide_lead_to_files(page: Path) -> None:
    places = [place for place in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")) if "://" not in place]
    assert all((page.parent / place).is_file() for place in places), places
    assert page.name != "README.md" or len(places) > 10
