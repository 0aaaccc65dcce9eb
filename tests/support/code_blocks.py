"""Indented code blocks of the README and the guide."""

import re
from pathlib import Path
from textwrap import dedent

PROJECT = Path(__file__).resolve().parents[2]


def code_block(text: str) -> str:
    """Return the first indented block of a text."""
    found = re.search(r"(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE)
    assert found is not None
    return dedent(found.group()).strip("\n")


def readme_example() -> str:
    """Return the README's example for Python."""
    return code_block((PROJECT / "README.md").read_text("utf-8").partition("## Use it from Python\n")[2])
