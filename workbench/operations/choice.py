"""Which files of what the user gave are wanted: patterns to include and to exclude, and whether links are followed."""

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Choice:
    """Shell patterns: a file must match one of include, where there are any, and then none of exclude.

    A pattern without a slash is about the file's name ("*.pdf"); one with a slash about its place, either whole or from
    any folder on ("2024/*.pdf", "/home/ann/*"). Upper and lower case are the same. Links to files are left out unless
    they are to be followed; one that was named itself is always followed.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    follow_links: bool = False

    def admits(self, path: Path) -> bool:
        """Whether a file is wanted."""
        return (not self.include or _matches(path, self.include)) and not self.excludes(path)

    def excludes(self, path: Path) -> bool:
        """Whether a file, or an archive with all that is in it, is not wanted."""
        return _matches(path, self.exclude)


EVERYTHING = Choice()


def _matches(path: Path, patterns: Sequence[str]) -> bool:
    name, place = path.name.lower(), path.as_posix().lower()
    return any(_is(name if "/" not in pattern else place, pattern.lower()) for pattern in patterns)


def _is(text: str, pattern: str) -> bool:
    if "/" in pattern and not pattern.startswith("/"):
        pattern = "*/" + pattern.removeprefix("**/")
    return fnmatch.fnmatchcase(text, pattern)
