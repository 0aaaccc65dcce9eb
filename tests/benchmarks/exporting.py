"""Export time of a long session in every format.

usage: python tests/benchmarks/exporting.py [--answers N] [--formats NAME...]

The library contains a session with N answers (see long_session.py) whose documents are missing: no page is rendered,
and only the writing is measured. Prints a JSON line per format: the seconds until the file exists, the processor time
of the child process that writes it, the size of the file, and for a PDF its number of pages. Each export has the
default parts of its format.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from pathlib import Path

from long_session import fill


def main() -> None:
    """Measure each format once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=500)
    parser.add_argument("--formats", nargs="*", default=("md", "html", "pdf", "docx", "json", "kwbundle"))
    options = parser.parse_args()
    from workbench import operations

    with tempfile.TemporaryDirectory() as place:
        library = operations.Library.open(Path(place) / "library")
        try:
            session = fill(library, options.answers)
            for format in options.formats:
                print(json.dumps(exported(library, session, format, Path(place) / f"out.{format}")), flush=True)
        finally:
            library.close()


def exported(library: object, session: int, format: str, path: Path) -> dict[str, object]:
    """Export a session and return its figures."""
    from workbench import operations
    from workbench.worker.job import JobContext

    async def export() -> None:
        await operations.export_session(library, session, format, path)(JobContext())  # type: ignore[arg-type]

    began, before = time.perf_counter(), os.times()
    asyncio.run(export())
    took, after = time.perf_counter() - began, os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    figures: dict[str, object] = {"format": format, "seconds": round(took, 2), "child_cpu_s": round(spent, 2)}
    figures["mb"] = round(path.stat().st_size / 1e6, 2)
    if format == "pdf":
        import pymupdf

        with pymupdf.open(path) as pdf:
            figures["pages"] = pdf.page_count
    return figures


if __name__ == "__main__":
    main()
