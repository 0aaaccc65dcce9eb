"""Entry point of python -m workbench and of the frozen program, the same as the workbench command."""

import multiprocessing
import sys


def run() -> int:
    """Return the exit status, in a frozen program after the two other purposes of its only executable."""
    # Before all else: a child process of multiprocessing is started by the same executable, and ends in this call.
    multiprocessing.freeze_support()
    if getattr(sys, "frozen", False):
        from workbench.worker.confinement import CONFINED_START

        if sys.argv[1:2] == [CONFINED_START]:
            from workbench.worker.confined_start import main as start_confined
            from workbench.worker.environment import environment_for_programs

            with environment_for_programs():
                start_confined(sys.argv[2:])
    from workbench.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
