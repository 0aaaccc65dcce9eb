"""Acts other than on documents: questions, readings, evaluation, map, exports, settings, migration."""

import asyncio
import gzip
import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kill_acts import Act, go_on, nothing, number_of
from kill_checks import is_whole
from kill_telling import Teller, Told
from kill_world import PIECES, QUESTION, World, done

from workbench import operations
from workbench.model.agent import Agent
from workbench.model.exhaustive import ReadingProgress, ReadingStatus
from workbench.model.hit import SearchMode
from workbench.model.map import MapState
from workbench.model.profile import ModelProfile
from workbench.model.run import AnswerDelta, RunBegan, RunCompleted, RunStatus, TimedEvent
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.store.database import FILE_NAME

OLD_LIBRARY = Path(__file__).resolve().parents[1] / "data" / "library_0001.sqlite3.gz"

# -- Chat --------------------------------------------------------------------------------------------------------------


def _keeps_telling(library: Library, teller: Teller) -> None:
    """Report the part of each answer that is on the disk."""
    append, so_far = library.sessions.append_events, dict[int, str]()

    def appended(run: int, events: Any) -> None:
        append(run, events)
        said = "".join(one.event.text for one in events if isinstance(one.event, AnswerDelta))
        so_far[run] = so_far.get(run, "") + said
        teller.told("kept", [run, so_far[run]])

    library.sessions.append_events = appended  # type: ignore[method-assign]


async def _chat(_world: World, library: Library, teller: Teller) -> None:
    _keeps_telling(library, teller)
    session = min(info.id for info in library.sessions.list())
    current = 0

    def heard(event: Any) -> None:
        nonlocal current
        if isinstance(event, RunBegan):
            current = event.run
            teller.told("began", [event.session, event.run])
        elif isinstance(event, TimedEvent) and isinstance(event.event, RunCompleted):
            teller.told("answered", [session, current, RunStatus.COMPLETED.value, event.event.answer])

    async def asked(question: str, **more: Any) -> int:
        run = await done(operations.ask(library, question, profile="typist", **more), heard)
        teller.told("answered", [run.session, run.id, run.status.value, run.answer])
        return int(run.id)

    async def is_now(key: str, value: object, operation: Any) -> None:
        teller.wants(f"{key} {session}", value)
        await done(operation)
        teller.has(f"{key} {session}", value)

    first = library.sessions.get(session).runs[0].id
    await is_now("draft", "And what", operations.keep_draft(library, session, "And what"))
    branch = await asked(QUESTION, session=session, after=first)
    await is_now("title", "Stations", operations.rename_session(library, session, "Stations"))
    await is_now("draft", "", operations.keep_draft(library, session, ""))
    await asked("And after that?", session=session, after=branch)
    await is_now("pinned", True, operations.pin_session(library, session))
    await is_now("archived", True, operations.archive_session(library, session))
    await done(operations.ask(library, QUESTION), heard)  # offline, in a new session
    await is_now("there", False, operations.remove_session(library, session))
    await is_now("there", True, operations.restore_session(library, session))


def _sessions(_world: World, library: Library, told: Told) -> Iterator[str]:
    infos = {info.id: info for info in library.sessions.list()}

    def read(key: str) -> object:
        what, number = key.split()
        info = infos.get(int(number))
        if what == "there" or info is None:
            return info is not None
        if what == "draft":
            return library.session_shelf.draft(info.id)
        return getattr(info, what)

    removal = [(what, said[1]) for what, said in told.lines if what in ("wants", "has") and said[0].startswith("there")]
    if removal and removal[-1] != ("has", True):
        return  # a removed session is deleted when the program ends, as the window states
    yield from told.kept(read)
    runs = {run.id: run for number in infos for run in library.sessions.get(number).runs}
    finished = {run for _, run, *_ in told.all("answered")}
    for session, number in told.all("began"):
        if session in infos and number not in runs:
            yield f"run {number} was said to have begun"
    for _, number, status, answer in told.all("answered"):
        if number in runs and (runs[number].status.value, runs[number].answer) != (status, answer):
            yield f"run {number} was answered: {answer!r}; {runs[number].status.value}, {runs[number].answer!r} is kept"
    for number, answer in told.all("kept"):
        run = runs.get(number)
        if run is None or number in finished:
            continue
        if run.status not in (RunStatus.CANCELLED, RunStatus.COMPLETED):
            yield f"run {number} was cut off and is {run.status.value}"
        if not run.answer.startswith(answer) and run.answer.strip() not in "".join(PIECES):
            yield f"run {number}: {answer!r} was on the disk, {run.answer!r} is kept"


# -- Settings ----------------------------------------------------------------------------------------------------------


