"""Pages rendered by scripts: a stand-in for Chromium, and the real gateway that is its only connection."""

import asyncio
import os
import stat
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from web_site import Site, body

from workbench.errors import PageNotFetched
from workbench.fetching.address import AddressGuard
from workbench.fetching.base import FetchLimits
from workbench.fetching.chromium import BrowserProxy, find_browser, render
from workbench.system import current

ADDRESS = "https://example.org/app"
Browser = Callable[[str], str]


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    """Return a function that writes a stand-in program for Chromium."""

    def make(code: str) -> str:
        program = tmp_path / "chromium"
        program.write_text(f"#!{sys.executable}\nimport os, sys, time\n{textwrap.dedent(code)}", "utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return str(program)

    return make


def _rendered(program: str, tmp_path: Path, *, seconds: float = 10.0) -> str:
    file = tmp_path / "app.web.html"
    asyncio.run(render(ADDRESS, file, program, FetchLimits(seconds=seconds, megabytes=1)))
    return file.read_text("utf-8")


def test_e7_the_page_rendered_by_scripts_replaces_the_original_page(browser: Browser, tmp_path: Path) -> None:
    assert _rendered(browser("print('<p>made by a script')"), tmp_path).strip() == "<p>made by a script"


def test_the_browser_gets_a_profile_of_its_own_and_no_way_but_ours(browser: Browser, tmp_path: Path) -> None:
    flags = _rendered(browser("print('\\n'.join(sys.argv[1:]))"), tmp_path).split("\n")
    profile = next(flag.partition("=")[2] for flag in flags if flag.startswith("--user-data-dir="))
    assert not Path(profile).exists()
    assert any(flag.startswith("--proxy-server=http://127.0.0.1:") for flag in flags)
    assert {"--headless", "--dump-dom", "--proxy-bypass-list=<-loopback>", ADDRESS} <= set(flags)


def test_a_browser_that_is_not_done_in_time_is_killed(browser: Browser, tmp_path: Path) -> None:
    program = browser("print('<p>half', flush=True); time.sleep(60)")
    with pytest.raises(PageNotFetched, match=r"within 0\.5 seconds"):
        _rendered(program, tmp_path, seconds=0.5)


def test_cancelling_kills_the_browser_with_its_children(browser: Browser, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    os.mkfifo(pids)
    program = browser(f"""
        child = os.fork() or time.sleep(60)
        open({str(pids)!r}, "w").write(f"{{os.getpid()}} {{child}}")
        time.sleep(60)
    """)

    async def main() -> list[int]:
        task = asyncio.create_task(render(ADDRESS, tmp_path / "x", program, FetchLimits()))
        started = await asyncio.to_thread(pids.read_text)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return [int(pid) for pid in started.split()]

    browser_pid, child_pid = asyncio.run(main())
    assert _is_gone(browser_pid)
    assert _is_gone(child_pid)


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # Killed, but not yet reaped by init.
    return "Z" in Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]


@pytest.mark.parametrize(
    ("code", "words"),
    [("sys.exit(3)", "exit status 3"), ("pass", "empty page"), ("print('x' * 2_000_000)", "larger than 1 mega")],
)
def test_a_browser_failure_is_reported(
    browser: Browser, tmp_path: Path, code: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(current(), "is_administrator", lambda: False)
    with pytest.raises(PageNotFetched, match=words):
        _rendered(browser(code), tmp_path)


def test_a_browser_that_refuses_to_run_as_administrator_is_reported(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(current(), "is_administrator", lambda: True)
    with pytest.raises(PageNotFetched, match="refuse to run for the administrator"):
        _rendered(browser("sys.exit(1)"), tmp_path)


def test_an_installed_browser_is_found(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = browser("pass")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_browser() == program


def test_a_missing_browser_is_reported_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(current(), "browsers", ())
    with pytest.raises(PageNotFetched, match="Install Chromium"):
        find_browser()


def _through(
    request: Callable[[Site], bytes], guard: AddressGuard, *, most_bytes: int = 2**20
) -> tuple[bytes, list[str]]:
    """Send raw bytes to the gateway and return the response, with the paths requested from the site."""

    async def main(site: Site) -> bytes:
        async with BrowserProxy(guard, most_bytes) as gateway:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(gateway.address.rpartition(":")[2]))
            writer.write(request(site))
            answer = await asyncio.wait_for(reader.read(), 10)
            writer.close()
            await writer.wait_closed()
            return answer

    with Site({"/page?a=b": body("<p>through"), "/big": body(b"x" * 500_000)}) as site:
        return asyncio.run(main(site)), site.paths


def _get(site: Site) -> bytes:
    return f"GET {site.url('/page?a=b')} HTTP/1.1\r\nHost: x\r\nProxy-Connection: keep-alive\r\n\r\n".encode()


def _tunnel(site: Site) -> bytes:
    inside = "GET /page?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    return f"CONNECT 127.0.0.1:{site.port} HTTP/1.1\r\n\r\n{inside}".encode()


@pytest.mark.parametrize("request_of", [_get, _tunnel])
def test_the_gateway_lets_through_what_may_be_asked(request_of: Callable[[Site], bytes]) -> None:
    answer, paths = _through(request_of, AddressGuard(allow_private=True))
    assert answer.endswith(b"<p>through")
    assert paths == ["/page?a=b"]


@pytest.mark.parametrize("request_of", [_get, _tunnel])
def test_the_gateway_refuses_this_machine_and_its_network(request_of: Callable[[Site], bytes]) -> None:
    answer, paths = _through(request_of, AddressGuard())
    assert answer.startswith(b"HTTP/1.1 403")
    assert paths == []


def test_the_gateway_refuses_what_is_no_request(site: Site) -> None:
    assert _through(lambda _site: b"SSH-2.0-x\r\n\r\n", AddressGuard())[0].startswith(b"HTTP/1.1 403")


def test_the_gateway_stops_at_the_size_limit() -> None:
    answer, _ = _through(
        lambda site: f"GET {site.url('/big')} HTTP/1.1\r\n\r\n".encode(),
        AddressGuard(allow_private=True),
        most_bytes=1000,
    )
    assert len(answer) < 200_000
