"""Sets up what a program writes of itself: once, at its start."""

import logging
import sys

from workbench.logs.log_file import HeldLog, LogFile

logger = logging.getLogger(__name__)

OURS = "workbench"

_begun: list[logging.Handler] = []


class _Terminal(logging.Handler):
    """Writes to whatever the standard error is by then."""

    def format(self, record: logging.LogRecord) -> str:
        from workbench.logs.lines import TerminalLines  # not on the way to the window

        return TerminalLines().format(record)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(f"{self.format(record)}\n")
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            pass  # closed, or a window without a terminal, which has none


def begin_log(program: str) -> None:
    """Write records into the log from now on, and warnings to the terminal as well.

    Args:
        program: What this process is, as its lines say it: “window”, or the name of a command.
    """
    root = logging.getLogger()
    # A program that has set up its own, as that of the tests, keeps it.
    if not root.handlers:
        terminal = _Terminal(logging.WARNING)
        root.addHandler(terminal)
        _begun.append(terminal)
    for handler in list(root.handlers):
        if isinstance(handler, LogFile):
            root.removeHandler(handler)
    root.addHandler(LogFile(program))
    set_detail(more=False)


def begin_watch(program: str) -> None:
    """Have a native crash of this process leave its trace for the next start."""
    from workbench.logs.endings import Watch  # not on the way to the window

    Watch(program)
    logger.info("Started, with Python %d.%d.%d", *sys.version_info[:3])


def begin_in_child() -> None:
    """Do both for a child process, before it gives up the right to open files; what cannot be done is left out."""
    from workbench.logs.endings import CHILD, Watch

    try:
        logging.getLogger().addHandler(HeldLog(CHILD))
    except (OSError, RuntimeError):
        return
    set_detail(more=False)
    Watch(CHILD)


def say_more_on_terminal() -> None:
    """Write to the terminal what goes into the log."""
    for handler in _begun:
        handler.setLevel(logging.INFO)


def set_detail(*, more: bool) -> None:
    """Write down more, or the usual again; other packages' loggers stay at warnings whatever is chosen.

    At INFO an HTTP client names the addresses that it asks, with the question in them.
    """
    logging.getLogger(OURS).setLevel(logging.DEBUG if more else logging.INFO)
