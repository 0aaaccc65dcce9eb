"""Ids of documents and chunks of several libraries in one: those of a shared library begin at a multiple of 2^40.

A personal library counts from 1. A connected shared library has a slot, from 1, which never changes: its documents and
chunks have the slot in the bits above 40, so that stored citations find them again.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from workbench.errors import LibraryError
from workbench.language import mark
from workbench.model.chunk import Chunk
from workbench.model.document import Document
from workbench.model.filter import AllOf, AnyOf, ChunkFilter, Condition, Expression, Not, Operator
from workbench.model.hit import Hit
from workbench.model.shared_library import SLOT_BITS

SEPARATOR = "/"
"""Between the name of a shared library and that of one of its knowledge bases."""

_NEVER = AnyOf(())

T = TypeVar("T")


def slot_of(number: int) -> int:
    """Return the slot of the shared library that an id belongs to; 0 for the personal library."""
    return number >> SLOT_BITS if number > 0 else 0


def local_id(number: int) -> int:
    """Return an id as its own library counts."""
    return number & ((1 << SLOT_BITS) - 1) if number > 0 else number


def by_slot(numbers: Iterable[int]) -> dict[int, list[int]]:
    """Return slot -> local ids, in the given order."""
    found: dict[int, list[int]] = {}
    for number in numbers:
        found.setdefault(slot_of(number), []).append(local_id(number))
    return found


def require_personal(numbers: Iterable[int]) -> None:
    """Raise an error if a document or chunk belongs to a shared library, where an operation is not possible.

    Raises:
        LibraryError: One does.
    """
    if any(slot_of(number) for number in numbers):
        raise LibraryError(
            mark("Documents of a shared library cannot be changed like this yet."),
            mark("Change the file and add it again; or add it to your own library."),
        )


class IdSpace:
    """Translation of values of one shared library, whose ids and names are local, to those of all libraries."""

    def __init__(self, slot: int, name: str) -> None:
        """Translate values of the library with this slot and name."""
        self._offset = slot << SLOT_BITS
        self._prefix = f"{name}{SEPARATOR}"

    def number(self, local: int) -> int:
        """Return the id of a local id."""
        return local + self._offset

    def knowledge_base(self, local: str) -> str:
        """Return the name of a knowledge base for users: "team/contracts"."""
        return self._prefix + local

    def local_knowledge_base(self, name: str) -> str | None:
        """Return the local name of a knowledge base; None if it belongs to another library."""
        return name[len(self._prefix) :] if name.startswith(self._prefix) else None

    def value(self, value: T) -> T:
        """Return a document, chunk, hit or a collection of these with ids of all libraries."""
        return self._value(value)  # type: ignore[no-any-return]

    def _value(self, value: Any) -> Any:
        match value:
            case Chunk():
                return replace(value, id=self.number(value.id), document=self.number(value.document))
            case Document():
                return replace(
                    value, id=self.number(value.id), knowledge_base=self.knowledge_base(value.knowledge_base)
                )
            case Hit():
                return replace(
                    value,
                    chunk=self._value(value.chunk),
                    knowledge_base=self.knowledge_base(value.knowledge_base),
                )
            case tuple() if type(value) is tuple:
                return tuple(self._value(one) for one in value)
            case list():
                return [self._value(one) for one in value]
            case Mapping():
                return {self.number(key): self._value(one) for key, one in value.items()}
            case _:
                return value

    def filter(self, asked: ChunkFilter, names: Iterable[str]) -> ChunkFilter | None:
        """Return a filter in terms of this library; None if nothing of it can pass.

        Args:
            asked: The filter, with ids and names of all libraries.
            names: Local names of the knowledge bases of this library.
        """
        base = None
        if asked.knowledge_base is not None:
            base = self.local_knowledge_base(asked.knowledge_base)
            if base is None:
                return None
        full = {self.knowledge_base(name): name for name in names}
        where = tuple(_translated(one, full, self._offset) for one in asked.where)
        return None if _NEVER in where else ChunkFilter(base, where)


def personal_filter(asked: ChunkFilter, names: Iterable[str], shared: Iterable[str]) -> ChunkFilter | None:
    """Return a filter in terms of the personal library; None if nothing of it can pass.

    Args:
        asked: The filter, with ids and names of all libraries.
        names: Names of the knowledge bases of the personal library.
        shared: Names of those of connected shared libraries; others are left in, so that an error names them.
    """
    others = set(shared)
    if asked.knowledge_base in others:
        return None
    own = {name: name for name in names}
    where = tuple(_translated(one, own, 0, others) for one in asked.where)
    return None if _NEVER in where else ChunkFilter(asked.knowledge_base, where)


def _translated(
    expression: Expression, names: Mapping[str, str], offset: int, others: set[str] | None = None
) -> Expression:
    match expression:
        case AllOf(parts):
            inner = tuple(_translated(part, names, offset, others) for part in parts)
            return _NEVER if _NEVER in inner else AllOf(inner)
        case AnyOf(parts):
            inner = tuple(_translated(part, names, offset, others) for part in parts)
            return AnyOf(tuple(part for part in inner if part != _NEVER))
        case Not(part):
            return Not(_translated(part, names, offset, others))
        case Condition(key="document"):
            return _document(expression, offset)
        case Condition(key="knowledge_base"):
            return _knowledge_base(expression, names, others)
    return expression


def _document(condition: Condition, offset: int) -> Expression:
    values = [float(value) if "." in value else int(value) for value in condition.values if value]
    if condition.operator in (Operator.EQ, Operator.IN):
        slot = offset >> SLOT_BITS
        own = tuple(str(local_id(int(value))) for value in values if slot_of(int(value)) == slot)
        return Condition("document", Operator.IN, own) if own else _NEVER
    return Condition("document", condition.operator, tuple(str(value - offset) if value else "" for value in values))


def _knowledge_base(condition: Condition, names: Mapping[str, str], others: set[str] | None) -> Expression:
    """Return a condition on local names: those of the knowledge bases whose full name passes."""
    if condition.operator is Operator.NEQ:
        return Not(_knowledge_base(Condition(condition.key, Operator.EQ, condition.values), names, others))
    wanted = [value.casefold() for value in condition.values]
    tests: Mapping[Operator, Callable[[str], bool]] = {
        Operator.EQ: lambda name: name in wanted,
        Operator.IN: lambda name: name in wanted,
        Operator.CONTAINS: lambda name: wanted[0] in name,
        Operator.STARTSWITH: lambda name: name.startswith(wanted[0]),
        Operator.GT: lambda name: name > wanted[0],
        Operator.GTE: lambda name: name >= wanted[0],
        Operator.LT: lambda name: name < wanted[0],
        Operator.LTE: lambda name: name <= wanted[0],
    }
    test = tests[condition.operator]
    passing = tuple(local for full, local in names.items() if test(full.casefold()))
    if others is not None and condition.operator in (Operator.EQ, Operator.IN):
        # Unknown names stay, so that the search reports them.
        known = {name.casefold() for name in (*names, *others)}
        passing += tuple(value for value in condition.values if value.casefold() not in known)
    return Condition("knowledge_base", Operator.IN, passing) if passing else _NEVER
