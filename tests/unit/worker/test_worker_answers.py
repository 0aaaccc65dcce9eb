"""Messages of a child process are parsed without trust: plain values and known classes, nothing executable."""

import datetime
import os
import pickle
import threading
from pathlib import Path

import numpy as np
import pytest

from workbench.errors import EmptyDocument
from workbench.model.document import Block, BlockKind, Metadata
from workbench.worker.child_messages import UnsafePickle, pack_value, unpack_value
from workbench.worker.processes import ProcessPool


class Words(str):
    """Subclass of str, as some libraries return."""


@pytest.mark.parametrize(
    "value",
    [
        (True, [1, 2.5, "text", b"bytes", None, {"a": {1, 2}}]),
        Block(BlockKind.PARAGRAPH, 0, 4),
        Metadata(title="A"),
        Path("a/b"),
        datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC),
    ],
)
def test_values_and_nouns_come_back_as_they_were(value: object) -> None:
    assert unpack_value(pack_value(value)) == value


def test_arrays_come_back_as_they_were() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.array_equal(unpack_value(pack_value(array)), array)
    assert unpack_value(pack_value(np.float32(0.5))) == 0.5


def test_errors_come_back_with_their_words() -> None:
    error = unpack_value(pack_value(EmptyDocument("Nothing in it.", "Try another.")))
    assert (type(error), error.hint) == (EmptyDocument, "Try another.")


def test_a_library_s_own_text_comes_back_as_plain_text() -> None:
    text = unpack_value(pack_value([Words("hello")]))[0]
    assert (text, type(text)) == ("hello", str)


@pytest.mark.parametrize("value", [threading.Lock(), object()])
def test_objects_of_unsupported_types_are_not_packed(value: object) -> None:
    with pytest.raises(UnsafePickle):
        pack_value(value)


class Calls:
    """Class that calls a function when it is unpickled."""

    def __init__(self, function: object, *args: object) -> None:
        self._call = function, args

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self._call


@pytest.mark.parametrize(
    "call",
    [
        Calls(os.system, "true"),
        Calls(eval, "1 + 1"),
        Calls(getattr, "x", "upper"),
        Calls(__import__, "antigravity"),
        Calls(ProcessPool, 1),
        Calls(pickle.loads, b""),
        Calls(open, "/etc/passwd"),
    ],
)
def test_unpacking_calls_nothing_but_known_value_classes(call: Calls) -> None:
    with pytest.raises(UnsafePickle):
        unpack_value(pickle.dumps((True, call)))
