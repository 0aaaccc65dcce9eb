"""Entry point of python -m workbench and of the frozen program, the same as the workbench command."""

import multiprocessing
import os
import sys


def run() -> int:
    """Return the exit status, in a frozen program after the two other purposes of its only executable."""
    # Before all else: a child process of multiprocessing is started by the same executable, and ends in this call.
    multiprocessing.freeze_support()
    if getattr(sys, "frozen", False):
        from workbench.worker.confinement import CONFINED_START

        if sys.argv[1:2] == [CONFINED_START]:
            from workbench.worker.confined_start import main as start_confined

            restore_library_path()
            start_confined(sys.argv[2:])
    from workbench.cli import main

    return main()


def restore_library_path() -> None:
    """Undo what the executable set for itself: a browser or a tool server has its own libraries.

    Only for a program that takes the place of this one: the executable does not set it again for its own children,
    and a reader without it cannot load MuPDF.
    """
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    os.environ.pop("LD_LIBRARY_PATH", None)
    if before is not None:
        os.environ["LD_LIBRARY_PATH"] = before


if __name__ == "__main__":
    sys.exit(run())
