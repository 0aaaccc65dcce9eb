"""Messages of child processes: restricted pickling of results, partial results, and exceptions of calls.

Unpickling can call any function that a pickle names, and a child compromised by a hostile file can send any bytes. So
only values of the standard library, arrays, and the program's own dataclasses, enumerations and errors are unpickled.

    in a child: send_partial_result(value) -> pipe -> in the parent: ProcessPool.run(..., on_partial=...)

Every value counts as progress and restarts the time limit of the call.
"""

import builtins
import dataclasses
import importlib
import io
import operator
import pickle
import sys
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any

MOST_BYTES = 512 * 2**20
"""Maximum size of one result. The words of a PDF of 2,000 pages, with their boxes, take 60 MB."""

_PLAIN = {
    # Not bytes and bytearray, which pickles store directly; called with a number, they would allocate as many bytes.
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
_EXCLUDED_PACKAGES = ("workbench.ui", "workbench.app", "workbench.cli", "workbench.tour", "workbench.__main__")


class UnsafePickle(pickle.PickleError):
    """A result contains an object of a class that is not allowed."""


def pack_value(value: object) -> bytes:
    """Return a value as bytes; library-specific subclasses of str, int, list etc. are packed as the plain type.

    Raises:
        UnsafePickle: The value contains an object of a class that is not allowed.
        pickle.PicklingError, TypeError: The value contains an object that cannot be pickled.
    """
    file = io.BytesIO()
    _Packer(file, pickle.HIGHEST_PROTOCOL).dump(value)
    return file.getvalue()


def unpack_value(data: bytes) -> Any:
    """Return the value packed in bytes from a child.

    Raises:
        UnsafePickle: The bytes name a class or function that is not allowed.
        Exception: The bytes are damaged; any exception is possible.
    """
    return _Unpacker(io.BytesIO(data)).load()


class _Packer(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        kind: type = type(obj)
        values = _values_of(kind)
        if values is not None:
            return kind, values(obj)
        if _is_allowed(kind) or callable(obj):  # callables include classes and the functions that rebuild arrays
            return NotImplemented
        for plain in _PLAIN_KINDS:
            if isinstance(obj, plain):  # type: ignore[arg-type]
                return plain, (plain(obj),)
        raise UnsafePickle(f"A {kind.__module__}.{kind.__qualname__} cannot be pickled for an answer.")


@cache
def _values_of(kind: type) -> Callable[[Any], tuple[Any, ...]] | None:
    """Return a function that gets the arguments to construct an equal object; None unless kind is a slotted dataclass.

    For these, dataclasses looks up the fields of each object: packing and unpacking a Chunk takes 22 us, like this 11.
    """
    if not (dataclasses.is_dataclass(kind) and "__slots__" in vars(kind) and _is_allowed(kind)):
        return None
    fields = dataclasses.fields(kind)
    if len(fields) < 2 or any(field.kw_only or not field.init for field in fields):
        return None
    return operator.attrgetter(*(field.name for field in fields))


class _Unpacker(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if global_name in _PLAIN.get(module_name, ()):
            return super().find_class(module_name, global_name)
        kind = _find_class(module_name, global_name)
        if kind is None or not _is_allowed(kind):
            raise UnsafePickle(f"{module_name}.{global_name} is in no answer.")
        return kind


def _find_class(module_name: str, name: str) -> type | None:
    """Return a class of the program or a built-in class; None for anything else."""
    if module_name == "builtins":
        found = vars(builtins).get(name)
    elif module_name.startswith("workbench.") and not module_name.startswith(_EXCLUDED_PACKAGES):
        module = sys.modules.get(module_name) or importlib.import_module(module_name)
        found = vars(module).get(name)
    else:
        return None
    return found if isinstance(found, type) and found.__module__ == module_name else None


@cache
def _is_allowed(kind: type) -> bool:
    """Return True if results may contain objects of a class."""
    module = kind.__module__
    if module == "builtins":
        return issubclass(kind, Exception) or kind.__name__ in _PLAIN["builtins"] or kind is bytearray
    if module.partition(".")[0] == "numpy" or kind.__qualname__ in _PLAIN.get(module, ()):
        return True
    if not module.startswith("workbench.") or module.startswith(_EXCLUDED_PACKAGES):
        return False
    return dataclasses.is_dataclass(kind) or issubclass(kind, (Enum, Exception)) or hasattr(kind, "_fields")


_send: list[Callable[[Any], None]] = []
"""Function that sends a value; empty outside of a child process."""


def send_partial_result(value: Any) -> None:
    """Send a value to the caller that waits for the result of this call; does nothing outside of a child process.

    Args:
        value: A plain value, or an object of a class that results may contain (see _PLAIN).

    Raises:
        UnsafePickle: The value cannot be sent.
        OSError: The parent has ended.
    """
    for send in _send:
        send(value)


def send_with(send: Callable[[Any], None]) -> None:
    """Set the function that sends values."""
    _send[:] = [send]


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
