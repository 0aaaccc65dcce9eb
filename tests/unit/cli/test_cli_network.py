"""network on the command line: the air gap, and what was asked of the network."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Typed = Callable[..., tuple[int, list[Any], str]]


@pytest.mark.usefixtures("empty_library")
def test_the_air_gap_is_shown_and_switched(typed: Typed) -> None:
    status, (gap,), _said = typed("network")
    assert (status, gap["air_gap"], gap["choice"]) == (0, True, "auto")
    assert typed("network", "open")[1][0]["air_gap"] is False
    assert typed("network", "close")[1][0] == {
        "air_gap": True,
        "choice": "on",
        "at_home": True,
        "needs": [],
        "exceptions": [],
    }


def test_what_was_refused_is_listed_exported_and_cleared(typed: Typed, tmp_path: Path) -> None:
    status, (page,), _said = typed("add", "https://pages.example/a?key=1")
    assert status == 1
    assert "The air gap is on: “pages.example” was not asked." in page["reason"]
    (listed,) = typed("network", "list", "--refused")[1]
    assert (listed["host"], listed["address"], listed["outcome"]) == (
        "pages.example",
        "https://pages.example/a",
        "refused",
    )
    assert typed("network", "list", "--outside")[1] == []
    assert typed("network", "list", "--purpose", "answer")[1] == []
    gap, host = typed("network", "state")[1]
    assert (gap["air_gap"], host["host"], host["refused"]) == (True, "pages.example", 1)
    assert typed("network", "export", str(tmp_path / "a.jsonl"))[1][0]["requests"] == 1
    assert json.loads((tmp_path / "a.jsonl").read_text("utf-8"))["host"] == "pages.example"
    assert typed("network", "clear")[1] == [{"cleared": 1}]
    assert typed("network", "list")[1] == []


def test_who_sets_up_what_needs_the_network_is_told_of_the_exception(typed: Typed) -> None:
    model = ("--base-url", "https://models.example/v1", "--model", "m")
    said = typed("profiles", "add", "far", *model)[2]
    assert "The air gap is on, with one exception: the model profile “far”." in said
    assert "air gap" not in typed("profiles", "list")[2]
    assert typed("network")[1][0]["exceptions"] == [
        {"use": "profile", "name": "far", "host": "models.example", "port": 443}
    ]
    assert "The air gap is on: nothing leaves this machine" in typed("profiles", "remove", "far")[2]
