"""Typed registry of factories by name, with entry points of installed packages."""

import logging
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, TypeVar

logger = logging.getLogger(__name__)
T = TypeVar("T")


class Registry(Generic[T]):
    """Registry of factories of one type; group is the entry point group of other packages.

    A package that fails to load is logged and left out, so that a broken plug-in does not stop the program.
    """

    def __init__(self, group: str) -> None:
        self.group = group
        self._makers: dict[str, Callable[[], T]] = {}
        self._discovered = False

    def register(self, name: str, maker: Callable[[], T]) -> None:
        """Add a factory under a name.

        Raises:
            ValueError: The name is already registered.
        """
        if name in self._makers:
            raise ValueError(f"{name!r} is registered twice in {self.group}")
        self._makers[name] = maker

    def get(self, name: str) -> T:
        """Return a new object from the factory of a name.

        Raises:
            KeyError: The name is not registered.
        """
        return self._all()[name]()

    def registered(self, name: str) -> Callable[[], T]:
        """Return the factory of a name without calling it.

        Raises:
            KeyError: The name is not registered.
        """
        return self._all()[name]

    def names(self) -> tuple[str, ...]:
        """Return all names, built-in ones first."""
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
