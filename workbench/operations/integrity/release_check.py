"""Question for a newer release of the program, at most once a day and only if a feed is set; and what is new in this.

    setting update_feed -> due? -> egress gate -> feed -> Release -> stored outcome -> window, command line, doctor

Nothing is downloaded or installed: a person is told the version, its page and its hash. This module also notices that
another version was installed while this one runs.
"""

import asyncio
import json
import os
import re
import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import workbench
from workbench.egress.gate import EgressGate
from workbench.errors import ProgramReplaced, WorkbenchError
from workbench.language import mark
from workbench.model.egress import Purpose
from workbench.model.release import LONGEST_FEED, Release, ReleaseCheck, is_web_address, read_release
from workbench.operations.library.library import Library
from workbench.resources import changelog
from workbench.worker.job import JobContext, Operation

EVERY = timedelta(days=1)
"""Minimum time between two requests of the feed, by the window and the command line together."""
_SECONDS = 10.0
"""Time limit for the connection, and for each part of the answer."""
_HINT = mark("Look at the address of the release feed in the settings.")
_STATE = "release feed"
_TOLD = "release told"
_SECTION = re.compile(r"^## ", re.MULTILINE)


def check_release(library: Library) -> Operation[ReleaseCheck]:
    """Return what is known of a newer release, after the feed was asked if one is set and a day has passed.

    A problem is part of the outcome, never an error. A library that is open read-only asks nobody, as no request could
    be recorded.
    """

    async def operation(_context: JobContext) -> ReleaseCheck:
        known = await library.on_store(known_release, library)
        if not known.feed or library.database.reader is not None or not _is_due(known.asked):
            return known
        asked = ReleaseCheck(known.feed, datetime.now(UTC).isoformat(timespec="seconds"))
        # Stored first: a program that is killed meanwhile, or a feed that makes it fail, is not asked more often.
        await library.on_store(_store, library, asked)
        try:
            found = _outcome(asked, await _fetch_feed(library.gate, asked.feed))
        except WorkbenchError as error:
            found = replace(asked, problem=error.message)
        return await library.on_store(_store, library, found)

    return operation


def known_release(library: Library) -> ReleaseCheck:
    """Return the outcome of the last question, without asking; blocking."""
    feed = library.settings.update_feed.strip()
    try:
        stored = json.loads(library.setting_values.state(_STATE))
        release = Release(**stored["release"]) if stored["release"] else None
        known = ReleaseCheck(stored["feed"], stored["asked"], release, stored["problem"])
    except (ValueError, TypeError, KeyError):
        return ReleaseCheck(feed)
    if known.feed != feed:
        return ReleaseCheck(feed)
    is_newer = known.release is not None and known.release.is_newer(workbench.__version__)
    return known if is_newer else replace(known, release=None)


def announce_release(library: Library) -> Operation[ReleaseCheck | None]:
    """Return check_release() once for each newer release; None if there is none, or it was returned before."""

    async def operation(context: JobContext) -> ReleaseCheck | None:
        check = await check_release(library)(context)
        return check if await library.on_store(_note_news, library, check) else None

    return operation


def whats_new(library: Library | None) -> Operation[tuple[str, ReleaseCheck | None]]:
    """Return the newest section of the changelog as Markdown, and known_release() of the library, if there is one."""

    async def operation(_context: JobContext) -> tuple[str, ReleaseCheck | None]:
        changes = await asyncio.to_thread(changes_of_version)
        return changes, await library.on_store(known_release, library) if library is not None else None

    return operation


# The program's window has no folder to which a relative address could lead.
_RELATIVE_LINK = re.compile(r"\[([^\[\]]+)\]\((?![a-z]+:)[^()\s]*\)")


def require_program() -> Operation[None]:
    """Check that the files of the running program are still those of its version.

    Parts of the program are loaded when they are first used; those of another version may not fit the parts in memory.

    Raises:
        ProgramReplaced: They are not.
    """

    async def operation(_context: JobContext) -> None:
        if await asyncio.to_thread(_version_on_disk) != _STARTED:
            raise ProgramReplaced(
                "The program was updated or removed while it was running.",
                "Close the window and start the program again. Your documents and sessions are safe.",
            )

    return operation


def _version_on_disk() -> str:
    """Return the version in the program's files; of a frozen program, the state of its executable. Empty if missing."""
    try:
        if getattr(sys, "frozen", False):
            state = os.stat(sys.executable)
            return f"{state.st_ino} {state.st_size} {state.st_mtime_ns}"
        found = _VERSION.search(Path(workbench.__file__).read_text("utf-8"))
    except OSError:
        return ""
    return found.group(1) if found else ""


_VERSION = re.compile(r'^__version__ = "(.*)"$', re.MULTILINE)
_STARTED = _version_on_disk()


def changes_of_version() -> str:
    """Return the newest section of the changelog that comes with the program, as Markdown; blocking."""
    try:
        text = changelog().read_text("utf-8")
    except OSError:
        return ""
    _, newest, *_ = [*_SECTION.split(text, maxsplit=2), ""]
    return _RELATIVE_LINK.sub(r"\1", f"## {newest.strip()}\n")


def _is_due(asked: str) -> bool:
    try:
        # The clock may have been wrong at one of both times.
        return abs(datetime.now(UTC) - datetime.fromisoformat(asked)) > EVERY
    except (ValueError, TypeError):
        return True


async def _fetch_feed(gate: EgressGate, address: str) -> bytes:
    """Return the bytes of the feed: one GET, without cookies, redirects or anything about this machine.

    Args:
        gate: The gate, which refuses the request or records it.
        address: Its address: https, or http on this machine.

    Raises:
        NetworkClosed: Offline mode is on, and the feed is no exception.
        WorkbenchError: The address is not of such a kind, or the server gave no such document.
        LibraryError: The request cannot be recorded.
    """
    if not is_web_address(address):
        raise WorkbenchError("The address of the release feed has to begin with https://.", _HINT)
    # Imported here, because it takes 0.1 s.
    import httpx2

    from workbench.egress.clients import async_client, patience

    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "knowledge-workbench"}
    timeout = patience(_SECONDS, _SECONDS)
    try:
        async with (
            async_client(gate, Purpose.RELEASE_FEED, by_proxy=True, timeout=timeout, headers=headers) as client,
            client.stream("GET", address) as response,
        ):
            if response.status_code != 200:
                raise WorkbenchError(f"Its server answered with status {response.status_code:d}.", _HINT)
            content = b""
            async for piece in response.aiter_bytes():
                content += piece
                if len(content) > LONGEST_FEED:
                    raise WorkbenchError("It is far too large.", _HINT)
            return content
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise WorkbenchError("Its server cannot be reached.", _HINT) from error


def _outcome(asked: ReleaseCheck, feed: bytes) -> ReleaseCheck:
    try:
        release = read_release(feed)
    except ValueError as error:
        return replace(asked, problem=str(error))
    return replace(asked, release=release if release.is_newer(workbench.__version__) else None)


def _store(library: Library, check: ReleaseCheck) -> ReleaseCheck:
    library.setting_values.set_state(_STATE, json.dumps(asdict(check)))
    return check


def _note_news(library: Library, check: ReleaseCheck) -> bool:
    if check.release is None or library.database.reader is not None:
        return False
    if library.setting_values.state(_TOLD) == check.release.version:
        return False
    library.setting_values.set_state(_TOLD, check.release.version)
    return True
