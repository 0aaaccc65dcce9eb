"""What a child process says, written and read: only plain values and nouns of ours, and never more than so much.

A pickle can name any function, and whoever reads it would call that. A child that a hostile file has taken over writes
what it likes, so nothing is made here but values of the standard library, arrays, and the program's own dataclasses,
enumerations and errors.
"""

import builtins
import dataclasses
import importlib
import io
import pickle
import sys
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any

MOST_BYTES = 512 * 2**20
"""Of one answer. The words of a PDF of 2,000 pages, with their boxes, take 60 MB."""

_PLAIN = {
    # Not bytes and bytearray, which pickles hold as they are: called with a number they would take that much memory.
    "builtins": frozenset(
        ["set", "frozenset", "complex", "range", "slice", "str", "int", "float", "dict", "list", "tuple"]
    ),
    "collections": frozenset({"OrderedDict", "deque", "Counter", "defaultdict"}),
    "datetime": frozenset({"date", "datetime", "time", "timedelta", "timezone"}),
    "decimal": frozenset({"Decimal"}),
    "fractions": frozenset({"Fraction"}),
    "pathlib": frozenset({"Path", "PosixPath", "WindowsPath", "PurePath", "PurePosixPath", "PureWindowsPath"}),
    "uuid": frozenset({"UUID"}),
    "pathlib._local": frozenset({"Path", "PosixPath", "WindowsPath", "PurePath", "PurePosixPath", "PureWindowsPath"}),
    "numpy": frozenset({"ndarray", "dtype"}),
    "numpy._core.multiarray": frozenset({"_reconstruct", "scalar"}),
    "numpy.core.multiarray": frozenset({"_reconstruct", "scalar"}),
    "numpy._core.numeric": frozenset({"_frombuffer"}),
    "numpy.core.numeric": frozenset({"_frombuffer"}),
}
_PLAIN_KINDS: tuple[Callable[[Any], Any], ...] = (str, int, float, dict, list, tuple, set, frozenset)
_NOT_OURS_TO_SEND = ("workbench.ui", "workbench.app", "workbench.cli", "workbench.tour", "workbench.__main__")


class UnsafePickle(pickle.PickleError):
    """An answer is made of what no answer is made of."""


def pack_value(value: object) -> bytes:
    """Return a value as bytes; a string, number or list of a kind of a library's own goes as a plain one.

    Raises:
        UnsafePickle: Something in it is no plain value.
        pickle.PicklingError, TypeError: Something in it cannot travel at all.
    """
    file = io.BytesIO()
    _Packer(file, pickle.HIGHEST_PROTOCOL).dump(value)
    return file.getvalue()


def unpack_value(data: bytes) -> Any:
    """Return the value that bytes from a child stand for.

    Raises:
        UnsafePickle: They name something that no answer is made of.
        Exception: They are damaged; anything may come of that.
    """
    return _Unpacker(io.BytesIO(data)).load()


class _Packer(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        kind: type = type(obj)
        if _may_travel(kind) or callable(obj):  # among these are classes, and what makes an array
            return NotImplemented
        for plain in _PLAIN_KINDS:
            if isinstance(obj, plain):  # type: ignore[arg-type]
                return plain, (plain(obj),)
        raise UnsafePickle(f"A {kind.__module__}.{kind.__qualname__} cannot be pickled for an answer.")


class _Unpacker(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if global_name in _PLAIN.get(module_name, ()):
            return super().find_class(module_name, global_name)
        kind = _named(module_name, global_name)
        if kind is None or not _may_travel(kind):
            raise UnsafePickle(f"{module_name}.{global_name} is in no answer.")
        return kind


def _named(module_name: str, name: str) -> type | None:
    """Return a class of ours, or an error of Python's own; None for anything else."""
    if module_name == "builtins":
        found = vars(builtins).get(name)
    elif module_name.startswith("workbench.") and not module_name.startswith(_NOT_OURS_TO_SEND):
        module = sys.modules.get(module_name) or importlib.import_module(module_name)
        found = vars(module).get(name)
    else:
        return None
    return found if isinstance(found, type) and found.__module__ == module_name else None


@cache
def _may_travel(kind: type) -> bool:
    """Whether answers may hold objects of a class."""
    module = kind.__module__
    if module == "builtins":
        return issubclass(kind, Exception) or kind.__name__ in _PLAIN["builtins"] or kind is bytearray
    if module.partition(".")[0] == "numpy" or kind.__qualname__ in _PLAIN.get(module, ()):
        return True
    if not module.startswith("workbench.") or module.startswith(_NOT_OURS_TO_SEND):
        return False
    return dataclasses.is_dataclass(kind) or issubclass(kind, (Enum, Exception)) or hasattr(kind, "_fields")
