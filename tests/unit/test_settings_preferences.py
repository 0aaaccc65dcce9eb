"""Personal settings belong to the user and hold in every library; those of older libraries are taken over once."""

from pathlib import Path

import pytest

from workbench.errors import SettingError
from workbench.operations import Library
from workbench.settings import Settings
from workbench.settings.preferences import PreferenceFile
from workbench.store.configuration import SettingStore
from workbench.store.database import Database


def _of_an_earlier_version(folder: Path, **personal: str) -> None:
    """Make a library of this user in which an earlier version stored personal settings."""
    library = Library.open(folder)
    for key, value in personal.items():
        library.setting_values._put("setting", key, f'"{value}"')
    library.close()


def _stored(folder: Path) -> list[str]:
    database = Database.open(folder)
    with database.read() as connection:
        rows = connection.execute("SELECT key FROM remembered WHERE scope = 'setting'").fetchall()
    database.close()
    return [key for (key,) in rows]


def test_a_personal_setting_holds_in_every_library_and_is_stored_in_none(tmp_path: Path) -> None:
    first, second = Database.open(tmp_path / "first"), Database.open(tmp_path / "second")
    SettingStore(first).put("theme", "dark")
    SettingStore(first).put("rounds", 5)
    assert SettingStore(first).load() == Settings(theme="dark", rounds=5)
    assert SettingStore(second).load() == Settings(theme="dark")
    for one in (first, second):
        one.close()
    assert (_stored(tmp_path / "first"), _stored(tmp_path / "second")) == (["rounds"], [])


def test_settings_stored_by_an_earlier_version_are_adopted_once(tmp_path: Path) -> None:
    _of_an_earlier_version(tmp_path / "old", theme="dark", language="zh_CN")
    library = Library.open(tmp_path / "old")
    assert (library.settings.theme, library.settings.language) == ("dark", "zh_CN")
    library.setting_values.reset("theme")
    library.close()
    assert _stored(tmp_path / "old") == []
    _of_an_earlier_version(tmp_path / "older", theme="light", language="en", log_detail="more")
    library = Library.open(tmp_path / "older")
    assert library.settings == Settings(language="zh_CN", log_detail="more")
    library.close()


def test_the_library_of_another_user_changes_no_personal_setting(tmp_path: Path) -> None:
    _of_an_earlier_version(tmp_path / "sent", language="zh_CN")
    (tmp_path / "sent").rename(tmp_path / "received")
    library = Library.open(tmp_path / "received")
    assert library.settings == Settings()
    library.close()


@pytest.mark.logs_warnings
@pytest.mark.parametrize("content", [b"\x00 nonsense {", b"[1, 2]", b'{"theme": "pink", "rounds": 3}', b"7"])
def test_a_damaged_file_means_the_defaults_until_the_next_change(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "preferences.json").write_bytes(content)
    preferences = PreferenceFile(tmp_path / "preferences.json")
    assert preferences.load() == Settings()
    preferences.put("theme", "dark")
    assert preferences.load() == Settings(theme="dark")


@pytest.mark.logs_warnings
def test_an_unwritable_file_is_reported_and_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    preferences = PreferenceFile(tmp_path / "taken" / "preferences.json")
    with pytest.raises(SettingError, match="could not be saved"):
        preferences.put("theme", "dark")
    assert preferences.load() == Settings()
