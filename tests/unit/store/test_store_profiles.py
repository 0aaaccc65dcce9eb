"""Model profiles, settings, and the window's state."""

from dataclasses import replace

import pytest

from workbench.errors import NotFound, SettingError
from workbench.model.profile import OFFLINE, ModelProfile, ToolCalling, WireApi
from workbench.settings import Settings
from workbench.store.configuration import ProfileStore, SettingStore
from workbench.store.database import Database

LOCAL = ModelProfile("local", "http://127.0.0.1:8080/v1", "m", WireApi.AUTO, "KEY")


@pytest.fixture
def profiles(database: Database) -> ProfileStore:
    return ProfileStore(database)


@pytest.fixture
def settings(database: Database) -> SettingStore:
    return SettingStore(database)


def test_offline_is_always_there_and_first(profiles: ProfileStore) -> None:
    profiles.put(LOCAL)
    profiles.put(ModelProfile("a", "http://127.0.0.1/v1"))
    assert [profile.name for profile in profiles.list()] == ["offline", "a", "local"]
    assert profiles.get("offline") == OFFLINE


def test_e40_how_tools_are_called_is_kept_and_what_was_found_out_remembered(profiles: ProfileStore) -> None:
    profiles.put(replace(LOCAL, tool_calling=ToolCalling.NATIVE))
    assert profiles.get("local").calls_tools is ToolCalling.NATIVE
    profiles.put(LOCAL)
    profiles.remember_tool_calling("local", ToolCalling.TEXT)
    assert profiles.get("local").calls_tools is ToolCalling.TEXT


def test_the_detected_api_is_remembered(profiles: ProfileStore) -> None:
    profiles.put(LOCAL)
    profiles.remember_api("local", WireApi.CHAT)
    profiles.remember_api("gone", WireApi.CHAT)
    assert profiles.get("local").detected_api is WireApi.CHAT
    profiles.put(LOCAL)
    assert profiles.get("local") == LOCAL


def test_a_removed_profile_is_no_longer_found(profiles: ProfileStore) -> None:
    profiles.put(LOCAL)
    profiles.remove("local")
    for call in (lambda: profiles.get("local"), lambda: profiles.remove("local")):
        with pytest.raises(NotFound, match="The profiles are offline"):
            call()


def test_the_built_in_profile_cannot_be_changed(profiles: ProfileStore) -> None:
    for call in (
        lambda: profiles.put(ModelProfile("offline", "http://127.0.0.1/v1")),
        lambda: profiles.put(ModelProfile(" ")),
        lambda: profiles.remove("offline"),
    ):
        with pytest.raises(SettingError):
            call()


def test_only_changed_settings_are_stored(settings: SettingStore, database: Database) -> None:
    assert settings.load() == Settings()
    settings.put("search_results", "20")
    settings.put("rounds", 5)
    settings.reset("rounds")
    assert settings.load() == Settings(search_results=20)
    with database.read() as connection:
        rows = connection.execute("SELECT key FROM remembered WHERE scope = 'setting'").fetchall()
    assert rows == [("search_results",)]


def test_a_bad_setting_changes_nothing(settings: SettingStore) -> None:
    for key, value in (("search_results", 0), ("theme", "pink"), ("no_such", 1)):
        with pytest.raises(SettingError):
            settings.put(key, value)
    assert settings.load() == Settings()


def test_the_window_remembers_its_state(settings: SettingStore) -> None:
    assert settings.state("docks", "none") == "none"
    settings.set_state("docks", "AAAA/w==")
    settings.set_state("docks", "BBBB/w==")
    assert settings.state("docks") == "BBBB/w=="