async def _set(_world: World, library: Library, teller: Teller) -> None:
    async def is_now(key: str, value: object, operation: Any) -> None:
        teller.wants(key, value)
        await done(operation)
        teller.has(key, value)

    for turn in range(3):
        await is_now("bin_days", 5 + turn, operations.put_setting(library, "bin_days", 5 + turn))
        await is_now("parser_seconds", 50 + turn, operations.put_setting(library, "parser_seconds", 50 + turn))
        profile = ModelProfile("other", "http://127.0.0.1:9/v1", f"model{turn}")
        await is_now("profile", f"model{turn}", operations.put_profile(library, profile))
        agent = Agent("helper", instructions=(f"rule {turn}",))
        await is_now("agent", [f"rule {turn}"], operations.put_agent(library, agent))
        way = SearchConfiguration(SearchMode.KEYWORD if turn % 2 else SearchMode.DENSE)
        await is_now("way", way.mode.value, operations.keep_configuration(library, "mine", way))
        await is_now("promoted", way.mode.value, operations.promote(library, "default", way))
        text = f"Ann prefers metres, said {turn} times."
        await done(operations.put_memory(library, text))
        teller.told("memory", text)
    await is_now("bin_days", 30, operations.reset_setting(library, "bin_days"))


def _settings(_world: World, library: Library, told: Told) -> Iterator[str]:
    def read(key: str) -> object:
        if key == "profile":
            return library.profiles.get("other").model
        if key == "agent":
            return list(next(agent for agent in library.agents.list() if agent.name == "helper").instructions)
        if key == "way":
            return next(one.configuration for one in library.search_configurations.named()).mode.value
        if key == "promoted":
            own = library.search_configurations.own("default")
            return own.mode.value if own else None
        return getattr(library.settings, key)

    yield from told.kept(read)
    texts = {memory.text for memory in asyncio.run(done(operations.list_memories(library))).memories}
    yield from (f"“{text}” was to be remembered" for text in told.all("memory") if text not in texts)


# -- Evaluation, deep reading, map -------------------------------------------------------------------------------------


async def _evaluate(_world: World, library: Library, teller: Teller) -> None:
    for _ in range(3):
        run = await done(operations.evaluate(library, "golden"))
        teller.told("evaluated", [run.summary.id, len(run.outcomes)])


def _evaluations(_world: World, library: Library, told: Told) -> Iterator[str]:
    kept = {one.id for one in asyncio.run(done(operations.list_evaluations(library)))}
    for number, outcomes in told.all("evaluated"):
        if number not in kept:
            yield f"evaluation {number} was acknowledged"
        elif len(asyncio.run(done(operations.open_evaluation(library, number))).outcomes) != outcomes:
            yield f"evaluation {number} is not whole"


async def _read_all(_world: World, library: Library, teller: Teller) -> None:
    def heard(event: Any) -> None:
        if isinstance(event, ReadingProgress):
            teller.told("read", [event.reading, event.meter.read])

    reading = await done(operations.read_all(library, QUESTION), heard)
    teller.told("concluded", reading.info.id)


def _readings(_world: World, library: Library, told: Told) -> Iterator[str]:
    infos = {info.id: info for info in library.readings.list()}
    for number, read in told.all("read"):
        kept = len(library.reading_passages.read(number)) if number in infos else -1
        if kept < read:
            yield f"reading {number}: {read} passages were said to be read, {kept} are kept"
    for number in told.all("concluded"):
        if infos[number].status is not ReadingStatus.COMPLETE:
            yield f"reading {number} was concluded and is {infos[number].status.value}"


async def _go_on_reading(world: World, library: Library) -> None:
    await go_on(world, library)
    for info in library.readings.list():
        if info.status is ReadingStatus.PAUSED:
            await done(operations.continue_reading(library, info.id))


def _all_read(_world: World, library: Library, _told: Told) -> Iterator[str]:
    for info in library.readings.list():
        if info.status is not ReadingStatus.COMPLETE or info.meter.read != info.meter.passages:
            yield f"reading {info.id} is {info.status.value}, {info.meter.read} of {info.meter.passages}: {info.reason}"


async def _draw(_world: World, library: Library, teller: Teller) -> None:
    for name in ("base0.md", "base1.md"):
        await done(operations.draw_map(library))
        teller.told("drawn")
        number = next(one.id for one in library.documents.list() if one.name == name)
        await done(operations.remove_documents(library, [number]))
        await done(operations.library_map(library))


def _map(_world: World, library: Library, told: Told) -> Iterator[str]:
    outlook = asyncio.run(done(operations.library_map(library)))
    if told.all("drawn") and (outlook.state not in (MapState.READY, MapState.OUTDATED) or outlook.notice):
        yield f"the map was drawn, and is {outlook.state.value}: {outlook.notice}"


# -- Sessions out and in -----------------------------------------------------------------------------------------------


