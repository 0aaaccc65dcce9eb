"""Kills the program hundreds of times, and checks the library at each next start.

    python tests/durability/kills.py [--kills 500] [--seed 1] [--only NAME] [--at "before commit:7"]

For each kill, a small library is restored; a child process opens it, performs an operation (kill_acts*.py), and ends by
SIGKILL: at a selected point (kill_points.py), within SQLite (system_calls.py), or after a random time. After every
fourth kill a power cut is simulated, which removes data that had not reached the disk (power_loss.py); every sixth time
the next start is killed, too. Then another process opens the library and checks it (kill_checks.py), continues
interrupted work, checks again, and opens it once more. The processes are forked from this one, which has loaded
everything and opened nothing.

Prints a table, and each violation with the command that reproduces it; exits with 1 if there was one.
"""

import argparse
import asyncio
import contextlib
import ctypes
import importlib
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from kill_acts import Act
from kill_acts_documents import DOCUMENT_ACTS
from kill_acts_sessions import SESSION_ACTS
from kill_checks import disagreements, fingerprint
from kill_points import ANY, Points
from kill_telling import Teller, Told
from kill_world import RUN_IN_CHILD, World, use_small_means
from power_loss import Loss, Seen, lose_power, seen
from system_calls import MOST, can_trace, stopped, tracing

from workbench.operations import Library
from workbench.worker.processes import ProcessPool

ACTS = (*DOCUMENT_ACTS, *SESSION_ACTS)
TIME, CALL = "a moment", "a call"
_PATIENCE = 90.0
"""Seconds after which a child counts as hanging: normal ones take 0.2 to 2 s."""
_KINDS = ("commit", "in a transaction", "rename", "fsync", "unlink", "folder", "open", "in a copy", "close", CALL, TIME)
_PLACES = ("before commit", "after commit", "in a transaction", "before rename", "after rename", "before fsync")
_PLACES += ("after fsync", "before unlink", "after unlink", "before folder", "after folder", "open", "in a copy")
_PLACES += ("before close", "after close")
_WEIGHTS = {"commit": 3, "transaction": 3, "rename": 2}
"""The most critical points, by the last word of their kind."""


@dataclass(frozen=True)
class Kill:
    """A kill: act, point, and additional faults.

    Attributes:
        place: A kind of point and its number; or a moment, in thousandths of the duration of the act.
        loss: Data that a power cut removes afterwards.
        again: Point at which the next start is killed; 0 for none.
    """

    act: Act
    place: tuple[str, int]
    loss: Loss | None = None
    again: int = 0

    def __str__(self) -> str:
        more = f" --loss {self.loss.value}" if self.loss else ""
        more += f" --again {self.again}" if self.again else ""
        return f'--only "{self.act.name}" --at "{self.place[0]}:{self.place[1]}"{more}'


@dataclass
class Rehearsal:
    """Result of an act without a kill."""

    seconds: float
    places: Counter[str]


@dataclass
class Ended:
    """Exit of a child, and its messages."""

    killed: bool
    told: Told
    seconds: float
    problem: str = ""


def forked(work: Callable[[Teller], None], *, kill_after: float | None = None, kill_at_call: int = 0) -> Ended:
    """Run work in a separate process; return when it has ended.

    Args:
        work: Receives the channel to this process.
        kill_after: Seconds after which it is killed.
        kill_at_call: Number of the system call at which it is killed (system_calls.py).
    """
    reading, writing = os.pipe()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(reading)
        if kill_at_call:
            stopped()
        _live(work, Teller(writing))
    os.close(writing)
    with tracing(child, kill_at_call) if kill_at_call else contextlib.nullcontext():
        data, problem = _heard(reading, child, began, kill_after)
    os.close(reading)
    _, status = os.waitpid(child, 0)
    told = Told.of(data)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    if not killed and status:
        problem = problem or f"ended with status {status}"
    for text in told.all("failed"):
        problem = str(text)
    return Ended(killed, told, time.monotonic() - began, problem)


def _heard(reading: int, child: int, began: float, kill_after: float | None) -> tuple[bytes, str]:
    """Return the messages of a child until its end, and whether it hung."""
    data, problem = bytearray(), ""
    while True:
        left = (kill_after if kill_after is not None else _PATIENCE) - (time.monotonic() - began)
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            os.kill(child, signal.SIGKILL)
            problem = "" if kill_after is not None else f"hung for {_PATIENCE:g} s"
            kill_after = _PATIENCE * 2  # the pipe is read to its end
            continue
        piece = os.read(reading, 1 << 16)
        if not piece:
            break
        data += piece
    return bytes(data), problem


def _live(work: Callable[[Teller], None], teller: Teller) -> None:
    """Run as the child; never returns."""
    try:
        work(teller)
    except BaseException:  # noqa: BLE001 - reported to the parent as a violation
        teller.told("failed", traceback.format_exc())
    finally:
        os._exit(0)


