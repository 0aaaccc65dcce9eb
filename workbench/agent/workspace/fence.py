"""Reads files of a workspace, and nothing that is not in it."""

import os
from pathlib import Path

from workbench.errors import DamagedDocument
from workbench.language import mark
from workbench.model.agent import ProblemGravity, WorkspaceProblem
from workbench.parsing.encoding import read_text

MOST_BYTES = 4_000_000
"""Read of one file: four bytes a character of the longest that is sent whole."""


class Fence:
    """Gives the text of files inside one folder. What it does not give is in problems.

    A path is followed only where no part of it is a link: a link may lead out, also when it is looked at twice.
    """

    def __init__(self, folder: Path) -> None:
        self.root = folder.resolve()
        self.problems: list[WorkspaceProblem] = []

    def tell(self, message: str, agent: str = "", path: str = "", *, is_error: bool = False) -> None:
        """Add a problem."""
        gravity = ProblemGravity.ERROR if is_error else ProblemGravity.WARNING
        self.problems.append(WorkspaceProblem(message, agent, path, gravity))

    def name(self, path: Path) -> str:
        """Return a path as it stands below the workspace."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    def holds(self, path: Path) -> bool:
        """Whether a path that is there lies inside, and no part of it below the workspace is a link."""
        plain = Path(os.path.normpath(path))
        return plain.is_relative_to(self.root) and plain.resolve() == plain

    def text(self, path: Path, agent: str = "") -> str | None:
        """Return the text of a file; None where there is none, or none that may be or can be read."""
        if not path.is_file():
            return None
        name = self.name(path)
        if not self.holds(path):
            self.tell(mark("It is a link, or lies behind one, and was not read."), agent, name, is_error=True)
            return None
        try:
            with path.open("rb") as file:
                return read_text(file.read(MOST_BYTES)).text.lstrip("\ufeff").replace("\r\n", "\n")
        except OSError as error:
            self.tell(mark(f"It cannot be read: {error.strerror}."), agent, name)
        except DamagedDocument:
            self.tell(mark("It does not hold text, and was left out."), agent, name)
        return None
