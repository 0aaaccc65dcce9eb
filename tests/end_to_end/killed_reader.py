"""A program that kills itself by SIGKILL during “Read everything”, at the batch of the given number.

python killed_reader.py LIBRARY BATCHES
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from workbench import operations
from workbench.model.exhaustive import ReadingProgress
from workbench.operations import Library
from workbench.worker.job import JobContext

QUESTION = "Which station reported 21?"


def main(folder: str, batches: str) -> None:
    """Read until the given number of batches was reported."""
    left = int(batches) + 1  # the first event reports the start

    def emit(said: object) -> None:
        nonlocal left
        left -= isinstance(said, ReadingProgress)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    library = Library.open(Path(folder))
    asyncio.run(operations.read_all(library, QUESTION)(JobContext(emit)))


if __name__ == "__main__":
    main(*sys.argv[1:])
