"""Exceptions of calls in child processes, other than those of the called function."""


class ProcessFailure(Exception):
    """Base class: the child process died or was killed during the call."""


class ProcessCrashed(ProcessFailure):
    """The child died by itself.

    Attributes:
        exit_code: Exit code of the child, negative for a signal.
        memory_ran_out: True if there are signs of memory shortage.
    """

    def __init__(self, exit_code: int | None, *, memory_ran_out: bool = False) -> None:
        super().__init__(f"The child process ended with exit code {exit_code}.")
        self.exit_code = exit_code
        self.memory_ran_out = memory_ran_out


class ProcessTimedOut(ProcessFailure):
    """The child was killed because the call took too long."""


class ProcessOutOfMemory(ProcessFailure):
    """The child needed more memory than allowed."""


class ProcessOutputTooLarge(ProcessFailure):
    """The result of the call exceeds the maximum size."""


class ProcessFilledDisk(ProcessFailure):
    """The child wrote more to its scratch folder than allowed."""


class ProcessForked(ProcessFailure):
    """The child started more processes than allowed."""