async def _export(world: World, library: Library, teller: Teller) -> None:
    session = min(info.id for info in library.sessions.list())  # that of the typist

    def written(path: Path) -> None:
        teller.told("written", [path.name, hashlib.sha256(path.read_bytes()).hexdigest()])

    for format in ("md", "html", "json", "docx", "kwbundle"):
        name = "there.md" if format == "md" else f"out.{format}"
        written(await done(operations.export_session(library, session, format, world.out / name)))
    for path in await done(operations.export_sessions(library, [session], "json", world.out / "all.zip")):
        written(path)
    written(await done(operations.write_questions(library, "golden", world.out / "golden.jsonl")))


def _exports(world: World, _library: Library, told: Told) -> Iterator[str]:
    there = {path.name: path for path in world.out.iterdir()}
    for name, sha256 in told.all("written"):
        if name not in there or hashlib.sha256(there[name].read_bytes()).hexdigest() != sha256:
            yield f"{name} was written, and is {'another' if name in there else 'not there'}"
    if "there.md" not in there:
        yield "the file that was to be replaced is gone"
    for path in there.values():
        if not path.name.endswith(".part") and (problem := is_whole(path)):
            yield f"{path.name}: {problem}"


async def _import_session(world: World, library: Library, teller: Teller) -> None:
    for number in range(1, 5):
        gone = next(one.id for one in library.documents.list() if one.name == f"base{number}.md")
        await done(operations.remove_documents(library, [gone], for_good=True))
        arrived = await done(operations.import_session(library, world.new / "session.kwbundle", keep_originals=True))
        teller.told("arrived", [arrived.info.id, list(arrived.originals)])


def _arrived(_world: World, library: Library, told: Told) -> Iterator[str]:
    there = {info.id for info in library.sessions.list()}
    for session, originals in told.all("arrived"):
        if session not in there or len(library.sessions.get(session).runs) != 1:
            yield f"session {session} was imported"
        for number in originals:
            kept = asyncio.run(done(operations.kept_original(library, number)))
            if kept is None or not kept.bytes:
                yield f"session {session}: the file of document {number} is not kept"


# -- A newer schema ----------------------------------------------------------------------------------------------------


def _old(world: World) -> None:
    shutil.rmtree(world.library)
    world.library.mkdir()
    (world.library / FILE_NAME).write_bytes(gzip.decompress(OLD_LIBRARY.read_bytes()))


async def _opened(_world: World, library: Library, teller: Teller) -> None:
    teller.told("opened", [document.name for document in library.documents.list()])


def _migrated(world: World, library: Library, _told: Told) -> Iterator[str]:
    if [document.name for document in library.documents.list()] != ["tidal.md"]:
        yield "the document of the old library is gone"
    if not library.keywords.search("barrage", 5):
        yield "the document of the old library is not found"
    (session,) = library.sessions.list()
    if not library.sessions.get(session.id).runs[0].citations:
        yield "the session of the old library is not whole"
    copies = [path for path in world.library.rglob("*.sqlite3") if path.name != FILE_NAME]
    versions = []
    for path in copies:
        connection = sqlite3.connect(path)
        versions.append(connection.execute("PRAGMA user_version").fetchone()[0])
        if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            yield f"{path.name} is damaged"
        connection.close()
    if 1 not in versions:
        yield "there is no copy of the library as it was"


# -- Backups -----------------------------------------------------------------------------------------------------------


async def _back_up(world: World, library: Library, teller: Teller) -> None:
    async def is_now(title: str, operation: Any) -> None:
        teller.wants("title", title)
        await done(operation)
        teller.has("title", title)

    number = number_of(library, "base0.md")
    backup = await done(operations.create_backup(library))
    teller.told("backed up", backup.name)
    await is_now("Later", operations.edit_metadata(library, number, {"title": "Later"}))
    later = await done(operations.create_backup(library))
    teller.told("backed up", later.name)
    library.close()
    await is_now("Report base0", operations.restore_backup(world.library, backup.name))
    await is_now("Later", operations.restore_backup(world.library, later.name))


def _backups(world: World, library: Library, told: Told) -> Iterator[str]:
    yield from told.kept(lambda _key: library.documents.get(number_of(library, "base0.md")).metadata.title)
    there = {backup.name for backup in asyncio.run(done(operations.list_backups(world.library)))}
    yield from (f"the backup {name} is gone" for name in told.all("backed up") if name not in there)
    for path in (world.library / "backups").glob("*.sqlite3"):
        connection = sqlite3.connect(path)
        if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            yield f"the backup {path.name} is damaged"
        connection.close()


SESSION_ACTS = (
    Act("chat", _chat, _sessions, share=1.5),
    Act("settings", _set, _settings),
    Act("evaluation", _evaluate, _evaluations),
    Act("deep reading", _read_all, _readings, _go_on_reading, _all_read),
    Act("draw the map", _draw, _map),
    Act("export", _export, _exports, share=1.5),
    Act("import a session", _import_session, _arrived),
    Act("back up and restore", _back_up, _backups),
    Act("newer schema", _opened, _migrated, go_on, nothing, _old, is_whole=False),
)
