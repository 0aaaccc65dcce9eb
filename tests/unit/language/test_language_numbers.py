"""Numbers in texts: no plural for one."""

import re
from pathlib import Path

import pytest

import workbench
from workbench.language import counted, in_seconds


@pytest.mark.parametrize(
    ("seconds", "words"), [(1, "1 second"), (1.0, "1 second"), (0.5, "0.5 seconds"), (120, "120 seconds")]
)
def test_a_time_limit_of_one_second_is_no_plural(seconds: float, words: str) -> None:
    assert in_seconds(seconds) == words


@pytest.mark.parametrize(("number", "words"), [(0, "0 pages"), (1, "1 page"), (1234, "1,234 pages")])
def test_one_of_something_is_no_plural(number: int, words: str) -> None:
    assert counted(number, "page") == words


def test_every_time_limit_is_formatted_by_one_shared_function() -> None:
    package = Path(workbench.__path__[0])
    pattern = re.compile(r"seconds(?::g)?\} seconds")
    told = [path.name for path in package.rglob("*.py") if pattern.search(path.read_text("utf-8"))]
    # Two more contain no number if a server requests one second.
    assert sorted(told) == ["error_mapping.py", "language.py", "web_fetcher.py"]
