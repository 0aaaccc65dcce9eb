"""HTML export in a real browser, headless: nothing in it runs, loads or reads, with its policy or without.

Skipped if there is no Chromium (Debian: chromium).
"""

import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from export_session import PNG, made_run, made_session
from hostile import NAMES, Trap, lists

from workbench.export.base import ExportContext
from workbench.export.bundle import BundleExporter
from workbench.export.html import POLICY, HtmlExporter
from workbench.model.session import Session

_CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)
_SWITCHES = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--disable-extensions", "--disable-domain-reliability", "--no-first-run", "--no-pings"),
    # Without this, each start asks name servers for hosts of its vendor, even with an empty page: 478 bytes.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
    # The most permissive access to files that a browser can give to a page.
    *("--allow-file-access-from-files", "--virtual-time-budget=2000"),
)
_SECONDS = 100

pytestmark = pytest.mark.skipif(not _CHROMIUM, reason="there is no Chromium here")


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    with Trap(tmp_path / "trap") as made:
        yield made


def dom_of(page: Path, profile: Path) -> str:
    """Return the DOM of a page in a browser, after its scripts would have run."""
    command = [_CHROMIUM, *_SWITCHES, f"--user-data-dir={profile}", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
    return done.stdout.decode("utf-8", "replace")


def session_of(texts: list[str]) -> Session:
    """Return a session with a question for each text, which is in every place for external texts."""
    runs = [
        made_run(f"A [1].\n\n{text}", question=text, name=text, quote=text, number=number)
        for number, text in enumerate(texts, start=1)
    ]
    return made_session(*runs, title=texts[0])


@pytest.fixture
def context() -> ExportContext:
    return ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "lib", lambda _citation: PNG)


def test_the_browser_runs_loads_and_reads_where_a_page_is_not_careful(trap: Trap, tmp_path: Path) -> None:
    """Check the trap itself, without which the tests below would be meaningless."""
    page = tmp_path / "careless.html"
    page.write_text(f'<html><img src="{trap.picture.as_uri()}"><script>{trap.script}</script></html>', "utf-8")
    assert 'data-ran="1"' in dom_of(page, tmp_path / "profile")
    assert trap.sprung() == ["bait.png", "/bait"]


@pytest.mark.parametrize("policy", [True, False], ids=["with its policy", "without its policy"])
@pytest.mark.parametrize("which", ["own", "lists"])
def test_an_exported_page_runs_loads_and_reads_nothing(
    trap: Trap, tmp_path: Path, context: ExportContext, request: pytest.FixtureRequest, which: str, policy: bool
) -> None:
    texts = [*trap.own(), *NAMES]
    if which == "lists":
        texts = [trap.aimed(text) for text in lists(request.getfixturevalue("peer_data"), share=12)]
    made = HtmlExporter().render(session_of(texts), context).decode("utf-8")
    assert POLICY in made
    page = tmp_path / "page.html"
    page.write_text(made if policy else made.replace(POLICY, "default-src * 'unsafe-inline' data: file:"), "utf-8")
    dom = dom_of(page, tmp_path / "profile")
    assert "data-ran" not in dom.partition(">")[0] + dom.partition("<html")[2].partition(">")[0]
    assert dom.count("<article") == len(texts)
    assert trap.sprung() == []


def test_the_page_of_a_bundle_loads_its_own_pictures_and_nothing_else(
    trap: Trap, tmp_path: Path, context: ExportContext
) -> None:
    file = tmp_path / "session.kwbundle"
    file.write_bytes(BundleExporter().render(session_of(trap.own()), context))
    with zipfile.ZipFile(file) as bundle:
        bundle.extractall(tmp_path / "bundle")
    dom = dom_of(tmp_path / "bundle" / "index.html", tmp_path / "profile")
    assert "data-ran" not in dom.partition("<html")[2].partition(">")[0]
    assert trap.sprung() == []