class Driver:
    """Kills the program and checks the next start."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rehearsals: dict[str, Rehearsal] = {}
        self._traces = can_trace()

    def rehearsal(self, act: Act) -> Rehearsal:
        """Return the result of an act, performed once and checked like a kill.

        Raises:
            SystemExit: A check failed without a kill.
        """
        if act.name not in self._rehearsals:
            self._prepare(act)
            points = Points(self._world)

            def work(teller: Teller) -> None:
                points.watch()
                self._do(act, teller)
                teller.told("places", points.counts)

            ended = forked(work)
            problems = [ended.problem] if ended.problem else self._look(act, ended.told)
            if problems:
                raise SystemExit(f"{act.name}, without a kill: {'; '.join(problems)}")
            self._rehearsals[act.name] = Rehearsal(ended.seconds, Counter(ended.told.all("places")[0]))
        return self._rehearsals[act.name]

    def drawn(self, act: Act, lot: random.Random, number: int) -> Kill:
        """Return a random kill of an act."""
        there = self.rehearsal(act).places
        kinds = [kind for kind in _PLACES if there[kind]]
        if number % 8 == 2 and self._traces and not act.in_children:
            place = (CALL, lot.randint(1, MOST))
        elif number % 4 == 3 or not kinds:
            place = (TIME, lot.randrange(1000))
        else:
            kind = lot.choices(kinds, [_WEIGHTS.get(one.rpartition(" ")[2], 1) for one in kinds])[0]
            place = (kind, lot.randint(1, there[kind]))
        loss = lot.choice(list(Loss)) if number % 4 == 1 else None
        return Kill(act, place, loss, lot.randint(1, 60) if number % 6 == 5 else 0)

    def strike(self, kill: Kill) -> tuple[bool, list[str]]:
        """Return whether an act was killed before it ended, and the violations afterwards."""
        kind, number = kill.place
        is_time, is_call = kind == TIME, kind == CALL
        wait = self.rehearsal(kill.act).seconds * number / 1000 if is_time else None
        before = self._prepare(kill.act)
        place = None if is_time or is_call else kill.place
        ended = forked(self._dying(kill.act, place), kill_after=wait, kill_at_call=number if is_call else 0)
        if ended.problem:
            return ended.killed, [ended.problem]
        problems = self._children_left()
        if kill.loss is not None:
            lose_power(self._world, before, kill.loss)
        if kill.again:
            again = forked(self._dying_at_the_start(kill.act, (ANY, kill.again)))
            problems += [f"the next start: {again.problem}"] if again.problem else []
            problems += self._children_left()
        return ended.killed, problems + self._look(kill.act, ended.told)

    def _prepare(self, act: Act) -> Seen:
        self._world.put_back()
        act.before(self._world)
        return seen(self._world)

    def _dying(self, act: Act, place: tuple[str, int] | None) -> Callable[[Teller], None]:
        def work(teller: Teller) -> None:
            Points(self._world, place).watch()
            self._do(act, teller)

        return work

    def _dying_at_the_start(self, act: Act, place: tuple[str, int]) -> Callable[[Teller], None]:
        def work(_teller: Teller) -> None:
            Points(self._world, place).watch()
            library = Library.open(self._world.library)
            asyncio.run(act.go_on(self._world, library))
            library.close()

        return work

    def _do(self, act: Act, teller: Teller) -> None:
        if act.in_children:
            ProcessPool.run = RUN_IN_CHILD  # type: ignore[method-assign]
        library = Library.open(self._world.library)
        asyncio.run(act.run(self._world, library, teller))
        library.close()

    def _children_left(self) -> list[str]:
        """Report processes that outlive the program; this process becomes their parent."""
        _, alive = psutil.wait_procs(psutil.Process().children(), timeout=5)
        for one in alive:
            one.kill()
        return [f"{len(alive)} processes live on"] if alive else []

    def _look(self, act: Act, told: Told) -> list[str]:
        """Return the violations of the next start and of the one after it."""

        def work(teller: Teller) -> None:
            for stage, complaints in self._stages(act, told):
                for one in complaints:
                    teller.told("wrong", f"{stage}: {one}")

        ended = forked(work)
        problems = [str(one) for one in ended.told.all("wrong")]
        return [*problems, f"after the kill: {ended.problem}"] if ended.problem else problems

    def _stages(self, act: Act, told: Told) -> "list[tuple[str, list[str]]]":
        world, stages = self._world, []
        library = Library.open(world.library)
        stages.append(
            (
                "at the next start",
                [*act.check(world, library, told), *disagreements(library, world, is_whole=act.is_whole)],
            )
        )
        asyncio.run(act.go_on(world, library))
        stages.append(
            ("gone on with", [*disagreements(library, world, is_whole=act.is_whole), *act.final(world, library, told)])
        )
        before = fingerprint(library)
        library.close()
        library = Library.open(world.library)
        after = fingerprint(library)
        changed = [key for key in before if before[key] != after[key]]
        stages.append(
            (
                "another start",
                [*(f"{key} changed" for key in changed), *disagreements(library, world, is_whole=act.is_whole)],
            )
        )
        library.close()
        return stages


@dataclass
class Table:
    """Kills by act and kind of point."""

    kills: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    violations: Counter[str] = field(default_factory=Counter)
    losses: Counter[str] = field(default_factory=Counter)
    again: Counter[str] = field(default_factory=Counter)

    def count(self, kill: Kill, problems: int) -> None:
        """Count a kill."""
        kind = kill.place[0].removeprefix("before ").removeprefix("after ")
        self.kills[kill.act.name][kind] += 1
        self.violations[kill.act.name] += bool(problems)
        self.losses[kill.act.name] += kill.loss is not None
        self.again[kill.act.name] += bool(kill.again)

    def text(self) -> str:
        """Return the table to print."""
        heads = ("commit", "within", "rename", "fsync", "unlink", "folder", "open", "copy", "close", "call", "moment")
        lines = [f"{'':22}" + "".join(f"{head:>8}" for head in (*heads, "kills", "power", "twice", "wrong"))]
        for name, counts in self.kills.items():
            row = [counts[kind] for kind in _KINDS]
            row += [sum(row), self.losses[name], self.again[name], self.violations[name]]
            lines.append(f"{name:22}" + "".join(f"{number:>8}" for number in row))
        row = [sum(counts[kind] for counts in self.kills.values()) for kind in _KINDS]
        row += [sum(row), self.losses.total(), self.again.total(), self.violations.total()]
        lines.append(f"{'all':22}" + "".join(f"{number:>8}" for number in row))
        return "\n".join(lines)


def make_world(world: World) -> None:
    """Create the world in a separate process, and load the modules used there, so that each child has them.

    Raises:
        SystemExit: It cannot be created.
    """

    def work(teller: Teller) -> None:
        world.make()
        teller.told("modules", [name for name in sys.modules if name.partition(".")[0] not in ("__main__", "kills")])

    made = forked(work)
    if made.problem:
        raise SystemExit(made.problem)
    for name in made.told.all("modules")[0]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if threading.active_count() > 1:
        raise SystemExit("threads were begun by what was loaded: nothing can be forked")


def plan(acts: tuple[Act, ...], kills: int) -> list[Act]:
    """Return the acts to kill, in order and each by its share."""
    owed, chosen = Counter[str](), list[Act]()
    total = sum(act.share for act in acts)
    while len(chosen) < kills:
        for act in acts:
            owed[act.name] += act.share / total  # type: ignore[assignment]
        due = max(acts, key=lambda act: owed[act.name])
        owed[due.name] -= 1
        chosen.append(due)
    return chosen


def say(text: str) -> None:
    """Print a line and flush."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def many(driver: Driver, acts: tuple[Act, ...], kills: int, seed: int) -> int:
    """Kill the given number of times and print the table; return the number of violations."""
    lot, table, began = random.Random(seed), Table(), time.monotonic()
    numbers = Counter[str]()
    for act in plan(acts, kills):
        for _ in range(20):  # a point may not be reached: the order of threads varies
            kill = driver.drawn(act, lot, numbers[act.name])
            killed, problems = driver.strike(kill)
            if killed or problems:
                break
        numbers[act.name] += 1
        if killed or problems:
            table.count(kill, len(problems))
        for problem in problems:
            say(f"VIOLATION {kill}\n    {problem}")
    say(table.text())
    wrong = table.violations.total()
    seconds = time.monotonic() - began
    done = sum(counts.total() for counts in table.kills.values())
    say(f"{done} kills, {wrong} with violations; seed {seed}, {seconds:.0f} s")
    return wrong


