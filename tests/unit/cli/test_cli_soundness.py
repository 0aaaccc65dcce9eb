"""The commands check, repair and backup."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.store.database import FILE_NAME

Typed = Callable[..., tuple[int, list[Any], str]]


@pytest.mark.usefixtures("empty_library")
def test_check_reports_a_sound_library_as_sound(typed: Typed) -> None:
    status, (verdict,), _ = typed("check")
    assert (status, verdict["sound"]) == (0, True)
    assert set(verdict["looked"]) >= {"database", "texts", "keyword index", "sessions", "settings"}


@pytest.mark.usefixtures("empty_library")
def test_a_fault_is_a_record_with_its_remedy_and_fails_the_command(typed: Typed, tmp_path: Path) -> None:
    with (tmp_path / "library" / FILE_NAME).open("r+b") as file:
        file.write(bytes(100))
    status, (fault, verdict), _ = typed("check")
    assert (status, verdict["sound"], fault["part"], fault["cure"]) == (1, False, "database", "rebuild the database")
    assert "damaged one is kept beside it" in fault["remedy"]
    status, (trial,), _ = typed("repair", "--dry-run")
    assert (trial["trial"], len(trial["done"])) == (True, 1)
    assert typed("check")[0] == 1
    status, (made,), _ = typed("repair")
    assert (status, made["lost"], made["left"]) == (0, [], [])
    assert (Path(made["aside"]) / FILE_NAME).exists()
    assert typed("check")[0] == 0


@pytest.mark.usefixtures("empty_library")
def test_backups_are_made_listed_restored_and_removed(typed: Typed) -> None:
    assert "workbench backup create" in typed("backup", "list")[2]
    _, (made,), _ = typed("backup", "create")
    typed("kb", "add", "later")
    status, (restored,), said = typed("backup", "restore", made["backup"])
    assert (status, restored["backup"]) == (0, made["backup"])
    assert "The previous database is kept as 0002-restore-" in said
    assert [base["kb"] for base in typed("kb", "list")[1]] == ["default"]
    assert [one["reason"] for one in typed("backup", "list")[1]] == ["restore", "by hand"]
    assert typed("backup", "remove", made["backup"])[0] == 0
    assert [one["reason"] for one in typed("backup", "list")[1]] == ["restore"]


@pytest.mark.usefixtures("empty_library")
def test_a_backup_that_is_not_there_changes_nothing(typed: Typed) -> None:
    for action in ("restore", "remove"):
        status, (error,), _ = typed("backup", action, "none")
        assert (status, error["kind"]) == (1, "NotFound")
