"""How a call in a child process can fail beside what the function itself raises."""


class ProcessFailure(Exception):
    """A call that its child process did not survive."""


class ProcessCrashed(ProcessFailure):
    """The child died by itself; exit_code is negative for a signal; memory_ran_out: there are signs of it."""

    def __init__(self, exit_code: int | None, *, memory_ran_out: bool = False) -> None:
        super().__init__(f"The child process ended with exit code {exit_code}.")
        self.exit_code = exit_code
        self.memory_ran_out = memory_ran_out


class ProcessTimedOut(ProcessFailure):
    """The child was killed because the call took too long."""


class ProcessOutOfMemory(ProcessFailure):
    """The child wanted more memory than allowed."""


class ProcessOutputTooLarge(ProcessFailure):
    """What the call came to is larger than an answer may be."""


class ProcessFilledDisk(ProcessFailure):
    """The child wrote more to its scratch folder than allowed."""


class ProcessForked(ProcessFailure):
    """The child had more processes started than allowed."""
