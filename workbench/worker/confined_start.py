"""Start another program without the network: what without_network() has Python run, and nothing else imports."""

import os
import sys
from collections.abc import Sequence

from workbench.worker.confinement import give_up_network

REFUSED = 125
"""The exit code where the system does not let us, as of env(1) and its like."""
NOT_STARTED = 127
"""The exit code where there is no such program."""


def main(arguments: Sequence[str]) -> None:
    """Give up the network, and become the program; never returns.

    Args:
        arguments: The port that stays open, or "-"; then the program and its arguments.
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
