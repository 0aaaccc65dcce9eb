"""--user NAME: two users of one library at the command line."""

from pathlib import Path
from typing import Any

import pytest

from workbench.cli.parser import build_parser

QUESTION = "When did the harbour of Lindhamn freeze?"


@pytest.fixture
def anns(shell: Any, tmp_path: Path) -> Any:
    """Return a shell with a question of Ann; the document is shared."""
    file = tmp_path / "harbour.md"
    file.write_text("# Harbour\n\nThe harbour of Lindhamn froze in 1987.\n", "utf-8")
    shell("add", file)
    (answer,) = shell("ask", QUESTION, "--user", "Ann")
    return answer


def test_each_user_lists_searches_continues_and_exports_only_their_own_sessions(
    shell: Any, anns: Any, tmp_path: Path
) -> None:
    (bobs,) = shell("--user", "Bob", "ask", "What froze in 1987?")
    assert bobs["session"] != anns["session"]
    assert [one["session"] for one in shell("sessions", "--user", "Ann")] == [anns["session"]]
    assert [one["session"] for one in shell("sessions", "Lindhamn", "--user", "Bob")] == [bobs["session"]]
    assert shell("sessions") == []
    assert [one["run"] for one in shell("runs", "list", "--user", "Bob")] == [bobs["run"]]
    shell("export", "--all", "--out", tmp_path / "out.md", "--user", "Bob")
    assert QUESTION not in (tmp_path / "out.md").read_text("utf-8")
    for words in (("ask", "Why?", "--session", anns["session"]), ("export", anns["session"])):
        (theirs,) = shell(*words, "--user", "Bob")
        (nobodys,) = shell(*words[:-1], 99, "--user", "Bob")
        assert theirs["kind"] == "NotFound"
        assert theirs["error"].replace(str(anns["session"]), "99") == nobodys["error"]


def test_readings_and_evaluations_of_one_user_are_in_no_list_of_another_user(
    shell: Any, anns: Any, tmp_path: Path
) -> None:
    (read,) = shell("read-all", QUESTION, "--yes", "--user", "Ann")
    questions = tmp_path / "harbour.jsonl"
    questions.write_text(f'{{"question": "{QUESTION}", "document": "harbour.md", "answers": ["1987"]}}\n', "utf-8")
    shell("eval", "--from", questions, "--user", "Ann")
    for user, many in (("Ann", 1), ("Bob", 0)):
        assert len(shell("read-all", "--list", "--user", user)) == many
        assert len(shell("eval", "--history", "--user", user)) == many
    assert shell("read-all", "--show", read["reading"], "--user", "Bob")[0]["kind"] == "NotFound"


def test_memories_are_of_the_user_that_the_environment_names(shell: Any, anns: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("WORKBENCH_USER", "Ann")
    (kept,) = shell("memory", "add", "Likes tea.")
    assert [one["text"] for one in shell("memory", "list")] == ["Likes tea."]
    assert shell("memory", "list", "--user", "Bob") == []
    assert shell("memory", "remove", kept["memory"], "--user", "Bob")[0]["kind"] == "NotFound"


def test_a_backup_lists_its_users_and_the_help_warns_that_user_data_is_not_protected(shell: Any, anns: Any) -> None:
    assert shell("backup", "create")[0]["users"] == ["Ann"]
    assert "contains data of: Ann" in shell.words("backup", "list")
    assert "does not protect their data" in " ".join(build_parser().format_help().split())
