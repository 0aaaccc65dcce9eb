"""Entry point that starts another program without network; see without_network()."""

import os
import sys
from collections.abc import Sequence

from workbench.worker.confinement import give_up_network

REFUSED = 125
"""Exit code if the system refuses to restrict the network, as of env(1) and similar programs."""
NOT_STARTED = 127
"""Exit code if the program cannot be started."""


def main(arguments: Sequence[str]) -> None:
    """Give up the network and replace this process by the program; never returns.

    Args:
        arguments: The port to which connections stay possible, or "-"; then the program and its arguments.
    """
    port, *command = arguments
    try:
        give_up_network(port=None if port == "-" else int(port))
    except OSError as error:
        sys.stderr.write(f"The network cannot be taken from “{command[0]}”: {error.strerror}.\n")
        os._exit(REFUSED)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"“{command[0]}” cannot be started: {error.strerror}.\n")
        os._exit(NOT_STARTED)
