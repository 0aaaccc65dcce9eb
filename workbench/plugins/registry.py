"""A typed registry: names to makers, ours first, then those of installed packages."""

import logging
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, TypeVar

logger = logging.getLogger(__name__)
T = TypeVar("T")


class Registry(Generic[T]):
    """Parts of one kind by name; group is the entry point group that other packages add to.

    A package that fails to load is logged and left out: one bad plug-in never stops the program.
    """

    def __init__(self, group: str) -> None:
        self.group = group
        self._makers: dict[str, Callable[[], T]] = {}
        self._discovered = False

    def register(self, name: str, maker: Callable[[], T]) -> None:
        """Add a part under a name.

        Raises:
            ValueError: The name is taken.
        """
        if name in self._makers:
            raise ValueError(f"{name!r} is registered twice in {self.group}")
        self._makers[name] = maker

    def get(self, name: str) -> T:
        """Return a new part.

        Raises:
            KeyError: There is none of that name.
        """
        return self._all()[name]()

    def registered(self, name: str) -> Callable[[], T]:
        """Return what stands under a name, without calling it.

        Raises:
            KeyError: There is none of that name.
        """
        return self._all()[name]

    def names(self) -> tuple[str, ...]:
        """Return every name, ours first."""
        return tuple(self._all())

    def __iter__(self) -> Iterator[T]:
        return (maker() for maker in self._all().values())

    def _all(self) -> dict[str, Callable[[], T]]:
        if not self._discovered:
            self._discovered = True
            for entry in entry_points(group=self.group):
                try:
                    self._makers.setdefault(entry.name, entry.load())
                except Exception:  # foreign code may raise anything
                    logger.warning("Plug-in %s of %s could not be loaded", entry.name, self.group, exc_info=True)
        return self._makers