@contextlib.contextmanager
def opened() -> Iterator[Driver]:
    """Create a world and yield a driver for it.

    Raises:
        SystemExit: The world cannot be created.
    """
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: adopts processes of a killed child
    shared = Path("/dev/shm")  # a kill does not lose memory contents, and no disk writes are needed
    root = Path(tempfile.mkdtemp(prefix="kills-", dir=shared if os.access(shared, os.W_OK) else None))
    try:
        world = World(root)
        use_small_means(world)
        make_world(world)
        yield Driver(world)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def main() -> int:
    """Run the kills of the command line; return the exit code."""
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("--kills", type=int, default=500)
    said.add_argument("--seed", type=int, default=1)
    said.add_argument("--only", action="append", help="the name of an act; may be given several times")
    said.add_argument("--at", help="one kill: kind of place and its number, with --only")
    said.add_argument("--loss", type=Loss)
    said.add_argument("--again", type=int, default=0)
    given = said.parse_args()
    acts = tuple(act for act in ACTS if not given.only or act.name in given.only)
    if not acts:
        said.error(f"the acts are: {', '.join(act.name for act in ACTS)}")
    with opened() as driver:
        if not given.at:
            return bool(many(driver, acts, given.kills, given.seed))
        kind, _, number = given.at.rpartition(":")
        killed, problems = driver.strike(Kill(acts[0], (kind, int(number)), given.loss, given.again))
        say("\n".join(problems) or ("nothing is wrong" if killed else "it came to its end: there is no such place"))
        return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
