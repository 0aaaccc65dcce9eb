"""What a change is that one program may have another one make (passed_changes.py), which holds the library."""

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, NewType, TypeVar

from workbench.operations.library import Library
from workbench.worker.job import Operation

T_co = TypeVar("T_co", covariant=True)

Whole = NewType("Whole", int)
"""A whole number that a person types, which may be of nothing: the operation says so. An int is a row's number."""


class Change(ABC, Generic[T_co]):
    """One change that may be asked for; its subclasses are dataclasses, whose fields are what a message says of it.

    Attributes:
        is_import: It reads documents, which may take long: the window shows it among its imports.
        is_of_setup: It changes what the window shows besides documents: settings, profiles, agents, links, sessions.
    """

    __slots__ = ()
    is_import: ClassVar[bool] = False
    is_of_setup: ClassVar[bool] = False

    @abstractmethod
    def operation(self, library: Library) -> Operation[T_co]:
        """Return the operation that makes the change, in the program that may write the library."""
