"""The command memory."""

from collections.abc import Callable
from typing import Any

Typed = Callable[..., tuple[int, list[Any], str]]


def test_e38_memories_are_added_edited_listed_and_removed(typed: Typed) -> None:
    status, (kept,), _ = typed("memory", "add", "Lives in Kiel.", "--kind", "CONTEXT_INFO")
    assert (status, kept["kind"], kept["weight"], kept["run"]) == (0, "CONTEXT_INFO", 1.0, None)
    typed("memory", "edit", str(kept["memory"]), "Lives in Bonn.")
    typed("memory", "add", "Likes tea.")
    _, listed, said = typed("memory", "list")
    assert [one["text"] for one in listed] == ["Likes tea.", "Lives in Bonn."]
    assert "Memory is off" in said
    assert typed("memory", "remove", str(kept["memory"]))[1][0]["text"] == "Lives in Bonn."
    assert [one["text"] for one in typed("memory", "clear")[1]] == ["Likes tea."]
    assert typed("memory", "list")[1] == []


def test_e38_a_password_and_an_unknown_memory_number_are_rejected(typed: Typed) -> None:
    for words in (("add", "The password is hunter2."), ("remove", "7"), ("edit", "7", "Likes tea.")):
        assert typed("memory", *words)[0] == 1
