"""Environment variables requested by a plug-in file are read without running it."""

import pytest

from workbench.plugins.plugin_file import named_variables


@pytest.mark.parametrize(
    ("code", "names"),
    [
        (b'ENVIRONMENT = ["A_KEY", "B_KEY"]', ("A_KEY", "B_KEY")),
        (b'ENVIRONMENT = ("A_KEY",)', ("A_KEY",)),
        (b"ENVIRONMENT = list(environ)", ()),
        (b"ENVIRONMENT = 3", ()),
        (b'def f():\n    ENVIRONMENT = ["A_KEY"]', ()),
        (b"", ()),
        (b"def (", ()),
        (b"\x00\xff", ()),
    ],
)
def test_variable_names_are_read_only_from_a_plain_list_at_the_top_level(code: bytes, names: tuple[str, ...]) -> None:
    assert named_variables(code) == names
